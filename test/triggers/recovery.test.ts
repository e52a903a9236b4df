import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  caller,
  live as liveOf,
  openTriggerWorld,
  round as roundOf,
  settle,
  someoneElse,
  start0,
  subscribe,
  tenant,
} from './world.ts'
import type { TriggerWorld } from './world.ts'

let world: TriggerWorld
let board: string
let list: string
const person = { member: someoneElse }
beforeEach(async () => {
  world = await openTriggerWorld()
  board = world.board.addBoard('Launch plan')
  list = world.board.addList('Ideas')
})
afterEach(() => world.close())

const minute = 60_000
const gaps = async () => (await world.triggers.gaps.list(caller, { limit: 100 })).items
const cardNames = () => world.called.map(({ data }) => (data.event as { card: { name: string } }).card.name).sort()
const round = () => roundOf(world)
const live = (ms: number) => liveOf(world, ms)

describe('what a dropped delivery told is found in the history', () => {
  test('within a quarter of an hour or so, once, and in order', async () => {
    await subscribe(world, 'new-card', { boards: [board] })
    world.clock.advance(1000)
    for (const name of ['a', 'b', 'c']) {
      world.board.addCard(board, list, name, person)
      world.clock.advance(10)
    }
    world.board.deliveries.splice(0)
    await live(20 * minute)
    expect(world.called.map(({ data }) => [(data.event as { card: { name: string } }).card.name, data.via])).toEqual([
      ['a', 'recovery'],
      ['b', 'recovery'],
      ['c', 'recovery'],
    ])
    await live(40 * minute)
    expect(world.called).toHaveLength(3)
    expect(await gaps()).toEqual([])
  })

  test('more than a page of them; the cursor ends at the newest', async () => {
    const { id } = await subscribe(world, 'new-card', { boards: [board] })
    world.clock.advance(1000)
    for (let n = 0; n < 2300; n += 1) world.board.addCard(board, list, `card ${n}`, person)
    world.board.deliveries.splice(0)
    expect(await world.triggers.subscriptions.recover(caller, id)).toEqual({ events: 2300, starts: 2300, gaps: 0 })
    expect(await world.triggers.subscriptions.recover(caller, id)).toEqual({ events: 0, starts: 0, gaps: 0 })
    const cursor = await world.store.cursors.get(tenant, 'con_1', `board:${board}`)
    expect(cursor?.position).toBe(world.board.actions.at(-1)!.id)
  })

  test('a delivery does not move the cursor: what came before it and was dropped is still found', async () => {
    const { id } = await subscribe(world, 'new-card', { boards: [board] })
    const before = await world.store.cursors.get(tenant, 'con_1', `board:${board}`)
    world.clock.advance(10 * minute)
    world.board.addCard(board, list, 'dropped', person)
    world.board.deliveries.splice(0)
    world.clock.advance(10 * minute)
    world.board.addCard(board, list, 'told', person)
    await settle(world)
    expect(await world.store.cursors.get(tenant, 'con_1', `board:${board}`)).toEqual(before)
    await world.triggers.subscriptions.recover(caller, id)
    await settle(world)
    expect(cardNames()).toEqual(['dropped', 'told'])
  })

  test('a history that no longer goes back far enough leaves a gap that says so', async () => {
    const { id } = await subscribe(world, 'new-card', { boards: [board] })
    world.board.addCard(board, list, 'first', person)
    await settle(world)
    await world.triggers.subscriptions.recover(caller, id)
    world.clock.advance(60 * minute)
    for (let n = 0; n < 20; n += 1) {
      world.clock.advance(minute)
      world.board.addCard(board, list, `card ${n}`, person)
    }
    world.board.deliveries.splice(0)
    world.board.trim(board, 5)
    const oldest = world.board.actions.find((action) => !action.trimmed)!
    expect((await world.triggers.subscriptions.recover(caller, id)).gaps).toBe(1)
    expect(await gaps()).toMatchObject([
      {
        model: `board:${board}`,
        kind: '*',
        to: oldest.date,
        reason: expect.stringContaining('no longer goes back') as string,
      },
    ])
    expect(Date.parse((await gaps())[0]!.from)).toBeLessThan(Date.parse(oldest.date))
    await world.triggers.subscriptions.recover(caller, id)
    expect(await gaps()).toHaveLength(1)
  })
})

