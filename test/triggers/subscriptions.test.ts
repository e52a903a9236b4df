import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { failsWith } from '../store/fails.ts'
import { caller, connectionRow, openTriggerWorld, overlay, settle, someoneElse, subscribe, tenant } from './world.ts'
import type { TriggerWorld } from './world.ts'

let world: TriggerWorld
let board: string
let other: string
let list: string
const person = { member: someoneElse }
beforeEach(async () => {
  world = await openTriggerWorld()
  board = world.board.addBoard('Launch plan')
  other = world.board.addBoard('Support desk')
  list = world.board.addList('Ideas')
})
afterEach(() => world.close())

/** One that points elsewhere, and one that points here and belongs to no subscription. */
const addHooksOfNobody = () => {
  for (const [id, callbackURL] of [
    ['foreign', 'https://elsewhere.example/hook'],
    ['orphan', 'https://pack.example/hooks/work-board/lost'],
  ] as const) {
    world.board.hooks.set(id, {
      id,
      token: 'token-1',
      idModel: board,
      callbackURL,
      active: true,
      consecutiveFailures: 0,
    })
  }
}
const hooksThere = () => [...world.board.hooks.values()]
const liveHooks = async () => (await world.store.hooks.all()).filter(({ state }) => state !== 'deleting')

describe('creating', () => {
  test('answers when the hook is there, shows a made secret once', async () => {
    const made = await subscribe(
      world,
      'new-card',
      { boards: [board] },
      { externalId: 'x-1', labels: { team: 'blue' } },
    )
    expect(made).toMatchObject({
      integration: 'work-board',
      trigger: 'new-card',
      connection: 'con_1',
      delivery: 'webhook',
      state: 'active',
      recoverable: 'all',
      externalId: 'x-1',
      labels: { team: 'blue' },
    })
    expect(made.agent.secret).toMatch(/^whsec_/)
    expect(hooksThere()).toMatchObject([
      {
        idModel: board,
        active: true,
        callbackURL: expect.stringMatching(/^https:\/\/pack\.example\/hooks\/work-board\/[\w-]{32}$/) as string,
      },
    ])
    const read = await world.triggers.subscriptions.get(caller, made.id)
    const { hooks, ...otherFields } = read
    expect(otherFields).toEqual({
      ...made,
      agent: { id: 'agent-1', url: 'https://agents.example/start' },
      lastEventAt: null,
      lastStartAt: null,
      gaps: 0,
    })
    expect(hooks).toMatchObject([{ model: `board:${board}`, state: 'active', lastDeliveryAt: null, failures: 0 }])
    expect(JSON.stringify(await world.store.subscriptions.get(tenant, made.id))).not.toContain(
      made.agent.secret!.slice(6),
    )
  })

  test('one hook per account and board, shared; it ends with its last subscription', async () => {
    const first = await subscribe(world, 'new-card', { boards: [board, other] })
    const second = await subscribe(world, 'card-moved', { boards: [board] })
    expect(hooksThere()).toHaveLength(2)
    await world.triggers.subscriptions.remove(caller, first.id)
    await world.triggers.ticks.hooks()
    expect(hooksThere().map(({ idModel }) => idModel)).toEqual([board])
    await world.triggers.subscriptions.remove(caller, second.id)
    await world.triggers.ticks.hooks()
    expect(hooksThere()).toEqual([])
    expect(await liveHooks()).toEqual([])
  })

  test('many at once for the same board make one hook', async () => {
    await Promise.all(Array.from({ length: 8 }, () => subscribe(world, 'new-card', { boards: [board] })))
    expect(hooksThere()).toHaveLength(1)
    expect(await world.store.hooks.all()).toHaveLength(1)
  })

  test('says exactly why not, and leaves nothing behind', async () => {
    world.up.isUp = false
    await expect(subscribe(world, 'new-card', { boards: [board] })).rejects.toThrow(
      /did not accept our address https:\/\/pack\.example\/hooks\/.*did not return 200/,
    )
    world.up.isUp = true
    expect((await world.triggers.subscriptions.list(caller, { limit: 9 })).items).toEqual([])
    await world.triggers.ticks.hooks()
    expect([hooksThere(), await world.store.hooks.all()]).toEqual([[], []])
    // Of two boards, one that cannot be watched: the other one's hook goes too.
    world.board.boards.get(other)!.hidden = true
    await failsWith(subscribe(world, 'new-card', { boards: [board, other] }), 'access_denied')
    await world.triggers.ticks.hooks()
    expect(hooksThere()).toEqual([])
  })

  test('names what is wrong with the settings', async () => {
    await expect(subscribe(world, 'new-card', {})).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ pointer: '/boards' }] },
    })
    await expect(subscribe(world, 'no-such', {})).rejects.toThrow(/It has: .*new-card/)
    for (const [options, pointer] of [
      [{ startFrom: 'yesterday' }, '/options/startFrom'],
      [{ startFrom: '2099-01-01' }, '/options/startFrom'],
      [{ startFrom: 'recent:0' }, '/options/startFrom'],
      [{ settleMs: 5 }, '/settleMs'],
      [{ other: 1 }, '/other'],
    ] as const) {
      await expect(subscribe(world, 'new-card', { boards: [board] }, { options })).rejects.toMatchObject({
        code: 'invalid_input',
        details: { errors: [{ pointer }] },
      })
    }
    await expect(
      subscribe(world, 'new-card', { boards: [board] }, { agent: { url: 'https://a.example', secret: 'short' } }),
    ).rejects.toMatchObject({
      details: { errors: [{ pointer: '/agent/secret' }] },
    })
    await expect(subscribe(world, 'new-card', { boards: [board] }, { agent: {} })).rejects.toMatchObject({
      details: { errors: [{ pointer: '/agent/url' }] },
    })
    await failsWith(subscribe(world, 'new-card', { boards: [board] }, { connection: 'nobody' }), 'not_found')
  })

  test('a repeat with the same key gives the same one, without the secret', async () => {
    const first = await subscribe(world, 'new-card', { boards: [board] }, { idempotencyKey: 'k1' })
    const again = await subscribe(world, 'new-card', { boards: [board] }, { idempotencyKey: 'k1' })
    expect([again.id, again.agent.secret]).toEqual([first.id, undefined])
    await failsWith(subscribe(world, 'new-card', { boards: [other] }, { idempotencyKey: 'k1' }), 'conflict')
    expect((await world.triggers.subscriptions.list(caller, { limit: 9 })).items).toHaveLength(1)
    const kept = JSON.stringify(
      await world.store.intents.plan({
        tenant,
        key: 'k1',
        requestHash: '',
        runId: '',
        state: 'planned',
        outcome: null,
        createdAt: 0,
        expiresAt: 0,
      }),
    )
    expect(kept).not.toContain('whsec_')
  })

  test('one that is refused leaves its key as it was: the same request says the same, and is done once it can be', async () => {
    const bare = await openTriggerWorld({ withoutSecret: true })
    const model = bare.board.addBoard('Launch plan')
    const ask = () =>
      subscribe(bare, 'card-moved', { boards: [model] }, { idempotencyKey: 'k2', options: { delivery: 'webhook' } })
    await failsWith(ask(), 'invalid_input')
    await failsWith(ask(), 'invalid_input')
    await bare.close()
  })
})

