/** What the platform is told of subscriptions, starts and gaps, with time that only the test moves. */
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createNotificationTargets } from '../../shared/runtime/triggers/index.ts'
import type { PlatformNotification } from '../../shared/runtime/triggers/index.ts'
import type { Notice, Store } from '../../shared/runtime/ports/index.ts'
import { createMemoryStore, openSqliteStore } from '../../shared/store/index.ts'
import { testFolder } from '../store/folder.ts'
import {
  caller,
  connectionRow,
  handClock,
  live,
  openTriggerWorld,
  overlay,
  settle,
  someoneElse,
  start0,
  subscribe,
  tenant,
} from './world.ts'
import type { TriggerWorld, TriggerWorldOptions } from './world.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const person = { member: someoneElse }
const platform = 'https://platform.example/notifications'
const secret = `whsec_${Buffer.alloc(24, 5).toString('base64')}`

let world: TriggerWorld
let board: string
let list: string
/** Status by address. */
let status: { agent: number; platform: number }

const targetsOf = ({ store, vault, clock }: TriggerWorld) =>
  createNotificationTargets({
    store,
    vault,
    clock,
    wire: { checkTarget: () => {} } as never,
    onNotification: undefined,
  })
const open = async (options: TriggerWorldOptions = {}) => {
  world = await openTriggerWorld(options)
  status = { agent: 200, platform: 200 }
  world.agent.answer = ({ url }) => ({
    status: url === platform ? status.platform : status.agent,
    headers: {},
    message: '',
  })
  if (!(await world.store.tenants.get(tenant)))
    await world.store.tenants.add({ id: tenant, name: 'One', createdAt: start0 })
  board = world.board.addBoard('Launch plan')
  list = world.board.addList('Ideas')
}
beforeEach(async () => {
  await open()
  await targetsOf(world).put(caller, { url: platform, secret })
})
afterEach(() => world.close())

const attach = async (more: Record<string, unknown> = {}) => {
  const made = await subscribe(
    world,
    'new-card',
    { boards: [board] },
    { externalId: 'flow-7', labels: { team: 'blue' }, ...more },
  )
  world.clock.advance(1000)
  return made
}
const addCard = async (name = 'One') => {
  world.board.addCard(board, list, name, person)
  await settle(world)
}
const sent = () => world.requests.filter(({ url }) => url === platform)
const listNotifications = () => sent().map(({ body }) => JSON.parse(body) as PlatformNotification)
const agentCalls = () => world.requests.filter(({ url }) => url !== platform)
/** Moves on from one due time to the next, for so long. */
const pass = async (ms: number) => {
  const end = world.clock.now() + ms
  for (;;) {
    await settle(world)
    const dueAt = await world.store.starts.nextDueAt()
    if (dueAt === undefined || dueAt > end) break
    world.clock.advance(Math.max(1, dueAt - world.clock.now()))
  }
  world.clock.advance(Math.max(0, end - world.clock.now()))
  await settle(world)
}

