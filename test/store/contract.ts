import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { approvalsContract } from './approvals-contract.ts'
import { creditsContract } from './credits-contract.ts'
import { lookupRatesContract } from './lookup-rates-contract.ts'
import { loadContract } from './load-contract.ts'
import { growthContract } from './growth-contract.ts'
import { trailAndRetentionContract } from './retention-contract.ts'
import { failsWith } from './fails.ts'
import { app, connection, file, intent, run, session, t0, tenant, token } from './make.ts'
import { oauthContract } from './oauth-contract.ts'
import { peopleContract } from './people-contract.ts'
import { peopleListsContract } from './people-lists-contract.ts'
import { personalContract } from './personal-contract.ts'
import { triggersContract } from './trigger-contract.ts'
import { unclaimedContract } from './unclaimed-contract.ts'

/** What every store promises. Each test uses a tenant of its own. */
export const storeContract = (name: string, open: () => Promise<Store>): void => {
  describe(`store contract: ${name}`, () => {
    let store: Store
    beforeAll(async () => {
      store = await open()
    })
    afterAll(() => store.close())
    accountsContract(() => store)
    runsContract(() => store)
    intentsContract(() => store)
    filesContract(() => store)
    triggersContract(() => store)
    unclaimedContract(() => store)
    test('is usable, and flush resolves', async () => {
      await store.check()
      await store.flush()
      const id = await store.instance()
      expect(id).toMatch(/^\w{8,}$/)
      expect(await store.instance()).toBe(id)
    })
    creditsContract(() => store)
    lookupRatesContract(() => store)
    loadContract(() => store)
    peopleContract(() => store)
    oauthContract(() => store)
    approvalsContract(() => store)
    growthContract(() => store)
    personalContract(() => store)
    peopleListsContract(() => store)
    trailAndRetentionContract(() => store)
  })
}

const filesContract = (store: () => Store): void => {
  const contentFields = { mediaType: 'text/plain', sha256: 'ab', expiresAt: t0 + 1000 }
  const addReady = async (tenantId: string, id: string, over: Parameters<typeof file>[2] = {}) => {
    await store().files.add(file(tenantId, id, over))
    await store().files.append(tenantId, id, 0, Buffer.from([1, 2]), 2)
    return store().files.finish(tenantId, id, {
      ...contentFields,
      expiresAt: over.expiresAt ?? contentFields.expiresAt,
    })
  }

  test('files: written in chunks, seen when ready, by their own tenant only', async () => {
    const row = file('fil', 'f1')
    await store().files.add(row)
    expect((await store().files.list('fil', { limit: 9 }, t0)).items).toEqual([])
    expect(await store().files.append('fil', 'f1', 0, Buffer.from([1, 2, 3]), 30)).toBe(true)
    expect(await store().files.append('fil', 'f1', 1, Buffer.from([4]), 12)).toBe(true)
    expect(await store().files.usage('fil')).toEqual({ files: 1, bytes: 42 })
    expect(await store().files.finish('fil', 'f1', contentFields)).toBe(true)
    expect(await store().files.finish('fil', 'f1', contentFields)).toBe(false)
    expect(await store().files.append('fil', 'f1', 2, Buffer.from([5]), 1)).toBe(false)
    const ready = { ...row, ...contentFields, size: 42, state: 'ready' }
    expect(await store().files.get('fil', 'f1')).toEqual(ready)
    expect(await store().files.byKey('fil', 'key-f1')).toEqual(ready)
    expect(Buffer.from((await store().files.chunk('fil', 'f1', 1))!)).toEqual(Buffer.from([4]))
    expect(await store().files.chunk('fil', 'f1', 2)).toBeUndefined()
    for (const nothing of [
      await store().files.get('fil-2', 'f1'),
      await store().files.byKey('fil-2', 'key-f1'),
      await store().files.chunk('fil-2', 'f1', 0),
    ])
      expect(nothing).toBeUndefined()
    expect(await store().files.usage('fil-2')).toEqual({ files: 0, bytes: 0 })
    expect(await store().files.remove('fil-2', 'f1')).toBe(false)
    expect(await store().files.remove('fil', 'f1')).toBe(true)
    expect(await store().files.remove('fil', 'f1')).toBe(false)
    expect([await store().files.get('fil', 'f1'), await store().files.chunk('fil', 'f1', 0)]).toEqual([
      undefined,
      undefined,
    ])
  })

  test('files: limits hold in the statement that writes', async () => {
    expect(await store().files.add(file('fil-most', 'f1', { connections: null }), 1)).toBe(true)
    expect(await store().files.add(file('fil-most', 'f2'), 1)).toBe(false)
    const append = (number: number, size: number) =>
      store().files.append('fil-most', 'f1', number, Buffer.from([number]), size, 10)
    expect([await append(0, 8), await append(1, 3), await append(1, 2)]).toEqual([true, false, true])
    expect(await store().files.usage('fil-most')).toEqual({ files: 1, bytes: 10 })
    expect(Buffer.from((await store().files.chunk('fil-most', 'f1', 1))!)).toEqual(Buffer.from([1]))
  })

  test('files: one ready file per idempotency key, listed newest first until they expire', async () => {
    expect(await addReady('fil-key', 'f1', { key: 'k' })).toBe(true)
    expect(await addReady('fil-key', 'f2', { key: 'k', createdAt: t0 + 1 })).toBe(false)
    expect(await addReady('fil-key', 'f3', { key: null, createdAt: t0 + 2, expiresAt: t0 + 10 })).toBe(true)
    const ids = async (now: number) =>
      (await store().files.list('fil-key', { limit: 9 }, now)).items.map(({ id }) => id)
    expect(await ids(t0)).toEqual(['f3', 'f1'])
    expect(await ids(t0 + 10)).toEqual(['f1'])
    const first = await store().files.list('fil-key', { limit: 1 }, t0)
    expect(
      (await store().files.list('fil-key', { limit: 1, cursor: first.next! }, t0)).items.map(({ id }) => id),
    ).toEqual(['f1'])
  })
}

