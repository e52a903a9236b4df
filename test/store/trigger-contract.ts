import { describe, expect, test } from 'vitest'
import type {
  Cursor,
  Gap,
  PollState,
  QueuePosition,
  StartQueue,
  Store,
  Timer,
} from '../../shared/runtime/ports/index.ts'
import { event, hook, start, subscription, t0 } from './make.ts'
import { failsWith } from './fails.ts'

export const triggersContract = (store: () => Store): void => {
  describe('subscriptions', () => {
    test('every field comes back; deleted ones are gone from every reading', async () => {
      const row = subscription('sub', 's1')
      await store().subscriptions.add(row)
      await failsWith(store().subscriptions.add(row), 'conflict')
      expect(await store().subscriptions.get('sub', 's1')).toEqual(row)
      expect(await store().subscriptions.get('sub-other', 's1')).toBeUndefined()
      const changes = {
        state: 'paused_auth' as const,
        stateReason: 'the provider answered 401',
        agent: { url: null },
        options: {},
        externalId: null,
      }
      expect(await store().subscriptions.patch('sub-other', 's1', changes)).toBe(false)
      expect(await store().subscriptions.patch('sub', 's1', changes)).toBe(true)
      expect(await store().subscriptions.get('sub', 's1')).toEqual({ ...row, ...changes })
      const every = async () => (await store().subscriptions.all()).filter(({ tenant }) => tenant === 'sub').length
      expect(await every()).toBe(1)
      await store().subscriptions.patch('sub', 's1', { deletedAt: t0 + 1 })
      expect(await store().subscriptions.get('sub', 's1')).toBeUndefined()
      expect((await store().subscriptions.list('sub', { limit: 9 })).items).toEqual([])
      expect(await every()).toBe(0)
    })

    test('pages are whole with a label filter that fits few rows', async () => {
      for (let index = 0; index < 60; index += 1) {
        const labels: Record<string, string> = index % 10 === 0 ? { team: 'rare' } : {}
        await store().subscriptions.add(
          subscription('sub-page', `s${String(index).padStart(2, '0')}`, {
            labels,
            createdAt: t0 + index,
            connection: index < 30 ? 'c1' : 'c2',
          }),
        )
      }
      const first = await store().subscriptions.list('sub-page', { limit: 4 }, { labels: { team: 'rare' } })
      const second = await store().subscriptions.list(
        'sub-page',
        { limit: 4, cursor: first.next },
        { labels: { team: 'rare' } },
      )
      expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(['s50', 's40', 's30', 's20', 's10', 's00'])
      expect(second.next).toBeUndefined()
      expect((await store().subscriptions.list('sub-page', { limit: 99 }, { connection: 'c2' })).items).toHaveLength(30)
    })
  })

  describe('hooks', () => {
    test('one live hook per connection and model, shared by subscriptions, ended with the last of them', async () => {
      const first = hook('hook', 'h1')
      expect(await store().hooks.attach(first, 's1')).toEqual(first)
      expect(await store().hooks.attach(hook('hook', 'h2'), 's2')).toEqual(first)
      expect(await store().hooks.attach(hook('hook', 'h2'), 's2')).toEqual(first)
      expect((await store().hooks.attach(hook('hook', 'h3', { model: 'board:b2' }), 's1')).id).toBe('h3')
      expect((await store().hooks.attach(hook('hook', 'h4', { connection: 'c2' }), 's3')).id).toBe('h4')
      expect((await store().hooks.attach(hook('hook-other', 'h5'), 's1')).id).toBe('h5')
      expect(await store().hooks.subscriptions('hook', 'h1')).toEqual(['s1', 's2'])
      expect(await store().hooks.subscriptions('hook-other', 'h1')).toEqual([])
      expect((await store().hooks.detach('hook', 's1', t0 + 1)).map(({ id, state }) => [id, state])).toEqual([
        ['h3', 'deleting'],
      ])
      expect(await store().hooks.subscriptions('hook', 'h1')).toEqual(['s2'])
      expect(await store().hooks.detach('hook', 's1', t0 + 2)).toEqual([])
      expect((await store().hooks.detach('hook', 's2', t0 + 3)).map(({ id }) => id)).toEqual(['h1'])
      // While the old one is being deleted at the provider, a new subscription gets a new hook.
      expect((await store().hooks.attach(hook('hook', 'h6'), 's4')).id).toBe('h6')
      expect((await store().hooks.get('hook-other', 'h5'))?.state).toBe('wanted')
    })

    test('detach can take one model only', async () => {
      await store().hooks.attach(hook('hook-model', 'm1'), 's1')
      await store().hooks.attach(hook('hook-model', 'm2', { model: 'board:b2' }), 's1')
      expect((await store().hooks.detach('hook-model', 's1', t0, 'board:b2')).map(({ id }) => id)).toEqual(['m2'])
      expect(await store().hooks.subscriptions('hook-model', 'm1')).toEqual(['s1'])
      expect(await store().hooks.subscriptions('hook-model', 'm2')).toEqual([])
    })

    test('found by its id alone; patched and listed in its own tenant only', async () => {
      const row = hook('hook-id', 'unguessable-1')
      await store().hooks.attach(row, 's1')
      expect(await store().hooks.byId('unguessable-1')).toEqual(row)
      expect(await store().hooks.byId('unguessable-2')).toBeUndefined()
      expect(await store().hooks.patch('hook-id-other', 'unguessable-1', { state: 'broken' })).toBe(false)
      const changes = {
        state: 'deleted' as const,
        providerId: 'p1',
        failures: 3,
        lastDeliveryAt: t0,
        stateReason: 'gone',
      }
      expect(await store().hooks.patch('hook-id', 'unguessable-1', changes)).toBe(true)
      expect(await store().hooks.get('hook-id', 'unguessable-1')).toEqual({ ...row, ...changes })
      expect((await store().hooks.list('hook-id', { limit: 5 }, { state: 'deleted' })).items).toHaveLength(1)
      expect((await store().hooks.list('hook-id-other', { limit: 5 })).items).toEqual([])
      expect((await store().hooks.all()).some(({ id }) => id === 'unguessable-1')).toBe(false)
    })
  })

  intakeContract(store)
  startsContract(store)
  trailsContract(store)
}

