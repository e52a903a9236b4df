import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  caller,
  live as liveOf,
  openHouse,
  round as roundOf,
  settle,
  someoneElse,
  start0,
  subscribe,
  tenant,
} from './house.ts'
import type { House } from './house.ts'

let house: House
let board: string
let list: string
const person = { member: someoneElse }
beforeEach(async () => {
  house = await openHouse()
  board = house.board.addBoard('Launch plan')
  list = house.board.addList('Ideas')
})
afterEach(() => house.close())

const minute = 60_000
const gaps = async () => (await house.triggers.gaps.list(caller, { limit: 100 })).items
const cardNames = () => house.called.map(({ data }) => (data.event as { card: { name: string } }).card.name).sort()
const round = () => roundOf(house)
const live = (ms: number) => liveOf(house, ms)

describe('what a dropped delivery told is found in the history', () => {
  test('within a quarter of an hour or so, once, and in order', async () => {
    await subscribe(house, 'new-card', { boards: [board] })
    house.clock.advance(1000)
    for (const name of ['a', 'b', 'c']) {
      house.board.addCard(board, list, name, person)
      house.clock.advance(10)
    }
    house.board.deliveries.splice(0)
    await live(20 * minute)
    expect(house.called.map(({ data }) => [(data.event as { card: { name: string } }).card.name, data.via])).toEqual([
      ['a', 'recovery'],
      ['b', 'recovery'],
      ['c', 'recovery'],
    ])
    await live(40 * minute)
    expect(house.called).toHaveLength(3)
    expect(await gaps()).toEqual([])
  })

  test('more than a page of them; the cursor ends at the newest', async () => {
    const { id } = await subscribe(house, 'new-card', { boards: [board] })
    house.clock.advance(1000)
    for (let n = 0; n < 2300; n += 1) house.board.addCard(board, list, `card ${n}`, person)
    house.board.deliveries.splice(0)
    expect(await house.triggers.subscriptions.recover(caller, id)).toEqual({ events: 2300, starts: 2300, gaps: 0 })
    expect(await house.triggers.subscriptions.recover(caller, id)).toEqual({ events: 0, starts: 0, gaps: 0 })
    const cursor = await house.store.cursors.get(tenant, 'con_1', `board:${board}`)
    expect(cursor?.position).toBe(house.board.actions.at(-1)!.id)
  })

  test('a delivery does not move the cursor: what came before it and was dropped is still found', async () => {
    const { id } = await subscribe(house, 'new-card', { boards: [board] })
    const before = await house.store.cursors.get(tenant, 'con_1', `board:${board}`)
    house.clock.advance(10 * minute)
    house.board.addCard(board, list, 'dropped', person)
    house.board.deliveries.splice(0)
    house.clock.advance(10 * minute)
    house.board.addCard(board, list, 'told', person)
    await settle(house)
    expect(await house.store.cursors.get(tenant, 'con_1', `board:${board}`)).toEqual(before)
    await house.triggers.subscriptions.recover(caller, id)
    await settle(house)
    expect(cardNames()).toEqual(['dropped', 'told'])
  })

  test('a history that no longer goes back far enough leaves a gap that says so', async () => {
    const { id } = await subscribe(house, 'new-card', { boards: [board] })
    house.board.addCard(board, list, 'first', person)
    await settle(house)
    await house.triggers.subscriptions.recover(caller, id)
    house.clock.advance(60 * minute)
    for (let n = 0; n < 20; n += 1) {
      house.clock.advance(minute)
      house.board.addCard(board, list, `card ${n}`, person)
    }
    house.board.deliveries.splice(0)
    house.board.trim(board, 5)
    const oldest = house.board.actions.find((action) => !action.trimmed)!
    expect((await house.triggers.subscriptions.recover(caller, id)).gaps).toBe(1)
    expect(await gaps()).toMatchObject([
      {
        model: `board:${board}`,
        kind: '*',
        to: oldest.date,
        reason: expect.stringContaining('no longer goes back') as string,
      },
    ])
    expect(Date.parse((await gaps())[0]!.from)).toBeLessThan(Date.parse(oldest.date))
    await house.triggers.subscriptions.recover(caller, id)
    expect(await gaps()).toHaveLength(1)
  })
})

