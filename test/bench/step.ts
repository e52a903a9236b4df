/** A full step against bare HTTP clients, interleaved in one run: `node test/bench/step.ts`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ky from 'ky'
import { Pool } from 'undici'
import { createPack } from '../../shared/pack.ts'
import type { PackOptions } from '../../shared/pack.ts'
import { openSqliteStore } from '../../shared/store/index.ts'
import { drive, median, p50, report, row, startMock } from './support.ts'

const caller = { tenant: 'default' }
const rounds = 5
const list = (count: number) => count.toString().padStart(24, '0')
const body = { idList: list(1), name: 'Call the printer', desc: 'About the second proof', pos: 1, due: '2026-12-01T09:00:00.000Z' }
const input = { ...body, pos: '1' }
const headers = { authorization: 'OAuth oauth_consumer_key="00000000000000000000000000000000", oauth_token="0000000000000000000000000000000000000000000000000000000000000000"', 'content-type': 'application/json' }

const { origin, stop } = await startMock()
/** No pacing limit, as the bare clients have none; everything else as shipped. */
const wire = { 'work-board': { baseUrl: origin, pace: { limits: [], concurrency: 64 } } }

const open = async (options: PackOptions = {}) => {
  const pack = await createPack({ wire, egress: { privateOrigins: [origin] }, ...options })
  // The mock answers the account's test with a card, which names no member: the account is kept as it is.
  await pack.connections.create(caller, { integration: 'work-board', type: 'key-token', name: 'Bench', secrets: { key: '0'.repeat(32), token: '0'.repeat(64) } })
  const run = async (step: string, given: Record<string, unknown>, key?: string) => {
    const outcome = await pack.steps.run(caller, { integration: 'work-board', step, input: given, ...(key ? { idempotencyKey: key } : {}) })
    if (!outcome.ok) throw new Error(`${step}: ${outcome.failure.code} ${outcome.failure.message}`)
    return outcome.value
  }
  return { pack, run }
}

const pool = new Pool(origin, { connections: 64, pipelining: 1 })
const undici = async (method: 'GET' | 'POST', path: string, json?: unknown) => {
  const reply = await pool.request({ method, path, headers, ...(json === undefined ? {} : { body: JSON.stringify(json) }) })
  if (reply.statusCode !== 200) throw new Error(String(reply.statusCode))
  return reply.body.json()
}

const main = await open()
const folder = mkdtempSync(join(tmpdir(), 'toolyard-bench-'))
const durable = await open({ store: await openSqliteStore({ directory: folder, now: Date.now }) })
let key = 0

const create = {
  undici: () => undici('POST', '/1/cards', body),
  step: () => main.run('create-card', input),
  fetch: async () => (await globalThis.fetch(`${origin}/1/cards`, { method: 'POST', headers, body: JSON.stringify(body) })).json(),
  ky: () => ky.post(`${origin}/1/cards`, { headers, json: body }).json(),
  'step, embedded store': () => durable.run('create-card', input),
  'step, embedded store, idempotency key': () => durable.run('create-card', input, `k${(key += 1)}`),
}
type Client = keyof typeof create
const clients = Object.keys(create) as Client[]
const cpu = Object.fromEntries(clients.map((name) => [name, [] as number[]])) as Record<Client, number[]>
const latency = Object.fromEntries(clients.map((name) => [name, [] as number[]])) as Record<Client, number[]>
const lists = { undici: { 100: [] as number[], 1000: [] as number[] }, step: { 100: [] as number[], 1000: [] as number[] } }

for (const name of clients) await drive(32, 1500, create[name])
for (let round = 0; round < rounds; round += 1) {
  for (const name of clients) cpu[name].push((await drive(32, name === 'undici' || name === 'step' ? 6000 : 1500, create[name])).cpuMs)
  for (const name of clients) latency[name].push(await p50(600, create[name]))
  for (const count of [100, 1000] as const) {
    const times = count === 100 ? 200 : 30
    lists.undici[count].push((await drive(1, times, () => undici('GET', `/1/lists/${list(count)}/cards?limit=1000`))).cpuMs)
    lists.step[count].push((await drive(1, times, () => main.run('get-list-cards', { idList: list(count), fields: 'all', limit: 1000 }))).cpuMs)
  }
}
const ratio = (of: number[], to: number[]) => median(of.map((value, index) => value / to[index]!))

report('step', [
  row('full Create Card step, CPU at 32 at once, against bare undici request', ratio(cpu.step, cpu.undici), 'x', '<= 1.25'),
  row('full Create Card step, p50 one at a time, against bare undici request', ratio(latency.step, latency.undici), 'x', '<= 1.2'),
  row('list of 100 cards, every card checked, CPU against bare undici request', ratio(lists.step[100], lists.undici[100]), 'x'),
  row('list of 1000 cards, every card checked, CPU against bare undici request', ratio(lists.step[1000], lists.undici[1000]), 'x', '<= 1.2'),
  row('fetch, CPU at 32 at once, against the full step', ratio(cpu.fetch, cpu.step), 'x'),
  row('ky, CPU at 32 at once, against the full step', ratio(cpu.ky, cpu.step), 'x'),
  row('full step with the embedded store, CPU against bare undici request', ratio(cpu['step, embedded store'], cpu.undici), 'x'),
  row('full step with the embedded store and an idempotency key, CPU against bare undici request', ratio(cpu['step, embedded store, idempotency key'], cpu.undici), 'x'),
  row('CPU of a full step at 32 at once', median(cpu.step) * 1000, 'µs'),
  row('CPU of bare undici request at 32 at once', median(cpu.undici) * 1000, 'µs'),
])
await main.pack.close()
await durable.pack.close()
await pool.close()
rmSync(folder, { recursive: true, force: true })
stop()
