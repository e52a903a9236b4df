import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createStartIds, digestOf } from '../../shared/runtime/admin/chosen-texts.ts'
import { createTenantKeys } from '../../shared/runtime/admin/tenant-keys.ts'
import { createPack, openSqliteStore, systemClock } from '../../shared/pack.ts'
import type { Pack, Store } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { createMemoryStore, createVault } from '../../shared/store/index.ts'
import { openSqlite } from '../../shared/store/sqlite.ts'
import { auditEntry, run } from '../store/make.ts'

const address = 'mai.tran@example.com.au'
const caller = { tenant: 'default' }
const ofOurs = 'ab12'.repeat(16)

describe('what a caller chose', () => {
  const keysOf = () =>
    createTenantKeys({ store: createMemoryStore(), vault: createVault({ masterKey: Buffer.alloc(32, 1) }) })

  it('is stored as a digest under the key of the tenant: another one in another tenant, and for another use', async () => {
    const keys = keysOf()
    const [firstKey, two] = [await keys.of('one'), await keys.of('two')]
    const all = [
      digestOf(firstKey, 'file', address),
      digestOf(firstKey, 'job', address),
      digestOf(two, 'file', address),
      digestOf(firstKey, 'file', `${address}.`),
    ]
    expect(new Set(all).size).toBe(4)
    expect(digestOf(firstKey, 'file', address)).toBe(all[0])
    for (const text of all) expect(text).toMatch(/^dig_[\w-]{43}$/)
  })

  it('as the start of a run is stored as it is where it is the id of a start of ours, and once only otherwise', async () => {
    const starts = createStartIds(keysOf())
    expect(starts.stored('one', ofOurs)).toBe(ofOurs)
    const stored = await starts.stored('one', address)
    expect(stored).toMatch(/^dig_/)
    expect(starts.stored('one', stored)).toBe(stored)
    // What only looks like a digest is a text like any other.
    const forged = `dig_${'mai-tran-example-com-au-'.padEnd(43, 'x')}`
    expect(await starts.stored('one', forged)).not.toBe(forged)
    expect(await starts.stored('two', stored)).not.toBe(stored)
    for (const text of [ofOurs.toUpperCase(), ofOurs.slice(1), `${ofOurs}0`])
      expect(await starts.stored('one', text)).toMatch(/^dig_/)
  })
})

