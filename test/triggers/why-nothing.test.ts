/** Why a stored event started a subscription of its connection, or did not. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { caller, openTriggerWorld, ourApp, me, overlay, settle, someoneElse, subscribe, tenant } from './world.ts'
import type { TriggerWorld } from './world.ts'

const minute = 60_000
const day = 24 * 3_600_000
let world: TriggerWorld
let board: string
let ideas: string
let done: string
const person = { member: someoneElse }

beforeEach(async () => {
  world = await openTriggerWorld()
  board = world.board.addBoard('Launch plan')
  ideas = world.board.addList('Ideas')
  done = world.board.addList('Done')
})
afterEach(() => world.close())

const attach = async (trigger: string, config: object = {}, more: Record<string, unknown> = {}) => {
  const { id } = await subscribe(world, trigger, { boards: [board], ...config }, more)
  world.clock.advance(1000)
  return id
}
const addCard = async (list = ideas) => {
  const { id, data } = world.board.addCard(board, list, 'One', person)
  await settle(world)
  return { event: id, card: data.card.id as string }
}
const explain = async (event: string, subscription: string, by: object = {}) => {
  const { subscriptions } = await world.triggers.events.get({ ...caller, ...by }, event)
  return subscriptions.find((entry) => entry.subscription === subscription)
}

test('those that it started come first, with their starts; those of other connections are not listed', async () => {
  const started = await attach('new-card')
  const newer = await attach('card-moved')
  const { event } = await addCard()
  const shown = await world.triggers.events.get(caller, event)
  const start = shown.starts[0]!.id
  expect(shown.subscriptions).toEqual([
    {
      subscription: started,
      trigger: 'new-card',
      agent: 'agent-1',
      starts: true,
      why: null,
      reason: null,
      fields: [],
      start,
    },
    expect.objectContaining({ subscription: newer, starts: false, why: 'type', start: null }),
  ])
  expect(shown.moreSubscriptions).toBe(0)
})

test('shows 100 and counts the others', async () => {
  for (let n = 0; n < 103; n += 1) await subscribe(world, 'card-moved', { boards: [board] })
  const started = await subscribe(world, 'new-card', { boards: [board] })
  for (let n = 0; n < 3; n += 1) await subscribe(world, 'card-moved', { boards: [board] })
  world.clock.advance(1000)
  const { event } = await addCard()
  const { subscriptions, moreSubscriptions } = await world.triggers.events.get(caller, event)
  expect([subscriptions.length, moreSubscriptions]).toEqual([100, 7])
  expect(subscriptions[0]).toMatchObject({ subscription: started.id, starts: true })
})

describe('it looks for something else', () => {
  test('another type, another board', async () => {
    const moved = await attach('card-moved')
    const other = world.board.addBoard('Support desk')
    const elsewhere = await attach('new-card', { boards: [other] })
    // Without a subscription that watches the board, nothing would be delivered.
    await attach('new-card')
    const { event } = await addCard()
    expect(await explain(event, moved)).toMatchObject({
      starts: false,
      why: 'type',
      reason: expect.stringContaining('createCard') as string,
    })
    expect(await explain(event, elsewhere)).toMatchObject({ starts: false, why: 'model', fields: ['boards'] })
  })

  test('the field of its config is named', async () => {
    const id = await attach('new-card', { lists: [done] })
    const { event } = await addCard(ideas)
    expect(await explain(event, id)).toMatchObject({ starts: false, why: 'config', fields: ['lists'] })
  })

  test('it is polled', async () => {
    const id = await attach('card-due-date-reminder')
    await attach('new-card')
    const { event } = await addCard()
    expect(await explain(event, id)).toMatchObject({ starts: false, why: 'polled' })
  })
})

describe('it was not waiting then', () => {
  test('it was attached later', async () => {
    await attach('card-moved')
    const { event } = await addCard()
    world.clock.advance(day)
    const id = await attach('new-card')
    expect(await explain(event, id)).toMatchObject({ starts: false, why: 'before_start' })
  })

  test('it is paused since before', async () => {
    await attach('card-moved')
    const id = await attach('new-card')
    await world.triggers.subscriptions.pause(caller, id)
    world.clock.advance(minute)
    const { event } = await addCard()
    expect(await explain(event, id)).toMatchObject({
      starts: false,
      why: 'paused',
      reason: expect.stringContaining('Resume it') as string,
    })
  })

  test('it was paused yesterday and is resumed since', async () => {
    await attach('card-moved')
    const id = await attach('new-card')
    const other = await attach('new-card', { lists: [done] })
    world.clock.advance(day)
    const before = await addCard()
    world.clock.advance(day)
    for (const each of [id, other]) await world.triggers.subscriptions.pause(caller, each)
    world.clock.advance(day)
    const meanwhile = await addCard()
    world.clock.advance(day)
    for (const each of [id, other]) await world.triggers.subscriptions.resume(caller, each)
    expect(await explain(meanwhile.event, id)).toMatchObject({
      starts: false,
      why: 'paused',
      reason: expect.stringMatching(/was resumed later/) as string,
    })
    // Before the pause it was waiting: one was started, and only the config of the other explains why it was not.
    expect(await explain(before.event, id)).toMatchObject({ starts: true, why: null })
    expect(await explain(before.event, other)).toMatchObject({ starts: false, why: 'config', fields: ['lists'] })
  })
})

test('one of our own runs caused it', async () => {
  const id = await attach('new-comment-added-to-card')
  const { card } = await addCard()
  world.clock.advance(minute)
  world.own.began(tenant, 'run-1', null)
  const action = world.board.comment(card, 'done', {
    member: me,
    app: ourApp,
    mark: world.own.correlationIdOf('run-1'),
  })
  await settle(world)
  expect(await explain(action.id, id)).toMatchObject({
    starts: false,
    why: 'own_event',
    reason: expect.stringContaining('ownEvents') as string,
  })
})

test('its settings were changed since', async () => {
  const id = await attach('new-card', { lists: [done] })
  const { event } = await addCard(ideas)
  expect(await explain(event, id)).toMatchObject({ why: 'config' })
  await world.triggers.subscriptions.patch(caller, id, { config: { boards: [board] } })
  expect(await explain(event, id)).toMatchObject({ starts: false, why: 'changed', start: null })
  // A start stays one, whatever the settings are now.
  const { event: later } = await addCard(ideas)
  await world.triggers.subscriptions.patch(caller, id, { config: { boards: [board], lists: [done] } })
  expect(await explain(later, id)).toMatchObject({ starts: true, why: null })
})

test('facts are missing: without the scope to read them, and while they are being read', async () => {
  const id = await attach('new-checklist', { lists: [done] })
  const { card } = await addCard(ideas)
  const action = world.board.checklist(card, person)
  await settle(world)
  expect(await explain(action.id, id, { scopes: ['read'] })).toMatchObject({
    starts: 'unknown',
    why: 'facts',
    reason: expect.stringContaining('"subscriptions"') as string,
  })
  const pending = world.board.checklist(card, person)
  await world.board.pump()
  expect(await explain(pending.id, id)).toMatchObject({ starts: 'unknown', why: 'pending' })
})

test('the payload was removed: what the row says is still told, and the rest is unknown', async () => {
  const started = await attach('new-card')
  const moved = await attach('card-moved')
  const filtered = await attach('new-card', { lists: [done] })
  const { event } = await addCard()
  const { store } = world
  world.restart(() =>
    overlay(store, {
      events: overlay(store.events, {
        byId: async (...asked) => (await store.events.byId(...asked)).map((row) => ({ ...row, raw: null })),
      }),
    }),
  )
  expect(await explain(event, started)).toMatchObject({ starts: true, why: null })
  expect(await explain(event, moved)).toMatchObject({ starts: false, why: 'type' })
  expect(await explain(event, filtered)).toMatchObject({
    starts: 'unknown',
    why: 'facts',
    reason: expect.stringContaining('Retention') as string,
  })
})

test('an event that a poll found is compared with the polls alone', async () => {
  const { id: member } = await subscribe(world, 'new-board', {})
  const moved = await attach('card-moved')
  const [row] = (await world.store.subscriptions.list(tenant, { limit: 1 }, { trigger: 'new-board' })).items
  await world.store.ingest({
    events: [
      {
        tenant,
        connection: row!.connection,
        id: 'found-1',
        integration: 'work-board',
        hook: null,
        type: 'new-board',
        at: world.clock.now(),
        receivedAt: world.clock.now(),
        via: 'poll',
        causedByUs: 'unknown',
        runId: null,
        depth: 0,
        subject: null,
        container: null,
        state: 'matched',
        attempts: 0,
        dueAt: 0,
        raw: Buffer.from(JSON.stringify({ found: {} })),
        summary: null,
      },
    ],
    starts: [],
  })
  expect(await explain('found-1', moved)).toMatchObject({ starts: false, why: 'type' })
  expect(await explain('found-1', member)).toMatchObject({ starts: false, why: 'config' })
})

test('a person sees what was attached for them', async () => {
  await attach('new-card')
  const mine = await attach('new-card', {}, { person: 'person-1' })
  const { event } = await addCard()
  const { subscriptions, moreSubscriptions } = await world.triggers.events.get(
    { ...caller, person: 'person-1', usable: ['con_1'] },
    event,
  )
  expect([subscriptions.map(({ subscription }) => subscription), moreSubscriptions]).toEqual([[mine], 0])
})