const accountsContract = (store: () => Store): void => {
  test('tenants are listed by creation, and an id exists once', async () => {
    await store().tenants.add(tenant('ten-b', { createdAt: t0 + 1 }))
    await store().tenants.add(tenant('ten-a', { createdAt: t0 + 2 }))
    await failsWith(store().tenants.add(tenant('ten-a')), 'conflict')
    const listed = (await store().tenants.list()).filter(({ id }) => id.startsWith('ten-'))
    expect(listed).toEqual([tenant('ten-b', { createdAt: t0 + 1 }), tenant('ten-a', { createdAt: t0 + 2 })])
    expect(await store().tenants.get('ten-a')).toEqual(tenant('ten-a', { createdAt: t0 + 2 }))
    expect(await store().tenants.get('ten-z')).toBeUndefined()
  })

  test('a token is found by its hash, belongs to one tenant and can be revoked once', async () => {
    const mine = token('tok', 'a')
    await store().tokens.add(mine)
    await store().tokens.add(
      token('tok', 'b', { createdAt: t0 + 1, steps: null, connections: ['c1'], expiresAt: null }),
    )
    await failsWith(store().tokens.add(token('tok-other', 'x', { hash: mine.hash })), 'conflict')
    expect(await store().tokens.byHash(mine.hash)).toEqual(mine)
    expect(await store().tokens.byHash('nothing')).toBeUndefined()
    expect((await store().tokens.list('tok')).map(({ id }) => id)).toEqual(['b', 'a'])
    expect(await store().tokens.list('tok-other')).toEqual([])
    expect(await store().tokens.revoke('tok-other', 'a', t0 + 5)).toBe(false)
    expect((await store().tokens.byHash(mine.hash))?.revokedAt).toBeNull()
    expect(await store().tokens.revoke('tok', 'a', t0 + 5)).toBe(true)
    expect(await store().tokens.revoke('tok', 'a', t0 + 9)).toBe(true)
    expect((await store().tokens.byHash(mine.hash))?.revokedAt).toBe(t0 + 5)
    expect(await store().tokens.get('tok', 'a')).toEqual({ ...mine, revokedAt: t0 + 5 })
    expect(await store().tokens.get('tok-other', 'a')).toBeUndefined()
  })

  test('a sign-in code is taken once, before it expires', async () => {
    const row = session('code', 'c1')
    await store().signInCodes.add(row, 20)
    expect(await store().signInCodes.take('nothing', t0)).toBeUndefined()
    expect(await store().signInCodes.take(row.hash, row.expiresAt)).toBeUndefined()
    const takes = await Promise.all(
      Array.from({ length: 10 }, () => store().signInCodes.take(row.hash, row.expiresAt - 1)),
    )
    expect(takes.filter(Boolean)).toEqual([row])
  })

  test('a session is found by its hash until it expires, and removed by its own tenant only', async () => {
    const row = session('ses', 's1')
    await store().sessions.add(row, 100)
    await failsWith(store().sessions.add(row, 100), 'conflict')
    expect(await store().sessions.get(row.hash, row.expiresAt - 1)).toEqual(row)
    expect(await store().sessions.get(row.hash, row.expiresAt)).toBeUndefined()
    expect(await store().sessions.remove('ses-other', row.hash)).toBe(false)
    expect(await store().sessions.remove('ses', row.hash)).toBe(true)
    expect(await store().sessions.get(row.hash, t0)).toBeUndefined()
  })

  test('of the sessions of one token, the newest are stored', async () => {
    const rows = Array.from({ length: 4 }, (_, index) => session('cap', `s${index}`, { createdAt: t0 + index }))
    await store().sessions.add(session('cap', 'of-another', { token: 'tok2', createdAt: t0 - 9 }), 2)
    for (const row of rows) await store().sessions.add(row, 2)
    const left = await Promise.all(
      [...rows, session('cap', 'of-another')].map(({ hash }) => store().sessions.get(hash, t0)),
    )
    expect(left.map((row) => row?.createdAt)).toEqual([undefined, undefined, t0 + 2, t0 + 3, t0 - 9])
  })

  test('put replaces an app, and only its own tenant sees it', async () => {
    await store().apps.put(app('app-a'))
    await store().apps.put(app('app-a', { key: 'second', secrets: { secret: 's2', previous: 's1' } }))
    expect(await store().apps.get('app-a', 'work-board')).toEqual(
      app('app-a', { key: 'second', secrets: { secret: 's2', previous: 's1' } }),
    )
    expect(await store().apps.get('app-b', 'work-board')).toBeUndefined()
    expect((await store().apps.all()).filter(({ tenant }) => tenant.startsWith('app-'))).toHaveLength(1)
  })

  test('connections: every field is returned, filters apply, other tenants see nothing', async () => {
    const first = connection('con', 'c1')
    const second = connection('con', 'c2', {
      integration: 'anz-data',
      labels: { team: 'red' },
      externalId: null,
      policy: null,
      createdAt: t0 + 1,
    })
    await store().connections.add(first)
    await store().connections.add(second)
    await failsWith(store().connections.add(first), 'conflict')
    expect(await store().connections.get('con', 'c1')).toEqual(first)
    expect(await store().connections.list('con')).toEqual([second, first])
    expect(await store().connections.list('con', { integration: 'anz-data' })).toEqual([second])
    expect(await store().connections.list('con', { externalId: 'ext-1' })).toEqual([first])
    expect(await store().connections.list('con', { labels: { team: 'blue', stage: 'test' } })).toEqual([first])
    expect(await store().connections.list('con', { labels: { team: 'blue', stage: 'live' } })).toEqual([])
    expect(await store().connections.get('con-other', 'c1')).toBeUndefined()
    expect(await store().connections.list('con-other')).toEqual([])
    expect(await store().connections.patch('con-other', 'c1', { name: 'stolen' })).toBe(false)
    expect(await store().connections.remove('con-other', 'c1')).toBe(false)
    expect(await store().connections.get('con', 'c1')).toEqual(first)
    expect((await store().connections.all()).filter(({ tenant }) => tenant === 'con').map(({ id }) => id)).toEqual([
      'c1',
      'c2',
    ])
  })

  test('connections: patch writes the given fields, null included, and remove deletes the row', async () => {
    const row = connection('con-patch', 'c1')
    await store().connections.add(row)
    const changes = {
      state: 'needs_reconnect' as const,
      stateReason: 'the provider answered 401',
      stateAt: t0 + 9,
      externalId: null,
      lastUsedAt: t0 + 9,
      labels: {},
    }
    expect(await store().connections.patch('con-patch', 'c1', changes)).toBe(true)
    expect(await store().connections.get('con-patch', 'c1')).toEqual({ ...row, ...changes })
    expect(await store().connections.patch('con-patch', 'c1', {})).toBe(true)
    expect(await store().connections.patch('con-patch', 'c9', { name: 'x' })).toBe(false)
    expect(await store().connections.remove('con-patch', 'c1')).toBe(true)
    expect(await store().connections.remove('con-patch', 'c1')).toBe(false)
    expect(await store().connections.get('con-patch', 'c1')).toBeUndefined()
  })

  test('matches: one per endpoint of a connection, gone with it, and none for a connection that is gone', async () => {
    const match = (endpoint: string, over: object = {}) => ({
      tenant: 'mat',
      connection: 'c1',
      endpoint,
      fingerprint: 'f1',
      at: t0,
      ...over,
    })
    await store().connections.add(connection('mat', 'c1'))
    await store().connections.add(connection('mat', 'c2'))
    await store().matches.put(match('person'))
    await store().matches.put(match('person', { fingerprint: 'f2', at: t0 + 1 }))
    await store().matches.put(match('company'))
    await store().matches.put(match('person', { connection: 'c2' }))
    await store().matches.put(match('person', { connection: 'c9' }))
    expect(await store().matches.get('mat', 'c1', 'person')).toEqual(match('person', { fingerprint: 'f2', at: t0 + 1 }))
    expect(await store().matches.get('mat-other', 'c1', 'person')).toBeUndefined()
    expect(await store().matches.get('mat', 'c9', 'person')).toBeUndefined()
    await store().matches.clear('mat', 'c1')
    expect(await store().matches.get('mat', 'c1', 'company')).toBeUndefined()
    expect(await store().matches.get('mat', 'c2', 'person')).toBeDefined()
    await store().connections.remove('mat', 'c2')
    expect(await store().matches.get('mat', 'c2', 'person')).toBeUndefined()
  })

  test('connections: one default per tenant and integration, however it is set', async () => {
    const defaults = async () =>
      (await store().connections.list('con-def'))
        .filter(({ isDefault }) => isDefault)
        .map(({ id }) => id)
        .sort()
    await store().connections.add(connection('con-def', 'c1', { isDefault: true }))
    await store().connections.add(connection('con-def', 'c2', { isDefault: true }))
    await store().connections.add(connection('con-def', 'd1', { integration: 'anz-data', isDefault: true }))
    await store().connections.add(connection('con-def-2', 'c1', { isDefault: true }))
    expect(await defaults()).toEqual(['c2', 'd1'])
    await store().connections.patch('con-def', 'c1', { isDefault: true })
    expect(await defaults()).toEqual(['c1', 'd1'])
    expect((await store().connections.get('con-def-2', 'c1'))?.isDefault).toBe(true)
  })
}

