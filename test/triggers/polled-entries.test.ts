import { expect, test } from 'vitest'
import type { Integration, Json } from '#kit'
import { foundEvent } from '../../shared/runtime/triggers/admit.ts'
import { openTracker } from './tracker.ts'
import { tenant } from './world.ts'

/** An integration whose polls find nothing and cannot read these entries. */
const polling =
  (undecodable: Json[]) =>
  (integration: Integration): Integration => ({
    ...integration,
    triggers: integration.triggers!.map((trigger) => ({
      ...trigger,
      poll: {
        resources: () => ['log'],
        fetch: () => Promise.resolve({ items: [], cursor: undefined, undecodable }),
        pick: () => [],
      },
    })),
  })

test('an entry that a poll cannot read is kept once for a person to look at', async () => {
  const entry = { id: 7, at: 'soon' }
  const { subscribe, triggers, clock, store } = await openTracker(polling([entry]))
  await subscribe('opened', '7', { delivery: 'poll' })
  for (let poll = 0; poll < 2; poll += 1) {
    await triggers.ticks.scans()
    clock.advance(10 * 60_000)
  }
  const { items } = await store.undecodable.list(tenant, { limit: 9 })
  expect(items.map(({ raw }) => JSON.parse(Buffer.from(raw!).toString()) as Json)).toEqual([entry])
})

test('a find says who did it, by id alone or with name and kind', () => {
  const find = { key: '1', at: '2026-03-02T10:00:00.000Z', data: {} }
  const bot = { id: 'b1', name: 'Relay', kind: 'bot' }
  const actors = ['u1', bot, undefined].map((actor) => foundEvent('opened', { ...find, ...(actor && { actor }) }).actor)
  expect(actors).toEqual([{ id: 'u1' }, bot, undefined])
})
