/**
 * One client of the step bench in a process of its own, as it would run: clients in one process share compiled code and
 * heap, and slow each other down. Does what the parent asks and gives figures back.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { WireProfile } from '#kit'
import type { Account, Call } from '../../shared/wire/index.ts'
import { drive, p50 } from './support.ts'

export type Workload = 'create' | 'list-100' | 'list-1000'
export type Ask = { measure: 'cpu' | 'p50'; work: Workload; width: number; count: number }

const [name, origin] = process.argv.slice(2) as [string, string]
const list = (count: number) => count.toString().padStart(24, '0')
const secrets = {
  key: 'b41f7e0c95d2483aa6f1c0e7d39b5528',
  token: 'ATTA9c1de27ab04f8835e6d2c7719fb3a06d4e85c12f7b90ad36e15f84c2b7d9e0a3fC0FFEE1',
}
const headers = {
  authorization: `OAuth oauth_consumer_key="${secrets.key}", oauth_token="${secrets.token}"`,
  'content-type': 'application/json',
}
const card = {
  idList: list(1),
  name: 'Call the printer',
  desc: 'About the second proof',
  due: '2026-12-01T09:00:00.000Z',
}
const body = { ...card, pos: 1 }
const listPath = (count: number) => `/1/lists/${list(count)}/cards?fields=all&limit=1000`

type Client = { run(work: Workload): Promise<unknown>; close(): Promise<unknown> }

const bareUndici =
  ({ asksForMore }: { asksForMore: boolean }) =>
  async (): Promise<Client> => {
    const { Pool } = await import('undici')
    const pool = new Pool(origin, { connections: 64, pipelining: 1 })
    const send = async (method: 'GET' | 'POST', path: string, json?: unknown) => {
      const reply = await pool.request({
        method,
        path,
        headers,
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      })
      if (reply.statusCode !== 200) throw new Error(String(reply.statusCode))
      return reply.body.json()
    }
    const run = async (work: Workload) => {
      if (work === 'create') return send('POST', '/1/cards', body)
      const path = listPath(work === 'list-100' ? 100 : 1000)
      const cards = (await send('GET', path)) as { id: string }[]
      // A full page may not be the last: a step asks, so that it can say whether there are more.
      if (asksForMore && cards.length === 1000) await send('GET', `${path}&before=${cards.at(-1)!.id}`)
      return cards
    }
    return { run, close: () => pool.close() }
  }

const bareClients: Record<string, () => Promise<Client>> = {
  undici: bareUndici({ asksForMore: false }),
  'undici-twice': bareUndici({ asksForMore: true }),
  async fetch() {
    const run = async () =>
      (await globalThis.fetch(`${origin}/1/cards`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
    return { run, close: async () => {} }
  },
  async ky() {
    const { default: ky } = await import('ky')
    return { run: () => ky.post(`${origin}/1/cards`, { headers, json: body }).json(), close: async () => {} }
  },
}

/** Limits that count but never bind, so that the price of counting is in the figures. */
const profileAt = (): WireProfile => ({
  profile: 'bench',
  baseUrl: origin,
  auth: {
    'key-token': {
      place: 'header',
      fields: { Authorization: 'OAuth oauth_consumer_key="{key}", oauth_token="{token}"' },
    },
  },
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

/** The wire alone, with nothing of the runtime around it. */
const exchangeClient = async (): Promise<Client> => {
  const { createWire } = await import('../../shared/wire/index.ts')
  const wire = createWire({
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: (ms, signal) => delay(ms, undefined, { signal }),
    random: () => Math.random(),
    egress: { privateOrigins: [origin], production: false },
  })
  const profile = profileAt()
  const account: Account = { key: 'tenant/connection', tenant: 't', appKey: 'bench:key', type: 'key-token', secrets }
  const policy = { methods: ['GET', 'POST', 'PUT', 'DELETE'], under: '/1', deny: [] }
  const exchange = async (call: Partial<Call>) => {
    const reply = await wire.exchange({
      integration: 'bench',
      profile,
      account,
      policy,
      method: 'GET',
      path: '/1/cards/x',
      effect: 'read',
      ...call,
    })
    const failure = wire.classify(profile, reply, call.effect ?? 'read')
    if (failure) throw failure
    return reply.body
  }
  const lists = (work: Workload) =>
    exchange({
      path: `/1/lists/${list(work === 'list-100' ? 100 : 1000)}/cards`,
      query: { fields: 'all', limit: 1000 },
    })
  return {
    run: (work) =>
      work === 'create'
        ? exchange({ method: 'POST', path: '/1/cards', body, effect: 'create', correlationId: 'toolyard/bench' })
        : lists(work),
    close: () => wire.close(),
  }
}

/** The full step, as shipped, without a pacing limit, as the bare clients have none. */
const stepClient = async (kind: { durable: boolean; keyed: boolean }): Promise<Client> => {
  // As it is installed: the bench has built it.
  const { createPack, openSqliteStore } = (await import(
    new URL('../../dist/index.js', import.meta.url).href
  )) as typeof import('../../shared/faces/library/index.ts')
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-bench-'))
  const caller = { tenant: 'default' }
  const pack = await createPack({
    // More calls than a tenant makes in the 26 hours that outcomes are stored.
    limits: { tenant: { keyedMegabytes: 10_000 } },
    wire: { 'work-board': { baseUrl: origin, pace: { limits: [], concurrency: 64 } } },
    egress: { privateOrigins: [origin] },
    ...(kind.durable
      ? { store: await openSqliteStore({ directory: folder, now: Date.now }), masterKey: Buffer.alloc(32, 1) }
      : {}),
  })
  await pack.connections.create(caller, { integration: 'work-board', type: 'key-token', name: 'Bench', secrets })
  let key = 0
  const run = async (work: Workload) => {
    const call =
      work === 'create'
        ? { step: 'create-card', input: { ...card, pos: '1' } }
        : {
            step: 'get-list-cards',
            input: { idList: list(work === 'list-100' ? 100 : 1000), fields: 'all', limit: 1000 },
          }
    const outcome = await pack.steps.run(caller, {
      integration: 'work-board',
      ...call,
      ...(kind.keyed ? { idempotencyKey: `k${(key += 1)}` } : {}),
    })
    if (!outcome.ok) throw new Error(`${outcome.failure.code} ${outcome.failure.message}`)
  }
  const close = async () => {
    await pack.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { run, close }
}

const steps: Record<string, { durable: boolean; keyed: boolean }> = {
  step: { durable: false, keyed: false },
  'step-stored': { durable: true, keyed: false },
  'step-keyed': { durable: true, keyed: true },
}

const client = steps[name]
  ? await stepClient(steps[name])
  : name === 'exchange'
    ? await exchangeClient()
    : await bareClients[name]!()
process.on('message', async (ask: Ask | 'end') => {
  if (ask === 'end') {
    await client.close()
    process.exit(0)
  }
  const work = () => client.run(ask.work)
  process.send!(ask.measure === 'cpu' ? (await drive(ask.width, ask.count, work)).cpuMs : await p50(ask.count, work))
})
process.send!('ready')