describe('accounts and boards', () => {
  test('another account is not taken for the same one', async () => {
    const { id } = await subscribe(world, 'new-card', { boards: [board] })
    world.board.tokens.clear()
    world.clock.advance(20 * minute)
    await round()
    expect(await world.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'paused_auth' })
    // The account is gone for good.
    await world.store.connections.remove(tenant, 'con_1')
    await round()
    expect(await world.triggers.subscriptions.get(caller, id)).toMatchObject({
      state: 'paused_auth',
      stateReason: 'The connected account was removed.',
    })
  })

  test('a closed board is shown, a reopened one is read again', async () => {
    const { id } = await subscribe(world, 'new-card', { boards: [board] })
    world.clock.advance(1000)
    world.board.close(board, true, person)
    await round()
    expect(await world.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'paused_model' })
    world.clock.advance(minute)
    world.board.addCard(board, list, 'dropped', person)
    world.board.deliveries.splice(0)
    world.board.close(board, false, person)
    await round()
    expect(await world.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'active' })
    expect(cardNames()).toEqual(['dropped'])
  })

  test('a board out of sight: shown; back in sight: its hook on again, its history read, labels a gap', async () => {
    const { id } = await subscribe(world, 'custom-webhook-events', {
      boards: [board],
      types: ['createCard', 'addLabelToCard'],
    })
    world.clock.advance(minute)
    world.board.boards.get(board)!.hidden = true
    await live(6 * minute)
    expect(await world.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'paused_model' })
    world.board.addCard(board, list, 'hidden', person)
    await live(10 * minute)
    world.board.boards.get(board)!.hidden = false
    await live(20 * minute)
    expect(await world.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'active' })
    expect(world.called).toHaveLength(1)
    expect((await gaps()).map(({ kind }) => kind)).toEqual(['addLabelToCard'])
  })
})

describe('what a match lacks is fetched', () => {
  test('once for an event, and tried again until it is there', async () => {
    await subscribe(world, 'new-checklist', { boards: [board], lists: [list] })
    await subscribe(
      world,
      'new-checklist',
      { boards: [board], lists: [world.board.addList('Other')] },
      { agent: { url: 'https://agents.example/other' } },
    )
    const card = world.board.addCard(board, list, 'one', person).data.card.id as string
    await settle(world)
    world.clock.advance(1000)
    let requestCount = 0
    const { answer } = world.board
    let fails = true
    world.board.answer = async (request) => {
      if (!request.path.startsWith('/1/cards/')) return answer(request)
      requestCount += 1
      return fails ? { status: 500, body: 'oops' } : answer(request)
    }
    world.board.checklist(card, person)
    await settle(world)
    expect([world.called.length, requestCount]).toEqual([0, 1])
    world.clock.advance(6_000)
    await settle(world)
    expect([world.called.length, requestCount]).toEqual([0, 2])
    fails = false
    world.clock.advance(20_000)
    await settle(world)
    expect([world.requests.map(({ url }) => url), requestCount]).toEqual([['https://agents.example/start'], 3])
  })

  test('a deleted card counts for the list it was last told in', async () => {
    await subscribe(world, 'new-checklist', { boards: [board], lists: [list] })
    world.clock.advance(1000)
    const card = world.board.addCard(board, list, 'one', person).data.card.id as string
    await settle(world)
    world.board.checklist(card, person)
    world.board.cards.delete(card)
    await settle(world)
    expect(world.called).toHaveLength(1)
  })

  test('not forgotten over a restart', async () => {
    await subscribe(world, 'new-checklist', { boards: [board], lists: [list] })
    const card = world.board.addCard(board, list, 'one', person).data.card.id as string
    world.clock.advance(1000)
    world.board.checklist(card, person)
    await world.board.pump()
    world.restart()
    await settle(world)
    expect(world.called).toHaveLength(1)
    expect(world.clock.now()).toBeGreaterThan(start0)
  })
})
