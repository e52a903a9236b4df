import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Retention, Store } from '../../shared/runtime/ports/index.ts'
import { openSqliteStore } from '../../shared/store/index.ts'
import { migrate } from '../../shared/store/migrate.ts'
import { migrations } from '../../shared/store/migrations.ts'
import { openSqlite } from '../../shared/store/sqlite.ts'
import { testFolder } from './folder.ts'
import { auditEntry, event, run, start, t0 } from './make.ts'

const now = () => t0
const hour = 3_600_000
const none: Retention = {
  now: t0,
  payloads: 0,
  starts: 0,
  deleted: 0,
  runs: 0,
  ownWrites: 0,
  audit: 0,
  gaps: 0,
  limit: 2000,
}

const pruneAll = async (store: Store, retention: Retention) => {
  for (let more = true; more;) ({ more } = await store.prune(retention))
}
const megabyte = 2 ** 20
const fill = async (store: Store, count: number, of: (n: number) => Promise<unknown>) => {
  for (let from = 0; from < count; from += 500)
    await Promise.all(Array.from({ length: Math.min(500, count - from) }, (_, n) => of(from + n)))
  await store.flush()
}
/** Without its log, which closing the store copies into the file. */
const sizeOf = async (directory: string) => (await stat(join(directory, 'toolyard.db'))).size

test('space that retention frees is given back to the file system', async () => {
  const directory = await testFolder()
  const store = await openSqliteStore({ directory, now })
  await fill(store, 10_000, (n) =>
    store.ingest({ events: [event('a', `e${n}`, { raw: randomBytes(3000), receivedAt: t0 - hour })] }),
  )
  await store.close()
  const before = await sizeOf(directory)
  expect(before).toBeGreaterThan(30 * megabyte)
  const again = await openSqliteStore({ directory, now })
  await pruneAll(again, { ...none, payloads: t0 })
  expect((await again.events.list('a', { limit: 1 })).items[0]).toMatchObject({ raw: null })
  await again.close()
  // About 300 bytes of each row stay, and the reserve of free pages.
  expect(await sizeOf(directory)).toBeLessThan(12 * megabyte)
})

test('a file of an earlier version shrinks from the first start on, and loses nothing', async () => {
  const directory = await testFolder()
  const file = join(directory, 'toolyard.db')
  const db = openSqlite(file)
  db.script('pragma page_size = 8192; pragma journal_mode = wal')
  migrate(db, migrations, () => {})
  const mode = (of: typeof db) => Object.values(of.run('pragma auto_vacuum').rows[0]!)
  expect(mode(db)).toEqual([0])
  db.run(`insert into tenants (id, name, created_at) values ('a', 'Tenant a', 1)`)
  db.close()
  const store = await openSqliteStore({ directory, now })
  expect(await store.tenants.get('a')).toMatchObject({ name: 'Tenant a' })
  await store.close()
  const after = openSqlite(file)
  expect(mode(after)).toEqual([2])
  expect(Object.values(after.run('pragma journal_mode').rows[0]!)).toEqual(['wal'])
  after.close()
})

