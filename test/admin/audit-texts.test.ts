import { afterEach, describe, expect, it } from 'vitest'
import { fail } from '#kit'
import { createAudit } from '../../shared/runtime/admin/audit.ts'
import type { AuditEntry, Store } from '../../shared/runtime/ports/index.ts'
import { createMemoryStore, createVault, openSqliteStore } from '../../shared/store/index.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { HttpWorld } from '../support/http-world.ts'
import { testFolder } from '../store/folder.ts'
import { fakeClock } from '../support/clock.ts'

let face: HttpWorld | undefined
afterEach(async () => {
  await face?.close()
  face = undefined
})
const megabyte = 'audit-canary '.repeat(75_000)

/** An audit log over a store whose `append` a test decides. */
const openAudit = (append: Store['audit']['append']) => {
  const store = createMemoryStore()
  const lines: { event: string }[] = []
  const clock = fakeClock()
  const decided = { append }
  const audit = createAudit({
    store: { audit: { ...store.audit, append: (entry) => decided.append(entry) }, flush: store.flush },
    clock,
    log: (_level, event, fields) => void lines.push({ event, ...fields }),
  })
  return { audit, store, clock, decided, events: () => lines.map(({ event }) => event) }
}
const of = (tenant: string) => ({ tenant, token: 'tok_1' })
const turn = () => new Promise((done) => setImmediate(done))
const away = () => Promise.reject(fail('unavailable', 'The store cannot be used.'))

describe('a row of the audit log', () => {
  it('names only integrations and steps that exist, whoever asks for others by whatever route', async () => {
    face = await openHttpWorld()
    const { ask, pack } = face
    const made = '\u0000made up\u202e'
    for (const name of [encodeURIComponent(made), 'no-such-integration'])
      for (const path of [
        `/v1/steps/${name}/x/sample`,
        `/v1/steps/work-board/${name}/sample`,
        `/v1/integrations/${name}`,
      ])
        expect([path, (await ask(path)).status]).toEqual([path, 404])
    await ask('/v1/jobs', { body: { file: 'fil_x', integration: made } })
    await ask('/v1/steps/work-board/no-such-step/run', { body: { input: {} } })
    await ask('/v1/triggers/no-such-integration/x/options', { body: { field: 'board' } })
    await pack.steps.run({ tenant: 'default' }, { integration: made, step: made, connection: made, input: {} })
    const { items } = await pack.audit.list('default', { limit: 200 })
    expect(items.filter(({ outcome }) => outcome === 'not_found').length).toBeGreaterThan(5)
    expect(new Set(items.map(({ integration }) => integration))).toEqual(new Set([null, 'work-board']))
    expect(JSON.stringify(items)).not.toMatch(/made up|no-such/)
  })

  it('is short, however long the texts of a caller are, and none of them is repeated whole', async () => {
    face = await openHttpWorld()
    const { pack } = face
    const by = { tenant: 'default', token: megabyte, startId: megabyte }
    const names = { integration: megabyte, step: megabyte, connection: megabyte }
    await pack.steps.run(by, { ...names, startId: megabyte, input: {} })
    await pack.connections.get(by, megabyte).catch(() => undefined)
    await pack.steps.options(by, { ...names, field: megabyte }).catch(() => undefined)
    await pack.files.get(by, megabyte).catch(() => undefined)
    await pack.jobs.create(by, { file: megabyte, integration: megabyte }).catch(() => undefined)
    await pack.subscriptions.create(by, { ...names, trigger: megabyte, agent: {} }).catch(() => undefined)
    await pack.apps.put(by, megabyte, { key: megabyte, secret: megabyte }).catch(() => undefined)
    await pack.tokens.create('default', { name: megabyte, scopes: ['read'] }, by)
    const { items } = await pack.audit.list('default', { limit: 200 })
    expect(items.length).toBeGreaterThan(6)
    for (const row of items) expect(JSON.stringify(row).length).toBeLessThan(4_500)
    const { items: runs } = await pack.runs.list(by, { limit: 10 })
    for (const { integration, step } of runs) expect([integration.length, step.length]).toEqual([64, 64])
  })

  it('holds no character that a database gives back changed, so that the chain stays whole', async () => {
    const store = await openSqliteStore({ directory: await testFolder(), now: Date.now })
    await store.audit.signWith(createVault({ masterKey: Buffer.alloc(32, 1) }))
    const audit = createAudit({ store, clock: fakeClock(), log: () => {} })
    const odd = [
      '\ud800 high',
      'low \udc00',
      'nul \0',
      'bell \u0007',
      'bidi \u202e',
      'line \u2028',
      `${'x'.repeat(1_999)}😀`,
    ]
    for (const text of odd)
      await audit.changed({ tenant: 't', token: 'tok_1', startId: text }, { what: 'tokens.create', decision: text })
    await audit.changed(
      { tenant: 't', startId: 7 as unknown as string },
      { what: 'tokens.create', decision: `"Zoë" 😀` },
    )
    expect(await audit.verify('t')).toEqual({ ok: true, rows: odd.length + 1 })
    const { items } = await audit.list('t', { limit: 20 })
    expect(items[0]).toMatchObject({ startId: '?', decision: '"Zoë" 😀' })
    expect(items.slice(1).map(({ decision }) => decision.at(-1))).toEqual(['?', '?', '?', '?', '?', '?', 'h'])
    await store.close()
  })
})

