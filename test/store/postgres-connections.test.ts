import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockEveryone } from '../../shared/store/postgres/committer.ts'
import { openConnections } from '../../shared/store/postgres/connection.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { event, start } from './make.ts'

const clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms: number, signal?: AbortSignal) => wait(ms, undefined, { signal }),
}
const log = () => {}
/** Waits as long as somebody holds it. */
const queue = { name: 'queue', text: 'select pg_advisory_xact_lock(1)', values: [] }
const hold = async (url: string) => {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('select pg_advisory_lock(1)')
  return () => client.end()
}
const pause = (seconds: number) => ({ name: `pause ${seconds}`, text: `select pg_sleep(${seconds})`, values: [] })

describe.skipIf(postgresIsMissing())('connections to PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.close())

  test('a process has no more than its pool and that of the notifications, whatever it does at once', async () => {
    const url = await server.createDatabase()
    const store = await openPostgresStore({ url, clock, log, connections: 4 })
    const leave = store.cluster.follow(() => {})
    const stop = store.cluster.jobs.work('starts', async () => {})
    const watcher = new Client({ connectionString: url })
    await watcher.connect()
    const count = async () =>
      (
        await watcher.query(
          `select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
        )
      ).rows[0].n as number
    let most = 0
    for (let round = 0; round < 10; round += 1) {
      const work = Array.from({ length: 50 }, (_, n) => [
        store.ingest({
          events: [event('t', `e${round}-${n}`)],
          starts: [start('t', `s${round}-${n}`, { dueAt: Date.now() })],
        }),
        store.events.byId('t', `e${n}`),
        store.cluster.members(),
      ])
      most = Math.max(most, await count())
      await Promise.all(work.flat())
    }
    expect(most).toBe(5)
    await stop()
    leave()
    await watcher.end()
    await store.close()
  })

  test('looking for due events does not wait for the writes of others, unless there are some', async () => {
    const url = await server.createDatabase()
    const store = await openPostgresStore({ url, clock, log })
    const other = new Client({ connectionString: url })
    await other.connect()
    await other.query('begin')
    await other.query(lockEveryone)
    expect(await store.events.claimPending(Date.now(), 10, 60_000)).toEqual([])
    await other.query('rollback')
    await store.ingest({ events: [{ ...event('t', 'e1'), state: 'pending', dueAt: Date.now() - 5_000 }] })
    expect(await store.events.claimPending(Date.now(), 10, 60_000)).toMatchObject([{ id: 'e1', attempts: 1 }])
    expect(await store.events.claimPending(Date.now(), 10, 60_000)).toEqual([])
    await other.end()
    await store.close()
  })

  test('what waits for long answers shares half of the connections, and work of its own does not wait', async () => {
    const url = await server.createDatabase()
    const connections = openConnections({ url, log, connections: 4 })
    const letGo = await hold(url)
    const order: string[] = []
    const slow = Array.from({ length: 6 }, () => connections.shared.send([queue]).then(() => order.push('slow')))
    await connections.use(({ send }) => send([pause(0)]))
    order.push('own')
    // Sent behind one of the slow ones, with an answer of its own.
    const late = connections.shared.send([{ name: 'number', text: 'select $1::int as n', values: [7] }])
    await letGo()
    expect((await late)[0]!.rows).toEqual([{ n: 7 }])
    await Promise.all(slow)
    expect(order).toEqual(['own', ...Array.from({ length: 6 }, () => 'slow')])
    await connections.close()
  })

  test('whoever waits too long behind others fails alone: the connection and the others go on', async () => {
    const lines: string[] = []
    const connections = openConnections({
      url: await server.createDatabase(),
      log: (_, event) => void lines.push(event),
      connections: 2,
      limits: { answerMs: 2_000 },
    })
    const results = await Promise.allSettled([0.2, 5, 5].map((s) => connections.shared.send([pause(s)])))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(results[1]).toMatchObject({ reason: { code: 'unavailable' } })
    expect(lines).toEqual([])
    await connections.shared.send([pause(0)])
    await connections.close()
  })

  test('what says that this process is alive does not wait behind slow reads', async () => {
    const url = await server.createDatabase()
    const connections = openConnections({ url, log, connections: 4 })
    const letGo = await hold(url)
    const order: string[] = []
    const slow = Array.from({ length: 6 }, () => connections.shared.send([queue]).then(() => order.push('slow')))
    await connections.send([pause(0)])
    order.push('alive')
    await letGo()
    await Promise.all(slow)
    expect(order[0]).toBe('alive')
    await connections.close()
  })

  test('a query that fails leaves those alone that share its connection', async () => {
    const connections = openConnections({ url: await server.createDatabase(), log, connections: 2 })
    const number = (n: number) => ({ name: 'number', text: 'select 10 / $1::int as n', values: [n] })
    const results = await Promise.allSettled([5, 0, 2].map((n) => connections.shared.send([number(n)])))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((results[2] as PromiseFulfilledResult<{ rows: unknown }[]>).value[0]!.rows).toEqual([{ n: 5 }])
    await connections.close()
  })

  test('a transaction of statements that its connection has prepared ends at what fails, with the same results', async () => {
    const connections = openConnections({ url: await server.createDatabase(), log })
    const query = (text: string, ...values: unknown[]) => ({ name: text.slice(0, 60), text, values })
    const [begin, commit] = [query('begin'), query('commit')]
    const add = (n: number, bytes: Uint8Array | null) =>
      query('insert into numbers values ($1::bigint, $2::bytea) returning n, n::text as text, bytes', String(n), bytes)
    const all = query('select n from numbers order by n')
    const four = query('insert into numbers values (4, null)')
    const drop = query('delete from numbers where n > $1::int', '1')
    await connections.use(async ({ script, transact }) => {
      await script('create temporary table numbers (n bigint primary key, bytes bytea)')
      const rounds: unknown[] = []
      for (let round = 0; round < 2; round += 1)
        rounds.push(
          await transact([begin, add(1 + round, Uint8Array.of(7, 0)), add(5, null), all, drop, drop, commit]),
          await transact([begin, add(3, null), four, all, query('delete from numbers'), commit]),
        )
      const seven = Uint8Array.of(7, 0)
      const none = { rows: [], changes: 0 }
      const added = (n: number, bytes: Uint8Array | null) => ({ rows: [{ n, text: String(n), bytes }], changes: 1 })
      const counted = (changes: number) => ({ rows: [], changes })
      const listed = (...ns: number[]) => ({ rows: ns.map((n) => ({ n })), changes: ns.length })
      const wanted = (n: number, left: number[]): unknown[][] => [
        [none, added(n, seven), added(5, null), listed(n, 5), counted(n), none, none],
        [none, added(3, null), counted(1), listed(...left, 3, 4), counted(left.length + 2), none],
      ]
      // The second transaction leaves nothing.
      expect(rounds).toEqual([...wanted(1, [1]), ...wanted(2, [])])

      const said = () => server.log().split('current transaction is aborted').length - 1
      const before = said()
      await expect(transact([begin, add(8, null), add(8, null), all, all, commit])).rejects.toMatchObject({
        code: 'conflict',
      })
      expect((await transact([begin, all, commit]))[1]!.rows).toEqual([])
      expect(said()).toBe(before)
      // Sent one by one while the connection does not know one of them.
      const other = query('select 1 as other')
      await expect(transact([begin, add(8, null), add(8, null), other, commit])).rejects.toMatchObject({
        code: 'conflict',
      })
      expect((await transact([begin, all, other, commit]))[1]!.rows).toEqual([])
      expect(said()).toBe(before + 1)

      const list = query('select $1::int[] as list', [1, 2])
      for (let round = 0; round < 2; round += 1)
        expect((await transact([begin, list, commit]))[1]!.rows).toEqual([{ list: '{1,2}' }])
    })
    await connections.close()
  })
})