describe('delivery', () => {
  test('without an app secret webhooks are refused with the reason, and polling is offered', async () => {
    const bare = await openTriggerWorld({ withoutSecret: true })
    const plan = bare.board.addBoard('Launch plan')
    await expect(subscribe(bare, 'new-card', { boards: [plan] })).rejects.toThrow(
      /no app secret is known.*PUT \/v1\/apps\/work-board.*"poll"/,
    )
    await expect(subscribe(bare, 'new-label-added-to-card', { boards: [plan] })).rejects.toThrow(
      /cannot be polled either/,
    )
    await expect(
      subscribe(bare, 'new-label-added-to-card', { boards: [plan] }, { options: { delivery: 'poll' } }),
    ).rejects.toThrow(/it is webhook only/)
    expect(bare.board.hooks.size).toBe(0)
    const polled = await subscribe(bare, 'new-card', { boards: [plan] }, { options: { delivery: 'poll' } })
    expect(polled.delivery).toBe('poll')
    bare.clock.advance(1000)
    const card = bare.board.addCard(plan, bare.board.addList('Ideas'), 'One', person)
    bare.clock.advance(70_000)
    await bare.triggers.ticks.scans()
    await settle(bare)
    expect(bare.called).toMatchObject([{ data: { id: card.id, via: 'poll' } }])
    await bare.close()
  })

  test('without a public address likewise', async () => {
    const bare = await openTriggerWorld({ publicUrl: undefined })
    await expect(subscribe(bare, 'new-card', { boards: [bare.board.addBoard('B')] })).rejects.toThrow(
      /no public URL that the provider could deliver to/,
    )
    await bare.close()
  })
})

