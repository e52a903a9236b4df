/**
 * One receiver of signals in a process of its own: `bare` is a Fastify route that checks the signature and gives the
 * answer that the provider requires; `served` the pack over the embedded store, where each delivery is also charged,
 * stored and starts an agent.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack, openSqliteStore } from '../../shared/pack.ts'

/** `person`: whom the signals are about. */
export type Setting = { name: 'bare' | 'served'; provider: string; apiKey: string; person: string }
/** Where deliveries go. */
export type Ready = { port: number; path: string }

const integration = 'contact-data'
const profile = 'lusha-v3'
const caller = { tenant: 'default' }
const barePath = '/hooks/bare'
/** Far more than is charged, so that no subscription is paused. */
const credits = 1e9

const bare = async (secret: () => string): Promise<Ready> => {
  const app = Fastify()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.post(barePath, async ({ headers, body }, reply) => {
    const claimed = Buffer.from(String(headers['x-lusha-signature']))
    const signed = createHmac('sha256', secret()).update(`${String(headers['x-lusha-timestamp'])}.`)
    const right = Buffer.from(signed.update(body as Buffer).digest('hex'))
    if (claimed.length !== right.length || !timingSafeEqual(claimed, right)) return reply.code(401).send()
    const { id } = JSON.parse((body as Buffer).toString()) as { id: string }
    return { received: true, timestamp: new Date().toISOString(), webhookId: id }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { port: (app.server.address() as AddressInfo).port, path: barePath }
}

const served = async ({ provider, apiKey, person }: Setting): Promise<Ready> => {
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-bench-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const pack = await createPack({
    store: await openSqliteStore({ directory, now: Date.now }),
    masterKey: Buffer.alloc(32, 1),
    wire: { [integration]: { profile, baseUrl: provider, profiles: { [profile]: { baseUrl: provider } } } },
    egress: { privateOrigins: [provider] },
    agentOrigins: [provider],
  })
  const http = await createHttp({ pack, version: '0.0.0' })
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as AddressInfo
  pack.servedAt(`http://127.0.0.1:${port}`)
  const { id: subject } = await pack.connections.create(caller, {
    integration,
    type: 'api-key',
    name: 'Account',
    secrets: { apiKey },
  })
  await pack.budgets.create(caller, { scope: 'connection', subject, credits, period: 'day' })
  await pack.subscriptions.create(caller, {
    integration,
    trigger: 'contact-signal',
    config: { people: [person] },
    agent: { url: `${provider}/agent` },
  })
  const [hook] = (await pack.hooks.list(caller, { limit: 1 })).items
  return { port, path: new URL(hook!.callbackUrl).pathname }
}

const setting = JSON.parse(process.argv[2]!) as Setting
let secret = ''
process.on('message', (text: string) => (secret = text))
process.once('disconnect', () => process.exit(0))
process.send!(await (setting.name === 'bare' ? bare(() => secret) : served(setting)))
