import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SealedRow, Store } from '../../shared/runtime/ports/index.ts'
import {
  checkBackup,
  createMemoryStore,
  createVault,
  openSqliteStore,
  resealAll,
  restoreBackup,
} from '../../shared/store/index.ts'
import { linkTo, noLink } from '../../shared/store/audit-chain.ts'
import type { Link } from '../../shared/store/audit-chain.ts'
import { migrate } from '../../shared/store/migrate.ts'
import { migrations } from '../../shared/store/migrations.ts'
import { nextSize, pruneIn } from '../../shared/store/sql/prune.ts'
import { openSqlite } from '../../shared/store/sqlite.ts'
import { failsWith } from './fails.ts'
import { testFolder } from './folder.ts'
import { approval, approvalRule } from './make-approvals.ts'
import {
  app,
  auditEntry,
  budget,
  bulkJob,
  code,
  connection,
  event,
  granted,
  learnedName,
  run,
  start,
  subscription,
  t0,
  tenant,
  unclaimed,
} from './make.ts'

const now = () => t0

/** Row 9 of the chain below, forged by somebody who knows how the hashes are made. */
const chain = Array.from({ length: 8 }).reduce<Link>(
  (link, _, index) => linkTo(link, auditEntry('a', { at: t0 + index })),
  noLink,
)
const forged = linkTo(chain, auditEntry('a', { at: t0 + 8, actor: 'someone' }))
const rootless = linkTo({ seq: 8, hash: '' }, auditEntry('a', { at: t0 + 8 }))

describe('the audit chain detects tampering', () => {
  const written = async () => {
    const directory = await testFolder()
    const store = await openSqliteStore({ directory, now })
    for (let index = 0; index < 12; index += 1) await store.audit.append(auditEntry('a', { at: t0 + index }))
    const other = openSqlite(join(directory, 'toolyard.db'))
    return { store, other }
  }

  test.each([
    ['an outcome is edited', `update audit set outcome = 'ok' || outcome where seq = 5`, 5],
    ['a time is edited', `update audit set at = at + 1 where seq = 12`, 12],
    ['a row is removed', 'delete from audit where seq = 7', 7],
    ['the first row is removed', 'delete from audit where seq = 1', 1],
    ['the newest row is removed', 'delete from audit where seq = 12', 12],
    [
      'rows are exchanged',
      'update audit set seq = case seq when 3 then -4 else -3 end where seq in (3, 4); update audit set seq = -seq where seq < 0',
      3,
    ],
    ['a row gets another hash', `update audit set hash = 'x' where seq = 9`, 9],
    [
      'a row is rewritten with a hash that fits it',
      `update audit set actor = 'someone', hash = '${forged.hash}', before = '${forged.before}' where seq = 9`,
      10,
    ],
    [
      'a row is rewritten as if it were a first one',
      `update audit set hash = '${rootless.hash}', before = '' where seq = 9`,
      9,
    ],
  ])('%s', async (_, tampering, seq) => {
    const { store, other } = await written()
    expect(await store.audit.verify('a')).toEqual({ ok: true, rows: 12 })
    other.script(tampering)
    expect(await store.audit.verify('a')).toMatchObject({ ok: false, seq })
    other.close()
    await store.close()
  })

  test('the chain continues after reopening', async () => {
    const directory = await testFolder()
    for (let round = 0; round < 3; round += 1) {
      const store = await openSqliteStore({ directory, now })
      await Promise.all([
        store.audit.append(auditEntry('a')),
        store.audit.append(auditEntry('a')),
        store.audit.append(auditEntry('b')),
      ])
      expect(await store.audit.verify('a')).toEqual({ ok: true, rows: 2 * (round + 1) })
      await store.close()
    }
  })

  test('flush and close wait for every appended row', async () => {
    const directory = await testFolder()
    const store = await openSqliteStore({ directory, now })
    const append = () => Array.from({ length: 700 }, () => store.audit.append(auditEntry('a')))
    const first = append()
    await store.flush()
    expect(await store.audit.verify('a')).toEqual({ ok: true, rows: 700 })
    const second = append()
    await store.close()
    await Promise.all([...first, ...second])
    const again = await openSqliteStore({ directory, now })
    expect(await again.audit.verify('a')).toEqual({ ok: true, rows: 1400 })
    await again.close()
  })

  test('a failed write leaves no gap', async () => {
    const { store, other } = await written()
    other.script('begin immediate')
    await failsWith(store.audit.append(auditEntry('a')), 'unavailable')
    other.script('rollback')
    await store.audit.append(auditEntry('a'))
    expect(await store.audit.verify('a')).toEqual({ ok: true, rows: 13 })
    other.close()
    await store.close()
  })
})

