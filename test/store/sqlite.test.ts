import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Listed, Page } from '../../shared/runtime/ports/index.ts'
import { openSqliteStore } from '../../shared/store/index.ts'
import { migrate } from '../../shared/store/migrate.ts'
import { migrations } from '../../shared/store/migrations.ts'
import type { Migration } from '../../shared/store/migrations.ts'
import { openSqlite } from '../../shared/store/sqlite.ts'
import type { Sqlite } from '../../shared/store/sqlite.ts'
import { storeOver } from '../../shared/store/sqlite-store.ts'
import { failsWith } from './fails.ts'
import { testFolder } from './folder.ts'
import { connection, event, intent, run, start, subscription, t0, tenant, token } from './make.ts'

const now = () => t0
const writer = join(import.meta.dirname, 'writer.ts')

/** A store over a database the test can reach into. */
const openBare = async (wrap: (sqlite: Sqlite) => Sqlite = (sqlite) => sqlite, minFreeBytes = 0) => {
  const directory = await testFolder()
  const sqlite = openSqlite(join(directory, 'toolyard.db'))
  sqlite.script('pragma journal_mode = wal; pragma synchronous = full')
  migrate(sqlite, migrations, () => {})
  return { directory, sqlite, store: storeOver(wrap(sqlite), { directory, now, minFreeBytes, onClosed: () => {} }) }
}

describe('claims of a process that died', () => {
  test('are released when the next process opens the directory; the old claim cannot end a start', async () => {
    const directory = await testFolder()
    const first = await openSqliteStore({ directory, now })
    await first.ingest({
      events: [event('a', 'e1', { state: 'pending', dueAt: t0 })],
      starts: [start('a', 'k1', { dueAt: t0 }), start('a', 'k2', { dueAt: t0 + 300_000 })],
    })
    expect(await first.starts.claim(t0, 10, 60_000)).toMatchObject([{ id: 'k1', leaseEpoch: 1, attempts: 1 }])
    expect(await first.events.claimPending(t0, 10, 360_000)).toHaveLength(1)
    await first.close()
    const next = await openSqliteStore({ directory, now: () => t0 + 100 })
    // Not what only waits for its time.
    expect(await next.starts.claim(t0 + 100, 10, 60_000)).toMatchObject([
      { id: 'k1', leaseEpoch: 2, attempts: 1, state: 'leased' },
    ])
    expect(await next.starts.end('a', 'k1', 1, { state: 'done', at: t0 + 100 })).toBe(false)
    expect(await next.starts.claim(t0 + 100, 10, 60_000)).toEqual([])
    expect(await next.events.claimPending(t0 + 100, 10, 360_000)).toMatchObject([{ id: 'e1' }])
    await next.close()
  })
})

describe('durability', () => {
  test('rows and the installation id survive close and reopen', async () => {
    const directory = await testFolder()
    const first = await openSqliteStore({ directory, now })
    const id = await first.instance()
    await first.tenants.add(tenant('a'))
    await first.connections.add(connection('a', 'c1'))
    // Not awaited: close writes what was handed over.
    const late = first.runs.record(run('a', 'r1'))
    await first.close()
    await late
    const second = await openSqliteStore({ directory, now })
    expect(await second.instance()).toBe(id)
    expect(await second.connections.get('a', 'c1')).toEqual(connection('a', 'c1'))
    expect(await second.runs.get('a', 'r1')).toEqual(run('a', 'r1'))
    await second.close()
    await failsWith(second.runs.record(run('a', 'r2')), 'unavailable')
  })

  test('the database runs in WAL with full sync, in strict tables', async () => {
    const directory = await testFolder()
    const seen: string[] = []
    const store = await openSqliteStore({ directory, now })
    const reader = openSqlite(join(directory, 'toolyard.db'))
    expect(reader.run('pragma journal_mode').rows[0]).toMatchObject({ journal_mode: 'wal' })
    for (const row of reader.run(
      `select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite_%'`,
    ).rows) {
      if (!/strict/.test(String(row['sql']).slice(-30))) seen.push(String(row['name']))
    }
    expect(seen).toEqual([])
    reader.close()
    await store.close()
  })

  test('kill -9 in the middle of writes: every acknowledged row is there, five times over', async () => {
    const directory = await testFolder()
    const acknowledged: string[] = []
    for (let round = 0; round < 5; round += 1) {
      const child = spawn(process.execPath, [writer, directory, '40'], { stdio: ['ignore', 'pipe', 'inherit'] })
      let text = ''
      const before = acknowledged.length
      child.stdout.on('data', (chunk) => {
        text += String(chunk)
        if (text.split('\n').length > 300 * (round + 1)) child.kill('SIGKILL')
      })
      await once(child, 'close')
      acknowledged.push(...text.split('\n').slice(0, -1))
      expect(acknowledged.length).toBeGreaterThan(before + 200)
    }
    const store = await openSqliteStore({ directory, now })
    const idsOf = async (list: (page: Page) => Promise<Listed<{ id: string }>>) => {
      const ids = new Set<string>()
      let cursor: string | undefined
      do {
        const page = await list({ limit: 1000, cursor })
        for (const { id } of page.items) ids.add(id)
        cursor = page.next
      } while (cursor)
      return ids
    }
    const runs = await idsOf((page) => store.runs.list('kill', page))
    const events = await idsOf((page) => store.events.list('kill', page))
    const starts = await idsOf((page) => store.starts.list('kill', page))
    expect(acknowledged.filter((id) => !runs.has(id) || !events.has(id) || !starts.has(id))).toEqual([])
    // An arrival is there whole or not at all, acknowledged or not; its cursor never points past the inbox.
    expect([...events].sort()).toEqual([...starts].sort())
    const cursors = await store.cursors.list('kill', 'c1')
    expect(cursors).toHaveLength(40)
    for (const { position } of cursors) expect(events.has(position!)).toBe(true)
    await store.close()
  }, 120_000)

  test('files are for the owner only', async () => {
    const directory = join(await testFolder(), 'data')
    const store = await openSqliteStore({ directory, now })
    await store.tenants.add(tenant('a'))
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    const files = await readdir(directory)
    expect(files).toContain('toolyard.db-wal')
    for (const file of files) expect((await stat(join(directory, file))).mode & 0o077, file).toBe(0)
    await store.close()
  })
})