const runsContract = (store: () => Store): void => {
  test('runs: every field is returned, the same id replaces, other tenants see nothing', async () => {
    const failure = {
      code: 'rejected' as const,
      message: 'no',
      retryable: false,
      actor: 'caller' as const,
      providerStatus: 400,
    }
    await store().runs.record(run('run', 'r1', { state: 'running', durationMs: 0 }))
    const ended = run('run', 'r1', {
      state: 'failed',
      code: 'rejected',
      failure,
      startId: 's1',
      connection: null,
      token: null,
      creditsEstimated: false,
    })
    ended.exchanges = [
      [0, 0, 31, 429, 'rate_limited', 'POST', '/1/cards'],
      [1031, 1000, 12, null, 'unreachable', 'POST', '/1/cards'],
    ]
    Object.assign(ended, { waitedMs: 1000, refused: 1 })
    await store().runs.record(ended)
    expect(await store().runs.get('run', 'r1')).toEqual(ended)
    expect(await store().runs.get('run-other', 'r1')).toBeUndefined()
    expect((await store().runs.list('run', { limit: 10 })).items).toHaveLength(1)
    expect((await store().runs.list('run-other', { limit: 10 })).items).toEqual([])
  })

  test('contents of runs: of their tenant only, replaced, read by pages where their key is another, and erased', async () => {
    const contents = (id: string, over: object = {}) => ({
      tenant: 'contents',
      id,
      sealedUnder: 'k1',
      storedAt: t0,
      expiresAt: t0 + 1000,
      secrets: { content: `v1.k1.${id}` },
      ...over,
    })
    for (const id of ['a', 'b', 'c']) await store().runContents.put(contents(id))
    await store().runContents.put(contents('b', { secrets: { content: 'v1.k2.new' }, sealedUnder: 'k2' }))
    expect(await store().runContents.get('contents', 'b')).toEqual(
      contents('b', { secrets: { content: 'v1.k2.new' }, sealedUnder: 'k2' }),
    )
    expect(await store().runContents.get('contents-other', 'b')).toBeUndefined()
    const stale = async (after?: { tenant: string; id: string }) =>
      (await store().sealed.paged('run_contents', 'k2', 1, after)).filter(({ tenant }) => tenant === 'contents')
    const [row] = await stale({ tenant: 'contents', id: '' })
    expect(row).toEqual({ kind: 'run_contents', tenant: 'contents', id: 'a', sealed: { content: 'v1.k1.a' } })
    expect((await stale(row))[0]).toMatchObject({ id: 'c' })
    expect(await store().sealed.replace(row!, { content: 'v1.k2.a' })).toBe(true)
    // It has changed since it was read.
    expect(await store().sealed.replace(row!, { content: 'v1.k2.b' })).toBe(false)
    expect((await store().runContents.get('contents', 'a'))!.sealedUnder).toBe('k2')
    const erase = { kind: 'run_contents' as const, tenant: 'contents', key: ['a'] }
    expect(await store().personal.erase(erase)).toBe(true)
    expect(await store().personal.erase(erase)).toBe(false)
    expect((await store().personal.rows('contents', 'run_contents', 10)).map(({ key }) => key)).toEqual([['b'], ['c']])
  })

  test('usage by person: of their tenant only, each run once, from the day of `since` on', async () => {
    const day = 86_400_000
    const rows = [
      run('by-person', 'r1', { person: 'ada', credits: 2, createdAt: t0 }),
      run('by-person', 'r2', { person: 'ben', credits: 1, createdAt: t0, state: 'failed', code: 'rejected' }),
      run('by-person', 'r3', { person: null, credits: 4, createdAt: t0 }),
      run('by-person', 'r4', { person: 'ada', credits: 8, createdAt: t0 - 2 * day }),
      run('by-person-other', 'r5', { person: 'ada', credits: 16, createdAt: t0 }),
    ]
    for (const row of rows) await store().runs.record(row)
    await store().runs.record({ ...rows[0]!, credits: 3 })
    const usage = async (since: number) =>
      (await store().runs.usageByPerson('by-person', since))
        .map(({ person, runs, failed, credits }) => ({ person, runs, failed, credits }))
        .toSorted((a, b) => a.person.localeCompare(b.person) || a.credits - b.credits)
    const [ada, ben] = [
      { person: 'ada', runs: 1, failed: 0, credits: 3 },
      { person: 'ben', runs: 1, failed: 1, credits: 1 },
    ]
    expect(await usage(t0)).toEqual([ada, ben])
    expect(await usage(t0 - 2 * day)).toEqual([ada, { ...ada, credits: 8 }, ben])
  })

  test('runs: listed newest first in pages that neither skip nor repeat, equal times included', async () => {
    const ids = Array.from({ length: 23 }, (_, index) => `r${String(index).padStart(2, '0')}`)
    for (const [index, id] of ids.entries())
      await store().runs.record(run('page', id, { createdAt: t0 + Math.floor(index / 5) }))
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await store().runs.list('page', { limit: 4, cursor })
      expect(page.items.length).toBeLessThanOrEqual(4)
      seen.push(...page.items.map(({ id }) => id))
      // A row that arrives meanwhile is newer, so it does not shift the pages.
      await store().runs.record(run('page', `late${seen.length}`, { createdAt: t0 + 1000 }))
      cursor = page.next
    } while (cursor)
    expect(seen).toEqual(ids.reverse())
    await failsWith(store().runs.list('page', { limit: 4, cursor: 'not-ours' }), 'invalid_input')
  })

  test('runs: filters', async () => {
    await store().runs.record(run('filter', 'a', { step: 'get-card', startId: 's1' }))
    await store().runs.record(run('filter', 'b', { state: 'unknown', connection: 'c2' }))
    await store().runs.record(run('filter', 'c', { integration: 'anz-data' }))
    const ids = async (filter: Parameters<Store['runs']['list']>[2]) =>
      (await store().runs.list('filter', { limit: 10 }, filter)).items.map(({ id }) => id)
    expect(await ids({ step: 'get-card' })).toEqual(['a'])
    expect(await ids({ startId: 's1' })).toEqual(['a'])
    expect(await ids({ state: 'unknown', connection: 'c2' })).toEqual(['b'])
    expect(await ids({ integration: 'anz-data' })).toEqual(['c'])
    expect(await ids({ integration: 'anz-data', step: 'get-card' })).toEqual([])
    await store().runs.record(run('filter', 'd', { createdAt: t0 + 1000 }))
    await store().runs.record(run('filter', 'e', { createdAt: t0 + 2000 }))
    expect(await ids({ since: t0 + 1000 })).toEqual(['e', 'd'])
    expect(await ids({ since: t0 + 1000, until: t0 + 2000 })).toEqual(['d'])
    expect(await ids({ until: t0 })).toEqual([])
  })

  test('usage adds up per day, step and connection', async () => {
    const day = 86_400_000
    await store().runs.record(run('use', 'a', { calls: 1, credits: 0.25 }))
    await store().runs.record(
      run('use', 'b', { calls: 3, credits: 0.5, creditsEstimated: false, state: 'failed', waitedMs: 700, refused: 2 }),
    )
    await store().runs.record(run('use', 'c', { createdAt: t0 + day, connection: null, state: 'unknown' }))
    await store().runs.record(run('use', 'd', { createdAt: t0 - 30 * day }))
    await store().runs.record(run('use-other', 'a'))
    const same = { integration: 'work-board', step: 'create-card' }
    expect(await store().runs.usage('use', t0 - day)).toEqual([
      {
        day: '2026-03-02',
        ...same,
        connection: null,
        runs: 1,
        failed: 1,
        calls: 2,
        credits: 0.5,
        estimatedCredits: 0.5,
        waitedMs: 0,
        refused: 0,
      },
      {
        day: '2026-03-01',
        ...same,
        connection: 'c1',
        runs: 2,
        failed: 1,
        calls: 4,
        credits: 0.75,
        estimatedCredits: 0.25,
        waitedMs: 700,
        refused: 2,
      },
    ])
  })
}