describe('the audit check beside other work', () => {
  const filled = async (rows: number) => {
    const store = await openSqliteStore({ directory: await testFolder(), now })
    await Promise.all(Array.from({ length: rows }, (_, n) => store.audit.append(auditEntry('a', { at: t0 + n }))))
    return store
  }
  const pruneBefore = async (store: Store, at: number) => {
    for (let more = true; more;)
      ({ more } = await store.prune({
        now: t0,
        payloads: 0,
        starts: 0,
        deleted: 0,
        runs: 0,
        ownWrites: 0,
        audit: at,
        gaps: 0,
        limit: 2000,
      }))
  }

  test('goes in slices: others are served before it is done', async () => {
    const store = await filled(3_000)
    let turns = 0
    let isDone = false
    const turnCounter = (async () => {
      for (; !isDone; turns += 1) await new Promise((resolve) => setImmediate(resolve))
    })()
    expect(await store.audit.verify('a')).toEqual({ ok: true, rows: 3_000 })
    isDone = true
    await turnCounter
    expect(turns).toBeGreaterThanOrEqual(3_000 / 500)
    await store.close()
  })

  test('rows that retention removes meanwhile are not missing', async () => {
    const store = await filled(3_000)
    const head = await store.audit.head('a')
    for (const upTo of [2_000, 3_000, 99_999]) {
      const [verdict] = await Promise.all([
        store.audit.verify('a', upTo < 99_999 ? head : undefined),
        pruneBefore(store, t0 + upTo),
      ])
      expect(verdict).toMatchObject({ ok: true })
    }
    expect(await store.audit.verify('a')).toEqual({ ok: true, rows: 0 })
    await store.close()
  })
})

test('usage of an earlier version is what its runs add up to', async () => {
  const directory = await testFolder()
  const db = openSqlite(join(directory, 'toolyard.db'))
  migrate(db, migrations.slice(0, 25), () => {})
  const sql = `insert into runs (tenant, id, integration, step, connection, effect, state, attempts, calls, credits, credits_estimated, created_at, duration_ms, waited_ms, refused)
    values ('a', ?, 'i', 's', ?, 'read', ?, 1, 3, 0.5, ?, ?, 1, 4, 1)`
  for (const [id, connection, state, estimated] of [
    ['r1', 'c', 'done', 0],
    ['r2', 'c', 'failed', 1],
    ['r3', null, 'unknown', 1],
    ['r4', 'c', 'sending', 1],
  ] as const)
    db.run(sql, [id, connection, state, estimated, t0])
  db.close()
  const store = await openSqliteStore({ directory, now })
  const usageKey = { day: new Date(t0).toISOString().slice(0, 10), integration: 'i', step: 's' }
  const expected = [
    {
      ...usageKey,
      connection: null,
      runs: 1,
      failed: 1,
      calls: 3,
      credits: 0.5,
      estimatedCredits: 0.5,
      waitedMs: 4,
      refused: 1,
    },
    {
      ...usageKey,
      connection: 'c',
      runs: 2,
      failed: 1,
      calls: 6,
      credits: 1,
      estimatedCredits: 0.5,
      waitedMs: 8,
      refused: 2,
    },
  ]
  expect(await store.runs.usage('a', 0)).toEqual(expected)
  // One that is written again was counted; one that was cut off was not.
  const [cutOff] = await store.runs.cutOff()
  await store.runs.record((await store.runs.get('a', 'r1'))!)
  expect(await store.runs.usage('a', 0)).toEqual(expected)
  await store.runs.record({ ...cutOff!, state: 'unknown' })
  expect((await store.runs.usage('a', 0))[1]).toMatchObject({ runs: 3, failed: 2, calls: 9 })
  await store.close()
})

