import { describe, expect, test } from 'vitest'
import type { Retention, Store } from '../../shared/runtime/ports/index.ts'
import {
  app,
  auditEntry,
  authorization,
  connection,
  event,
  intent,
  run,
  session,
  start,
  subscription,
  t0,
  tenant,
} from './make.ts'

const day = 86_400_000

export const trailAndRetentionContract = (store: () => Store): void => {
  describe('authorizations', () => {
    const now = t0 + 1000

    test('bound to the first browser, taken once, by that browser only', async () => {
      const row = authorization('auth', 'state-1')
      await store().authorizations.add(row)
      expect(await store().authorizations.get('state-1', now)).toEqual(row)
      expect(await store().authorizations.take('state-1', 'browser-a', now)).toBeUndefined()
      expect(await store().authorizations.bind('state-1', 'browser-a', now, t0 + 1e9)).toBe(true)
      expect(await store().authorizations.bind('state-1', 'browser-a', now, t0 + 1e9)).toBe(true)
      expect(await store().authorizations.bind('state-1', 'browser-b', now, t0 + 1e9)).toBe(false)
      await store().authorizations.save('state-1', { requestSecret: 'v1.k.x.y.z' })
      expect(await store().authorizations.take('state-1', 'browser-b', now)).toBeUndefined()
      const takes = await Promise.all(
        Array.from({ length: 10 }, () => store().authorizations.take('state-1', 'browser-a', now)),
      )
      expect(takes.filter(Boolean)).toEqual([
        { ...row, browser: 'browser-a', secrets: { requestSecret: 'v1.k.x.y.z' }, usedAt: now },
      ])
      expect(await store().authorizations.get('state-1', now)).toBeUndefined()
      expect(await store().authorizations.bind('state-1', 'browser-a', now, t0 + 1e9)).toBe(false)
    })

    test('choosing what is connected: once, by the browser it is bound to', async () => {
      await store().authorizations.add(authorization('auth', 'state-3', { integration: '', type: '', browser: 'a' }))
      const choice = { integration: 'work-board', type: 'key-token' }
      expect(await store().authorizations.choose('state-3', 'b', choice, now)).toBe(false)
      expect(await store().authorizations.choose('state-3', 'a', choice, t0 + 600_000)).toBe(false)
      expect(await store().authorizations.choose('state-3', 'a', choice, now)).toBe(true)
      expect(
        await store().authorizations.choose('state-3', 'a', { integration: 'anz-data', type: 'api-key' }, now),
      ).toBe(false)
      expect(await store().authorizations.get('state-3', now)).toMatchObject(choice)
    })

    test('expired or unknown: as if it were not there', async () => {
      await store().authorizations.add(authorization('auth', 'state-2', { browser: 'b' }))
      const late = t0 + 600_000
      expect(await store().authorizations.get('state-2', late)).toBeUndefined()
      expect(await store().authorizations.bind('state-2', 'b', late, t0 + 1e9)).toBe(false)
      expect(await store().authorizations.take('state-2', 'b', late)).toBeUndefined()
      expect(await store().authorizations.take('state-9', 'b', now)).toBeUndefined()
      expect(await store().authorizations.take('state-2', 'b', late - 1)).toBeDefined()
    })
  })

  describe('the audit log', () => {
    test('rows count up without a hole, newest first, per tenant', async () => {
      await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          store().audit.append(auditEntry('aud', { at: t0 + index, outcome: index % 3 ? 'ok' : 'not_allowed' })),
        ),
      )
      await store().audit.append(
        auditEntry('aud-2', {
          actor: 'process',
          startId: 's1',
          runId: null,
          integration: null,
          connection: null,
          providerStatus: null,
          keyId: null,
        }),
      )
      const first = await store().audit.list('aud', { limit: 20 })
      const second = await store().audit.list('aud', { limit: 20, cursor: first.next })
      expect([...first.items, ...second.items].map(({ seq }) => seq)).toEqual(
        Array.from({ length: 30 }, (_, index) => 30 - index),
      )
      expect(second.next).toBeUndefined()
      expect(first.items[0]).toMatchObject(auditEntry('aud', { at: t0 + 29 }))
      expect((await store().audit.list('aud', { limit: 99 }, { outcome: 'not_allowed' })).items).toHaveLength(10)
      expect((await store().audit.list('aud', { limit: 99 }, { connection: 'c9' })).items).toEqual([])
      expect((await store().audit.list('aud-2', { limit: 9 })).items.map(({ seq, before }) => [seq, before])).toEqual([
        [1, ''],
      ])
      expect(await store().audit.verify('aud')).toEqual({ ok: true, rows: 30 })
      expect(await store().audit.verify('aud-2')).toEqual({ ok: true, rows: 1 })
      expect(await store().audit.verify('aud-none')).toEqual({ ok: true, rows: 0 })
    })
  })

  test('patch changes a tenant; the keyring is one text', async () => {
    await store().tenants.add(tenant('changed'))
    expect(
      await store().tenants.patch('changed', { policy: { apiCallAllow: { 'work-board': ['/1/webhooks'] } } }),
    ).toBe(true)
    expect(await store().tenants.get('changed')).toEqual(
      tenant('changed', { policy: { apiCallAllow: { 'work-board': ['/1/webhooks'] } } }),
    )
    expect(await store().tenants.patch('changed-not', { policy: null })).toBe(false)
    expect(await store().keyring.get()).toBeUndefined()
    await store().keyring.put('one')
    await store().keyring.put('two')
    expect(await store().keyring.get()).toBe('two')
  })

  test('sealed values: every kind is listed; one is replaced only if it has not changed', async () => {
    await store().connections.add(connection('seal', 'c1'))
    await store().apps.put(app('seal'))
    await store().subscriptions.add(subscription('seal', 's1'))
    await store().subscriptions.add(subscription('seal', 's2', { secrets: {} }))
    await store().authorizations.add(authorization('seal', 'state-seal'))
    const rows = (await store().sealed.all()).filter(({ tenant }) => tenant === 'seal')
    expect(rows.map(({ kind, id }) => `${kind} ${id}`).sort()).toEqual([
      'app work-board',
      'authorization state-seal',
      'connection c1',
      'subscription s1',
    ])
    for (const row of rows) {
      const by = Object.fromEntries(Object.keys(row.sealed).map((field) => [field, 'v1.next.a.b.c']))
      expect(await store().sealed.replace({ ...row, tenant: 'seal-other' }, by), row.kind).toBe(false)
      expect(await store().sealed.replace(row, by), row.kind).toBe(true)
      expect(await store().sealed.replace(row, row.sealed), row.kind).toBe(false)
    }
    expect((await store().connections.get('seal', 'c1'))?.secrets).toEqual({
      key: 'v1.next.a.b.c',
      token: 'v1.next.a.b.c',
    })
    expect((await store().apps.get('seal', 'work-board'))?.secrets).toEqual({ secret: 'v1.next.a.b.c' })
  })

  test('retention: payloads, then starts, then ids with their subscription; nothing younger, nothing open', () =>
    retention(store()))
}