test('above its size the oldest finished rows go before their age; what is not finished stays, and so do the newest', async () => {
  const directory = await testFolder()
  const store = await openSqliteStore({ directory, now })
  const count = 12_000
  const at = (n: number) => t0 - 20 * hour + n
  await fill(store, count, (n) =>
    Promise.all([
      store.runs.record(run('a', `r${n}`, { createdAt: at(n), state: 'done' })),
      store.ingest({
        events: [event('a', `e${n}`, { raw: randomBytes(1000), receivedAt: at(n * 6_000), at: at(n * 6_000) })],
      }),
    ]),
  )
  await store.runs.record(run('a', 'unfinished', { createdAt: at(0), state: 'sending' }))
  await store.ingest({ events: [event('a', 'pending', { state: 'pending', receivedAt: at(0), raw: randomBytes(10) })] })
  await store.ingest({ starts: [start('a', 'open', { createdAt: at(0) })] })
  const day = {
    ...none,
    payloads: t0 - 30 * 24 * hour,
    runs: t0 - 90 * 24 * hour,
    starts: t0 - 90 * 24 * hour,
    audit: t0 - 365 * 24 * hour,
  }
  await pruneAll(store, { ...day, maxBytes: 1000 * megabyte })
  expect(await store.runs.get('a', 'r0')).toBeDefined()
  expect((await store.events.get('a', 'c1', 'e0'))?.raw).not.toBeNull()

  const maxBytes = 12 * megabyte
  await pruneAll(store, { ...day, maxBytes })
  expect((await store.events.get('a', 'c1', 'e0'))?.raw).toBeNull()
  expect((await store.events.get('a', 'c1', `e${count - 1}`))?.raw).not.toBeNull()
  expect(await store.runs.get('a', 'unfinished')).toBeDefined()
  expect((await store.events.get('a', 'c1', 'pending'))?.raw).not.toBeNull()
  expect((await store.starts.get('a', 'open'))?.data).not.toBeNull()
  await store.close()
  // With the reserve of free pages.
  expect(await sizeOf(directory)).toBeLessThan(maxBytes + 6 * megabyte)
})

test('a size that cannot be reached is said once and stops nothing', async () => {
  const said: string[] = []
  const store = await openSqliteStore({ directory: await testFolder(), now, log: (_, what) => void said.push(what) })
  await store.audit.append(auditEntry('a', { at: t0 - hour }))
  for (let round = 0; round < 3; round += 1) await pruneAll(store, { ...none, audit: t0 - 24 * hour, maxBytes: 1 })
  expect(said.filter((what) => what === 'store.too_large')).toHaveLength(1)
  await store.close()
})

test('ids of events and starts go when their content has gone and they are older than that; younger and open ones stay', async () => {
  const store = await openSqliteStore({ directory: await testFolder(), now })
  const old = { receivedAt: t0 - 10 * hour, at: t0 - 10 * hour }
  await store.ingest({
    events: [
      event('a', 'old', { ...old, raw: null }),
      event('a', 'with-payload', old),
      event('a', 'pending', { ...old, state: 'pending', raw: null }),
      event('a', 'later', { ...old, at: t0, raw: null }),
      event('a', 'young', { raw: null, receivedAt: t0 - hour, at: t0 - hour }),
    ],
    starts: [
      start('a', 'gone', {
        state: 'done',
        createdAt: t0 - 10 * hour,
        endedAt: t0 - 10 * hour,
        eventAt: t0 - 10 * hour,
      }),
      start('a', 'later', { state: 'done', createdAt: t0 - 10 * hour, endedAt: t0 - 10 * hour, eventAt: t0 }),
      start('a', 'open', { createdAt: t0 - 10 * hour, eventAt: t0 - 10 * hour }),
    ],
  })
  const retention = { ...none, starts: t0 - 5 * hour, ids: t0 - 5 * hour, usage: t0 - 24 * hour }
  await pruneAll(store, retention)
  const there = async (id: string) => (await store.events.get('a', 'c1', id)) !== undefined
  expect(await Promise.all(['old', 'with-payload', 'pending', 'later', 'young'].map(there))).toEqual([
    false,
    true,
    true,
    true,
    true,
  ])
  const starts = await Promise.all(
    ['gone', 'later', 'open'].map(async (id) => (await store.starts.get('a', id)) !== undefined),
  )
  expect(starts).toEqual([false, true, true])
  await store.runs.record(run('a', 'r1', { state: 'done', createdAt: t0 - 50 * hour }))
  await store.runs.record(run('a', 'r2', { state: 'done', createdAt: t0 }))
  await pruneAll(store, retention)
  expect((await store.runs.usage('a', 0)).map(({ runs }) => runs)).toEqual([1])
  await store.close()
})