const intentsContract = (store: () => Store): void => {
  test('intents: the first plan wins, later ones get its row, per tenant', async () => {
    const first = intent('int', 'k1')
    expect(await store().intents.plan(first)).toEqual({ inserted: true, intent: first })
    expect(await store().intents.plan(intent('int', 'k1', { requestHash: 'h2', runId: 'run2' }))).toEqual({
      inserted: false,
      intent: first,
    })
    expect((await store().intents.plan(intent('int-other', 'k1'))).inserted).toBe(true)
    await store().intents.update('int', 'k1', 'done', { ok: true, value: { id: 'x' } })
    const met = await store().intents.plan(first)
    expect(met).toEqual({
      inserted: false,
      intent: { ...first, state: 'done', outcome: { ok: true, value: { id: 'x' } } },
    })
    expect((await store().intents.plan(intent('int-other', 'k1'))).intent.state).toBe('planned')
    await failsWith(store().intents.update('int', 'nowhere', 'done'), 'internal')
  })

  test('intents: a row is inserted in its state unless there is one that has not expired', async () => {
    const sending = intent('int-ins', 'k1', { state: 'sending', expiresAt: t0 + 10 })
    expect(await store().intents.insert(sending)).toBeGreaterThan(0)
    await failsWith(store().intents.insert(intent('int-ins', 'k1', { runId: 'run2' })), 'conflict')
    expect(await store().intents.get('int-ins', 'k1')).toEqual(sending)
    const outcome = { text: 'x'.repeat(1000) }
    const again = intent('int-ins', 'k1', { createdAt: t0 + 10, expiresAt: t0 + 20, state: 'done', outcome })
    const bytes = await store().intents.insert(again, true)
    expect(bytes).toBeGreaterThan(1000)
    expect(await store().intents.bytes('int-ins')).toBe(bytes)
    expect(await store().intents.get('int-ins', 'k1')).toEqual(again)
    expect(await store().intents.evict('int-ins', 1)).toBe(bytes)
  })

  test('intents: of many concurrent plans exactly one inserts', async () => {
    const plans = await Promise.all(
      Array.from({ length: 50 }, (_, index) => store().intents.plan(intent('int-race', 'k', { runId: `run${index}` }))),
    )
    expect(plans.filter(({ inserted }) => inserted)).toHaveLength(1)
    expect(new Set(plans.map(({ intent }) => intent.runId)).size).toBe(1)
  })

  test('intents: an expired row counts as absent; open and prune see every tenant', async () => {
    await store().intents.plan(intent('int-old', 'k1', { expiresAt: t0 + 10 }))
    const again = intent('int-old', 'k1', { createdAt: t0 + 10, expiresAt: t0 + 20, runId: 'run9', state: 'sending' })
    expect(await store().intents.plan(again)).toEqual({ inserted: true, intent: again })
    await store().intents.plan(intent('int-old2', 'k2', { createdAt: t0 + 1, expiresAt: t0 + 500, state: 'done' }))
    expect((await store().intents.open()).filter(({ tenant }) => tenant.startsWith('int-old'))).toEqual([again])
    expect(await store().intents.prune(t0 + 19)).toBe(0)
    expect(await store().intents.prune(t0 + 20)).toBe(1)
    expect((await store().intents.open()).filter(({ tenant }) => tenant.startsWith('int-old'))).toEqual([])
  })

  test('intents: evictable rows are evicted, oldest first; others stay, per tenant', async () => {
    const outcome = { text: 'x'.repeat(1000) }
    for (const [index, tenant] of ['int-room', 'int-room', 'int-room', 'int-room', 'int-room2'].entries()) {
      await store().intents.plan(intent(tenant, `k${index}`, { expiresAt: t0 + 1000 + index }))
      const bytes = await store().intents.update(tenant, `k${index}`, 'done', outcome, index !== 1)
      expect(bytes).toBeGreaterThan(1000)
    }
    const before = await store().intents.bytes('int-room')
    expect(before).toBeGreaterThan(4000)
    expect(await store().intents.evict('int-room', before / 4 + 1)).toBe(before / 2)
    const left = await Promise.all(
      ['k0', 'k1', 'k2', 'k3'].map(async (key) => (await store().intents.plan(intent('int-room', key))).inserted),
    )
    expect(left).toEqual([true, false, true, false])
    expect(await store().intents.bytes('int-room2')).toBe(before / 4)
    await store().intents.drop('int-room2', 'k4')
    expect(await store().intents.bytes('int-room2')).toBe(0)
  })
}
