/** The list of agents that subscriptions start, with how each of them does. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fail } from '#kit'
import { failsWith } from '../store/fails.ts'
import { caller, connectionRow, openTriggerWorld, settle, someoneElse, subscribe } from './world.ts'
import type { Agent, TriggerWorld } from './world.ts'

const day = 24 * 3_600_000
const answered =
  (status: number, message = ''): Agent =>
  () => ({ status, headers: {}, message })

let world: TriggerWorld
let board: string
let list: string
beforeEach(async () => {
  world = await openTriggerWorld()
  board = world.board.addBoard('Launch plan')
  list = world.board.addList('Ideas')
})
afterEach(() => world.close())

const attach = async (agent: object, more: Record<string, unknown> = {}) => {
  const { id } = await subscribe(world, 'new-card', { boards: [board] }, { agent, ...more })
  world.clock.advance(1000)
  return id
}
const addCard = async () => {
  world.board.addCard(board, list, 'One', { member: someoneElse })
  await settle(world)
  world.clock.advance(1000)
}
const agents = async (filter: object = {}, by: object = {}) =>
  (await world.triggers.agents.list({ ...caller, ...by }, { limit: 50 }, filter)).items
const one = async (name: string) => (await agents({ agent: name }))[0]!
const url = 'https://agents.example/start'

test('subscriptions with the same id have the same agent, those without an id the same address', async () => {
  const first = await attach({ id: 'scribe', url })
  const second = await attach({ id: 'scribe', url: `${url}/v2` })
  const plain = await attach({ url })
  const shown = await agents()
  expect(shown.map(({ name, id, url: address }) => ({ name, id, address }))).toEqual([
    { name: url, id: null, address: url },
    { name: 'scribe', id: 'scribe', address: `${url}/v2` },
  ])
  expect(shown.map(({ subscriptions }) => subscriptions.map(({ id }) => id))).toEqual([[plain], [second, first]])
  expect(shown[1]).toMatchObject({
    moreSubscriptions: 0,
    state: 'untried',
    lastAnswer: null,
    starts: {},
    lastStartAt: null,
  })
  expect(await world.triggers.subscriptions.get(caller, first)).toMatchObject(shown[1]!.subscriptions[1]!)
})

test('pages by the newest subscription of each', async () => {
  for (const id of ['a', 'b', 'c']) await attach({ id, url })
  await attach({ id: 'a', url })
  const page = async (cursor?: string) => {
    const { items, next } = await world.triggers.agents.list(caller, { limit: 2, ...(cursor ? { cursor } : {}) })
    return { names: items.map(({ name }) => name), next }
  }
  const first = await page()
  expect(first.names).toEqual(['a', 'c'])
  expect(await page(first.next)).toEqual({ names: ['b'], next: undefined })
  await failsWith(page('nonsense'), 'invalid_input')
})

test('shows 20 subscriptions and counts the others', async () => {
  for (let n = 0; n < 22; n += 1) await attach({ id: 'scribe', url })
  const { subscriptions, moreSubscriptions } = await one('scribe')
  expect([subscriptions.length, moreSubscriptions]).toEqual([20, 2])
})

describe('health', () => {
  test('well, with its last answers and what it was started for', async () => {
    const id = await attach({ id: 'scribe', url })
    await addCard()
    await addCard()
    await world.triggers.subscriptions.test(caller, id)
    await settle(world)
    const agent = await one('scribe')
    expect(agent).toMatchObject({ state: 'well', reason: null, since: null, starts: { done: 2 } })
    expect(agent.answers).toHaveLength(3)
    expect(agent.answers[0]).toEqual({ ...agent.lastAnswer, ok: true, status: 200, subscription: id, test: true })
    expect(agent.lastStartAt).toBe((await world.triggers.subscriptions.get(caller, id)).lastStartAt)
    world.clock.advance(day)
    expect((await one('scribe')).starts).toEqual({})
  })

  test('failing, since its first refusal, though another subscription of it does well', async () => {
    await attach({ id: 'scribe', url })
    await addCard()
    const bad = await attach({ id: 'scribe', url: `${url}/bad` })
    world.agent.answer = (request) => answered(request.url === url ? 200 : 401)(request)
    await addCard()
    const since = new Date(world.clock.now() - 1000).toISOString()
    const agent = await one('scribe')
    expect(agent).toMatchObject({
      state: 'failing',
      since,
      reason: expect.stringMatching(/^The agent answered 401\..*signature/) as string,
      starts: { done: 2, dead: 1 },
    })
    expect(agent.answers.find(({ subscription }) => subscription === bad)).toMatchObject({ ok: false, status: 401 })
  })

  test('one that does not answer', async () => {
    await attach({ id: 'scribe', url })
    world.agent.answer = () => {
      throw fail('unreachable', 'The agent could not be reached or did not answer: it refused the connection.')
    }
    await addCard()
    expect(await one('scribe')).toMatchObject({
      state: 'failing',
      lastAnswer: { ok: false, status: null },
      starts: { pending: 1 },
    })
  })

  test('off after days of refusals', async () => {
    await attach({ id: 'scribe', url })
    world.agent.answer = answered(500)
    await addCard()
    const { since } = await one('scribe')
    for (let days = 0; days < 4; days += 1) {
      world.clock.advance(day)
      await addCard()
    }
    expect(await one('scribe')).toMatchObject({
      state: 'off',
      since,
      reason: expect.stringContaining('resume') as string,
    })
  })

  test('paused, if nothing of it waits for events', async () => {
    const ids = [await attach({ id: 'scribe', url }), await attach({ id: 'scribe', url })]
    await addCard()
    await world.triggers.subscriptions.pause(caller, ids[0]!)
    expect((await one('scribe')).state).toBe('well')
    await world.triggers.subscriptions.pause(caller, ids[1]!)
    expect(await one('scribe')).toMatchObject({ state: 'paused', reason: 'It was paused by hand.' })
  })
})

describe('who sees it', () => {
  beforeEach(async () => {
    await world.store.connections.add(
      connectionRow(world.vault, { id: 'con_2', name: 'Other', secretToken: 'token-1' }),
    )
    await attach({ id: 'first', url }, { connection: 'con_1' })
    await attach({ id: 'second', url }, { connection: 'con_2' })
    await attach({ id: 'of-ada', url }, { connection: 'con_1', person: 'ada' })
  })
  const names = async (filter: object, by: object) => (await agents(filter, by)).map(({ name }) => name)

  test('a token bound to connections or to a person sees its own, another tenant nothing', async () => {
    expect(await names({}, {})).toEqual(['of-ada', 'second', 'first'])
    expect(await names({}, { connections: ['con_2'] })).toEqual(['second'])
    expect(await names({ agent: 'first' }, { connections: ['con_2'] })).toEqual([])
    expect(await names({}, { person: 'ada', usable: ['con_1', 'con_2'] })).toEqual(['of-ada'])
    expect(await names({ person: 'bob' }, { person: 'ada', usable: ['con_1'] })).toEqual([])
    expect(await names({}, { tenant: 'another' })).toEqual([])
  })

  test('events and starts can be filtered by the agent and the trigger that they started', async () => {
    const moved = await subscribe(
      world,
      'card-moved',
      { boards: [board] },
      { agent: { id: 'mover', url }, connection: 'con_1' },
    )
    await addCard()
    const { events, starts } = world.triggers
    const count = async (filter: Record<string, string>, by: object = {}) => [
      (await events.list({ ...caller, ...by }, { limit: 50 }, filter)).items.length,
      (await starts.list({ ...caller, ...by }, { limit: 50 }, filter)).items.length,
    ]
    // Each connection receives the event.
    expect(await count({})).toEqual([2, 3])
    expect(await count({ agent: 'first' })).toEqual([1, 1])
    expect(await count({ agent: 'second' })).toEqual([1, 1])
    expect(await count({ agent: 'mover' })).toEqual([0, 0])
    expect(await count({ agent: 'nobody' })).toEqual([0, 0])
    expect(await count({ trigger: 'new-card' })).toEqual([2, 3])
    expect(await count({ trigger: 'card-moved' })).toEqual([0, 0])
    const about = async (id: string) => (await events.list(caller, { limit: 9 }, { about: id })).items.length
    const { subject, container } = (await events.list(caller, { limit: 1 })).items[0]!
    expect([container, await about(subject!), await about(board), await about('none')]).toEqual([board, 2, 2, 0])
    expect(await count({ agent: 'first', trigger: 'card-moved' })).toEqual([0, 0])
    expect(await count({ agent: 'first' }, { connections: ['con_2'] })).toEqual([0, 0])
    expect(await count({ agent: 'first' }, { person: 'ada', usable: ['con_1'] })).toEqual([0, 0])
    expect((await starts.list(caller, { limit: 9 }, { agent: 'first', person: 'ada' })).items).toEqual([])
    await world.triggers.subscriptions.remove(caller, moved.id)
  })

  test('filters', async () => {
    expect(await names({ connection: 'con_2' }, {})).toEqual(['second'])
    expect(await names({ person: 'ada' }, {})).toEqual(['of-ada'])
    expect(await names({ integration: 'anz-data' }, {})).toEqual([])
  })
})
