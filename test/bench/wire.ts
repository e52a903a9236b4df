/** The wire's share of a step against bare HTTP clients, and pacing against a sliding window, in one run: `node test/bench/wire.ts`. */
import { setTimeout as delay } from 'node:timers/promises'
import ky from 'ky'
import { Pool } from 'undici'
import type { WireProfile } from '#kit'
import { createWire } from '../../shared/wire/index.ts'
import type { Account, Call } from '../../shared/wire/index.ts'
import { neighbourRows } from './neighbour.ts'
import { paceRows } from './pace.ts'
import { drive, median, p50, report, row, startMock } from './support.ts'
import type { Row } from './support.ts'

const rounds = 5
const secrets = { key: '0123456789abcdef0123456789abcdef', token: 'ATTA'.padEnd(76, '0123456789abcdef') }
const headers = {
  authorization: `OAuth oauth_consumer_key="${secrets.key}", oauth_token="${secrets.token}"`,
  accept: 'application/json',
  'content-type': 'application/json',
}
const body = { idList: '2'.padStart(24, '0'), name: 'Call the printer', desc: 'About the second proof', pos: 'top', idLabels: ['3'.padStart(24, '0')] }
const listPath = (size: number) => `/1/lists/${String(size).padStart(24, '0')}/cards`

/** Limits that count but never bind, so that the price of counting is in the figures. */
const profileAt = (origin: string): WireProfile => ({
  profile: 'bench',
  baseUrl: origin,
  auth: { 'key-token': { place: 'header', fields: { Authorization: 'OAuth oauth_consumer_key="{key}", oauth_token="{token}"' } } },
  reserved: ['key', 'token', 'oauth_token'],
  writeMark: { header: 'X-Client-Identifier' },
  pace: {
    limits: [
      { per: 'connection', max: 1_000_000, windowMs: 1000 },
      { per: 'app', max: 1_000_000, windowMs: 1000 },
      { per: 'route', route: '/1/members/{id}', max: 100, windowMs: 900_000 },
    ],
    concurrency: 64,
    remaining: [{ header: 'x-rate-limit-api-token-remaining', per: 'connection' }],
  },
  timeouts: { connectMs: 5000, headersMs: 35_000, bodyMs: 30_000, totalMs: 60_000, deadlineMs: 120_000 },
  maxReplyBytes: 10 * 1024 * 1024,
  errors: [
    { status: 401, contains: 'permission requested', failure: 'access_denied' },
    { status: 401, contains: 'invalid token', failure: 'not_connected' },
    { status: 429, failure: 'rate_limited', pauses: 'connection' },
  ],
  assumed: {},
})

const wireAt = (origin: string) => {
  const wire = createWire({
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: (ms, signal) => delay(ms, undefined, { signal }),
    random: () => Math.random(),
    egress: { privateOrigins: [origin], production: false },
  })
  const profile = profileAt(origin)
  const account: Account = { key: 'tenant/connection', appKey: 'bench:key', type: 'key-token', secrets }
  const policy = { methods: ['GET', 'POST', 'PUT', 'DELETE'], under: '/1', deny: [] }
  const exchange = async (call: Partial<Call>) => {
    const reply = await wire.exchange({ integration: 'bench', profile, account, policy, method: 'GET', path: '/1/cards/x', effect: 'read', ...call })
    const failure = wire.classify(profile, reply, call.effect ?? 'read')
    if (failure) throw failure
    return reply.body
  }
  return { wire, exchange }
}

/** Every client does the same: send, wait, refuse an error status, parse the JSON. */
const clientsAt = (origin: string) => {
  const pool = new Pool(origin, { connections: 64, pipelining: 1 })
  const { wire, exchange } = wireAt(origin)
  const undici = async (method: 'GET' | 'POST', path: string, json?: unknown) => {
    const reply = await pool.request({ method, path, headers, ...(json === undefined ? {} : { body: JSON.stringify(json) }) })
    if (reply.statusCode >= 300) throw new Error(String(reply.statusCode))
    return reply.body.json()
  }
  const viaFetch = async (method: string, path: string, json?: unknown) => {
    const reply = await fetch(origin + path, { method, headers, ...(json === undefined ? {} : { body: JSON.stringify(json) }) })
    if (!reply.ok) throw new Error(String(reply.status))
    return reply.json()
  }
  const create = {
    undici: () => undici('POST', '/1/cards', body),
    exchange: () => exchange({ method: 'POST', path: '/1/cards', body, effect: 'create', mark: 'toolyard/bench' }),
    fetch: () => viaFetch('POST', '/1/cards', body),
    ky: () => ky.post(`${origin}/1/cards`, { headers, json: body }).json(),
  }
  const list = (size: number) => ({
    undici: () => undici('GET', `${listPath(size)}?fields=all`),
    exchange: () => exchange({ path: listPath(size), query: { fields: 'all' } }),
    fetch: () => viaFetch('GET', `${listPath(size)}?fields=all`),
    ky: () => ky.get(`${origin}${listPath(size)}?fields=all`, { headers }).json(),
  })
  return { create, list, close: () => Promise.all([pool.destroy(), wire.close()]) }
}

type Client = 'undici' | 'exchange' | 'fetch' | 'ky'
type Clients = Record<Client, () => Promise<unknown>>
const names: Client[] = ['undici', 'exchange', 'fetch', 'ky']

/** Interleaved rounds in changing order, so that a slow moment of the machine hits all alike. */
const compare = async (clients: Clients, times: number, figure: (work: () => Promise<unknown>) => Promise<number>) => {
  const figures: Record<Client, number[]> = { undici: [], exchange: [], fetch: [], ky: [] }
  for (let round = 0; round < times; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) figures[name].push(await figure(clients[name]))
  }
  const against = (name: Client) => median(figures[name].map((value, index) => value / figures.undici[index]!))
  return { against, typical: (name: Client) => median(figures[name]) }
}

const cpuOf = (width: number, count: number) => async (work: () => Promise<unknown>) => (await drive(width, count, work)).cpuMs

/** All rows of the wire. */
export const wireRows = async (): Promise<Row[]> => {
  const { origin, stop } = await startMock()
  const { create, list, close } = clientsAt(origin)
  for (const name of names) await drive(32, 4000, create[name])
  const busy = await compare(create, rounds, cpuOf(32, 5000))
  const calm = await compare(create, rounds, (work) => p50(600, work))
  const hundred = await compare(list(100), rounds, cpuOf(1, 200))
  const thousand = await compare(list(1000), rounds, cpuOf(1, 30))
  await close()
  stop()
  return [
    row('exchange of the wire, CPU at 32 at once, against bare undici request', busy.against('exchange'), 'x', '<= 1.1'),
    row('exchange of the wire, p50 one at a time, against bare undici request', calm.against('exchange'), 'x', '<= 1.1'),
    row('exchange of the wire, list of 100 cards, CPU against bare undici request', hundred.against('exchange'), 'x'),
    row('exchange of the wire, list of 1000 cards, CPU against bare undici request', thousand.against('exchange'), 'x', '<= 1.1'),
    row('fetch, CPU at 32 at once, against bare undici request', busy.against('fetch'), 'x'),
    row('ky, CPU at 32 at once, against bare undici request', busy.against('ky'), 'x'),
    row('CPU of an exchange at 32 at once', busy.typical('exchange') * 1000, 'µs'),
    row('CPU of bare undici request at 32 at once', busy.typical('undici') * 1000, 'µs'),
    ...(await paceRows()),
    ...(await neighbourRows()),
  ]
}

if (import.meta.main) report('wire', await wireRows())