describe('backup', () => {
  const filled = async () => {
    const directory = await testFolder()
    const store = await openSqliteStore({ directory, now })
    await store.tenants.add(tenant('a'))
    await store.connections.add(connection('a', 'c1'))
    await store.ingest({
      events: Array.from({ length: 300 }, (_, index) => event('a', `e${index}`, { raw: randomBytes(3000) })),
    })
    return { directory, store }
  }

  test('is taken while writes go on, checked, restored, and everything from before it is there', async () => {
    const { directory, store } = await filled()
    const file = join(directory, 'backups', 'one.db')
    await mkdir(join(directory, 'backups'))
    let running = true
    let written = 0
    const writes = (async () => {
      for (; running; written += 1) await store.runs.record(run('a', `r${written}`))
    })()
    const { bytes } = await store.backup(file)
    // Each one succeeds, however it falls among the writes.
    for (let n = 0; n < 8; n += 1) await store.backup(join(directory, `more-${n}.db`))
    running = false
    await writes
    expect(bytes).toBe((await stat(file)).size)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(directory, 'backups'))).toEqual(['one.db'])
    const report = await checkBackup(file)
    expect(report).toMatchObject({ schema: migrations.at(-1)!.id, rows: { events: 300, connections: 1 } })
    expect(report.rows['runs']).toBeLessThanOrEqual(written)
    await store.close()

    const target = join(await testFolder(), 'restored')
    expect(await restoreBackup({ file, directory: target, now, keys: [], lost: ['k'] })).toEqual(report)
    const restored = await openSqliteStore({ directory: target, now })
    expect(await restored.connections.get('a', 'c1')).toEqual(connection('a', 'c1'))
    // After a restore the provider's history is listed again: what the backup knows is not started twice.
    expect((await restored.ingest({ events: [event('a', 'e1'), event('a', 'after')] })).events).toEqual(['after'])
    await restored.close()
  })

  test('never replaces another file; a restore never replaces a database or enters one in use', async () => {
    const { directory, store } = await filled()
    const file = join(directory, 'one.db')
    await store.backup(file)
    const before = await readFile(file)
    await failsWith(store.backup(file), 'conflict')
    expect((await readFile(file)).equals(before)).toBe(true)
    await failsWith(restoreBackup({ file, directory, now, keys: [], lost: ['k'] }), 'unavailable')
    await store.close()
    await failsWith(restoreBackup({ file, directory, now, keys: [], lost: ['k'] }), 'conflict')
  })

  test('a damaged, cut, foreign, newer or missing file is refused with the remedy', async () => {
    const { directory, store } = await filled()
    const file = join(directory, 'one.db')
    await store.backup(file)
    await store.close()
    const whole = await readFile(file)
    const variant = async (name: string, bytes: Buffer) => {
      await writeFile(join(directory, name), bytes)
      return join(directory, name)
    }
    const scrambled = Buffer.from(whole)
    scrambled.fill(0x5a, 8192, 16_384)
    for (const bytes of [
      scrambled,
      whole.subarray(0, whole.length / 2),
      Buffer.alloc(0),
      Buffer.from('not a database at all, only text that is long enough'.repeat(99)),
    ]) {
      await failsWith(checkBackup(await variant('bad.db', bytes)), 'invalid_input')
    }
    const newer = await variant('newer.db', whole)
    const db = openSqlite(newer)
    db.script('pragma user_version = 999')
    db.close()
    expect(await failsWith(checkBackup(newer), 'invalid_input')).toContain('schema 999')
    await failsWith(checkBackup(join(directory, 'nowhere.db')), 'invalid_input')
    // Readable row by row, but not what its own schema promises.
    const inconsistent = await variant('inconsistent.db', whole)
    const from = 'run_id text, depth integer not null'
    const at = whole.indexOf(from)
    expect(at).toBeGreaterThan(0)
    await writeFile(inconsistent, whole.fill(Buffer.from('run_id text not null, depth integer'), at, at + from.length))
    await failsWith(checkBackup(inconsistent), 'invalid_input')
    await failsWith(
      restoreBackup({
        file: await variant('bad.db', scrambled),
        directory: join(directory, 'new'),
        now,
        keys: [],
        lost: ['k'],
      }),
      'invalid_input',
    )
    await failsWith(createMemoryStore().backup(file), 'invalid_input')
  })

  test('a policy that names boards is read as scopes, and nothing else of it changes', async () => {
    const directory = await testFolder()
    const db = openSqlite(join(directory, 'toolyard.db'))
    migrate(db, migrations.slice(0, 11), () => {})
    const policies = {
      old: '{"methods":["GET"],"boards":["b1","b2"]}',
      other: '{"paths":["/1/cards"]}',
      none: null,
      nothing: 'null',
    }
    for (const [id, policy] of Object.entries(policies)) {
      db.run(
        `insert into connections (tenant, id, integration, type, name, state, state_at, secrets, hints, policy, labels, is_default, created_at, updated_at)
          values ('a', '${id}', 'i', 't', '${id}', 'connected', 0, '{}', '{}', ${policy === null ? 'null' : `'${policy}'`}, '{}', 0, 0, 0)`,
      )
    }
    db.close()
    const store = await openSqliteStore({ directory, now })
    const read = Object.fromEntries((await store.connections.list('a')).map(({ id, policy }) => [id, policy]))
    expect(read).toEqual({
      old: { methods: ['GET'], scopes: ['b1', 'b2'] },
      other: { paths: ['/1/cards'] },
      none: null,
      nothing: null,
    })
    await store.close()
  })

  test('an older database is copied before it is upgraded, and loses nothing by it', async () => {
    const directory = await testFolder()
    const db = openSqlite(join(directory, 'toolyard.db'))
    migrate(db, migrations.slice(0, 1), () => {})
    db.run(`insert into tenants (id, name, created_at) values ('a', 'Tenant a', ${t0})`)
    db.close()
    const store = await openSqliteStore({ directory, now })
    expect(await store.tenants.get('a')).toEqual(tenant('a', { policy: null }))
    await store.ingest({ events: [event('a', 'e1')] })
    await store.close()
    const copies = (await readdir(directory)).filter((name) => name.startsWith('schema-1-before-'))
    expect(copies).toHaveLength(1)
    expect(await checkBackup(join(directory, copies[0]!))).toMatchObject({ schema: 1, rows: { tenants: 1 } })
    // Opened again, there is nothing to upgrade and nothing to copy.
    await (await openSqliteStore({ directory, now })).close()
    expect((await readdir(directory)).filter((name) => name.startsWith('schema-1-before-'))).toEqual(copies)
  })
})