describe('a row that the store does not take', () => {
  const refusing = (isRefused: (entry: AuditEntry) => boolean, written: AuditEntry[]) => async (entry: AuditEntry) => {
    if (isRefused(entry)) throw fail('invalid_input', 'A text has a character that this database lacks.')
    written.push(entry)
  }

  it('for its text is written with "?" in place of that text, and nobody has to wait for it', async () => {
    const written: AuditEntry[] = []
    const { audit, events } = openAudit(refusing((entry) => JSON.stringify(entry).includes('łódź'), written))
    await audit.changed(
      { ...of('one'), startId: 'łódź' },
      { what: 'tokens.create', decision: 'named łódź', connection: 'con_1' },
    )
    expect(written).toEqual([
      expect.objectContaining({ path: 'tokens.create', outcome: 'ok', tenant: 'one', startId: '?', decision: '?' }),
    ])
    await audit.settleOwed('one')
    expect([events(), audit.backlog()]).toEqual([[], { owed: 0, oldestMs: 0, dropped: 0 }])
  })

  it('for good is dropped, with a log line and a count', async () => {
    const { audit, events } = openAudit(refusing(() => true, []))
    await audit.changed(of('one'), { what: 'tokens.create' })
    await audit.settleOwed('one')
    expect([events(), audit.backlog()]).toEqual([['audit.row_dropped'], { owed: 0, oldestMs: 0, dropped: 1 }])
  })

  it('holds back the writes of its tenant alone, until it is written', async () => {
    const { audit, store, decided } = openAudit((entry) =>
      entry.tenant === 'one' ? away() : store.audit.append(entry),
    )
    await audit.changed(of('one'), { what: 'tokens.create' })
    await audit.changed(of('two'), { what: 'tokens.create' })
    await expect(audit.settleOwed('one')).rejects.toMatchObject({ code: 'unavailable' })
    await audit.settleOwed('two')
    decided.append = store.audit.append
    await audit.settleOwed('one')
    expect((await store.audit.list('one', { limit: 5 })).items).toHaveLength(1)
  })

  it('makes the server not ready after a few seconds, and ready again once it is written, though nobody writes anything else', async () => {
    const { audit, store, clock, decided } = openAudit(away)
    await audit.changed(of('one'), { what: 'tokens.create' })
    audit.requireWritten()
    await turn()
    clock.advance(5_001)
    expect(() => audit.requireWritten()).toThrow(/audit log \(1\) have not been written for 5 s/)
    await turn()
    decided.append = store.audit.append
    expect(() => audit.requireWritten()).toThrow()
    await expect.poll(() => audit.backlog().owed).toBe(0)
    audit.requireWritten()
    expect(audit.backlog()).toEqual({ owed: 0, oldestMs: 0, dropped: 0 })
  })

  it('is one of a bounded number: a tenant who floods the log while the store is away takes no memory without end', async () => {
    const { audit, decided, store } = openAudit(away)
    for (let count = 0; count < 1_100; count += 1) await audit.changed(of('one'), { what: `flood.${count}` })
    await audit.changed(of('two'), { what: 'tokens.create' })
    expect(audit.backlog()).toMatchObject({ owed: 1_001, dropped: 100 })
    decided.append = store.audit.append
    await Promise.all([audit.settleOwed('one'), audit.settleOwed('two')])
    expect((await store.audit.list('two', { limit: 5 })).items).toHaveLength(1)
  })

  it('is said by readiness, the checks and the metrics of a server', async () => {
    const store = createMemoryStore()
    const clock = fakeClock()
    face = await openHttpWorld({ store, clock })
    const { append } = store.audit
    expect((await face.ask('/readyz')).status).toBe(200)
    store.audit.append = away
    await face.pack.connections.get({ tenant: 'default' }, 'con_none').catch(() => undefined)
    clock.advance(6_000)
    const { status, json } = await face.ask('/readyz')
    expect([status, json.code, json.detail]).toEqual([503, 'unavailable', expect.stringContaining('audit log')])
    expect((await face.ask('/metrics')).text).toMatch(/^toolyard_audit_rows_owed 1$/m)
    const { items } = (await face.ask('/v1/admin/checks')).json as { items: { id: string; level: string }[] }
    expect(items.find(({ id }) => id === 'audit.owed')).toMatchObject({ level: 'problem' })
    store.audit.append = append
    await face.ask('/readyz')
    await expect.poll(() => face!.pack.audit.backlog().owed).toBe(0)
    expect((await face.ask('/readyz')).status).toBe(200)
    expect((await face.ask('/metrics')).text).toMatch(/^toolyard_audit_rows_dropped_total 0$/m)
  })
})
