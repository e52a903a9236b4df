import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { fail } from '#kit'
import { migrate } from '../../shared/store/migrate.ts'
import { migrations } from '../../shared/store/migrations.ts'
import { leasesIn } from '../../shared/store/postgres/leases.ts'
import { openSqlite } from '../../shared/store/sqlite.ts'
import { storeOver } from '../../shared/store/sqlite-store.ts'
import { failsWith } from './fails.ts'
import { makeFolder } from './folder.ts'
import { event, t0 } from './make.ts'

const directory = await makeFolder()
afterAll(() => rm(directory, { recursive: true, force: true }))

it('a transaction that fails is counted as failed and not as written; the disk has what it has', async () => {
  const sqlite = openSqlite(join(directory, 'toolyard.db'))
  migrate(sqlite, migrations, () => {})
  let isFull = true
  const run: typeof sqlite.run = (sql, params) => {
    if (isFull && sql === 'commit') throw fail('unavailable', 'The disk is full.')
    return sqlite.run(sql, params)
  }
  const store = storeOver({ ...sqlite, run }, { directory, now: () => t0, onClosed: () => {} })
  await failsWith(store.ingest({ events: [event('t', 'e1')] }), 'unavailable')
  expect(store.vitals()).toMatchObject({ commits: 0, commitMs: 0, failedCommits: 1, leasesLost: 0, pool: null })
  isFull = false
  await store.ingest({ events: [event('t', 'e1')] })
  expect(store.vitals()).toMatchObject({ commits: 1, failedCommits: 1 })
  expect(store.vitals().freeBytes).toBeGreaterThan(0)
  await store.close()
})

it('the free space of a directory that cannot be read is unknown, and the counts are still there', async () => {
  const gone = join(directory, 'unmounted')
  const sqlite = openSqlite(join(directory, 'apart.db'))
  migrate(sqlite, migrations, () => {})
  const store = storeOver(sqlite, { directory: gone, now: () => t0, onClosed: () => {} })
  expect(store.vitals()).toMatchObject({ commits: 0, failedCommits: 0, freeBytes: null })
  await store.close()
})

it('a lease is lost that ended, or that another process took, before its work did', async () => {
  let now = 0
  let changes = 1
  const send = async () => [{ rows: [{ epoch: 1 }], changes }]
  const leases = leasesIn({ send }, 'node', { monotonic: () => now })
  const kept = await leases.take('w', 1_000)
  now += 500
  await kept!.renew(1_000)
  now += 700
  await kept!.release()
  expect(leases.lost()).toBe(0)
  const late = await leases.take('w', 1_000)
  now += 800
  await late!.release()
  expect(leases.lost()).toBe(1)
  const taken = await leases.take('w', 1_000)
  changes = 0
  await taken!.renew(1_000)
  await taken!.release()
  expect(leases.lost()).toBe(2)
})