describe('key rotation re-seals values while the store is in use', () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
  const ownerOf = ({ kind, id }: SealedRow) => (kind === 'connection' ? id : `${kind}:${id}`)
  const before = createVault({ masterKey: oldKey })
  const during = createVault({ masterKey: newKey, previous: [{ id: before.keyId, key: oldKey }] })
  const after = createVault({ masterKey: newKey })

  const fill = async (store: Store) => {
    for (let index = 0; index < 40; index += 1) {
      const id = `c${index}`
      await store.connections.add(
        connection('a', id, { secrets: before.seal({ tenant: 'a', owner: id }, { token: `token-${id}`, key: 'k' }) }),
      )
    }
    await store.apps.put(
      app('a', { secrets: before.seal({ tenant: 'a', owner: 'app:work-board' }, { current: 'app-secret' }) }),
    )
    await store.subscriptions.add(
      subscription('a', 's1', {
        secrets: before.seal({ tenant: 'a', owner: 'subscription:s1' }, { secret: 'agent-secret' }),
      }),
    )
  }
  const stores: [string, () => Promise<Store>][] = [
    ['sqlite', async () => openSqliteStore({ directory: await testFolder(), now })],
    ['memory', async () => createMemoryStore()],
  ]

  test.each(stores)(
    '%s: 0 failures under load, 0 values left on the old key, the newest value wins',
    async (_, open) => {
      const store = await open()
      await fill(store)
      // A refresh in the middle writes a new value; the sweep must not put the old one back.
      let refreshed = 0
      const load = (async () => {
        for (let index = 39; index >= 0; index -= 1) {
          const id = `c${index}`
          const row = await store.connections.get('a', id)
          expect(during.open({ tenant: 'a', owner: id }, row!.secrets)['token']).toMatch(/^token-/)
          if (index % 2) {
            await store.connections.patch('a', id, {
              secrets: before.seal({ tenant: 'a', owner: id }, { token: `token-${id}-new` }),
            })
            refreshed += 1
          }
        }
      })()
      const [first] = await Promise.all([resealAll(store, during, ownerOf), load])
      const second = await resealAll(store, during, ownerOf)
      expect(refreshed).toBe(20)
      expect([...first.failed, ...second.failed]).toEqual([])
      expect(second.fresh).toBe(42)
      for (let index = 0; index < 40; index += 1) {
        const id = `c${index}`
        const { token } = after.open({ tenant: 'a', owner: id }, (await store.connections.get('a', id))!.secrets)
        expect(token).toBe(index % 2 ? `token-${id}-new` : `token-${id}`)
      }
      expect(
        after.open({ tenant: 'a', owner: 'app:work-board' }, (await store.apps.get('a', 'work-board'))!.secrets),
      ).toEqual({ current: 'app-secret' })
      expect(
        after.open({ tenant: 'a', owner: 'subscription:s1' }, (await store.subscriptions.get('a', 's1'))!.secrets),
      ).toEqual({ secret: 'agent-secret' })
      await store.close()
    },
  )

  test('a value that does not open is reported and left unchanged; the others are re-sealed', async () => {
    const store = createMemoryStore()
    await fill(store)
    await store.connections.patch('a', 'c3', {
      secrets: {
        token: createVault({ masterKey: randomBytes(32) }).seal({ tenant: 'a', owner: 'c3' }, { token: 'x' })['token']!,
      },
    })
    const result = await resealAll(store, during, ownerOf)
    expect(result.failed.map(({ kind, id }) => [kind, id])).toEqual([['connection', 'c3']])
    expect(result.resealed).toBe(41)
    expect(result.fresh).toBe(41)
  })
})

