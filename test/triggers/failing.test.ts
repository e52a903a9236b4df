/** What a subscription says of an agent that refuses its starts, and of one that takes them again. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fail } from '#kit'
import { createNotificationTargets } from '../../shared/runtime/triggers/index.ts'
import type { PlatformNotification } from '../../shared/runtime/triggers/index.ts'
import { caller, openTriggerWorld, settle, someoneElse, start0, subscribe, tenant } from './world.ts'
import type { Agent, TriggerWorld, TriggerWorldOptions } from './world.ts'

const hour = 3_600_000
const platform = 'https://platform.example/notifications'
const answered =
  (status: number, message = ''): Agent =>
  () => ({ status, headers: {}, message })
const unreachable: Agent = () => {
  throw fail('unreachable', 'The agent could not be reached or did not answer: it refused the connection.')
}

let world: TriggerWorld
let board: string
let list: string
let agent: Agent

const open = async (options: TriggerWorldOptions = {}) => {
  world = await openTriggerWorld(options)
  agent = answered(200)
  world.agent.answer = (request) =>
    request.url === platform ? { status: 200, headers: {}, message: '' } : agent(request)
  await world.store.tenants.add({ id: tenant, name: 'One', createdAt: start0 })
  const { store, vault, clock } = world
  const wire = { checkTarget: () => {} } as never
  await createNotificationTargets({ store, vault, clock, wire, onNotification: undefined }).put(caller, {
    url: platform,
  })
  board = world.board.addBoard('Launch plan')
  list = world.board.addList('Ideas')
}
beforeEach(() => open())
afterEach(() => world.close())

const attach = async (more: Record<string, unknown> = {}) => {
  const { id } = await subscribe(world, 'new-card', { boards: [board] }, more)
  world.clock.advance(1000)
  return id
}
const addCard = async (name = 'One') => {
  world.board.addCard(board, list, name, { member: someoneElse })
  await settle(world)
}
const shown = (id: string) => world.triggers.subscriptions.get(caller, id)
const listNotifications = () =>
  world.requests
    .filter(({ url }) => url === platform)
    .map(({ body }) => JSON.parse(body) as PlatformNotification)
    .filter(({ type }) => type === 'subscription.unhealthy')

test('the first refused start makes it failing, with the answer and what to do; it is told once', async () => {
  const id = await attach()
  agent = answered(500, 'the private words of somebody')
  await addCard()
  const row = await shown(id)
  expect(row).toMatchObject({
    state: 'failing',
    stateReason: expect.stringMatching(/^The agent answered 500\b.*log of the agent/) as string,
    stateAt: new Date(world.clock.now()).toISOString(),
  })
  expect(row.stateReason).not.toContain('private words')
  expect(listNotifications()).toMatchObject([{ data: { subscription: id, state: 'failing', reason: row.stateReason } }])
  expect((await world.triggers.subscriptions.list(caller, { limit: 9 }, { state: 'failing' })).items).toMatchObject([
    { id },
  ])
  expect((await world.triggers.subscriptions.list(caller, { limit: 9 }, { state: 'active' })).items).toEqual([])

  // A later refusal changes the reason, and is not told again.
  agent = answered(401)
  await addCard('Two')
  expect(await shown(id)).toMatchObject({
    state: 'failing',
    stateReason: expect.stringMatching(/answered 401.*signature/) as string,
  })
  expect(listNotifications()).toHaveLength(1)
})

test.each([
  ['a redirect', answered(302), /answered 302.*final address/],
  ['an unknown path', answered(404), /answered 404.*address/],
  ['too many starts', answered(429), /answered 429/],
  ['silence', unreachable, /could not be reached.*running/],
])('the reason for %s says what to do', async (_, answer, reason) => {
  const id = await attach()
  agent = answer
  await addCard()
  expect(await shown(id)).toMatchObject({ state: 'failing', stateReason: expect.stringMatching(reason) as string })
})

test('a start that is taken makes it active again, a repeated or test start too; it still starts its agent meanwhile', async () => {
  const id = await attach()
  agent = answered(503)
  await addCard()
  expect((await shown(id)).state).toBe('failing')
  agent = answered(202)
  world.clock.advance(10_000)
  await settle(world)
  expect(await shown(id)).toMatchObject({ state: 'active', stateReason: null })
  agent = unreachable
  await world.triggers.subscriptions.test(caller, id)
  await settle(world)
  expect((await shown(id)).state).toBe('failing')
  agent = answered(200)
  await world.triggers.subscriptions.test(caller, id)
  await settle(world)
  expect((await shown(id)).state).toBe('active')
  // What turned within the same hour waits for its end, and is over by then.
  world.clock.advance(2 * hour)
  await settle(world)
  expect(listNotifications()).toHaveLength(1)
})

test('many refusals at once are one turn: it is told once, also after the hour', async () => {
  const id = await attach()
  agent = async () => {
    await new Promise<void>((resolve) => setImmediate(resolve))
    return { status: 404, headers: {}, message: '' }
  }
  for (let n = 0; n < 8; n += 1) world.board.addCard(board, list, `Card ${n}`, { member: someoneElse })
  await settle(world)
  expect((await shown(id)).state).toBe('failing')
  world.clock.advance(2 * hour)
  await settle(world)
  expect(listNotifications()).toHaveLength(1)
})

test('another address or secret is not held against it; a pause by hand stays one', async () => {
  const id = await attach()
  agent = answered(404)
  await addCard()
  expect((await shown(id)).state).toBe('failing')
  await world.triggers.subscriptions.patch(caller, id, { agent: { url: 'https://agents.example/moved' } })
  expect(await shown(id)).toMatchObject({ state: 'active', stateReason: null })
  await world.triggers.subscriptions.pause(caller, id)
  await world.triggers.subscriptions.test(caller, id)
  await settle(world)
  expect(await shown(id)).toMatchObject({ state: 'paused', stateReason: 'It was paused by hand.' })
})

test('an account that must be reconnected comes first, and the agent is still failing afterwards', async () => {
  const id = await attach()
  agent = answered(404)
  await addCard()
  await world.store.connections.patch(tenant, 'con_1', {
    state: 'needs_reconnect',
    stateReason: 'The token was revoked.',
  })
  await world.triggers.connectionChanged(tenant, 'con_1')
  expect((await shown(id)).state).toBe('paused_auth')
  await world.store.connections.patch(tenant, 'con_1', { state: 'connected', stateReason: null })
  await world.triggers.connectionChanged(tenant, 'con_1')
  expect(await shown(id)).toMatchObject({
    state: 'failing',
    stateReason: expect.stringMatching(/answered 404/) as string,
  })
})

test('a process that ends between the answer and the state: the next one says it', async () => {
  const id = await attach()
  agent = answered(404)
  const { store } = world
  const patch = store.subscriptions.patch.bind(store.subscriptions)
  store.subscriptions.patch = () => Promise.reject(fail('unavailable', 'The store is gone.'))
  await addCard()
  store.subscriptions.patch = patch
  expect((await shown(id)).state).toBe('active')
  world.restart()
  await world.triggers.ticks.accounts()
  expect((await shown(id)).state).toBe('failing')
})

test('a callback of the library that throws is failing too', async () => {
  await world.close()
  let isBroken = true
  await open({
    onStart: async () => {
      if (isBroken) throw new TypeError('private')
    },
  })
  const id = await attach({ agent: {} })
  await addCard()
  expect(await shown(id)).toMatchObject({
    state: 'failing',
    stateReason: expect.stringMatching(/onStart.*TypeError/) as string,
  })
  isBroken = false
  await addCard('Two')
  expect((await shown(id)).state).toBe('active')
})