describe('group commit', () => {
  test('writes of one turn share one transaction, and none is acknowledged before COMMIT', async () => {
    const statements: string[] = []
    const { store } = await openBare((sqlite) => ({
      ...sqlite,
      run: (sql, params) => {
        statements.push(sql.split(' ')[0]!)
        return sqlite.run(sql, params)
      },
    }))
    const acknowledged: string[] = []
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await store.runs.record(run('a', `r${index}`))
        acknowledged.push(statements.at(-1)!)
      }),
    )
    expect(statements.filter((word) => word === 'begin')).toHaveLength(1)
    // The rows, and what they add to the usage of the day, and to that of their person.
    expect(statements.filter((word) => word === 'insert')).toHaveLength(22)
    expect(acknowledged).toEqual(Array.from({ length: 20 }, () => 'commit'))
    await store.close()
  })

  test('after a group of several, a smaller one waits a moment for others; one caller alone never waits', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let commits = 0
    const { store } = await openBare((sqlite) => ({
      ...sqlite,
      run: (sql, params) => {
        if (sql === 'commit') commits += 1
        return sqlite.run(sql, params)
      },
    }))
    await store.tenants.add(tenant('a'))
    await store.tenants.add(tenant('b'))
    expect(commits).toBe(2)
    await Promise.all([store.tenants.add(tenant('c')), store.tenants.add(tenant('d'))])
    expect(commits).toBe(3)
    await Promise.all([store.tenants.add(tenant('e')), store.tenants.add(tenant('f'))])
    expect(commits).toBe(4)
    const first = store.tenants.add(tenant('g'))
    for (let turn = 0; turn < 5; turn += 1) await nextTurn()
    expect(commits).toBe(4)
    const second = store.tenants.add(tenant('h'))
    vi.advanceTimersByTime(1)
    await Promise.all([first, second])
    expect(commits).toBe(5)
    const third = store.tenants.add(tenant('i'))
    await nextTurn()
    vi.advanceTimersByTime(1)
    await third
    await store.tenants.add(tenant('j'))
    expect(commits).toBe(7)
    await store.close()
  })

  test('a failing write rejects alone; a partial unit leaves nothing behind', async () => {
    const { store } = await openBare((sqlite) => ({
      ...sqlite,
      run: (sql, params) => {
        // The second statement of plan(): its first one has inserted a row by then.
        if (sql.startsWith('select * from intents') && params?.[1] === 'broken') throw new Error('broken on purpose')
        return sqlite.run(sql, params)
      },
    }))
    const settled = await Promise.allSettled([
      store.tenants.add(tenant('a')),
      store.tenants.add(tenant('a')),
      store.intents.plan(intent('a', 'broken')),
      store.intents.plan(intent('a', 'whole')),
      store.tenants.add(tenant('b')),
    ])
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled'])
    expect((await store.tenants.list()).map(({ id }) => id)).toEqual(['a', 'b'])
    expect((await store.intents.open()).map(({ key }) => key)).toEqual(['whole'])
    await store.close()
  })

  test('a group without a failure takes no savepoint; of one with a failure nothing is written twice', async () => {
    const savepoints: string[] = []
    const { store } = await openBare((sqlite) => ({
      ...sqlite,
      run: (sql, params) => {
        if (sql.startsWith('savepoint')) savepoints.push(sql)
        return sqlite.run(sql, params)
      },
    }))
    const plain = await store.ingest({ starts: [start('a', 's1'), start('a', 's2')] })
    expect(plain).toEqual({ events: [], starts: ['s1', 's2'] })
    expect(savepoints).toEqual([])
    await store.tenants.add(tenant('a'))
    const [arrived, , counted] = await Promise.allSettled([
      store.ingest({ starts: [start('a', 's3'), start('a', 's4')] }),
      store.tenants.add(tenant('a')),
      store.timestamps.put('here', 1),
    ])
    expect(savepoints).toHaveLength(3)
    // Run a second time, the rows are new again.
    expect(arrived).toEqual({ status: 'fulfilled', value: { events: [], starts: ['s3', 's4'] } })
    expect(counted.status).toBe('fulfilled')
    await store.close()
  })

  test('when COMMIT fails, no write is acknowledged and nothing is stored', async () => {
    let broken = true
    const { store } = await openBare((sqlite) => ({
      ...sqlite,
      run: (sql, params) => {
        if (sql === 'commit' && broken) throw new Error('the disk went away')
        return sqlite.run(sql, params)
      },
    }))
    const settled = await Promise.allSettled([store.tenants.add(tenant('a')), store.runs.record(run('a', 'r1'))])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    broken = false
    expect(await store.tenants.list()).toEqual([])
    await store.tenants.add(tenant('a'))
    expect(await store.tenants.list()).toHaveLength(1)
    await store.close()
  })
})