describe('deleted data is overwritten', () => {
  test('a payload deleted by retention is in no page of the database', async () => {
    const directory = await testFolder()
    const store = await openSqliteStore({ directory, now })
    const canary = `canary-${randomBytes(12).toString('hex')}`
    await store.ingest({
      events: [event('a', 'e1', { raw: new Uint8Array(Buffer.from(canary.repeat(500))) })],
      starts: [start('a', 'k1', { state: 'done', endedAt: t0, data: { note: canary.repeat(500) } })],
    })
    const later = t0 + 1000
    await store.prune({
      now: later,
      payloads: later,
      starts: later,
      deleted: 0,
      runs: 0,
      ownWrites: 0,
      audit: 0,
      gaps: 0,
      limit: 100,
    })
    await store.close()
    for (const file of await readdir(directory))
      expect((await readFile(join(directory, file))).includes(canary), file).toBe(false)
    await copyFile(join(directory, 'toolyard.db'), join(directory, 'copy.db'))
    expect((await checkBackup(join(directory, 'copy.db'))).rows).toMatchObject({ events: 1, starts: 1 })
  })
})

test('the size of a retention commit follows the duration of the last one', () => {
  expect(nextSize(50, { changes: 50, ms: 1 })).toBe(100)
  expect(nextSize(2000, { changes: 2000, ms: 1 })).toBe(2000)
  expect(nextSize(50, { changes: 7, ms: 1 })).toBe(50)
  expect(nextSize(50, { changes: 50, ms: 4 })).toBe(50)
  expect(nextSize(50, { changes: 50, ms: 40 })).toBe(25)
  expect(nextSize(1, { changes: 1, ms: 400 })).toBe(1)
})

