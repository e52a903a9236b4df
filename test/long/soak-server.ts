/** The served pack of the soak in a process of its own, so that nothing else is in its memory and its open files. */
import { readdirSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack, openPostgresStore, openSqliteStore, systemClock } from '../../shared/pack.ts'
import type { PackOptions } from '../../shared/pack.ts'

export type Setting = {
  /** Of the embedded store; empty with a database. */
  directory: string
  databaseUrl?: string
  provider: string
  agent: string
  key: string
  token: string
  secret: string
  board: string
  polled: number
  scanMs: number
  /** Retention of content, and of what stays longer, in ms. */
  ageMs: number
  longAgeMs: number
  /** Of the server that has made the connections and subscriptions, which this one then only uses. */
  ready?: Ready
}
export type Ready = { port: number; callbackUrl: string; token: string; connection: string }
export type Figures = { heap: number; rss: number; file: number; handles: number }

const setting = JSON.parse(process.argv[2]!) as Setting
const { directory, databaseUrl, provider, agent, key, token, secret, board, polled, scanMs, ageMs, longAgeMs } = setting
const caller = { tenant: 'default' }
const log: NonNullable<PackOptions['log']> = (level, event, fields) =>
  void ((level === 'error' || level === 'warn') && console.error(event, JSON.stringify(fields)))

const pack = await createPack({
  store:
    databaseUrl === undefined
      ? await openSqliteStore({ directory, now: Date.now })
      : await openPostgresStore({ url: databaseUrl, clock: systemClock, log }),
  masterKey: Buffer.alloc(32, 1),
  wire: { 'work-board': { baseUrl: provider, pace: { limits: [], concurrency: 64 } } },
  egress: { privateOrigins: [provider] },
  agentOrigins: [agent],
  scanMs,
  retention: {
    ages: {
      payloads: ageMs,
      starts: ageMs,
      runs: ageMs,
      ownWrites: ageMs,
      deleted: ageMs,
      gaps: longAgeMs,
      audit: longAgeMs,
      ids: longAgeMs,
    },
  },
  log,
})
const http = await createHttp({ pack, version: '0.0.0' })
await http.listen({ host: '127.0.0.1', port: 0 })
const { port } = http.server.address() as AddressInfo

/** Connections of which one is watched and all are polled, a token, and the address of the webhook. */
const setUp = async (): Promise<Ready> => {
  await pack.apps.put(caller, 'work-board', { key, secret })
  const connections: string[] = []
  for (let n = 0; n < polled; n += 1) {
    const { id } = await pack.connections.create(caller, {
      integration: 'work-board',
      type: 'key-token',
      name: `Board ${n}`,
      secrets: { key, token },
    })
    connections.push(id)
    await pack.subscriptions.create(caller, {
      integration: 'work-board',
      trigger: 'new-board',
      connection: id,
      config: {},
      agent: { url: `${agent}/start` },
    })
  }
  await pack.subscriptions.create(caller, {
    integration: 'work-board',
    trigger: 'new-comment-added-to-card',
    connection: connections[0]!,
    config: { boards: [board] },
    agent: { url: `${agent}/start` },
  })
  await pack.start()
  const hook = (await pack.hooks.list(caller, { limit: 10 })).items.find(
    ({ connection }) => connection === connections[0],
  )
  const { text } = await pack.tokens.create('default', { name: 'Soak' })
  return { port, callbackUrl: hook!.callbackUrl, token: text, connection: connections[0]! }
}

// All servers have the address of the first one.
pack.servedAt(`http://127.0.0.1:${setting.ready?.port ?? port}`)
const ready = setting.ready ? { ...setting.ready, port } : await setUp()
if (setting.ready) await pack.start()

const figures = async (): Promise<Figures> => {
  globalThis.gc?.()
  await wait(50)
  const { heapUsed, rss } = process.memoryUsage()
  const names = directory === '' ? [] : readdirSync(directory)
  const file = names.reduce(
    (sum, name) => sum + (name.startsWith('toolyard.db') ? statSync(join(directory, name)).size : 0),
    0,
  )
  return { heap: heapUsed, rss, file, handles: readdirSync('/proc/self/fd').length }
}
process.on('message', () => void figures().then((snapshot) => process.send!(snapshot)))
process.once('disconnect', () => void pack.close().then(() => process.exit(0)))
process.send!(ready)