/** Last in the suite: it takes what is old in every tenant. */
const retention = async (store: Store): Promise<void> => {
  const now = t0 + 400 * day
  const policy: Retention = {
    now,
    payloads: now - 30 * day,
    starts: now - 90 * day,
    deleted: now - 30 * day,
    runs: now - 90 * day,
    ownWrites: now - 30 * day,
    audit: now - 365 * day,
    gaps: now - 365 * day,
    limit: 2,
  }
  const old = { receivedAt: now - 31 * day }
  const said = { at: now - 91 * day, status: 200, message: 'taken', durationMs: 4 }
  await store.subscriptions.add(subscription('ret', 'live'))
  await store.subscriptions.add(subscription('ret', 'gone', { connection: 'c2', deletedAt: now - 31 * day }))
  await store.subscriptions.add(subscription('ret', 'going', { connection: 'c3', deletedAt: now - 29 * day }))
  await store.subscriptions.add(subscription('ret', 'gone-too', { connection: 'c3', deletedAt: now - 31 * day }))
  await store.ingest({
    events: [
      event('ret', 'old', old),
      event('ret', 'young', { receivedAt: now - 29 * day }),
      event('ret', 'waiting', { ...old, state: 'pending' }),
      event('ret', 'of-gone', { ...old, connection: 'c2' }),
      event('ret', 'of-going', { ...old, connection: 'c3' }),
    ],
    starts: [
      start('ret', 'old', {
        subscription: 'live',
        state: 'done',
        endedAt: now - 91 * day,
        answer: said,
        answers: [{ ...said, nextAt: null }],
      }),
      start('ret', 'young', { subscription: 'live', state: 'done', endedAt: now - 89 * day }),
      start('ret', 'open', { subscription: 'live' }),
      ...['of-gone', 'of-gone-2', 'of-gone-3', 'of-gone-4', 'of-gone-5'].map((id) =>
        start('ret', id, { subscription: 'gone', state: 'done', endedAt: now - 31 * day }),
      ),
      start('ret', 'of-gone-too', { subscription: 'gone-too', state: 'done', endedAt: now - 31 * day }),
    ],
  })
  await store.runs.record(run('ret', 'old', { createdAt: now - 91 * day }))
  await store.runs.record(run('ret', 'young', { createdAt: now - 89 * day }))
  await store.ownWrites.add(
    [now - 31 * day, now - 29 * day].map((at) => ({
      tenant: 'ret',
      connection: 'c1',
      object: `o${at}`,
      runId: 'r',
      step: 's',
      startId: null,
      at,
    })),
  )
  for (const at of [now - 367 * day, now - 366 * day, now - 364 * day])
    await store.audit.append(auditEntry('ret', { at }))
  await store.intents.plan(intent('ret', 'old'))
  await store.authorizations.add(authorization('ret', 'state-old'))
  const [endedSession, openSession] = [
    session('ret', 'ended', { expiresAt: now }),
    session('ret', 'open', { expiresAt: now + 1 }),
  ]
  for (const row of [endedSession, openSession])
    for (const group of [store.sessions, store.signInCodes]) await group.add(row, 100)

  let removed = 0
  for (let more = true; more;) {
    const round = await store.prune(policy)
    ;({ more } = round)
    removed += round.sessions
  }
  // Those of this test, and of the tests before it.
  expect(removed).toBeGreaterThanOrEqual(2)
  expect(await store.sessions.get(endedSession.hash, 0)).toBeUndefined()
  expect(await store.sessions.get(openSession.hash, now)).toEqual(openSession)
  expect(await store.signInCodes.take(endedSession.hash, 0)).toBeUndefined()
  expect(await store.signInCodes.take(openSession.hash, now)).toEqual(openSession)

  const event1 = async (id: string, connection = 'c1') => store.events.get('ret', connection, id)
  expect((await event1('old'))?.raw).toBeNull()
  expect((await event1('young'))?.raw).not.toBeNull()
  expect((await event1('waiting'))?.raw).not.toBeNull()
  expect(await event1('of-gone', 'c2')).toBeUndefined()
  expect(await event1('of-going', 'c3')).toBeDefined()
  expect(await store.starts.get('ret', 'old')).toMatchObject({ state: 'done', data: null, answer: null, answers: null })
  expect((await store.starts.list('ret', { limit: 9 })).items.map(({ id }) => id).sort()).toEqual(['open', 'young'])
  expect((await store.starts.get('ret', 'young'))?.data).not.toBeNull()
  expect(await store.starts.get('ret', 'of-gone')).toBeUndefined()
  expect(await store.starts.get('ret', 'of-gone-5')).toBeUndefined()
  expect(await store.starts.get('ret', 'of-gone-too')).toBeUndefined()
  expect((await store.runs.list('ret', { limit: 9 })).items.map(({ id }) => id)).toEqual(['young'])
  expect(await store.ownWrites.find('ret', 'c1', [`o${now - 31 * day}`, `o${now - 29 * day}`], 0, now)).toHaveLength(1)
  expect((await store.audit.list('ret', { limit: 9 })).items.map(({ seq }) => seq)).toEqual([3])
  expect(await store.audit.verify('ret')).toEqual({ ok: true, rows: 1 })
  await store.audit.append(auditEntry('ret', { at: now }))
  expect(await store.audit.verify('ret')).toEqual({ ok: true, rows: 2 })
  expect(await store.intents.prune(now)).toBe(0)
  expect((await store.subscriptions.all()).filter(({ tenant }) => tenant === 'ret').map(({ id }) => id)).toEqual([
    'live',
  ])
  // The keys still stand: an exact repeat after all that time starts nothing.
  expect(
    await store.ingest({ events: [event('ret', 'old')], starts: [start('ret', 'old', { subscription: 'live' })] }),
  ).toEqual({ events: [], starts: [] })
  expect(await store.starts.replay('ret', { id: 'old' }, now)).toBe(0)
}
