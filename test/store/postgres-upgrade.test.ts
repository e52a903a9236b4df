import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { migrations } from '../../shared/store/migrations.ts'
import type { Migration } from '../../shared/store/migrations.ts'
import { openConnections } from '../../shared/store/postgres/connection.ts'
import { migratePostgres } from '../../shared/store/postgres/schema.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { failsWith } from './fails.ts'
import { event, hook, start, subscription, t0 } from './make.ts'

const clock = { now: () => t0, monotonic: () => performance.now(), sleep: async () => {} }
const log = () => {}
const next = migrations.at(-1)!.id + 1
const column = (table: string) => `alter table ${table} add column of_the_next_version text;`
const additive: Migration = {
  id: next,
  name: 'of the next version',
  sql: ['subscriptions', 'hooks', 'events', 'starts'].map(column).join(' '),
  additive: true,
}
const incompatible: Migration = {
  id: next,
  name: 'of the version after',
  sql: 'alter table hooks rename column failures to failures_in_a_row;',
}

/** Takes longer than statements and scripts may by default, here. */
const slow: Migration = { ...incompatible, postgres: `${incompatible.sql} select pg_sleep(3);` }

describe.skipIf(postgresIsMissing())('an upgrade of PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  const opened: { close(): Promise<void> }[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterEach(async () => {
    for (const resource of opened.splice(0)) await resource.close()
  })
  afterAll(() => server.close())
  const open = async (url: string) => {
    const store = await openPostgresStore({ url, clock, log })
    opened.push(store)
    return store
  }
  /** What a newer version does as it starts, or `toolyard migrate` with `all`. */
  const upgrade = async (url: string, migration: Migration, all = false, limits?: { scriptMs: number }) => {
    const connections = openConnections({ url, log, connections: 1, ...(limits && { limits }) })
    try {
      return await migratePostgres(connections, log, { all, knownMigrations: [...migrations, migration] })
    } finally {
      await connections.close()
    }
  }

  test('that only adds is applied while an older server works, which goes on with its connections as they are', async () => {
    const url = await server.createDatabase()
    const store = await open(url)
    let count = 0
    const work = async () => {
      const id = `n${(count += 1)}`
      await store.subscriptions.add(subscription('t', id))
      await store.hooks.attach(hook('t', id, { model: `board:${id}` }), id)
      expect((await store.hooks.detach('t', id, t0)).map((hook) => hook.id)).toEqual([id])
      await store.ingest({ events: [event('t', id)], starts: [start('t', id, { dueAt: t0 })] })
      expect((await store.starts.claim(t0, 9, 60_000)).map((start) => start.id)).toEqual([id])
      expect((await store.subscriptions.all()).length).toBe(count)
      expect((await store.events.byId('t', id)).length).toBe(1)
    }
    // Every connection has prepared what it reads.
    for (let round = 0; round < 3; round += 1)
      await Promise.all(Array.from({ length: 20 }, () => store.subscriptions.all()))
    await work()
    const working = (async () => {
      for (let round = 0; round < 10; round += 1) await work()
    })()
    expect((await upgrade(url, additive)).applied).toEqual([next])
    await working
    await work()
    // A server of the older version may also be started again.
    expect((await (await open(url)).subscriptions.all()).length).toBe(count)
  })

  test('that older servers do not work with waits for toolyard migrate, and older versions then refuse to start', async () => {
    const url = await server.createDatabase()
    const store = await open(url)
    await store.subscriptions.add(subscription('t', 's1'))
    const refused = await failsWith(upgrade(url, incompatible), 'unavailable')
    expect(refused).toContain('Stop every process that uses it, then run toolyard migrate')
    expect(refused).toContain(`schema ${next - 1} to ${next}`)
    expect((await store.subscriptions.all()).length).toBe(1)
    await store.close()
    opened.pop()
    expect((await upgrade(url, incompatible, true)).applied).toEqual([next])
    expect(await failsWith(open(url), 'unavailable')).toContain(
      `written by a newer version (schema ${next}, this one knows ${next - 1})`,
    )
  })

  test('drops the index of former versions when nobody reads its table, and does not wait for that', async () => {
    const url = await server.createDatabase()
    const reader = new Client({ connectionString: url })
    await reader.connect()
    opened.push({ close: () => reader.end() })
    const start = async () => (await openPostgresStore({ url, clock, log })).close()
    await start()
    await reader.query('create index changes_subscriptions on toolyard.changes (tenant)')
    const isThere = async () => {
      const { rows } = await reader.query(`select 1 from pg_indexes where indexname = 'changes_subscriptions'`)
      return rows.length > 0
    }
    await reader.query('begin; select count(*) from toolyard.changes')
    await start()
    expect(await isThere()).toBe(true)
    await reader.query('commit')
    await start()
    expect(await isThere()).toBe(false)
  })

  test('may change many rows for as long as it takes, once every process has stopped', async () => {
    const limits = { scriptMs: 1_500 }
    const databaseOfThisVersion = async () => {
      const url = await server.createDatabase()
      await (await open(url)).close()
      opened.pop()
      return url
    }
    const alsoAdditive = { ...slow, additive: true as const }
    expect(
      await failsWith(upgrade(await databaseOfThisVersion(), alsoAdditive, false, limits), 'unavailable'),
    ).toContain('was lost')
    expect((await upgrade(await databaseOfThisVersion(), slow, true, limits)).applied).toEqual([next])
  })
})
