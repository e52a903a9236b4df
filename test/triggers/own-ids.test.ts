import { expect, test } from 'vitest'
import type { Event, Integration, WebhookSource } from '#kit'
import { openTracker } from './tracker.ts'
import { tenant } from './world.ts'

/** A bot that acts in the account "41" of the connection, beside people. */
const bot = 77
const person = 99
const minute = 60_000

const opened = async (change?: (integration: Integration) => Integration) => {
  const world = await openTracker(change)
  await world.store.connections.patch(tenant, 'con_1', { ownIds: [String(bot)] })
  await world.triggers.connectionChanged(tenant, 'con_1')
  const causes = async () => {
    const { items } = await world.triggers.events.list({ tenant }, { limit: 9 })
    return items.toSorted((a, b) => a.id.localeCompare(b.id)).map(({ causedByUs, via }) => [via, causedByUs])
  }
  return { ...world, causes, startedFor: () => world.called.map(({ data }) => data.id) }
}

test('what an own id does starts nothing, whichever way it comes; what others do does', async () => {
  const { tracker, subscribe, deliver, triggers, clock, causes, startedFor, settle } = await opened()
  await subscribe('opened')
  clock.advance(minute)
  await deliver(tracker.happen('opened', { actor: bot }))
  const byPerson = tracker.happen('opened', { actor: person })
  await deliver(byPerson)
  expect(startedFor()).toEqual([String(byPerson.id)])

  // The next two are never delivered, so the history of the provider tells of them.
  tracker.happen('opened', { actor: bot })
  const missed = tracker.happen('opened', { actor: person })
  await triggers.subscriptions.recover(
    { tenant },
    (await triggers.subscriptions.list({ tenant }, { limit: 1 })).items[0]!.id,
  )
  await settle()
  expect(startedFor()).toEqual([byPerson, missed].map(({ id }) => String(id)))
  expect(await causes()).toEqual([
    ['webhook', true],
    ['webhook', false],
    ['recovery', true],
    ['recovery', false],
  ])
})

test('polls of a history know own ids, too', async () => {
  const { tracker, subscribe, triggers, clock, settle, startedFor } = await opened()
  await subscribe('opened', '7', { delivery: 'poll' })
  await triggers.ticks.scans()
  clock.advance(10 * minute)
  tracker.happen('opened', { actor: bot })
  const byPerson = tracker.happen('opened', { actor: person })
  clock.advance(minute)
  await triggers.ticks.scans()
  await settle()
  expect(startedFor()).toEqual([String(byPerson.id)])
})

const saysWhose = (source: WebhookSource): WebhookSource => {
  const marked = (event: Event): Event => {
    const { note } = event.raw as { note?: string }
    return note === undefined ? event : { ...event, own: note === 'ours' }
  }
  const all = <T extends { events: Event[] }>(decoded: T): T => ({ ...decoded, events: decoded.events.map(marked) })
  return {
    ...source,
    decode: (delivery, via) => all(source.decode(delivery, via)),
    history: async (ctx, model, asked) => {
      const listing = await source.history(ctx, model, asked)
      return listing && all(listing)
    },
  }
}

test('an event that says whose it is decides, also against the actor', async () => {
  const { tracker, subscribe, deliver, startedFor, causes, clock } = await opened((integration) => ({
    ...integration,
    webhooks: saysWhose(integration.webhooks!),
  }))
  await subscribe('opened')
  clock.advance(minute)
  await deliver(tracker.happen('opened', { actor: person, note: 'ours' }))
  const byHand = tracker.happen('opened', { actor: bot, note: 'by hand' })
  await deliver(byHand)
  expect(startedFor()).toEqual([String(byHand.id)])
  expect(await causes()).toEqual([
    ['webhook', true],
    ['webhook', false],
  ])
})

test('an own event is told from others of the run that wrote it, where there was one', async () => {
  const { tracker, subscribe, deliver, own, store, clock } = await opened()
  await subscribe('opened')
  clock.advance(minute)
  const written = { integration: 'tracker', connection: 'con_1', step: 'open', startId: null, method: 'POST' }
  own.wrote({ ...written, tenant, runId: 'run-1', path: '/issues/7', body: {}, reply: {} })
  await deliver(tracker.happen('opened', { actor: bot, issue: 7 }))
  await deliver(tracker.happen('opened', { actor: bot, issue: 8 }))
  const { items } = await store.events.list(tenant, { limit: 9 })
  expect(items.toSorted((a, b) => a.id.localeCompare(b.id)).map(({ runId }) => runId)).toEqual(['run-1', null])
})

test('a match may need the ids that we act under', async () => {
  const seen: unknown[] = []
  const { tracker, subscribe, deliver, clock } = await opened((integration) => ({
    ...integration,
    triggers: integration.triggers!.map((trigger) => ({
      ...trigger,
      webhook: {
        ...trigger.webhook!,
        needs: () => ['ownIds'],
        match: (_event, _config, { ownIds }) => {
          seen.push(ownIds)
          return { id: 'x' }
        },
      },
    })),
  }))
  await subscribe('opened')
  clock.advance(minute)
  await deliver(tracker.happen('opened'))
  expect(seen).toEqual([[String(bot)]])
})

test('a connection of before has no own ids, and its events are judged as they were', async () => {
  const { tracker, subscribe, deliver, store, triggers, clock, startedFor } = await opened()
  await store.connections.patch(tenant, 'con_1', { ownIds: null })
  await triggers.connectionChanged(tenant, 'con_1')
  await subscribe('opened')
  clock.advance(minute)
  const byBot = tracker.happen('opened', { actor: bot })
  await deliver(byBot)
  expect(startedFor()).toEqual([String(byBot.id)])
})