describe('a dead start', () => {
  // A refused start is told of its subscription too, see failing.test.ts.
  beforeEach(() => targetsOf(world).put(caller, { url: platform, types: ['start.dead'] }))

  test('is told with the id and labels of its subscription, signed by Standard Webhooks', async () => {
    const made = await attach()
    status.agent = 400
    await addCard()
    const [dead] = (await world.triggers.starts.list(caller, { limit: 9 }, { state: 'dead' })).items
    const [request] = sent()
    expect(sent()).toHaveLength(1)
    expect(listNotifications()[0]).toMatchObject({
      type: 'start.dead',
      data: {
        tenant,
        start: dead!.id,
        subscription: made.id,
        agent: 'agent-1',
        externalId: 'flow-7',
        labels: { team: 'blue' },
        status: 400,
        attempts: 1,
        // What happened, as the start itself says it.
        summary: expect.stringMatching(/ created the card One in /),
      },
    })
    expect(request!.headers['webhook-id']).toBe(listNotifications()[0]!.data.id)
    expect(request!.headers['webhook-signature']).toBe(
      new Webhook(secret).sign(listNotifications()[0]!.data.id, new Date(world.clock.now()), request!.body),
    )
    expect((await world.triggers.starts.list(caller, { limit: 9 })).items).toHaveLength(1)
    expect(
      (await world.triggers.starts.list(caller, { limit: 9 }, { subscription: 'notifications' })).items,
    ).toMatchObject([{ state: 'done' }])
  })

  test('a hundred of them are two notifications: the first, and the rest at the end of the window', async () => {
    await attach()
    status.agent = 400
    for (let n = 0; n < 100; n += 1) await addCard(`Card ${n}`)
    expect(listNotifications()).toHaveLength(1)
    await pass(10 * minute)
    expect(listNotifications().map(({ data }) => data.since !== undefined)).toEqual([false, true])
    expect(new Set(listNotifications().map(({ data }) => data.id)).size).toBe(2)
    await pass(day)
    expect(listNotifications()).toHaveLength(2)
  })

  test('a notification is retried like a start, under the same id, and does not hold the agents up', async () => {
    await attach()
    status.agent = 400
    status.platform = 500
    await addCard()
    status.agent = 200
    await addCard('Two')
    expect(agentCalls()).toHaveLength(2)
    await pass(hour)
    expect(new Set(sent().map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(sent()).toHaveLength(4)
    status.platform = 204
    await pass(day)
    expect(sent()).toHaveLength(5)
  })

  test('one the platform refused is dead, makes no other, and can be sent again', async () => {
    await attach()
    status.agent = 400
    status.platform = 404
    await addCard()
    await pass(day)
    expect(
      (await world.triggers.starts.list(caller, { limit: 9 }, { subscription: 'notifications' })).items,
    ).toMatchObject([{ state: 'dead' }])
    expect(sent()).toHaveLength(1)
    status.platform = 200
    expect(await world.triggers.starts.replayAll(caller, { subscription: 'notifications' })).toEqual({ replayed: 1 })
    await settle(world)
    expect(sent().map(({ headers }) => headers['webhook-id'])).toEqual([
      listNotifications()[0]!.data.id,
      listNotifications()[0]!.data.id,
    ])
  })

  test('only chosen types are told, of this tenant alone, and none without an address', async () => {
    await attach()
    status.agent = 400
    await targetsOf(world).put(caller, { url: platform, types: ['gap.found'] })
    await addCard()
    await targetsOf(world).remove(caller)
    await world.store.notifications.put({
      tenant: 't2',
      url: platform,
      types: null,
      secrets: {},
      previousUntil: null,
      createdAt: 0,
      updatedAt: 0,
    })
    await addCard('Two')
    await pass(day)
    expect(sent()).toEqual([])
  })
})

describe('a process that is killed', () => {
  test('between commit and delivery: the next one sends it; before the commit: nothing is told that is not so', async () => {
    const directory = await testFolder()
    const clock = handClock()
    const opening = () => openSqliteStore({ directory, now: clock.now })
    await open({ store: await opening(), clock })
    await targetsOf(world).put(caller, { url: platform, secret, types: ['start.dead'] })
    const made = await attach()
    status.agent = 400
    world.board.addCard(board, list, 'One', person)
    await world.board.pump()
    await world.triggers.ticks.pending()
    // One round: the start dies, and what reports it waits beside.
    await (
      await world.triggers.ticks.dispatchOnce()
    ).calls
    expect((await world.triggers.starts.list(caller, { limit: 9 }, { state: 'dead' })).items).toHaveLength(1)
    expect(sent()).toEqual([])
    const before = world
    await world.store.close()

    const store = await opening()
    const again = await openTriggerWorld({
      store: overlay(store, { connections: overlay(store.connections, { add: async () => {} }) }),
      clock,
    })
    again.agent.answer = ({ url }) => ({ status: url === platform ? 200 : 400, headers: {}, message: '' })
    world = again
    await settle(world)
    expect(listNotifications()).toMatchObject([
      { type: 'start.dead', data: { subscription: made.id, externalId: 'flow-7' } },
    ])
    expect(before.requests.filter(({ url }) => url === platform)).toEqual([])

    // The end of the next one cannot be written: it is neither dead nor told.
    const failing = overlay(store, {
      starts: overlay(store.starts, { end: () => Promise.reject(new Error('killed')) }),
    })
    const beside = world.restart(() => failing)
    await beside.ticks.ready()
    await beside.starts.replayAll(caller, { subscription: made.id })
    await (
      await beside.ticks.dispatchOnce()
    ).calls
    expect((await store.starts.list(tenant, { limit: 9 }, { state: 'dead' })).items).toEqual([])
    expect(sent()).toHaveLength(1)
  })
})

describe('an agent that failed for days', () => {
  const failFor = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 6 * hour) {
      await addCard(`At ${passed / hour} h`)
      await pass(6 * hour)
    }
  }

  test('is switched off and told; resumed, it gets everything that was given up or came meanwhile, once', async () => {
    const made = await attach()
    await addCard('Before')
    status.agent = 503
    await failFor(3 * day + 6 * hour)
    const off = await world.triggers.subscriptions.get(caller, made.id)
    expect(off).toMatchObject({
      state: 'paused_agent',
      stateReason: expect.stringMatching(/has accepted no start since .*the last answer was 503.*resume/) as string,
    })
    expect(listNotifications().filter(({ type }) => type === 'subscription.unhealthy')).toMatchObject([
      { data: { subscription: made.id, state: 'failing', reason: expect.stringMatching(/answered 503/) as string } },
      { data: { subscription: made.id, state: 'paused_agent', externalId: 'flow-7', labels: { team: 'blue' } } },
    ])
    const calls = agentCalls().length
    await addCard('While off')
    await pass(2 * day)
    expect(agentCalls()).toHaveLength(calls)
    expect((await world.triggers.starts.list(caller, { limit: 99 }, { state: 'dead' })).items.length).toBeGreaterThan(3)

    // A test start goes through, so that its owner sees whether the agent works.
    await world.triggers.subscriptions.test(caller, made.id)
    await settle(world)
    expect(agentCalls()).toHaveLength(calls + 1)
    status.agent = 200
    world.requests.length = 0
    await world.triggers.subscriptions.resume(caller, made.id)
    await pass(day)
    const names = agentCalls().map(
      ({ body }) => (JSON.parse(body) as { data: { test?: true; event: { card?: { name: string } } } }).data,
    )
    const cards = names.filter(({ test: isTest }) => !isTest).map(({ event }) => event.card!.name)
    expect(cards.toSorted()).toEqual([...Array.from({ length: 13 }, (_, n) => `At ${n * 6} h`), 'While off'].toSorted())
    expect(await world.triggers.subscriptions.get(caller, made.id)).toMatchObject({
      state: 'active',
      stateReason: null,
    })
  })

  test('is not switched off while it accepts one now and then', async () => {
    const made = await attach()
    for (let n = 0; n < 12; n += 1) {
      status.agent = n % 4 === 3 ? 200 : 503
      await addCard(`Card ${n}`)
      await pass(8 * hour)
    }
    expect((await world.triggers.subscriptions.get(caller, made.id)).state).toBe('active')
  })

  test('that answers 410 is paused and told; a pause by hand is not', async () => {
    const made = await attach()
    await world.triggers.subscriptions.pause(caller, made.id)
    await world.triggers.subscriptions.resume(caller, made.id)
    world.clock.advance(1000)
    expect(listNotifications()).toEqual([])
    status.agent = 410
    await addCard()
    expect(listNotifications()).toMatchObject([
      { type: 'subscription.unhealthy', data: { state: 'paused', reason: 'The agent answered 410 Gone.' } },
    ])
  })
})