const intakeContract = (store: () => Store): void => {
  describe('ingest', () => {
    test('an event is there once per tenant and connection, its start once, whatever comes again', async () => {
      const storedEvent = event('in', 'e1', { causedByUs: true, runId: 'r1' })
      expect(await store().ingest({ events: [storedEvent], starts: [start('in', 'k1', { event: 'e1' })] })).toEqual({
        events: ['e1'],
        starts: ['k1'],
      })
      const again = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          store().ingest({
            events: [{ ...storedEvent, via: 'recovery', receivedAt: t0 + index }],
            starts: [start('in', 'k1', { data: index })],
          }),
        ),
      )
      expect(again).toEqual(Array.from({ length: 20 }, () => ({ events: [], starts: [] })))
      expect(await store().events.get('in', 'c1', 'e1')).toEqual(storedEvent)
      expect(await store().starts.get('in', 'k1')).toEqual(start('in', 'k1', { event: 'e1' }))
      expect(await store().events.get('in-other', 'c1', 'e1')).toBeUndefined()
      expect(
        await store().ingest({
          events: [event('in', 'e1', { connection: 'c2' }), event('in-other', 'e1'), event('in', 'e2')],
          starts: [],
        }),
      ).toEqual({
        events: ['e1', 'e1', 'e2'],
        starts: [],
      })
      expect(await store().ingest({})).toEqual({ events: [], starts: [] })
    })

    test('of 50 copies in one turn one is new', async () => {
      const arrived = await Promise.all(
        Array.from({ length: 50 }, () =>
          store().ingest({ events: [event('in-race', 'e1')], starts: [start('in-race', 'k1')] }),
        ),
      )
      expect(arrived.flatMap(({ events }) => events)).toEqual(['e1'])
      expect(arrived.flatMap(({ starts }) => starts)).toEqual(['k1'])
    })

    test('events, cursor, poll, gaps and fired timers go together', async () => {
      const cursor: Cursor = {
        tenant: 'in-all',
        connection: 'c1',
        model: 'board:b1',
        position: 'e2',
        historyPosition: '1712345678.000200',
        at: t0,
        listedAt: t0 + 9,
      }
      const poll: PollState = {
        tenant: 'in-all',
        connection: 'c1',
        integration: 'work-board',
        resource: 'notifications',
        cursor: 'n7',
        scannedAt: t0,
        dueAt: t0 + 60,
        failures: 0,
        reason: null,
      }
      const gap: Gap = {
        tenant: 'in-all',
        id: 'g1',
        connection: 'c1',
        model: 'board:b1',
        fromAt: t0 - 9,
        toAt: t0,
        kind: 'label',
        reason: 'not in the history',
        createdAt: t0,
      }
      const timer: Timer = {
        tenant: 'in-all',
        subscription: 's1',
        key: 'k1 due',
        connection: 'c1',
        resource: 'b1',
        dueAt: t0 + 5,
        data: { card: 'k1' },
      }
      await store().timers.put([timer, { ...timer, key: 'k2 due', dueAt: t0 + 7 }])
      expect(await store().timers.of('in-all', 's1')).toEqual([timer, { ...timer, key: 'k2 due', dueAt: t0 + 7 }])
      expect((await store().timers.due(t0 + 5, 10)).filter(({ tenant }) => tenant === 'in-all')).toEqual([timer])
      expect(await store().timers.nextDueAt()).toBeLessThanOrEqual(t0 + 5)
      await store().ingest({
        events: [event('in-all', 'e1'), event('in-all', 'e2')],
        starts: [start('in-all', 'k1')],
        cursor,
        poll,
        gaps: [gap, gap],
        fired: [timer],
      })
      expect(await store().cursors.get('in-all', 'c1', 'board:b1')).toEqual(cursor)
      expect(await store().cursors.get('in-all-other', 'c1', 'board:b1')).toBeUndefined()
      expect(await store().polls.get('in-all', 'c1', 'notifications')).toEqual(poll)
      expect((await store().gaps.list('in-all', { limit: 5 })).items).toEqual([gap])
      // Noticed again: it may have lasted longer by then, never shorter.
      await store().ingest({ gaps: [{ ...gap, toAt: t0 + 60 }] })
      await store().ingest({ gaps: [{ ...gap, toAt: t0 + 30 }] })
      expect((await store().gaps.list('in-all', { limit: 5 })).items).toEqual([{ ...gap, toAt: t0 + 60 }])
      expect((await store().gaps.list('in-all', { limit: 5 }, { model: 'board:b9' })).items).toEqual([])
      expect((await store().timers.of('in-all', 's1')).map(({ key }) => key)).toEqual(['k2 due'])
      await store().cursors.put({ ...cursor, position: null })
      expect((await store().cursors.list('in-all', 'c1')).map(({ position }) => position)).toEqual([null])
      await store().polls.put({ ...poll, failures: 2, reason: '429' })
      expect((await store().polls.all()).find(({ tenant }) => tenant === 'in-all')?.failures).toBe(2)
      await store().polls.remove('in-all', 'c1', 'notifications')
      expect(await store().polls.get('in-all', 'c1', 'notifications')).toBeUndefined()
      await store().timers.drop('in-all-other', 's1')
      expect(await store().timers.of('in-all', 's1')).toHaveLength(1)
      await store().timers.drop('in-all', 's1', ['k2 due'])
      expect(await store().timers.of('in-all', 's1')).toEqual([])
    })

    test('a part that cannot be written leaves none of the others behind', async () => {
      const cursor = {
        tenant: 'in-bad',
        connection: 'c1',
        model: 'board:b1',
        position: 'e9',
        historyPosition: null,
        at: undefined as unknown as number,
        listedAt: t0,
      }
      await expect(
        store().ingest({ events: [event('in-bad', 'e9')], starts: [start('in-bad', 'k9')], cursor }),
      ).rejects.toThrow()
      expect(await store().events.get('in-bad', 'c1', 'e9')).toBeUndefined()
      expect(await store().starts.get('in-bad', 'k9')).toBeUndefined()
    })
  })

  describe('events', () => {
    test('pages and filters; two accounts that saw the same event are both shown', async () => {
      const events = ['e1', 'e2', 'e3'].flatMap((id) =>
        ['c1', 'c2'].map((connection) => event('ev', id, { connection, subject: `card-${id}` })),
      )
      await store().ingest({ events })
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await store().events.list('ev', { limit: 1, cursor })
        seen.push(...page.items.map(({ id, connection }) => `${id} ${connection}`))
        cursor = page.next
      } while (cursor)
      expect(seen).toEqual(['e3 c2', 'e3 c1', 'e2 c2', 'e2 c1', 'e1 c2', 'e1 c1'])
      expect(
        (await store().events.list('ev', { limit: 9 }, { subject: 'card-e2', connection: 'c1' })).items.map(
          ({ id }) => id,
        ),
      ).toEqual(['e2'])
      expect((await store().events.list('ev-other', { limit: 9 })).items).toEqual([])
      await store().subscriptions.add(subscription('ev', 's1', { connection: 'c1' }))
      await store().subscriptions.add(subscription('ev', 's2', { connection: 'c2' }))
      expect((await store().events.byId('ev', 'e2')).map(({ connection }) => connection).sort()).toEqual(['c1', 'c2'])
      expect(await store().events.byId('ev-other', 'e2')).toEqual([])
    })

    test('pending ones are claimed when due, come again unless matched, and end with their starts', async () => {
      await store().ingest({
        events: [
          event('pend', 'e1', { state: 'pending', dueAt: t0 }),
          event('pend', 'e2', { state: 'pending', dueAt: t0 + 100 }),
          event('pend', 'e3'),
        ],
      })
      const claimed = async (now: number) =>
        (await store().events.claimPending(now, 100, 50))
          .filter(({ tenant }) => tenant === 'pend')
          .map(({ id, attempts }) => [id, attempts])
      expect(await claimed(t0)).toEqual([['e1', 1]])
      expect(await claimed(t0 + 49)).toEqual([])
      expect(await claimed(t0 + 50)).toEqual([['e1', 2]])
      const eventKey = { tenant: 'pend', connection: 'c1', id: 'e1' }
      await store().events.postpone(eventKey, t0 + 1000)
      expect(await claimed(t0 + 100)).toEqual([['e2', 1]])
      expect(await store().events.matched(eventKey, [start('pend', 'k1')])).toBe(true)
      expect(await store().events.matched(eventKey, [start('pend', 'k1')])).toBe(false)
      expect(await store().events.matched({ ...eventKey, tenant: 'pend-other' }, [])).toBe(false)
      expect(await claimed(t0 + 2000)).toEqual([['e2', 2]])
      expect((await store().starts.list('pend', { limit: 9 })).items).toHaveLength(1)
      expect((await store().events.get('pend', 'c1', 'e1'))?.state).toBe('matched')
    })

    test('an undecodable delivery is kept once, as it came', async () => {
      const delivery = {
        tenant: 'und',
        id: 'd1',
        integration: 'work-board',
        connection: 'c1',
        hook: 'h1',
        receivedAt: t0,
        reason: 'not UTF-8',
        raw: new Uint8Array([0xff, 0, 0xfe]),
      }
      await store().undecodable.add(delivery)
      await store().undecodable.add(delivery)
      expect((await store().undecodable.list('und', { limit: 9 })).items).toEqual([delivery])
      expect((await store().undecodable.list('und-other', { limit: 9 })).items).toEqual([])
    })
  })
}