describe('in the store', () => {
  let directory: string
  let sandbox: Sandbox
  let store: Store
  let pack: Pack
  const file = () => join(directory, 'toolyard.db')
  const open = async () => {
    store = await openSqliteStore({ directory, now: Date.now })
    pack = await createPack({
      store,
      masterKey: Buffer.alloc(32, 7),
      wire: sandbox.wire,
      egress: { ownOrigins: sandbox.places.map(({ origin }) => origin) },
      clock: systemClock,
    })
  }
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'toolyard-chosen-'))
    sandbox = await startSandbox()
    await open()
    const { key, token } = sandbox.board.credentials
    await pack.connections.create(caller, { integration: 'work-board', type: 'key-token', secrets: { key, token } })
    await pack.connections.create(caller, {
      integration: 'contact-data',
      type: 'api-key',
      name: 'Contacts',
      secrets: accountOf('contact-data'),
    })
  })
  afterEach(async () => {
    await pack.close()
    await sandbox.close()
    await rm(directory, { recursive: true, force: true })
  })
  const accountOf = (id: string) => sandbox.accounts.find(({ integration }) => integration === id)!.secrets
  const createCard = (startId: string, by: { tenant: string; startId?: string } = caller) => {
    const idList = [...sandbox.board.state.lists.values()][0]!.id
    return pack.steps.run(by, {
      integration: 'work-board',
      step: 'create-card',
      input: { idList, name: 'Card' },
      startId,
    })
  }
  const upload = (idempotencyKey: string, by: object = {}) =>
    pack.files.create(
      { ...caller, ...by },
      { name: 'a.csv', base64: Buffer.from('email\nkim@example.org\n').toString('base64'), idempotencyKey },
    )
  const newJob = (id: string, idempotencyKey: string) =>
    pack.jobs.create(caller, { file: id, integration: 'contact-data', idempotencyKey })
  const rowsOf = async (sql: string) => {
    await store.flush()
    const db = openSqlite(file(), { readOnly: true })
    try {
      return db.run(sql).rows
    } finally {
      db.close()
    }
  }
  const everything = async () =>
    JSON.stringify([
      await rowsOf('select * from runs'),
      await rowsOf('select * from audit'),
      await rowsOf('select * from own_writes'),
      await rowsOf('select * from files'),
      await rowsOf('select * from bulk_jobs'),
    ])

  it('no row has it, wherever it came in; the history is found by it all the same', async () => {
    const made = await createCard(address)
    await createCard(undefined as never, { ...caller, startId: address })
    const { coming, runId } = pack.steps.begin(caller, {
      integration: 'work-board',
      step: 'get-boards',
      input: {},
      startId: address,
    })
    expect((await pack.runs.get(caller, runId)).startId).not.toBe(address)
    await coming
    await pack.connections.get({ ...caller, startId: address }, 'con_none').catch(() => undefined)
    const stored = await upload(`file-${address}`)
    const job = await newJob(stored.id, `job-${address}`)
    expect(await everything()).not.toContain('mai.tran')

    const { items } = await pack.runs.list(caller, { limit: 10 }, { startId: address })
    expect(items).toHaveLength(3)
    expect((await pack.runs.list(caller, { limit: 10 }, { startId: items[0]!.startId! })).items).toHaveLength(3)
    const audit = (await pack.audit.list('default', { limit: 50 })).items
    // The run and its rows of the audit log go on naming the same start.
    expect(audit.find((row) => row.runId === made.meta.runId)).toMatchObject({ startId: items[0]!.startId })
    expect(audit.find(({ path }) => path === 'connections.get')).toMatchObject({ startId: items[0]!.startId })

    expect((await upload(`file-${address}`)).id).toBe(stored.id)
    await expect(
      pack.files.create(caller, { name: 'b.csv', base64: '', idempotencyKey: `file-${address}` }),
    ).rejects.toMatchObject({ code: 'conflict' })
    expect((await newJob(stored.id, `job-${address}`)).id).toBe(job.id)
    expect((await upload(`file-${address}.`)).id).not.toBe(stored.id)
  })

  it('the id of a start of ours stays as it is', async () => {
    await createCard(ofOurs)
    const { items } = await pack.runs.list(caller, { limit: 10 }, { startId: ofOurs })
    expect(items).toMatchObject([{ startId: ofOurs }])
    expect((await pack.audit.list('default', { limit: 50 })).items.some(({ startId }) => startId === ofOurs)).toBe(true)
  })

  it('what an earlier version stored: keys become digests that repeats find; an erasure takes the starts and says what of the audit log stays', async () => {
    const stored = await upload('new')
    const job = await newJob(stored.id, 'new')
    await store.runs.record(run('default', 'run-named', { startId: `for-${address}`, createdAt: Date.now() }))
    await store.runs.record(
      run('default', 'run-failed', {
        startId: ofOurs,
        createdAt: Date.now(),
        state: 'failed',
        code: 'internal',
        failure: null,
      }),
    )
    await store.ownWrites.add([
      {
        tenant: 'default',
        connection: 'c1',
        object: 'o1',
        runId: 'run-named',
        step: 'x',
        startId: `for-${address}`,
        at: Date.now(),
      },
    ])
    await store.audit.append(auditEntry('default', { at: Date.now(), startId: address }))
    await store.audit.append(
      auditEntry('default', { at: Date.now(), startId: null, decision: `token of ${randomUUID()}` }),
    )
    await pack.close()
    const db = openSqlite(file())
    db.run(`update files set key = ?`, [`file-${address}`])
    db.run(`update bulk_jobs set key = ?`, [`job-${address}`])
    db.close()
    await open()
    expect(
      JSON.stringify([await rowsOf('select key from files'), await rowsOf('select key from bulk_jobs')]),
    ).not.toContain('mai.tran')
    expect((await upload(`file-${address}`)).id).toBe(stored.id)
    expect((await newJob(stored.id, `job-${address}`)).id).toBe(job.id)
    expect((await pack.runs.list(caller, { limit: 10 }, { startId: `for-${address}` })).items).toMatchObject([
      { id: 'run-named' },
    ])

    const identifiers = [{ email: address }]
    expect((await pack.privacy.export(caller, identifiers)).records.map(({ kind }) => kind).toSorted()).toEqual([
      'audit',
      'run',
    ])
    const receipt = await pack.privacy.erase(caller, identifiers)
    expect(receipt).toMatchObject({ removed: { run: 1 }, auditRows: 1 })
    expect(await rowsOf('select id, start_id from runs order by id')).toEqual([
      { id: 'run-failed', start_id: ofOurs },
      { id: 'run-named', start_id: null },
    ])
    expect(await rowsOf('select start_id from own_writes')).toEqual([{ start_id: null }])
    expect(await pack.audit.verify('default')).toMatchObject({ ok: true })
    expect((await pack.privacy.erase(caller, identifiers)).auditRows).toBe(1)
    expect((await pack.privacy.erase(caller, [{ email: 'kim.rowe@example.com' }])).auditRows).toBe(0)
  })
})