describe('what else goes wrong', () => {
  test('a watched board that is closed is told', async () => {
    const made = await attach()
    world.board.close(board, true, person)
    await settle(world)
    expect(listNotifications()).toMatchObject([
      { type: 'subscription.unhealthy', data: { subscription: made.id, state: 'paused_model' } },
    ])
  })

  test('a gap is told once, with the id of its connection', async () => {
    await world.store.connections.patch(tenant, 'con_1', { externalId: 'person-3', labels: { plan: 'pro' } })
    await subscribe(world, 'new-label-added-to-card', { boards: [board] })
    await live(world, 6 * minute)
    const card = world.board.addCard(board, list, 'One', person).data.card.id as string
    world.up.isUp = false
    world.board.label(card, person)
    world.clock.advance(40 * minute)
    await world.board.pump()
    world.up.isUp = true
    world.restart()
    await world.triggers.ticks.returnFrom()
    await live(world, 60 * minute)
    const [gap, ...otherGaps] = (await world.triggers.gaps.list(caller, { limit: 9 })).items
    expect(otherGaps).toEqual([])
    expect(listNotifications()).toMatchObject([
      {
        type: 'gap.found',
        data: { gap: gap!.id, connection: 'con_1', externalId: 'person-3', labels: { plan: 'pro' } },
      },
    ])
  })
})

