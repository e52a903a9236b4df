import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { AuditRow, Store, Vault } from '../../shared/runtime/ports/index.ts'
import { linkTo } from '../../shared/store/audit-chain.ts'
import { createVault, openSqliteStore } from '../../shared/store/index.ts'
import { openSqlite } from '../../shared/store/sqlite.ts'
import type { Sqlite } from '../../shared/store/sqlite.ts'
import { testFolder } from './folder.ts'
import { auditEntry, t0 } from './make.ts'

const day = 86_400_000

const openLog = async () => {
  const directory = await testFolder()
  const vault = createVault({ masterKey: randomBytes(32) })
  let store: Store
  const open = async (signer: Vault | null = vault) => {
    store = await openSqliteStore({ directory, now: () => t0 })
    if (signer) await store.audit.signWith(signer)
  }
  const write = async (count: number, from = 0) => {
    for (let n = from; n < from + count; n += 1)
      await store.audit.append(auditEntry('t', { at: t0 + n * day, path: `/1/cards/${n}` }))
  }
  /** What somebody does who has the database but not the key, while no server runs. */
  const tamper = async (work: (db: Sqlite) => void, signer: Vault | null = vault) => {
    await store.close()
    const db = openSqlite(join(directory, 'toolyard.db'))
    work(db)
    db.close()
    await open(signer)
  }
  onTestFinished(() => store.close().catch(() => undefined))
  // As a version did that signed nothing.
  await open(null)
  return {
    directory,
    vault,
    open,
    write,
    tamper,
    store: () => store,
    verify: (head?: { seq: number; hash: string }) => store.audit.verify('t', head),
  }
}

/** Takes rows out (or changes them) and links the others anew, so that every hash is right again. */
const linkAnew = (db: Sqlite, pick: (row: AuditRow) => AuditRow | undefined) => {
  const columns =
    'tenant, at, actor, start_id, run_id, integration, connection, method, path, outcome, provider_status, decision, key_id'
  const rows = db.run(
    `select seq, before, hash, tenant, at, actor, start_id as startId, run_id as runId, integration, connection, method, path, outcome,
      provider_status as providerStatus, decision, key_id as keyId from audit where tenant = 't' order by seq`,
  ).rows as AuditRow[]
  db.run(`delete from audit where tenant = 't'`)
  let link = { seq: rows[0]!.seq - 1, hash: rows[0]!.before }
  for (const row of rows) {
    const kept = pick(row)
    if (!kept) continue
    const next = linkTo(link, kept)
    const {
      tenant,
      at,
      actor,
      startId,
      runId,
      integration,
      connection,
      method,
      path,
      outcome,
      providerStatus,
      decision,
      keyId,
    } = next
    const values = [
      tenant,
      at,
      actor,
      startId,
      runId,
      integration,
      connection,
      method,
      path,
      outcome,
      providerStatus,
      decision,
      keyId,
    ]
    db.run(`insert into audit (${columns}, seq, before, hash) values (${'?, '.repeat(15)}?)`, [
      ...values,
      next.seq,
      next.before,
      next.hash,
    ])
    link = next
  }
  db.run(`update audit_chains set head_seq = ?, head_hash = ? where tenant = 't'`, [link.seq, link.hash])
}
const withoutFive = (db: Sqlite) => linkAnew(db, (row) => (row.seq > 10 && row.seq <= 15 ? undefined : row))

test('rows taken out and linked anew are found, and a row written after does not hide it', async () => {
  const { write, tamper, verify } = await openLog()
  await tamper(() => {})
  await write(40)
  expect(await verify()).toEqual({ ok: true, rows: 40 })
  await tamper(withoutFive)
  expect(await verify()).toMatchObject({ ok: false, reason: expect.stringContaining('no signature of this server') })
  await write(3, 40)
  await tamper(() => {})
  expect(await verify()).toMatchObject({
    ok: false,
    seq: 36,
    reason: expect.stringContaining('changed outside of the server'),
  })
})