describe('changing', () => {
  test('another board: the new hook first, then the old one goes', async () => {
    const { id } = await subscribe(world, 'new-card', { boards: [board] })
    const changed = await world.triggers.subscriptions.patch(caller, id, { config: { boards: [other] } })
    expect(changed.config).toEqual({ boards: [other] })
    await world.triggers.ticks.hooks()
    expect(hooksThere().map(({ idModel }) => idModel)).toEqual([other])
    world.clock.advance(1000)
    world.board.addCard(board, list, 'not told', person)
    const watchedCard = world.board.addCard(other, list, 'told', person)
    await settle(world)
    expect(world.called.map(({ data }) => data.id)).toEqual([watchedCard.id])
  })

  test('to a board that cannot be watched: refused, and all stays as it was', async () => {
    const { id } = await subscribe(world, 'new-card', { boards: [board] })
    world.board.boards.get(other)!.hidden = true
    await failsWith(
      world.triggers.subscriptions.patch(caller, id, { config: { boards: [board, other] } }),
      'access_denied',
    )
    await world.triggers.ticks.hooks()
    expect(hooksThere().map(({ idModel }) => idModel)).toEqual([board])
    expect((await world.triggers.subscriptions.get(caller, id)).config).toEqual({ boards: [board] })
  })

  test('paused: what happens meanwhile starts nothing, not even later; what happened before does', async () => {
    const { id } = await subscribe(world, 'new-card', { boards: [board] })
    world.clock.advance(1000)
    const before = world.board.addCard(board, list, 'before', person)
    world.board.deliveries.splice(0)
    world.clock.advance(1000)
    expect(await world.triggers.subscriptions.pause(caller, id)).toMatchObject({ state: 'paused' })
    world.clock.advance(1000)
    world.board.addCard(board, list, 'during', person)
    await settle(world)
    expect(world.called).toEqual([])
    world.clock.advance(1000)
    expect(await world.triggers.subscriptions.resume(caller, id)).toMatchObject({ state: 'active' })
    world.clock.advance(1000)
    const after = world.board.addCard(board, list, 'after', person)
    await settle(world)
    await world.triggers.subscriptions.recover(caller, id)
    await settle(world)
    expect(world.called.map(({ data }) => data.id).sort()).toEqual([before.id, after.id].sort())
  })
})

describe('removing', () => {
  test('never waits for the provider, and can be repeated', async () => {
    const { id } = await subscribe(world, 'new-card', { boards: [board] })
    world.board.tokens.clear()
    await world.triggers.subscriptions.remove(caller, id)
    await world.triggers.subscriptions.remove(caller, id)
    await failsWith(world.triggers.subscriptions.remove(caller, 'sub_never'), 'not_found')
    await failsWith(world.triggers.subscriptions.get(caller, id), 'not_found')
    expect(await world.triggers.ticks.hooks()).toBe(1)
    expect((await world.store.hooks.all())[0]?.state).toBe('deleting')
    world.board.tokens.set('token-1', 'a'.repeat(24))
    await world.store.connections.patch(tenant, 'con_1', { state: 'connected' })
    world.openConnections.forget(tenant)
    expect(await world.triggers.ticks.hooks()).toBe(0)
  })

  test('its open starts are called off', async () => {
    const { id } = await subscribe(world, 'new-card', { boards: [board] })
    world.clock.advance(1000)
    world.board.addCard(board, list, 'one', person)
    await world.board.pump()
    await world.triggers.subscriptions.remove(caller, id)
    await settle(world)
    expect(world.called).toEqual([])
    expect((await world.store.starts.list(tenant, { limit: 9 })).items).toMatchObject([{ state: 'cancelled' }])
  })

  test('hooks prune takes every hook of ours away and leaves others alone', async () => {
    await subscribe(world, 'new-card', { boards: [board, other] })
    addHooksOfNobody()
    expect(await world.triggers.hooks.prune(caller)).toMatchObject({ subscriptions: 1 })
    expect(hooksThere().map(({ id }) => id)).toEqual(['foreign'])
    await world.triggers.ticks.upkeep()
    expect(hooksThere()).toHaveLength(1)
  })
})