describe('a secret that is rotated', () => {
  const signatures = (n: number) => agentCalls()[n]!.headers['webhook-signature']!.split(' ')
  const signedWith = (n: number, by: string) =>
    new Webhook(by).sign(agentCalls()[n]!.headers['webhook-id']!, new Date(world.clock.now()), agentCalls()[n]!.body)

  test('overlaps: starts have a signature of each, the new one first, until the overlap ends', async () => {
    const { id, agent } = await attach()
    const rotated = await world.triggers.subscriptions.rotateSecret(caller, id, { overlapMs: hour })
    expect(rotated.agent).toMatchObject({
      secret: expect.stringMatching(/^whsec_/) as string,
      previousSecretUntil: new Date(world.clock.now() + hour).toISOString(),
    })
    expect(rotated.agent.secret).not.toBe(agent.secret)
    await addCard()
    expect(signatures(0)).toEqual([signedWith(0, rotated.agent.secret!), signedWith(0, agent.secret!)])
    const row = await world.store.subscriptions.get(tenant, id)
    expect(JSON.stringify(row)).not.toContain(agent.secret!.slice(6))
    world.clock.advance(hour)
    await addCard('Two')
    expect(signatures(1)).toEqual([signedWith(1, rotated.agent.secret!)])
    const everything = { payloads: 0, starts: 0, deleted: 0, runs: 0, ownWrites: 0, audit: 0, gaps: 0, limit: 100 }
    await world.store.prune({ now: world.clock.now() + 1, ...everything })
    expect(Object.keys((await world.store.subscriptions.get(tenant, id))!.secrets)).toEqual(['secret'])
  })

  test('with a secret of one’s own, or without an overlap', async () => {
    const { id, agent } = await attach()
    const own = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
    const rotated = await world.triggers.subscriptions.rotateSecret(caller, id, { secret: own, overlapMs: 0 })
    expect(rotated.agent).toEqual({ id: 'agent-1', url: 'https://agents.example/start' })
    await addCard()
    expect(signatures(0)).toEqual([signedWith(0, own)])
    for (const [input, what] of [
      [{ secret: own }, 'secret'],
      [{ secret: 'short' }, 'secret'],
      [{ overlapMs: 31 * day }, 'overlapMs'],
    ] as const)
      await expect(world.triggers.subscriptions.rotateSecret(caller, id, input)).rejects.toMatchObject({
        details: { errors: [{ pointer: `/${what}` }] },
      })
    await expect(world.triggers.subscriptions.rotateSecret({ tenant: 't2' }, id, {})).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(agent.secret).toBeDefined()
  })

  test('of notifications overlaps too', async () => {
    const targets = targetsOf(world)
    const { secret: fresh } = await targets.rotateSecret(caller, {})
    await attach()
    status.agent = 400
    await addCard()
    const [request] = sent()
    const by = (signingSecret: string) =>
      new Webhook(signingSecret).sign(request!.headers['webhook-id']!, new Date(world.clock.now()), request!.body)
    expect(request!.headers['webhook-signature']).toBe(`${by(fresh!)} ${by(secret)}`)
    expect(await targets.get(caller)).not.toHaveProperty('secret')
  })
})