describe('accounts and boards', () => {
  test('another account is not taken for the same one', async () => {
    const { id } = await subscribe(house, 'new-card', { boards: [board] })
    house.board.tokens.clear()
    house.clock.advance(20 * minute)
    await round()
    expect(await house.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'paused_auth' })
    // The account is gone for good.
    await house.store.connections.remove(tenant, 'con_1')
    await round()
    expect(await house.triggers.subscriptions.get(caller, id)).toMatchObject({
      state: 'paused_auth',
      stateReason: 'The connected account was removed.',
    })
  })

  test('a closed board is shown, a reopened one is read again', async () => {
    const { id } = await subscribe(house, 'new-card', { boards: [board] })
    house.clock.advance(1000)
    house.board.close(board, true, person)
    await round()
    expect(await house.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'paused_model' })
    house.clock.advance(minute)
    house.board.addCard(board, list, 'dropped', person)
    house.board.deliveries.splice(0)
    house.board.close(board, false, person)
    await round()
    expect(await house.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'active' })
    expect(cardNames()).toEqual(['dropped'])
  })

  test('a board out of sight: shown; back in sight: its hook on again, its history read, labels a gap', async () => {
    const { id } = await subscribe(house, 'custom-webhook-events', {
      boards: [board],
      types: ['createCard', 'addLabelToCard'],
    })
    house.clock.advance(minute)
    house.board.boards.get(board)!.hidden = true
    await live(6 * minute)
    expect(await house.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'paused_model' })
    house.board.addCard(board, list, 'hidden', person)
    await live(10 * minute)
    house.board.boards.get(board)!.hidden = false
    await live(20 * minute)
    expect(await house.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'active' })
    expect(house.called).toHaveLength(1)
    expect((await gaps()).map(({ kind }) => kind)).toEqual(['addLabelToCard'])
  })
})

describe('what a match lacks is fetched', () => {
  test('once for an event, and tried again until it is there', async () => {
    await subscribe(house, 'new-checklist', { boards: [board], lists: [list] })
    await subscribe(
      house,
      'new-checklist',
      { boards: [board], lists: [house.board.addList('Other')] },
      { agent: { url: 'https://agents.example/other' } },
    )
    const card = house.board.addCard(board, list, 'one', person).data.card.id as string
    await settle(house)
    house.clock.advance(1000)
    let requestCount = 0
    const { answer } = house.board
    let fails = true
    house.board.answer = async (request) => {
      if (!request.path.startsWith('/1/cards/')) return answer(request)
      requestCount += 1
      return fails ? { status: 500, body: 'oops' } : answer(request)
    }
    house.board.checklist(card, person)
    await settle(house)
    expect([house.called.length, requestCount]).toEqual([0, 1])
    house.clock.advance(6_000)
    await settle(house)
    expect([house.called.length, requestCount]).toEqual([0, 2])
    fails = false
    house.clock.advance(20_000)
    await settle(house)
    expect([house.requests.map(({ url }) => url), requestCount]).toEqual([['https://agents.example/start'], 3])
  })

  test('a deleted card counts for the list it was last told in', async () => {
    await subscribe(house, 'new-checklist', { boards: [board], lists: [list] })
    house.clock.advance(1000)
    const card = house.board.addCard(board, list, 'one', person).data.card.id as string
    await settle(house)
    house.board.checklist(card, person)
    house.board.cards.delete(card)
    await settle(house)
    expect(house.called).toHaveLength(1)
  })

  test('not forgotten over a restart', async () => {
    await subscribe(house, 'new-checklist', { boards: [board], lists: [list] })
    const card = house.board.addCard(board, list, 'one', person).data.card.id as string
    house.clock.advance(1000)
    house.board.checklist(card, person)
    await house.board.pump()
    house.restart()
    await settle(house)
    expect(house.called).toHaveLength(1)
    expect(house.clock.now()).toBeGreaterThan(start0)
  })
})
