import { beforeEach, describe, expect, it } from 'vitest'
import { fail } from '#kit'
import { createAudit } from '../../shared/runtime/admin/audit.ts'
import { createPack } from '../../shared/pack.ts'
import type { Run, Store } from '../../shared/runtime/ports/index.ts'
import { createMemoryStore, openSqliteStore } from '../../shared/store/index.ts'
import { caller } from '../support/world.ts'
import { createCard, openOAuthWorld } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'
import { fakeClock } from '../support/clock.ts'
import { startProvider } from '../support/provider.ts'
import { failsWith } from '../store/fails.ts'
import { testFolder } from '../store/folder.ts'
import { run } from '../store/make.ts'

let store: Store
let world: OAuthWorld
beforeEach(async () => {
  store = createMemoryStore()
  // As every store whose rows outlive the process.
  delete store.runs.showSending
  delete store.audit.appendLate
  world = await openOAuthWorld({ store })
  const { key, token } = world.sandbox.board.credentials
  await world.pack.connections.create(caller, { integration: 'work-board', type: 'key-token', secrets: { key, token } })
})

const requests = (method: string) =>
  world.sandbox.board.control.requests().filter((request) => request.method === method).length
const full = () => Promise.reject(fail('unavailable', 'The store cannot be used: the disk is full; free some space.'))
const nothingSent = {
  ok: false,
  failure: { code: 'unavailable', message: expect.stringContaining('Nothing was sent') },
}

describe('what cannot be recorded is not sent', () => {
  it('a create while the disk is full: refused before it leaves; reads go on', async () => {
    store.runs.record = full
    const before = requests('POST')
    expect(await createCard(world)).toMatchObject(nothingSent)
    expect(requests('POST')).toBe(before)
    expect(
      await world.pack.steps.run(caller, { integration: 'work-board', step: 'get-boards', input: {} }),
    ).toMatchObject({ ok: true })
  })

  it('a paid lookup too', async () => {
    await world.pack.connections.create(caller, {
      integration: 'anz-data',
      type: 'api-key',
      secrets: world.sandbox.anz.credentials,
    })
    store.runs.record = full
    const stepCall = { integration: 'anz-data', step: 'people-enrichment', input: { email: 'nobody@unknown.example' } }
    expect(await world.pack.steps.run(caller, stepCall)).toMatchObject(nothingSent)
  })

  it('after an audit row was lost, the next write waits until that row is written', async () => {
    const append = store.audit.append
    store.audit.append = full
    expect(await createCard(world)).toMatchObject({ ok: true })
    await world.pack.audit.list('default', { limit: 1 })
    await new Promise((done) => setImmediate(done))
    const before = requests('POST')
    expect(await createCard(world)).toMatchObject(nothingSent)
    expect(requests('POST')).toBe(before)
    store.audit.append = append
    expect(await createCard(world)).toMatchObject({ ok: true })
    const { items } = await world.pack.audit.list('default', { limit: 50 }, { outcome: 'ok' })
    expect(items.filter(({ path }) => path === '/1/cards')).toHaveLength(2)
  })

  it('while a lost audit row is written again, every write waits for it, not the first one only', async () => {
    const lines: string[] = []
    let append: Store['audit']['append'] = full
    const audit = createAudit({
      store: { audit: { ...store.audit, append: (entry) => append(entry) }, flush: store.flush },
      clock: fakeClock(),
      log: (_level, event) => void lines.push(event),
    })
    await audit.changed(caller, { what: 'tokens.create' })
    const { promise, reject } = Promise.withResolvers<void>()
    append = () => promise
    const both = Promise.allSettled([audit.settleOwed('default'), audit.settleOwed('default')])
    reject(fail('unavailable', 'The disk is full.'))
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    append = async () => {}
    await audit.settleOwed('default')
    expect(lines).toEqual(['audit.not_written', 'audit.not_written'])
  })

  it('a run that was cut off while it was sent is unknown in the history and the audit log after a restart', async () => {
    const directory = await testFolder()
    const open = () => openSqliteStore({ directory, now: Date.now })
    const first = await open()
    await first.runs.record(run('default', 'run-cut', { state: 'sending', connection: null, token: null }))
    await first.close()
    const kept = await open()
    const again = await openOAuthWorld({ store: kept, sandbox: world.sandbox })
    expect(await again.pack.runs.get(caller, 'run-cut')).toMatchObject({ state: 'unknown', code: 'outcome_unknown' })
    const { items } = await again.pack.audit.list('default', { limit: 50 })
    expect(items.filter(({ decision }) => decision.includes('run-cut'))).toHaveLength(1)
    await again.pack.close()
  })

  it('on a disk that is nearly full the store refuses the row of a new write and takes that of one that ended', async () => {
    const nearlyFull = await openSqliteStore({
      directory: await testFolder(),
      now: Date.now,
      minFreeBytes: Number.MAX_SAFE_INTEGER,
    })
    await failsWith(nearlyFull.runs.record(run('t', 'r1', { state: 'sending' }), { admits: true }), 'unavailable')
    await nearlyFull.runs.record(run('t', 'r2'))
    await nearlyFull.close()
  })
})

describe('where nothing survives the process', () => {
  it('no row has to be there before a write leaves, and the run is seen while it is sent', async () => {
    const memory = createMemoryStore()
    const rows: Run[] = []
    const { record } = memory.runs
    memory.runs.record = (row, options) => (rows.push(row), record(row, options))
    const seen: unknown[] = []
    let rowsBefore: Run[] | undefined
    const provider = await startProvider(async (_, response) => {
      rowsBefore = [...rows]
      seen.push(...(await pack.runs.list(caller, { limit: 5 })).items)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: '6'.repeat(24), name: 'Card' }))
    })
    const pack = await createPack({
      store: memory,
      wire: { 'work-board': { baseUrl: provider.origin } },
      egress: { privateOrigins: [provider.origin] },
    })
    await memory.runs.list(caller.tenant, { limit: 1 })
    await pack.connections.create(caller, {
      integration: 'work-board',
      type: 'key-token',
      secrets: { key: '0'.repeat(32), token: '0'.repeat(64) },
    })
    seen.length = 0
    const input = { idList: '2'.padStart(24, '0'), name: 'Card' }
    const outcome = await pack.steps.run(caller, { integration: 'work-board', step: 'create-card', input })
    expect(seen).toMatchObject([{ step: 'create-card', state: 'sending' }])
    expect(rowsBefore?.filter(({ step }) => step === 'create-card')).toHaveLength(0)
    const { items } = await pack.runs.list(caller, { limit: 5 })
    expect(items).toMatchObject([{ id: outcome.meta.runId, state: 'done' }])
    expect(rows.filter(({ step }) => step === 'create-card')).toMatchObject([{ state: 'done' }])
    await pack.close()
    await provider.close()
  })

  it('shows the runs that are being sent, whichever ends first', async () => {
    const { runs } = createMemoryStore()
    const [first, second, third] = ['r1', 'r2', 'r3'].map((id) => ({
      id,
      shown: runs.showSending!(() => run('t', id)),
    }))
    const states = async () =>
      (await runs.list('t', { limit: 5 })).items.map(({ id, state }) => `${id} ${state}`).toSorted()
    const end = ({ id, shown }: NonNullable<typeof first>) => runs.record(run('t', id), { endsShown: shown })
    await end(first!)
    // A row that is written twice ends its own run only.
    await end(first!)
    expect(await states()).toEqual(['r1 done', 'r2 sending', 'r3 sending'])
    await end(third!)
    await end(second!)
    expect(await states()).toEqual(['r1 done', 'r2 done', 'r3 done'])
  })
})