test('lists are narrowed to what belongs to an id or a label of the platform', async () => {
  await world.store.connections.patch(tenant, 'con_1', { externalId: 'person-3', labels: { plan: 'pro' } })
  const made = await attach()
  await subscribe(world, 'new-card', { boards: [board] }, { externalId: 'flow-8' })
  const anns = await subscribe(world, 'new-card', { boards: [board] }, { externalId: 'flow-9', person: 'ann' })
  world.clock.advance(1000)
  await addCard()
  const page = { limit: 9 }
  const { starts, events, hooks } = world.triggers
  const of = async (filter: object) =>
    (await starts.list(caller, page, filter)).items.map(({ subscription }) => subscription)
  expect(await of({ externalId: 'flow-7' })).toEqual([made.id])
  expect(await of({ labels: { team: 'blue' } })).toEqual([made.id])
  expect(await of({ externalId: 'person-3' })).toHaveLength(3)
  expect(await of({ externalId: 'flow-7', labels: { team: 'red' } })).toEqual([])
  expect(await of({ externalId: 'nobody' })).toEqual([])
  for (const filter of [{}, { externalId: 'flow-9' }, { externalId: 'person-3', labels: { plan: 'pro' } }]) {
    expect(await of({ ...filter, person: 'ann' })).toEqual([anns.id])
    expect(await of({ ...filter, person: 'bea' })).toEqual([])
  }
  expect(await of({ externalId: 'flow-7', person: 'ann' })).toEqual([])
  expect((await events.list(caller, page, {}, { labels: { plan: 'pro' } })).items).toHaveLength(1)
  expect((await events.list(caller, page, {}, { externalId: 'nobody' })).items).toEqual([])
  expect((await hooks.list(caller, page, { externalId: 'person-3' })).items).toHaveLength(1)
  expect((await world.triggers.gaps.list(caller, page, { externalId: 'nobody' })).items).toEqual([])
})

describe.each(['memory', 'disk'])('the store in %s', (kind) => {
  const window = 3_600_000
  const openStore = async () => {
    const store =
      kind === 'memory'
        ? createMemoryStore()
        : await openSqliteStore({ directory: await testFolder(), now: () => start0 })
    onTestFinished(() => store.close())
    await store.notifications.put({
      tenant,
      url: platform,
      types: null,
      secrets: {},
      previousUntil: null,
      createdAt: start0,
      updatedAt: start0,
    })
    return store
  }
  const notice = (type: Notice['type'], at: number): Notice => ({
    tenant,
    type,
    about: 'con_9',
    windowMs: window,
    at,
    connection: 'con_9',
    data: {},
  })
  const waiting = async (store: Store) =>
    (await store.starts.list(tenant, { limit: 9 }, { subscription: 'notifications' })).items

  test('stores nothing for a state that a connection has already', async () => {
    const store = await openStore()
    await store.connections.add(connectionRow(world.vault, { id: 'con_9' }))
    const lose = () =>
      store.connections.patch(tenant, 'con_9', { state: 'needs_reconnect' }, [
        notice('connection.needs_reconnect', start0),
      ])
    await Promise.all([lose(), lose()])
    await lose()
    expect(await waiting(store)).toHaveLength(1)
    await store.connections.patch(tenant, 'con_9', { state: 'connected' })
    await lose()
    expect((await waiting(store)).map(({ dueAt }) => dueAt).toSorted()).toEqual([
      start0,
      (Math.floor(start0 / window) + 1) * window,
    ])
  })

  test('stores nothing for a gap that is known, though it has become longer', async () => {
    const store = await openStore()
    const gap = {
      tenant,
      id: 'gap_1',
      connection: 'con_9',
      model: 'board:b1',
      fromAt: 1,
      toAt: 2,
      kind: 'x',
      reason: 'y',
      createdAt: start0,
    }
    for (const [n, toAt] of [2, 3, 4].entries()) {
      const createdAt = start0 + n * 3 * window
      await store.ingest({
        gaps: [{ ...gap, toAt, createdAt }],
        notices: [{ ...notice('gap.found', createdAt), gap: gap.id }],
      })
    }
    expect(await waiting(store)).toHaveLength(1)
  })
})