describe('a disk or file that cannot take writes', () => {
  test('full disk: refused as unavailable, nothing is stored, and it works again once there is space', async () => {
    const { store, sqlite } = await openBare()
    const [row] = sqlite.run('pragma page_count').rows
    sqlite.script(`pragma max_page_count = ${Number(row!['page_count']) + 2}`)
    const labels = { note: 'x'.repeat(50_000) }
    const message = await failsWith(store.connections.add(connection('a', 'c1', { labels })), 'unavailable')
    expect(message).toContain('disk is full')
    expect(await store.connections.list('a')).toEqual([])
    sqlite.script('pragma max_page_count = 1000000')
    await store.connections.add(connection('a', 'c1', { labels }))
    expect(await store.connections.list('a')).toHaveLength(1)
    await store.close()
  })

  test('locked by another connection: unavailable, then fine', async () => {
    const { store, directory } = await openBare()
    const other = openSqlite(join(directory, 'toolyard.db'))
    other.script('begin immediate')
    const message = await failsWith(store.tenants.add(tenant('a')), 'unavailable')
    expect(message).toContain('locked')
    await failsWith(store.ingest({ events: [event('a', 'e1')] }), 'unavailable')
    await failsWith(store.check(), 'unavailable')
    other.script('rollback')
    other.close()
    await store.check()
    await store.tenants.add(tenant('a'))
    expect(await store.tenants.list()).toHaveLength(1)
    await store.close()
  })

  test('read-only: unavailable with the remedy', async () => {
    const { store, sqlite } = await openBare()
    sqlite.script('pragma query_only = 1')
    expect(await failsWith(store.tenants.add(tenant('a')), 'unavailable')).toContain('read-only')
    await failsWith(store.check(), 'unavailable')
    await store.close()
  })

  test('nearly full disk: new work is refused with the reason, work in progress may finish', async () => {
    const { store, sqlite, directory } = await openBare()
    await store.intents.plan(intent('a', 'k1'))
    await store.tokens.add(token('a', 't1'))
    const tight = storeOver(sqlite, { directory, now, minFreeBytes: Number.MAX_SAFE_INTEGER, onClosed: () => {} })
    const settled = await Promise.allSettled([
      tight.intents.plan(intent('a', 'k2')),
      tight.intents.update('a', 'k1', 'done', { ok: true }),
      tight.runs.record(run('a', 'r1')),
      tight.connections.add(connection('a', 'c1')),
      tight.ingest({ events: [event('a', 'e1')] }),
      tight.undecodable.add({
        tenant: 'a',
        id: 'd1',
        integration: 'work-board',
        connection: 'c1',
        hook: 'h1',
        receivedAt: t0,
        reason: 'x',
        raw: null,
      }),
      tight.subscriptions.add(subscription('a', 's1')),
      tight.starts.claim(t0, 10, 5),
    ])
    expect(settled.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expect(await store.events.get('a', 'c1', 'e1')).toBeUndefined()
    expect(await failsWith(tight.check(), 'unavailable')).toContain('nearly full')
    expect(await store.runs.get('a', 'r1')).toBeDefined()
    expect(await store.connections.list('a')).toEqual([])
    await store.close()
  })

  test('a file that is no database is refused with the remedy', async () => {
    const directory = await testFolder()
    await copyFile(import.meta.filename, join(directory, 'toolyard.db'))
    expect(await failsWith(openSqliteStore({ directory, now }), 'unavailable')).toContain('restore a backup')
  })
})

describe('one process per data directory', () => {
  test('a second process is refused with the name of the holder and may open after it closes', async () => {
    const directory = await testFolder()
    const first = await openSqliteStore({ directory, now })
    const message = await failsWith(openSqliteStore({ directory, now }), 'unavailable')
    expect(message).toContain(`process ${process.pid}`)
    expect(message).toContain('running server')
    await first.tenants.add(tenant('a'))
    await first.close()
    await (await openSqliteStore({ directory, now })).close()
  })

  test('another process is refused while the holder lives and takes over once it is dead', async () => {
    const directory = await testFolder()
    const child = spawn(process.execPath, [writer, directory, '1'], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    expect(await failsWith(openSqliteStore({ directory, now }), 'unavailable')).toContain(`process ${child.pid}`)
    child.kill('SIGKILL')
    await once(child, 'close')
    const store = await openSqliteStore({ directory, now })
    expect((await store.runs.list('kill', { limit: 1 })).items).toHaveLength(1)
    await store.close()
  })

  test('a failed open releases the directory', async () => {
    const directory = await testFolder()
    const db = openSqlite(join(directory, 'toolyard.db'))
    db.script('pragma user_version = 9999')
    await failsWith(openSqliteStore({ directory, now }), 'unavailable')
    db.script('pragma user_version = 0')
    db.close()
    await (await openSqliteStore({ directory, now })).close()
  })

  test('a directory that cannot be created is refused with the reason', async () => {
    const folder = await testFolder()
    await copyFile(import.meta.filename, join(folder, 'file'))
    await failsWith(openSqliteStore({ directory: join(folder, 'file', 'data'), now }), 'unavailable')
  })
})

describe('schema', () => {
  test('a newer schema is refused and left untouched', async () => {
    const directory = await testFolder()
    await (await openSqliteStore({ directory, now })).close()
    const db = openSqlite(join(directory, 'toolyard.db'))
    const newest = migrations.at(-1)!.id
    expect(db.run('pragma user_version').rows[0]).toMatchObject({ user_version: newest })
    db.script(`pragma user_version = ${newest + 1}`)
    expect(await failsWith(openSqliteStore({ directory, now }), 'unavailable')).toContain('newer version')
    expect(db.run('pragma user_version').rows[0]).toMatchObject({ user_version: newest + 1 })
    db.close()
  })

  test('a migration that fails half-way leaves the schema as it was', async () => {
    const db = openSqlite(join(await testFolder(), 'x.db'))
    const good = { id: 1, name: 'one', sql: 'create table one (a integer) strict' }
    const bad = { id: 2, name: 'two', sql: 'create table two (a integer) strict; create table one (a integer) strict' }
    migrate(db, [good], () => {})
    expect(() => migrate(db, [good, bad], () => {})).toThrow()
    expect(db.run(`select name from sqlite_schema where type = 'table'`).rows.map((row) => row['name'])).toEqual([
      'one',
    ])
    expect(db.run('pragma user_version').rows[0]).toMatchObject({ user_version: 1 })
    db.close()
  })

  test('a database that gets the final tables at once is the one that each migration made', () => {
    const contents = (list: readonly Migration[]) => {
      const db = openSqlite(':memory:')
      migrate(db, list, () => {})
      const schema = db
        .run('select * from sqlite_schema order by type, name')
        .rows.map(({ rootpage: _, ...row }) => row)
      const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => String(name))
      const rows = tables.map((name) => db.run(`select * from ${name}`).rows)
      const version = db.run('pragma user_version').rows
      db.close()
      return { schema, rows, version }
    }
    // A list of its own, so that nothing is known of it yet.
    const list = [...migrations]
    const stepByStep = contents(list)
    expect(stepByStep.schema.length).toBeGreaterThan(60)
    expect(contents(list)).toEqual(stepByStep)
  })

  test('ids of migrations count up from 1', () => {
    expect(migrations.map(({ id }) => id)).toEqual(migrations.map((_, index) => index + 1))
  })
})