test('a removed signature and missing chain ends are detected', async () => {
  const { write, tamper, verify } = await openLog()
  await tamper(() => {})
  await write(20)
  await tamper((db) => {
    withoutFive(db)
    db.run('update audit_chains set head_mac = null, keyed_from = null')
  })
  expect(await verify()).toMatchObject({ ok: false })
  const other = await openLog()
  await other.tamper(() => {})
  await other.write(20)
  await other.tamper((db) => void db.run('delete from audit_chains'))
  expect(await other.verify()).toMatchObject({ ok: false, reason: 'the ends of the chain are missing' })
  await other.write(1)
  expect(await other.verify()).toMatchObject({ ok: false })
})

test('unsigned earlier rows stay unsigned, and the signature covers where they end', async () => {
  const { write, tamper, verify } = await openLog()
  await write(20)
  await tamper(() => {})
  expect(await verify()).toEqual({ ok: true, rows: 20, keyedFrom: 21 })
  await write(5, 20)
  expect(await verify()).toEqual({ ok: true, rows: 25, keyedFrom: 21 })
  await tamper((db) => void db.run('update audit_chains set keyed_from = 1'))
  expect(await verify()).toMatchObject({ ok: false })
  await tamper((db) => void db.run('update audit_chains set keyed_from = 21'))
  expect(await verify()).toMatchObject({ ok: true })
  await tamper(withoutFive)
  expect(await verify()).toMatchObject({ ok: false })
})

test('an exported head reveals truncation and a restored earlier copy', async () => {
  const { write, tamper, verify, store, directory } = await openLog()
  await tamper(() => {})
  await write(10)
  const early = await store().audit.head('t')
  await store().backup(join(directory, 'early.db'))
  await write(10, 10)
  const late = await store().audit.head('t')
  expect([early.seq, late.seq]).toEqual([10, 20])
  expect([await verify(early), await verify(late)]).toMatchObject([{ ok: true }, { ok: true }])
  expect(await verify({ ...early, hash: late.hash })).toMatchObject({ ok: false, seq: 10 })
  await tamper((db) => {
    db.run('attach database ? as early', [join(directory, 'early.db')])
    for (const name of ['audit', 'audit_chains'])
      db.script(`delete from ${name}; insert into ${name} select * from early.${name}`)
  })
  expect([await verify(), await verify(early)]).toMatchObject([{ ok: true }, { ok: true }])
  expect(await verify(late)).toEqual({ ok: false, seq: 11, reason: 'rows up to the exported head are missing' })
})

test('retention and key rotation keep the chain valid; a beginning removed from outside is not accepted', async () => {
  const { write, tamper, verify, store, vault } = await openLog()
  await tamper(() => {})
  await write(20)
  const ages = { now: t0, payloads: 0, starts: 0, deleted: 0, runs: 0, ownWrites: 0, gaps: 0, limit: 100 }
  await store().prune({ ...ages, audit: t0 + 5 * day })
  expect(await verify()).toEqual({ ok: true, rows: 15 })
  const former = vault.keyId
  vault.use(randomBytes(32))
  await store().audit.signWith(vault)
  vault.drop(former)
  expect(await verify()).toEqual({ ok: true, rows: 15 })
  await tamper((db) => {
    db.run(`delete from audit where tenant = 't' and seq <= 8`)
    db.run(
      `update audit_chains set anchor_seq = 8, anchor_hash = (select before from audit where tenant = 't' and seq = 9)`,
    )
  })
  expect(await verify()).toMatchObject({ ok: false, seq: 9, reason: expect.stringContaining('beginning') })
  await store().prune({ ...ages, audit: t0 + 12 * day })
  expect(await verify()).toMatchObject({ ok: false, seq: 13 })
})

test('rows signed under a lost key are not reported as intact', async () => {
  const { write, tamper, verify } = await openLog()
  await tamper(() => {})
  await write(3)
  await tamper(() => {}, createVault({ masterKey: randomBytes(32) }))
  expect(await verify()).toMatchObject({ ok: false, reason: expect.stringContaining('or their key is lost') })
})