describe('hot statements use an index', () => {
  test('claim, pending events, timers, lists and retention never scan a whole table', async () => {
    const directory = await testFolder()
    const db = openSqlite(join(directory, 'toolyard.db'))
    migrate(db, migrations, () => {})
    const seen = new Set<string>()
    const { storeOver } = await import('../../shared/store/sqlite-store.ts')
    const store = storeOver(
      { ...db, run: (sql, params) => (seen.add(sql), db.run(sql, params)) },
      { directory, now, onClosed: () => {} },
    )
    await store.ingest({ events: [event('a', 'e1')], starts: [start('a', 'k1', { settleMs: 5, subject: 'x' })] })
    await store.starts.claim(t0, 10, 1)
    await store.starts.queues(t0 + 1, 10)
    await store.starts.claim(t0, 10, 1, [{ tenant: 'a', subscription: 's1', limit: 5 }])
    await store.starts.replay('a', { subscription: 's1', state: 'dead' }, t0)
    await store.starts.pause('a', 's1')
    await store.events.claimPending(t0, 10, 1)
    await store.events.list('a', { limit: 5 })
    await store.events.byId('a', 'e1')
    await store.starts.list('a', { limit: 5 })
    await store.subscriptions.list('a', { limit: 5 })
    await store.starts.list('a', { limit: 5 }, { state: 'dead' })
    await store.starts.list('a', { limit: 5 }, { event: 'e1' })
    await store.starts.list('a', { limit: 5 }, { subscription: 's1' })
    await store.runs.list('a', { limit: 5 })
    await store.runs.list('a', { limit: 5 }, { startId: 's' })
    await store.runs.record(run('a', 'r1'))
    await store.runs.list('a', { limit: 5 }, { state: 'failed', connection: 'c1', since: 1, until: t0 })
    await store.runs.list('a', { limit: 5 }, { state: 'done', step: 's' })
    await store.runs.usage('a', 0)
    await store.runs.list('a', { limit: 5 }, { person: 'p' })
    await store.runs.usageOfPeople('a', 0, ['p'])
    await store.credits.spent('a', 0, 'p')
    await store.budgets.open({ ...budget('a', 'b'), scope: 'person', subject: 'p' }, { startsAt: t0, endsAt: t0 + 1 })
    await store.people.add({ tenant: 'a', id: 'p', createdAt: t0 }, 5)
    await store.people.list('a', { limit: 5 })
    await store.people.get('a', 'p')
    await store.events.list('a', { limit: 5 }, { type: 't' })
    await store.audit.list('a', { limit: 5 }, { outcome: 'ok' })
    await store.audit.verify('a')
    await store.runs.cutOff()
    await store.load()
    await store.intents.bytes('a')
    await store.files.list('a', { limit: 5 }, t0)
    await store.files.byKey('a', 'k')
    await store.files.usage('a')
    await store.files.chunk('a', 'f', 0)
    await store.signInCodes.add({ hash: 'h', tenant: 'a', token: 't', createdAt: t0, expiresAt: t0 }, 5)
    await store.sessions.add({ hash: 'h', tenant: 'a', token: 't', createdAt: t0, expiresAt: t0 }, 5)
    await store.sessions.get('h', t0)
    await store.samples.get('a', 's')
    await store.samples.remove('a', 's')
    await store.lookups.remove('a', { connection: 'c' })
    await store.lookups.trim('a', -1)
    await store.suppressions.add([{ tenant: 'a', hash: 'h', kind: 'email', source: 'manual', createdAt: t0 }])
    await store.suppressions.find('a', ['h'])
    await store.suppressions.any('a')
    await store.lookupRates.find('a', 'person', [''])
    await store.names.put([learnedName('a', 'n')])
    await store.names.find('a', 'c1', 'card', ['n'])
    await store.names.list('a', 'c1', 5)
    await store.names.removeOf('a', 'c1')
    await store.sealed.paged('name', 'k', 5)
    await store.suppressions.list('a', { limit: 10 })
    await store.suppressions.remove('a', ['h'])
    await store.bulkJobs.add(bulkJob('a', 'j1', 'c1', { key: 'k' }))
    await store.bulkJobs.add(bulkJob('a', 'j2', 'c1', { key: 'k' }))
    await store.bulkJobs.byKey('a', 'k')
    await store.bulkJobs.list('a', { limit: 5 })
    await store.bulkJobs.waiting()
    await store.peopleLists.list('a', { limit: 5 }, t0)
    await store.peopleLists.finish('a', 'l', t0, { expiresAt: t0 + 10, leftOut: 0 })
    await store.peopleLists.byKey('a', 'k')
    await store.credits.list('a', { limit: 5 }, {})
    await store.runs.list('a', { limit: 5 }, { parentId: 'p' })
    await store.intents.evict('a', 5)
    await store.timers.due(t0, 5)
    await store.connections.ofAccounts('i', ['a'])
    await store.connections.usableBy('a', 'p')
    await store.subscriptions.attachedFor('a', 'p')
    await store.unclaimed.add([unclaimed('a', 'u')], 5)
    for (const group of await store.unclaimed.groups()) await store.unclaimed.of(group, 5)
    await store.unclaimed.expire(t0 + 600_000, 5)
    await store.unclaimed.remove({ tenant: 'a', id: 'u' })
    await store.hooks.byId('h')
    await store.tokens.byHash('h')
    await store.grants.list('a', { limit: 5 }, t0)
    await store.grants.list('a', { limit: 5 }, t0, { own: { token: 't' } })
    await store.grants.add(granted('a', 'g'), code('a', 'g'), { open: 5, unredeemed: 5 })
    await store.grants.byFamily('f')
    await store.grants.byAccess('h', t0)
    await store.grants.code('h', t0)
    await store.approvalRules.add(approvalRule('a', 'r'), 5)
    await store.approvalRules.list('a')
    await store.approvals.add(approval('a', 'w'), 5)
    await store.approvals.change({ tenant: 'a', id: 'w', revision: 0 }, { nextAt: t0 })
    await store.approvals.byIdentity('a', 'i')
    await store.approvals.list('a', { limit: 5 })
    await store.approvals.list('a', { limit: 5 }, { states: ['open'] })
    await store.approvals.list('a', { limit: 5 }, { states: ['done', 'open'], person: 'p' })
    await store.approvals.due(t0, 5, 1)
    await store.approvals.tenants()
    await store.prune({
      now: t0,
      payloads: t0,
      starts: t0,
      deleted: t0,
      runs: t0,
      approvals: t0,
      ownWrites: t0,
      audit: t0,
      gaps: t0,
      names: t0,
      rates: t0,
      limit: 5,
    })
    const walks: string[] = []
    const used = new Set<string>()
    for (const sql of seen) {
      if (!/^(select|update|delete|insert|with)/.test(sql)) continue
      const places = sql.split('?').length - 1
      for (const { detail } of db.run(
        `explain query plan ${sql}`,
        Array.from({ length: places }, () => 1),
      ).rows as { detail: string }[]) {
        used.add(/ INDEX (\w+)/.exec(detail)?.[1] ?? '')
        // "o", "s", "found", "each_…" and those without a name are sub-selects made from an index; the others are
        // counts or lists of what is open.
        if (
          /^SCAN (?!CONSTANT|found|each_|o$|s$|\d|starts USING (COVERING )?INDEX starts_(open|dead)|events USING COVERING INDEX events_pending|unclaimed_events USING COVERING INDEX|placed$|ranked$|\(subquery-|bulk_jobs USING INDEX bulk_jobs_waiting)/.test(
            detail,
          )
        )
          walks.push(`${detail}: ${sql}`)
      }
    }
    expect(walks).toEqual([])
    // An index that nothing uses only costs.
    const made = db.run(
      `select name from sqlite_schema where type = 'index' and name not like 'sqlite_%' and name not in ('hooks_live', 'hook_uses_of_subscription', 'intents_open')`,
    )
    expect(made.rows.map((row) => String(row['name'])).filter((name) => !used.has(name))).toEqual([])
    await store.close()
  })
})

test('retention keeps up where commits wait for others, as in a shared database', async () => {
  const file = openSqlite(':memory:')
  migrate(file, migrations, () => {})
  const rows = 6_000
  file.script(
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})
     insert into own_writes (tenant, connection, object, run_id, step, at) select 't', 'c', 'o' || n, 'r', 's', 1 from numbers`,
  )
  let slowestMs = 400
  const prune = pruneIn({
    isShared: true,
    read: async (sql, params) => file.run(sql, params).rows,
    write: async (statements) => statements.map(({ sql, params }) => ({ ...file.run(sql, params), ms: slowestMs })),
  })
  const ages = { now: t0, payloads: 0, starts: 0, deleted: 0, runs: 0, ownWrites: t0, audit: 0, gaps: 0, limit: 2000 }
  const removed: number[] = []
  for (let round = 0; round < 4; round += 1) removed.push((await prune(ages)).ownWrites)
  slowestMs = 1200
  removed.push((await prune(ages)).ownWrites)
  slowestMs = 10
  for (let round = 0; round < 3; round += 1) removed.push((await prune(ages)).ownWrites)
  file.close()
  expect(removed).toEqual([500, 500, 500, 500, 500, 250, 500, 1000])
})

test('rows of which too many were removed at once, so that it failed, are removed fewer at a time', async () => {
  const file = openSqlite(':memory:')
  migrate(file, migrations, () => {})
  file.script(
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1000)
     insert into own_writes (tenant, connection, object, run_id, step, at) select 't', 'c', 'o' || n, 'r', 's', 1 from numbers`,
  )
  const prune = pruneIn({
    isShared: true,
    read: async (sql, params) => file.run(sql, params).rows,
    write: async (statements) =>
      statements.map(({ sql, params }) => {
        file.script('savepoint slice')
        const result = file.run(sql, params)
        file.script(result.changes > 200 ? 'rollback to slice; release slice' : 'release slice')
        if (result.changes > 200) throw new Error('it took too long')
        return { ...result, ms: 60 }
      }),
  })
  const ages = { now: t0, payloads: 0, starts: 0, deleted: 0, runs: 0, ownWrites: t0, audit: 0, gaps: 0, limit: 2000 }
  const results: unknown[] = []
  for (let round = 0; round < 3; round += 1)
    results.push(
      await prune(ages).then(
        ({ ownWrites }) => ownWrites,
        (error: Error) => error.message,
      ),
    )
  file.close()
  expect(results).toEqual(['it took too long', 'it took too long', 125])
})