const startsContract = (store: () => Store): void => {
  const claimed = async (tenant: string, now: number, leaseMs = 30) =>
    (await store().starts.claim(now, 1000, leaseMs)).filter((row) => row.tenant === tenant)
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)

  describe('starts', () => {
    test('claimed when due, with a lease, an epoch and an attempt; ended by their holder only', async () => {
      await store().ingest({
        starts: [
          start('st', 'a', { dueAt: t0 + 10, eventAt: t0 + 2 }),
          start('st', 'b', { dueAt: t0 + 5, eventAt: t0 + 1 }),
          start('st', 'c', { dueAt: t0 + 99 }),
        ],
      })
      expect(await store().starts.nextDueAt()).toBeLessThanOrEqual(t0 + 5)
      const first = await claimed('st', t0 + 10)
      expect(
        first.map(({ id, state, attempts, leaseEpoch, dueAt }) => [id, state, attempts, leaseEpoch, dueAt]),
      ).toEqual([
        ['b', 'leased', 1, 1, t0 + 40],
        ['a', 'leased', 1, 1, t0 + 40],
      ])
      expect(ids(await claimed('st', t0 + 39))).toEqual([])
      // Renewed, so it is not given to another; the one that was not is.
      expect(await store().starts.renew('st', 'a', 1, t0 + 39, 41)).toBe(true)
      expect(ids(await claimed('st', t0 + 40))).toEqual(['b'])
      const answer = { at: t0 + 41, status: 200, message: null, durationMs: 7.5 }
      expect(await store().starts.end('st', 'b', 1, { state: 'done', at: t0 + 41, answer })).toBe(false)
      expect(await store().starts.renew('st', 'b', 1, t0 + 40, 59)).toBe(false)
      expect(await store().starts.end('st-other', 'b', 2, { state: 'done', at: t0 + 41 })).toBe(false)
      expect(await store().starts.end('st', 'b', 2, { state: 'done', at: t0 + 41, answer })).toBe(true)
      expect(await store().starts.end('st', 'b', 2, { state: 'dead', at: t0 + 42 })).toBe(false)
      expect(await store().starts.get('st', 'b')).toMatchObject({
        state: 'done',
        attempts: 2,
        leaseEpoch: 2,
        endedAt: t0 + 41,
        answer,
      })
      expect(
        await store().starts.end('st', 'a', 1, {
          state: 'pending',
          at: t0 + 50,
          dueAt: t0 + 500,
          attempts: 0,
          answer: { ...answer, status: 503, message: 'busy' },
          answers: [{ ...answer, status: 503, message: 'busy', nextAt: t0 + 500 }],
        }),
      ).toBe(true)
      expect(await store().starts.get('st', 'a')).toMatchObject({
        state: 'pending',
        attempts: 0,
        dueAt: t0 + 500,
        endedAt: null,
        answer: { status: 503, message: 'busy' },
        answers: [{ status: 503, message: 'busy', nextAt: t0 + 500 }],
      })
      expect(await store().starts.get('st-other', 'a')).toBeUndefined()
    })

    test('no start is claimed twice by many at once, and a batch is a batch', async () => {
      await store().ingest({ starts: Array.from({ length: 40 }, (_, index) => start('st-many', `k${index}`)) })
      const batches = await Promise.all(Array.from({ length: 8 }, () => store().starts.claim(t0, 10, 30)))
      for (const batch of batches) expect(batch.length).toBeLessThanOrEqual(10)
      const mine = batches.flat().filter(({ tenant }) => tenant === 'st-many')
      expect(new Set(ids(mine)).size).toBe(mine.length)
      const remainingStarts = await claimed('st-many', t0)
      expect(mine.length + remainingStarts.length).toBe(40)
    })

    test('due ones are told by queue, and claimed of some queues alone, of each as many as asked', async () => {
      await store().ingest({
        starts: [
          ...['k', 'l', 'm'].map((id, n) => start('st-queue', id, { dueAt: t0 + n })),
          start('st-queue', 'n', { subscription: 's2', dueAt: t0 - 1 }),
          start('st-queue', 'o', { subscription: 's3', dueAt: t0 + 99 }),
          start('st-queue-2', 'k'),
        ],
      })
      const queues = async (limit: number) => {
        const startQueues: StartQueue[] = []
        let after: QueuePosition | undefined
        do {
          const { items, next } = await store().starts.queues(t0 + 5, limit, after)
          expect(items.length).toBeLessThanOrEqual(limit)
          startQueues.push(...items)
          after = next
        } while (after)
        return startQueues.filter(({ tenant }) => tenant.startsWith('st-queue'))
      }
      const mine = await queues(1000)
      for (const limit of [1, 2, 3]) expect(await queues(limit)).toEqual(mine)
      expect(mine).toEqual([
        { tenant: 'st-queue', subscription: 's1', dueAt: t0 },
        { tenant: 'st-queue', subscription: 's2', dueAt: t0 - 1 },
        { tenant: 'st-queue-2', subscription: 's1', dueAt: t0 },
      ])
      const of = (tenant: string, subscription: string, limit: number) => ({ tenant, subscription, limit })
      const claim = await store().starts.claim(t0 + 5, 1000, 25, [
        of('st-queue', 's1', 2),
        of('st-queue', 's3', 9),
        of('st-queue', 's9', 9),
      ])
      expect(ids(claim)).toEqual(['k', 'l'])
      expect(await queues(1000)).toContainEqual({ tenant: 'st-queue', subscription: 's1', dueAt: t0 + 2 })
      expect(await store().starts.claim(t0 + 5, 1000, 25, [])).toEqual([])
    })

    test('listed by subscription, event and state; dead ones are replayed under the same key, singly or in bulk', async () => {
      await store().ingest({
        starts: ['a', 'b', 'c'].map((id, index) => start('st-dead', id, { event: `e-${id}`, createdAt: t0 + index })),
      })
      await store().ingest({ starts: [start('st-dead', 'd', { subscription: 's2' })] })
      for (const row of await claimed('st-dead', t0))
        await store().starts.end('st-dead', row.id, 1, { state: row.id === 'c' ? 'done' : 'dead', at: t0 + 5 })
      const list = async (filter: Parameters<Store['starts']['list']>[2]) =>
        ids((await store().starts.list('st-dead', { limit: 9 }, filter)).items)
      expect(await list({ state: 'dead' })).toEqual(['b', 'd', 'a'])
      expect(await list({ state: 'dead', subscription: 's1' })).toEqual(['b', 'a'])
      expect(await list({ event: 'e-c' })).toEqual(['c'])
      const ofEvents = async (tenant: string, events: string[], limit = 9) =>
        ids((await store().starts.ofEvents(tenant, events, limit)) as { id: string }[])
      expect(await ofEvents('st-dead', ['e-c', 'e-a', 'e-none'])).toEqual(['a', 'c'])
      const recent = (limit: number, tenant = 'st-dead') => store().starts.recent(tenant, 's1', limit)
      expect(await recent(2)).toEqual([
        { id: 'c', state: 'done', test: false, answer: null, createdAt: t0 + 2 },
        { id: 'b', state: 'dead', test: false, answer: null, createdAt: t0 + 1 },
      ])
      expect([ids(await recent(9)), await recent(9, 'st-dead-other')]).toEqual([['c', 'b', 'a'], []])
      expect(await store().starts.ofEvents('st-dead', ['e-c'], 9)).toEqual([
        { id: 'c', event: 'e-c', connection: 'c1', subscription: 's1', state: 'done' },
      ])
      expect([
        await ofEvents('st-dead', ['e-c', 'e-a'], 1),
        await ofEvents('st-dead', []),
        await ofEvents('st-dead-other', ['e-a']),
      ]).toEqual([['a'], [], []])
      expect((await store().load()).deadStarts).toBeGreaterThanOrEqual(3)
      expect(await store().starts.replay('st-dead-other', { id: 'a' }, t0 + 50)).toBe(0)
      expect(await store().starts.replay('st-dead', { subscription: 's1', state: 'dead' }, t0 + 50)).toBe(2)
      expect(await store().starts.get('st-dead', 'a')).toMatchObject({
        id: 'a',
        state: 'pending',
        attempts: 0,
        dueAt: t0 + 50,
        endedAt: null,
      })
      expect(await store().starts.replay('st-dead', { id: 'c' }, t0 + 50)).toBe(1)
      expect(ids(await claimed('st-dead', t0 + 50))).toEqual(['a', 'b', 'c'])
      // Leased ones are somebody's: a replay leaves them alone.
      expect(await store().starts.replay('st-dead', { id: 'c' }, t0 + 60)).toBe(0)
    })

    test('pause keeps them, resume gives them back, cancel ends them; other subscriptions go on', async () => {
      await store().ingest({
        starts: [
          start('st-pause', 'a'),
          start('st-pause', 'b'),
          start('st-pause', 'x', { subscription: 's2', dueAt: t0 + 1000 }),
        ],
      })
      expect(await store().starts.pause('st-pause-other', 's1')).toBe(0)
      expect(await store().starts.pause('st-pause', 's1')).toBe(2)
      expect(ids(await claimed('st-pause', t0 + 10))).toEqual([])
      expect(await store().starts.resume('st-pause', 's1', t0 + 20)).toBe(2)
      expect(ids(await claimed('st-pause', t0 + 20, 5))).toEqual(['a', 'b'])
      await store().starts.end('st-pause', 'a', 1, { state: 'paused', at: t0 + 21 })
      expect(await store().starts.cancel('st-pause', 's1', t0 + 22)).toBe(1)
      expect(await store().starts.get('st-pause', 'a')).toMatchObject({ state: 'cancelled', endedAt: t0 + 22 })
      expect((await store().starts.get('st-pause', 'b'))?.state).toBe('leased')
      expect((await store().starts.get('st-pause', 'x'))?.state).toBe('pending')
    })

    test('serial: per subject one at a time in event order, other subjects beside it', async () => {
      const of = (id: string, subject: string, eventAt: number) =>
        start('st-serial', id, { subject, serial: true, eventAt, event: `e-${id}` })
      // Arrived out of order.
      await store().ingest({
        starts: [
          of('k2', 'card-1', t0 + 2),
          of('k1', 'card-1', t0 + 1),
          of('k3', 'card-1', t0 + 3),
          of('m1', 'card-2', t0 + 9),
        ],
      })
      expect(ids(await claimed('st-serial', t0))).toEqual(['k1', 'm1'])
      expect(ids(await claimed('st-serial', t0 + 1))).toEqual([])
      await store().starts.end('st-serial', 'k1', 1, { state: 'pending', at: t0 + 2, dueAt: t0 + 500 })
      expect(ids(await claimed('st-serial', t0 + 3))).toEqual([])
      expect(ids(await claimed('st-serial', t0 + 500)).slice(0, 1)).toEqual(['k1'])
      await store().starts.end('st-serial', 'k1', 2, { state: 'dead', at: t0 + 501 })
      expect(ids(await claimed('st-serial', t0 + 502, 4498))).toContain('k2')
    })

    test('settle: later starts of the quiet period join the first and prolong it', async () => {
      const of = (id: string, at: number, subject = 'card-1') =>
        start('st-settle', id, { subject, settleMs: 100, createdAt: at, dueAt: at + 100, event: `e-${id}` })
      await store().ingest({ starts: [of('k1', t0)] })
      expect((await store().ingest({ starts: [of('k2', t0 + 60)] })).starts).toEqual(['k2'])
      await store().ingest({ starts: [of('x1', t0 + 60, 'card-2')] })
      expect(await store().starts.get('st-settle', 'k2')).toMatchObject({
        state: 'merged',
        mergedInto: 'k1',
        endedAt: t0 + 60,
      })
      expect(await store().starts.get('st-settle', 'k1')).toMatchObject({ state: 'pending', dueAt: t0 + 160 })
      expect(ids(await claimed('st-settle', t0 + 159))).toEqual([])
      // The same event once more is no new reason to wait.
      expect((await store().ingest({ starts: [{ ...of('k2', t0 + 150) }] })).starts).toEqual([])
      expect(await store().starts.get('st-settle', 'k1')).toMatchObject({ dueAt: t0 + 160 })
      // A repeat of the first one stays itself.
      await store().ingest({ starts: [of('k1', t0 + 150)] })
      expect(await store().starts.get('st-settle', 'k1')).toMatchObject({
        state: 'pending',
        mergedInto: null,
        dueAt: t0 + 160,
      })
      expect(ids(await claimed('st-settle', t0 + 160, 840))).toEqual(['k1', 'x1'])
      // Closed: the next one opens a period of its own.
      await store().ingest({ starts: [of('k3', t0 + 161)] })
      expect(await store().starts.get('st-settle', 'k3')).toMatchObject({ state: 'pending', mergedInto: null })
      await store().starts.end('st-settle', 'k1', 1, { state: 'pending', at: t0 + 170, dueAt: t0 + 200 })
      await store().ingest({ starts: [of('k4', t0 + 171)] })
      expect(await store().starts.get('st-settle', 'k4')).toMatchObject({ mergedInto: 'k3' })
    })

    test('load counts what is open', async () => {
      const before = await store().load()
      await store().ingest({
        events: [event('load', 'e1', { state: 'pending', dueAt: 5 })],
        starts: [start('load', 'k1', { dueAt: 3 })],
      })
      expect(await store().load()).toEqual({
        ...before,
        openStarts: before.openStarts + 1,
        oldestStartDueAt: 3,
        pendingEvents: before.pendingEvents + 1,
        oldestEventDueAt: 5,
      })
    })
  })
}

const trailsContract = (store: () => Store): void => {
  test('own writes are found by object, connection and time', async () => {
    const write = {
      tenant: 'own',
      connection: 'c1',
      object: 'card-1',
      runId: 'r1',
      step: 'create-card',
      startId: null,
      at: t0,
    }
    await store().ownWrites.add([
      write,
      { ...write, object: 'card-2', at: t0 + 5, startId: 's1' },
      { ...write, connection: 'c2' },
    ])
    await store().ownWrites.add([])
    expect(await store().ownWrites.find('own', 'c1', ['card-1', 'card-2', 'card-3'], t0, t0 + 9)).toEqual([
      { ...write, object: 'card-2', at: t0 + 5, startId: 's1' },
      write,
    ])
    expect(await store().ownWrites.find('own', 'c1', ['card-2'], t0, t0 + 4)).toEqual([])
    expect(await store().ownWrites.find('own-other', 'c1', ['card-1'], t0, t0 + 9)).toEqual([])
    // Nobody waits for a row: what is listed a moment later must find it all the same.
    const adding = store().ownWrites.add([{ ...write, object: 'card-4' }])
    expect(await store().ownWrites.find('own', 'c1', ['card-4'], t0, t0 + 9)).toHaveLength(1)
    await adding
  })
}
