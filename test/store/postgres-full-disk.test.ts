import { chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { canMount, openDisk } from '../support/small-disk.ts'
import { failsWith } from './fails.ts'
import { event, tenant } from './make.ts'

const testEveryMs = 5_000
/** A test commit fills what is left of the disk first. */
const patience = { timeout: 30_000 }
const clock = { now: Date.now, monotonic: () => performance.now(), sleep: async () => {} }

describe.skipIf(postgresIsMissing() || !canMount())('a full disk of PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let disk: ReturnType<typeof openDisk>
  beforeAll(async () => {
    server = await startPostgres()
    disk = openDisk(64)
  })
  afterAll(async () => {
    await server.close()
    disk.close()
  })

  /** A database whose rows lie on the small disk, as its other files do not. */
  const createDatabase = async (name: string): Promise<string> => {
    const folder = join(disk.folder, name)
    mkdirSync(folder)
    const { uid, gid } = statSync(server.folder)
    chownSync(folder, uid, gid)
    const admin = new Client({ connectionString: server.url('postgres') })
    await admin.connect()
    await admin.query(`create tablespace ${name} location '${folder}'`)
    await admin.query(`create database ${name} tablespace ${name}`)
    await admin.end()
    return server.url(name)
  }
  const readyOf = (store: Awaited<ReturnType<typeof openPostgresStore>>) => store.check().then(() => 'ready', String)
  let events = 0
  const deliver = (store: Awaited<ReturnType<typeof openPostgresStore>>) => {
    events += 1
    const raw = crypto.getRandomValues(new Uint8Array(40_000))
    return store.ingest({ events: [event('a', `e${events}`, { raw })], starts: [] })
  }

  test('a server is not ready while no delivery can be stored, whether one comes or not, and is ready once there is space', async () => {
    let ahead = 0
    const store = await openPostgresStore({
      url: await createDatabase('small'),
      clock: { ...clock, monotonic: () => performance.now() + ahead },
      log: () => {},
    })
    try {
      await store.tenants.add(tenant('a'))
      await deliver(store)
      await store.check()
      disk.fill()
      // Nobody has tried anything: a test commit finds it. What needs no space goes on.
      ahead += testEveryMs
      await expect.poll(() => readyOf(store), patience).toContain('the disk of the database is full; free some space')
      await expect(store.cluster.members()).resolves.toHaveLength(1)
      await failsWith(deliver(store), 'unavailable')
      ahead += testEveryMs
      expect(await readyOf(store)).toContain('the disk of the database is full')
      disk.free()
      ahead += testEveryMs
      await expect.poll(() => readyOf(store), patience).toBe('ready')
      await deliver(store)
      disk.fill()
      // Refused deliveries are believed before the next test commit.
      await expect
        .poll(() => deliver(store).then(() => 'stored', String), patience)
        .toContain('the disk of the database is full')
      expect(await readyOf(store)).toContain('the disk of the database is full')
    } finally {
      disk.free()
      await store.close()
    }
  })
})