describe('hooks are kept right', () => {
  test('missing and switched off ones are repaired, orphans of ours removed, others left alone, re-pointed ones too', async () => {
    await subscribe(world, 'new-card', { boards: [board, other] })
    const third = world.board.addBoard('Third')
    await subscribe(world, 'card-moved', { boards: [third] })
    const at = (id: string) => hooksThere().find(({ idModel }) => idModel === id)!
    world.board.hooks.delete(at(board).id)
    at(other).active = false
    at(third).callbackURL = 'https://elsewhere.example/x'
    addHooksOfNobody()
    world.clock.advance(6 * 60_000)
    await world.triggers.ticks.upkeep()
    const callbackUrls = (await liveHooks()).map(({ callbackUrl }) => callbackUrl)
    expect(
      hooksThere()
        .filter(({ active }) => active)
        .map(({ callbackURL }) => callbackURL)
        .sort(),
    ).toEqual([...callbackUrls, 'https://elsewhere.example/hook', 'https://elsewhere.example/x'].sort())
  })

  test('another account with the same token keeps its hooks', async () => {
    await world.store.connections.add(connectionRow(world.vault, { id: 'con_2', name: 'Second' }))
    await subscribe(world, 'new-card', { boards: [board] }, { connection: 'con_1' })
    await subscribe(world, 'new-card', { boards: [board] }, { connection: 'con_2' })
    expect(hooksThere()).toHaveLength(2)
    world.clock.advance(6 * 60_000)
    await world.triggers.ticks.upkeep()
    expect(hooksThere()).toHaveLength(2)
  })

  test('a new public address moves them', async () => {
    await subscribe(world, 'new-card', { boards: [board] })
    const [before] = hooksThere()
    world.restart(undefined, { publicUrl: 'https://new.example' })
    await world.triggers.ticks.upkeep()
    expect(hooksThere()).toMatchObject([
      { id: before!.id, callbackURL: before!.callbackURL.replace('pack.example', 'new.example') },
    ])
    world.clock.advance(1000)
    world.board.addCard(board, list, 'one', person)
    await settle(world)
    expect(world.called).toHaveLength(1)
  })

  test('what a process that died left half made is taken back', async () => {
    world.restart((store) =>
      overlay(store, { subscriptions: overlay(store.subscriptions, { patch: () => new Promise(() => {}) }) }),
    )
    void subscribe(world, 'new-card', { boards: [board] }).catch(() => undefined)
    await expect.poll(() => hooksThere().length, { timeout: 10_000 }).toBe(1)
    world.restart()
    await world.triggers.ticks.ready()
    await world.triggers.ticks.hooks()
    expect([hooksThere(), (await world.store.subscriptions.all()).length]).toEqual([[], 0])
  })
})

test('another tenant sees nothing of it', async () => {
  const { id } = await subscribe(world, 'new-card', { boards: [board] })
  world.clock.advance(1000)
  const action = world.board.addCard(board, list, 'one', person)
  await settle(world)
  const stranger = { tenant: 't2' }
  const { triggers } = world
  for (const verb of ['get', 'pause', 'resume', 'test', 'sample', 'recover', 'remove'] as const)
    await failsWith(triggers.subscriptions[verb](stranger, id) as Promise<unknown>, 'not_found')
  await failsWith(triggers.subscriptions.patch(stranger, id, { paused: true }), 'not_found')
  await failsWith(triggers.events.get(stranger, action.id), 'not_found')
  await failsWith(triggers.events.replay(stranger, action.id), 'not_found')
  const [start] = (await triggers.starts.list(caller, { limit: 1 })).items
  await failsWith(triggers.starts.get(stranger, start!.id), 'not_found')
  await failsWith(triggers.starts.replay(stranger, start!.id), 'not_found')
  await failsWith(triggers.starts.replayAll(stranger, { subscription: id }), 'not_found')
  for (const group of ['subscriptions', 'hooks', 'events', 'starts', 'gaps'] as const)
    expect((await triggers[group].list(stranger, { limit: 9 })).items).toEqual([])
  // A token bound to other accounts of the same tenant neither.
  const bound = { tenant, connections: ['con_9'] }
  await failsWith(triggers.subscriptions.get(bound, id), 'not_found')
  await failsWith(triggers.starts.get(bound, start!.id), 'not_found')
  for (const group of ['subscriptions', 'hooks', 'events', 'starts', 'gaps'] as const)
    expect((await triggers[group].list(bound, { limit: 9 })).items).toEqual([])
})
