import { expect, test } from 'vitest'
import type { Cluster } from '../../shared/runtime/ports/index.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { handClock, openTriggerWorld, someoneElse, subscribe, tenant } from './world.ts'

/** A clock whose sleepers sleep until they are woken, or until the test ends the sleeps of that length. */
const sleepyClock = () => {
  const sleepers = new Map<() => void, number>()
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        sleepers.delete(end)
        resolve()
      }
      sleepers.set(end, ms)
      signal?.addEventListener('abort', end)
    })
  const asleep = (ms: number) => [...sleepers].flatMap(([end, sleptMs]) => (sleptMs === ms ? [end] : []))
  return {
    clock: { ...handClock(), sleep },
    countAsleep: (ms: number) => asleep(ms).length,
    endSleeps(ms: number) {
      for (const end of asleep(ms)) end()
    },
  }
}

/** The store of a single process that says it is shared, and counts the looks for due rows. */
const countingStore = (due: () => string[]) => {
  const memory = createMemoryStore()
  const looks = { asked: 0, dispatch: 0, pending: 0, unclaimed: 0, timers: 0 }
  const count = <A extends unknown[], R>(kind: keyof typeof looks, work: (...args: A) => R) =>
    ((...args: A): R => {
      looks[kind] += 1
      return work(...args)
    }) satisfies (...args: A) => R
  const lease = { lease: '', epoch: 1, isHeld: () => true, renew: async () => true, release: async () => {} }
  const cluster = {
    node: 'node_1',
    lease: async () => lease,
    members: async () => [],
    caughtUp: async () => {},
    jobs: { work: () => async () => {} },
    dueWork: count('asked', async () => due()),
  } as unknown as Cluster
  const store = {
    ...memory,
    cluster,
    starts: { ...memory.starts, nextDueAt: count('dispatch', memory.starts.nextDueAt) },
    events: { ...memory.events, claimPending: count('pending', memory.events.claimPending) },
    unclaimed: { ...memory.unclaimed, groups: count('unclaimed', memory.unclaimed.groups) },
    timers: { ...memory.timers, due: count('timers', memory.timers.due) },
  }
  return { store, looks }
}

test('a process that shares its store looks for the due rows of a kind within a second of one being due', async () => {
  const { clock, endSleeps, countAsleep } = sleepyClock()
  let due: string[] = []
  const { store, looks } = countingStore(() => due)
  const { triggers } = await openTriggerWorld({ store, clock })
  // The question and the polls sleep for a second, seven tasks for ten. A task is woken before the question sleeps again.
  const settled = () => expect.poll(() => [1000, 10_000].map(countAsleep)).toEqual([2, 7])
  const second = async (kinds: string[]) => {
    due = kinds
    const before = { ...looks }
    endSleeps(1000)
    await settled()
    return Object.entries(looks).flatMap(([kind, count]) => (count > before[kind as keyof typeof looks] ? [kind] : []))
  }
  await triggers.start()
  await settled()
  expect(await second([])).toEqual(['asked'])
  for (const kind of ['dispatch', 'pending', 'unclaimed', 'timers'])
    expect(await second([kind])).toEqual(['asked', kind])
  await triggers.stop()
})

test('while an agent works, its node looks after the start every second, though nothing is due', async () => {
  const { clock, endSleeps, countAsleep } = sleepyClock()
  const { store, looks } = countingStore(() => [])
  const world = await openTriggerWorld({ store, clock })
  const { promise: answer, resolve: end } = Promise.withResolvers<Awaited<ReturnType<typeof world.agent.answer>>>()
  world.agent.answer = () => answer
  const board = world.board.addBoard('Launch plan')
  await subscribe(world, 'new-card', { boards: [board] })
  clock.advance(1000)
  const settled = () => expect.poll(() => [1000, 10_000].map(countAsleep)).toEqual([2, 7])
  const second = async () => {
    const before = looks.dispatch
    endSleeps(1000)
    await settled()
    return looks.dispatch - before
  }
  await world.triggers.start()
  await settled()
  world.board.addCard(board, world.board.addList('Ideas'), 'One', { member: someoneElse })
  await world.board.pump()
  await expect.poll(() => world.called).toHaveLength(1)
  await settled()
  expect([await second(), await second()]).toEqual([1, 1])
  end({ status: 200, headers: {}, message: '' })
  const state = async () => (await store.starts.list(tenant, { limit: 10 })).items[0]?.state
  await expect.poll(state).toBe('done')
  await settled()
  expect([await second(), await second()]).toEqual([0, 0])
  await world.triggers.stop()
})
