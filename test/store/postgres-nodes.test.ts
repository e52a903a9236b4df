import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createIntents } from '../../shared/runtime/idempotency.ts'
import { createLeases } from '../../shared/runtime/leases.ts'
import { createRecovery } from '../../shared/runtime/recovery.ts'
import { settleCutOff } from '../../shared/runtime/steps/record-first.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { failsWith } from './fails.ts'
import { event, hook, intent, run, start, t0, unclaimed } from './make.ts'

const clock = {
  now: () => t0,
  monotonic: () => performance.now(),
  sleep: (ms: number, signal?: AbortSignal) => wait(ms, undefined, { signal }),
}
type Node = Awaited<ReturnType<typeof openPostgresStore>>

const until = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    await wait(20)
  }
}

describe.skipIf(postgresIsMissing())('nodes on one PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  const opened: Node[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterEach(async () => {
    for (const node of opened.splice(0)) await node.close()
  })
  afterAll(() => server.close())
  const open = async (url: string, deadMs = 500) => {
    const node = await openPostgresStore({ url, clock, log: () => {}, deadMs, version: '1.2.3' })
    opened.push(node)
    return node
  }
  /** What a process that is killed leaves: nobody says that it ends. */
  const abandoned = async (url: string, work: (node: Node) => Promise<unknown>): Promise<string> => {
    const node = await openPostgresStore({ url, clock, log: () => {}, deadMs: 1e9 })
    opened.push(node)
    await work(node)
    return node.cluster.node
  }
  const recovery = (store: Node) => {
    const intents = createIntents({ store, clock, log: () => {} })
    const settleRuns = (of?: string[]) => settleCutOff({ store, clock: { now: () => t0 }, log: () => {} }, of)
    return createRecovery({
      store,
      leases: createLeases(store.cluster, clock),
      intents,
      settleRuns,
      settleOwed: async () => {},
      log: () => {},
    })
  }

  test('a node that begins leaves alone what living nodes are at, and settles what a dead one left', async () => {
    const url = await server.createDatabase()
    const living = await open(url)
    await living.runs.record(run('t', 'of the living', { state: 'sending' }))
    await living.intents.plan(intent('t', 'of the living'))
    const dead = await abandoned(url, async (node) => {
      await node.runs.record(run('t', 'of the dead', { state: 'sending' }))
      await node.intents.plan(intent('t', 'of the dead'))
      await node.intents.update('t', 'of the dead', 'sending')
      await node.ingest({
        starts: [start('t', 's1', { dueAt: t0 })],
        events: [event('t', 'e1', { state: 'pending', dueAt: t0 })],
      })
      expect((await node.starts.claim(t0, 9, 60_000)).map(({ leaseEpoch }) => leaseEpoch)).toEqual([1])
      expect(await node.events.claimPending(t0, 9, 6 * 60_000)).toHaveLength(1)
      expect(await node.cluster.lease('work', 60_000)).toBeDefined()
    })
    await until(async () => ((await living.cluster.departed()).includes(dead) ? true : undefined))
    const fresh = await open(url, 60_000)
    // It has not been there long enough to judge others.
    expect(await fresh.cluster.departed()).toEqual([])
    const begun = recovery(fresh)
    await begun.begin()
    await begun.stop()
    expect((await living.runs.get('t', 'of the dead'))?.state).toBe('sending')
    const { tick } = recovery(living)
    await until(async () => {
      await tick()
      return (await living.cluster.members()).some(({ node }) => node === dead) ? undefined : true
    })
    expect((await living.runs.get('t', 'of the dead'))?.state).toBe('unknown')
    expect((await living.runs.get('t', 'of the living'))?.state).toBe('sending')
    expect((await living.intents.open([living.cluster.node])).map(({ key }) => key)).toEqual(['of the living'])
    expect((await living.intents.open([dead])).map(({ key }) => key)).toEqual([])
    expect((await living.starts.claim(t0, 9, 60_000)).map(({ id }) => id)).toEqual(['s1'])
    // It was only paused, and wakes.
    const woken = opened.find(({ cluster }) => cluster.node === dead)!
    expect(await woken.starts.end('t', 's1', 1, { state: 'done', at: t0 })).toBe(false)
    expect(await living.starts.end('t', 's1', 2, { state: 'done', at: t0 })).toBe(true)
    expect((await living.events.claimPending(t0, 9, 60_000)).map(({ id }) => id)).toEqual(['e1'])
    expect(await living.cluster.lease('work', 60_000)).toBeDefined()
    // The fresh one says rarely that it is alive, so on a slow machine it may be taken for dead by now.
    const members = (await living.cluster.members()).map(({ node }) => node)
    expect(members).toContain(living.cluster.node)
    expect(members).not.toContain(dead)
  })

  test('a node learns by one question which kinds of work have anything due', async () => {
    const url = await server.createDatabase()
    const [node, other] = [await open(url), await open(url)]
    const at = Date.now()
    const later = { events: [event('t', 'later', { state: 'pending', dueAt: at + 3_600_000 })] }
    await other.ingest({ ...later, starts: [start('t', 's1', { dueAt: at + 3_600_000 })] })
    const timer = { tenant: 't', subscription: 'sub', connection: 'con', resource: 'r', data: {} }
    await other.timers.put([{ ...timer, key: 'later', dueAt: at + 3_600_000 }])
    expect(await node.cluster.dueWork()).toEqual([])
    await other.ingest({ events: [event('t', 'now', { state: 'pending', dueAt: at - 5_000 })] })
    expect(await node.cluster.dueWork()).toEqual(['pending'])
    await other.timers.put([{ ...timer, key: 'now', dueAt: at - 5_000 }])
    expect((await node.cluster.dueWork()).toSorted()).toEqual(['pending', 'timers'])
    await other.unclaimed.add([unclaimed('t', 'u1')], 10)
    expect((await node.cluster.dueWork()).toSorted()).toEqual(['pending', 'timers', 'unclaimed'])
    await node.events.claimPending(t0, 9, 60_000)
    await node.timers.drop('t', 'sub', ['now'])
    expect(await node.cluster.dueWork()).toEqual(['unclaimed'])
    await other.ingest({ events: [event('t', 'e2')], starts: [start('t', 's2', { event: 'e2', dueAt: at - 5_000 })] })
    expect((await node.cluster.dueWork()).toSorted()).toEqual(['dispatch', 'unclaimed'])
  })

  test('a node that stops says so, and the next one settles what it left at once', async () => {
    const url = await server.createDatabase()
    const first = await openPostgresStore({ url, clock, log: () => {} })
    await first.runs.record(run('t', 'r1', { state: 'sending' }))
    await first.close()
    const next = await open(url, 15_000)
    const begun = recovery(next)
    await begun.begin()
    await begun.stop()
    expect((await next.runs.get('t', 'r1'))?.state).toBe('unknown')
    expect(await next.cluster.departed()).toEqual([])
  })

  test('nobody counts as dead because the database was away', async () => {
    const url = await server.createDatabase()
    const [firstStore, other] = [await open(url, 2_000), await open(url, 2_000)]
    await wait(2_100)
    await server.kill()
    await wait(2_500)
    await server.start()
    const beats = async () => (await firstStore.cluster.members()).filter(({ isAlive }) => isAlive).length
    for (let alive = 0; alive < 2; alive = await beats().catch(() => 0)) {
      expect(await firstStore.cluster.departed().catch(() => [])).toEqual([])
      expect(await other.cluster.departed().catch(() => [])).toEqual([])
      await wait(20)
    }
  })

  test('nothing that a lost lease covers is written: events, cursors, polls, timers, hooks', async () => {
    const url = await server.createDatabase()
    const [paused, other] = [await open(url), await open(url)]
    await other.hooks.attach(hook('t', 'h1'), 's1')
    const lost = (await paused.cluster.lease('polls t c1', 1))!
    const taken = await until(() => other.cluster.lease('polls t c1', 60_000))
    const { lease, epoch } = lost
    const fence = { lease, epoch }
    const poll = {
      tenant: 't',
      connection: 'c1',
      integration: 'i',
      resource: 'r',
      cursor: 'x',
      scannedAt: t0,
      dueAt: t0,
      failures: 0,
      reason: null,
    }
    const cursor = {
      tenant: 't',
      connection: 'c1',
      model: 'm:1',
      position: null,
      historyPosition: null,
      at: t0,
      listedAt: t0,
    }
    const timer = { tenant: 't', subscription: 's', key: 'k', connection: 'c1', resource: 'r', dueAt: t0, data: {} }
    await failsWith(
      paused.ingest({ events: [event('t', 'e1')], starts: [start('t', 's1')], cursor, poll, fence }),
      'conflict',
    )
    await failsWith(paused.polls.put(poll, fence), 'conflict')
    await failsWith(paused.cursors.put(cursor, fence), 'conflict')
    await failsWith(paused.timers.put([timer], fence), 'conflict')
    await failsWith(paused.hooks.patch('t', 'h1', { failures: 7 }, fence), 'conflict')
    expect(await other.events.byId('t', 'e1')).toEqual([])
    expect(await other.polls.all()).toEqual([])
    expect(await other.cursors.list('t', 'c1')).toEqual([])
    expect(await other.timers.of('t', 's')).toEqual([])
    expect((await other.hooks.get('t', 'h1'))?.failures).toBe(0)
    // Beside others in one commit, only what the lost lease covers is refused.
    const [refused, done] = await Promise.allSettled([paused.polls.put(poll, fence), paused.cursors.put(cursor)])
    expect([refused.status, done.status]).toEqual(['rejected', 'fulfilled'])
    expect(
      await other.ingest({ events: [event('t', 'e2')], poll, fence: { lease: taken.lease, epoch: taken.epoch } }),
    ).toMatchObject({ events: ['e2'] })
    expect(await other.polls.all()).toEqual([poll])
  })

  test('work under a lease goes on in one process at a time, is refused once it lost it, and is taken over', async () => {
    const url = await server.createDatabase()
    const [firstStore, other] = [await open(url), await open(url)]
    let passed = 0
    const slow = { ...clock, monotonic: () => performance.now() + passed }
    const mine = createLeases(firstStore.cluster, clock)
    const theirs = createLeases(other.cluster, slow)
    const order: string[] = []
    const begun = Promise.withResolvers<void>()
    const first = mine.hold('w', async () => {
      order.push('mine begins')
      begun.resolve()
      await wait(100)
      expect(await theirs.tryHold('w', async () => order.push('at the same time'))).toBe(false)
      order.push('mine ends')
    })
    await begun.promise
    await theirs.hold('w', async () => void order.push('theirs'))
    await first
    expect(order).toEqual(['mine begins', 'mine ends', 'theirs'])
    expect([mine.fence(), theirs.fence()]).toEqual([undefined, undefined])
    expect([firstStore, other].map((store) => store.vitals().leasesLost)).toEqual([0, 0])
    // Now and then each says that it is alive.
    await expect.poll(() => firstStore.vitals().pool, { timeout: 30_000 }).toMatchObject({ busy: 0, waiting: 0 })
    // Claimed for a period: nobody does it again before that is over.
    expect([await mine.claim('p', 60_000), await theirs.claim('p', 60_000), await mine.claim('p', 60_000)]).toEqual([
      true,
      false,
      false,
    ])
  })
})
