import { expect, test } from 'vitest'
import { idIn } from '#kit'
import type { Event, HistoryMark } from '#kit'
import { openTracker } from './tracker.ts'

const minute = 60_000
/** As a chat would say it: seconds and a counter, unique in its channel only. */
const positionOf = ({ at, id }: Event) => `${Math.floor(Date.parse(at) / 1000)}.${id.slice(-6)}`

test('the position of the newest listed fact is stored, survives a restart and is given back', async () => {
  const asked: (HistoryMark | undefined)[] = []
  const world = await openTracker((integration, { source }) => ({
    ...integration,
    webhooks: {
      ...source,
      history: async (ctx, model, request) => {
        if (request.limit === undefined) asked.push(request.since)
        const listing = (await source.history(ctx, model, request))!
        // A fact that has no position of its own, the last one, must not lose the last that is known.
        const events = listing.events.map((event, n) =>
          event.type === 'closed' && n === listing.events.length - 1
            ? event
            : { ...event, position: positionOf(event) },
        )
        return { ...listing, events }
      },
    },
  }))
  await world.subscribe('opened')
  const sweep = async () => {
    world.clock.advance(60 * minute)
    await world.triggers.ticks.upkeep()
  }
  await sweep()
  expect(asked.at(-1)).not.toHaveProperty('position')
  world.tracker.happen('opened')
  const second = world.tracker.happen('opened')
  await sweep()
  const position = positionOf({ at: second.at, id: String(second.id) } as Event)
  world.restart()
  await world.triggers.ticks.upkeep()
  const third = world.tracker.happen('closed')
  await sweep()
  expect(asked.at(-1)).toEqual({ at: Date.parse(second.at), id: String(second.id), position })
  await sweep()
  expect(asked.at(-1)).toEqual({ at: Date.parse(third.at), id: String(third.id), position })
})

test('a gap says why no history holds its type', async () => {
  const why = 'The tracker does not keep who has seen what.'
  const world = await openTracker((integration, { source }) => ({
    ...integration,
    webhooks: { ...source, whyWebhookOnly: { seen: why } },
  }))
  await world.subscribe('seen')
  world.clock.advance(minute)
  expect(await world.deliver(world.tracker.happen('seen'), { secret: 'forged' })).toEqual({ status: 401 })
  await world.settle()
  expect((await world.gaps()).map(({ kind, reason }) => [kind, reason.endsWith(` ${why}`)])).toEqual([['seen', true]])
})

test('an id that is unique in its container becomes one that is unique in the connection', () => {
  expect(idIn({ kind: 'channel', id: 'C1' }, '1712345678.000200')).toBe('channel:C1/1712345678.000200')
  const pairs = ['a', 'a/b', 'a%2Fb', 'a%', ''].flatMap((id) =>
    ['1', 'b/1', '%2Fb/1', ''].map((local) => ({ id, local })),
  )
  const ids = pairs.map(({ id, local }) => idIn({ kind: 'channel', id }, local))
  expect(new Set(ids).size).toBe(pairs.length)
})
