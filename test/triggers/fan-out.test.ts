import { afterEach, expect, test } from 'vitest'
import type { Start, Store } from '../../shared/runtime/ports/index.ts'
import { sliceSize } from '../../shared/runtime/triggers/inbound/pending.ts'
import { caller, openTriggerWorld, overlay, settle, someoneElse, subscribe, tenant } from './world.ts'
import type { TriggerWorld } from './world.ts'

const count = sliceSize * 2 + 7
const claimedForMs = 6 * 60_000
let world: TriggerWorld
afterEach(() => world.close())

/** `keep`: whether starts of this size, the nth that were stored, still reach the disk. */
const watchStarts = (keep: (n: number) => boolean) => {
  const sizes: number[] = []
  const pass = async <T>(starts: readonly Start[], work: () => Promise<T>): Promise<T> => {
    if (starts.length === 0) return work()
    sizes.push(starts.length)
    return keep(sizes.length) ? work() : new Promise<never>(() => {})
  }
  const wrap = (store: Store): Store =>
    overlay(store, {
      ingest: (arrival) => pass(arrival.starts ?? [], () => store.ingest(arrival)),
      events: overlay(store.events, {
        matched: (row, starts) => pass(starts, () => store.events.matched(row, starts)),
      }),
    })
  return { sizes, wrap }
}

const openFat = async (wrap: (store: Store) => Store) => {
  world = await openTriggerWorld({ wrap })
  const board = world.board.addBoard('Launch plan')
  const list = world.board.addList('Ideas')
  for (let n = 0; n < count; n += 1) await subscribe(world, 'new-card', { boards: [board] })
  world.clock.advance(1000)
  world.board.addCard(board, list, 'one', { member: someoneElse })
}
const starts = async () => (await world.store.starts.list(tenant, { limit: 2 * count })).items
const event = async () => (await world.triggers.events.list(caller, { limit: 9 })).items

test('an event that starts many is acknowledged first; its starts are made and committed in slices', async () => {
  const { sizes, wrap } = watchStarts(() => true)
  await openFat(wrap)
  expect(await world.board.pump()).toBe(1)
  expect([(await event()).length, (await world.triggers.counts()).pendingEvents, await starts()]).toEqual([1, 1, []])
  await settle(world)
  expect(sizes).toEqual([sliceSize, sliceSize, 7])
  expect(world.called).toHaveLength(count)
  expect((await world.triggers.counts()).pendingEvents).toBe(0)
})

test('a process that dies between two slices leaves the event pending, and the next one makes the rest, none twice', async () => {
  const dying = watchStarts((n) => n < 2)
  await openFat(dying.wrap)
  await world.board.pump()
  void world.triggers.ticks.pending()
  await expect.poll(() => dying.sizes.length).toBe(2)
  expect(await starts()).toHaveLength(sliceSize)

  world.restart((store) => store)
  world.clock.advance(claimedForMs + 1)
  await settle(world)
  const made = await starts()
  expect(new Set(made.map(({ subscription }) => subscription)).size).toBe(count)
  expect(made).toHaveLength(count)
  expect((await world.triggers.counts()).pendingEvents).toBe(0)
})

test('a subscription that went away between two slices is not started', async () => {
  let gone = ''
  const { wrap, sizes } = watchStarts(() => true)
  const removing = (store: Store): Store => {
    const watched = wrap(store)
    return overlay(watched, {
      ingest: async (arrival) => {
        const stored = await watched.ingest(arrival)
        if (arrival.starts?.length === sliceSize && gone === '') {
          const { items } = await world.triggers.subscriptions.list(caller, { limit: 1 })
          gone = items[0]!.id
          await world.triggers.subscriptions.remove(caller, gone)
        }
        return stored
      },
    })
  }
  await openFat(removing)
  await settle(world)
  expect(sizes).toEqual([sliceSize, sliceSize, 6])
  expect((await starts()).map(({ subscription }) => subscription)).not.toContain(gone)
})
