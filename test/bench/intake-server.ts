/**
 * One receiver of deliveries in a process of its own: `bare` is a Fastify route that checks the signature and answers;
 * `grouped` the served pack over the embedded store; `tenth` the same where one delivery in ten starts an agent;
 * `single` with a commit for each delivery.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import Fastify from 'fastify'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack, openSqliteStore } from '../../shared/pack.ts'
import type { Store } from '../../shared/pack.ts'

export type Setting = {
  name: 'bare' | 'grouped' | 'tenth' | 'single' | 'starting'
  provider: string
  agent: string
  key: string
  token: string
  secret: string
  board: string
}
/** Where deliveries go; the signature covers this address. */
export type Ready = { port: number; callbackUrl: string }
/** Milliseconds the event loop was busy and the CPU time used since the last question. */
export type Busy = { activeMs: number; cpuMs: number }

const setting = JSON.parse(process.argv[2]!) as Setting
const { name, provider, agent, key, token, secret, board } = setting
const caller = { tenant: 'default' }
const callbackPath = '/hooks/work-board/bare'

const bare = async (): Promise<Ready> => {
  const app = Fastify()
  let callbackUrl = ''
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.post(callbackPath, async (request, reply) => {
    const claimed = Buffer.from(String(request.headers['x-trello-webhook']))
    const right = Buffer.from(
      createHmac('sha1', secret)
        .update(request.body as Buffer)
        .update(callbackUrl)
        .digest('base64'),
    )
    return reply.code(claimed.length === right.length && timingSafeEqual(claimed, right) ? 200 : 401).send()
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  callbackUrl = `http://127.0.0.1:${port}${callbackPath}`
  return { port, callbackUrl }
}

/** Each arrival waits for the commit of the one before it. */
const oneByOne = (store: Store): Store => {
  let last: Promise<unknown> = Promise.resolve()
  return {
    ...store,
    ingest(arrival) {
      const mine = last.then(() => store.ingest(arrival))
      last = mine.catch(() => undefined)
      return mine
    },
  }
}

/**
 * Of what is delivered one in ten is a comment, the others change a card in its place: each is matched, none of them is
 * a move.
 */
const triggers: Partial<Record<Setting['name'], string>> = {
  tenth: 'new-comment-added-to-card',
  starting: 'new-board-activity',
}

const served = async (): Promise<Ready> => {
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-bench-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const store = await openSqliteStore({ directory, now: Date.now })
  const pack = await createPack({
    store: name === 'single' ? oneByOne(store) : store,
    masterKey: Buffer.alloc(32, 1),
    wire: { 'work-board': { baseUrl: provider, pace: { limits: [], concurrency: 4 } } },
    egress: { privateOrigins: [provider] },
    agentOrigins: [agent],
  })
  const http = await createHttp({ pack, version: '0.0.0' })
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as AddressInfo
  pack.servedAt(`http://127.0.0.1:${port}`)
  await pack.apps.put(caller, 'work-board', { key, secret })
  await pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Board',
    secrets: { key, token },
  })
  await pack.subscriptions.create(caller, {
    integration: 'work-board',
    trigger: triggers[name] ?? 'card-moved',
    config: { boards: [board] },
    agent: { url: `${agent}/start` },
  })
  if (name === 'starting') await pack.start()
  const [hook] = (await pack.hooks.list(caller, { limit: 1 })).items
  return { port, callbackUrl: hook!.callbackUrl }
}

const ready = await (name === 'bare' ? bare() : served())
let loop = performance.eventLoopUtilization()
let cpu = process.cpuUsage()
process.on('message', () => {
  const [nowLoop, nowCpu] = [performance.eventLoopUtilization(), process.cpuUsage()]
  const { user, system } = process.cpuUsage(cpu)
  process.send!({ activeMs: nowLoop.active - loop.active, cpuMs: (user + system) / 1000 } satisfies Busy)
  loop = nowLoop
  cpu = nowCpu
})
process.once('disconnect', () => process.exit(0))
process.send!(ready)
