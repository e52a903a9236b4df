import { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openConnections } from '../../shared/store/postgres/connection.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { event, start, t0 } from './make.ts'

const clock = { now: () => t0, monotonic: () => performance.now(), sleep: async () => {} }
const rowCount = 2000

describe.skipIf(postgresIsMissing())('what a start and an event cost PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let store: Awaited<ReturnType<typeof openPostgresStore>>
  let url: string
  let connections: ReturnType<typeof openConnections>
  beforeAll(async () => {
    // Each plan, with the rows that it read, is written to the server's log.
    server = await startPostgres({
      set: {
        session_preload_libraries: 'auto_explain',
        'auto_explain.log_min_duration': '0',
        'auto_explain.log_analyze': 'on',
        'auto_explain.log_timing': 'off',
        'auto_explain.log_nested_statements': 'on',
        'auto_explain.log_parameter_max_length': '0',
      },
    })
    url = await server.createDatabase()
    store = await openPostgresStore({ url, clock, log: () => {} })
    const starts = (name: string, state: 'done' | 'pending') =>
      Array.from({ length: rowCount }, (_, n) => start('t1', `${name}${n}`, { state, subscription: 'sub', dueAt: n }))
    // The database last counted its rows when no start was waiting, as it does on most days.
    await store.ingest({ starts: starts('before', 'done') })
    connections = openConnections({ url, log: () => {} })
    await connections.script('analyze')
    await store.ingest({ starts: starts('s', 'pending') })
  }, 60_000)
  afterAll(async () => {
    await connections.close()
    await store.close()
    await server.close()
  })

  /** The plans of such statements, once the server has written one. */
  const plansOf = async (statement: RegExp, { also = 'Cond:', count = 1 } = {}) =>
    vi.waitFor(
      () => {
        const plans = server.log().split(/^.*LOG: {2}duration/m)
        const hits = plans.filter((plan) => statement.test(plan) && plan.includes(also))
        expect(hits.length).toBeGreaterThanOrEqual(count)
        return hits.join('\n')
      },
      { timeout: 10_000 },
    )
  const highest = (plans: string, counts: RegExp) =>
    Math.max(...[...plans.matchAll(counts)].map((hit) => Number(hit[1] ?? hit[2])))

  test('claiming, renewing and ending one reads no other start of the tenant, however many wait', async () => {
    const queue = { tenant: 't1', subscription: 'sub' }
    const claimed = await store.starts.claim(t0, 10, 60_000, [{ ...queue, limit: 10 }])
    expect(claimed).toHaveLength(10)
    expect(await store.starts.queues(t0, 10)).toMatchObject({ items: [{ subscription: 'sub' }] })
    const [{ id, leaseEpoch }] = claimed as [(typeof claimed)[number]]
    expect(await store.starts.renew('t1', id, leaseEpoch, t0, 60_000)).toBe(true)
    expect(await store.starts.end('t1', id, leaseEpoch, { state: 'done', at: t0 })).toBe(true)
    for (const statement of [
      /update starts\s+set state = 'leased'/,
      /update starts set due_at/,
      /update starts set state/,
      /from starts s\s+where s\.state in \('pending', 'leased'\) and s\.tenant/,
    ])
      expect(highest(await plansOf(statement), /actual rows=(\d+)|Rows Removed by Filter: (\d+)/g)).toBeLessThanOrEqual(
        10,
      )
  })

  test('storing an event reads none of the changes that were read before', async () => {
    await connections.script(
      `insert into changes (kind, tenant, item, scope, node)
       select 'subscription', 't1', 'sub' || n, 'con', 'another' from generate_series(1, 10000) n`,
    )
    await connections.script('analyze changes')
    const node = await openPostgresStore({ url, clock, log: () => {}, connections: 3 })
    // The database makes a plan for all values after some with their values.
    const count = 30
    for (let n = 0; n < count; n += 1) await node.ingest({ events: [event('t1', `e${n}`, { connection: 'con' })] })
    await node.close()
    const plans = await plansOf(/from changes c/, { also: 'changes', count })
    expect(highest(plans, /actual rows=(\d+)|Rows Removed by Filter: (\d+)/g)).toBeLessThanOrEqual(1)
  })

  test('a claim reads its queue once, also where the database has not counted its rows yet', async () => {
    const fresh = await openPostgresStore({ url: await server.createDatabase(), clock, log: () => {} })
    await fresh.ingest({
      starts: Array.from({ length: 400 }, (_, n) => start('t2', `s${n}`, { subscription: 'sub', dueAt: n })),
    })
    await fresh.starts.claim(t0, 10, 60_000, [{ tenant: 't2', subscription: 'sub', limit: 10 }])
    expect(highest(await plansOf(/set state = 'leased'/, { also: "'t2'" }), /loops=(\d+)/g)).toBeLessThanOrEqual(10)
    await fresh.close()
  })

  test('what is sent together is written to the socket at once', async () => {
    await connections.send([{ name: '', text: 'select 1', values: [] }])
    const texts: string[] = []
    for (const name of ['_write', '_writev'] as const) {
      const write = Socket.prototype[name] as (...args: unknown[]) => void
      vi.spyOn(Socket.prototype, name as '_write').mockImplementation(function (this: Socket, ...args) {
        const [data] = args as unknown as [Buffer | { chunk: Buffer }[]]
        texts.push((Array.isArray(data) ? data : [{ chunk: data }]).map(({ chunk }) => String(chunk)).join(''))
        write.apply(this, args)
      })
    }
    await connections.send(
      Array.from({ length: 20 }, (_, n) => ({ name: `n${n}`, text: `select ${n} as together`, values: [] })),
    )
    // Other connections of this process may write meanwhile.
    expect(texts.filter((text) => text.includes('as together'))).toHaveLength(1)
    vi.restoreAllMocks()
  })
})
