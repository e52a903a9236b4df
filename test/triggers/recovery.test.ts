import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fail } from '#kit'
import { caller, me, openHouse, overlay, settle, someoneElse, start0, subscribe, tenant } from './house.ts'
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
/** One round of every kind of background work, then everything that follows from it. */
const round = async () => {
  const { ticks } = house.triggers
  await ticks.accounts()
  await ticks.aside()
  await ticks.heal()
  await ticks.upkeep()
  await ticks.hooks()
  await ticks.scans()
  await ticks.timers()
  await ticks.alive()
  await settle(house)
}
const live = async (ms: number, stepMs = minute) => {
  for (let passed = 0; passed < ms; passed += stepMs) {
    house.clock.advance(stepMs)
    await round()
  }
}

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
    expect(house.called.map(({ data }) => [(data.event as { card: { name: string } }).card.name, data.via])).toEqual([['a', 'recovery'], ['b', 'recovery'], ['c', 'recovery']])
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
    expect(await gaps()).toMatchObject([{ model: `board:${board}`, kind: '*', to: oldest.date, reason: expect.stringContaining('no longer goes back') as string }])
    expect(Date.parse((await gaps())[0]!.from)).toBeLessThan(Date.parse(oldest.date))
    await house.triggers.subscriptions.recover(caller, id)
    expect(await gaps()).toHaveLength(1)
  })
})

describe('an outage', () => {
  test('of six hours, the hook switched off meanwhile, the token taken back and the account reconnected', async () => {
    const cards = await subscribe(house, 'new-card', { boards: [board] })
    await subscribe(house, 'new-comment-added-to-card', { boards: [board] }, { agent: { url: 'https://agents.example/comments' } })
    await subscribe(house, 'new-label-added-to-card', { boards: [board] }, { agent: { url: 'https://agents.example/labels' } })
    await live(30 * minute)
    const first = house.board.addCard(board, list, 'before', person).data.card.id as string
    await live(minute)
    expect(cardNames()).toEqual(['before'])

    // Down: nobody answers and nothing runs.
    const downAt = house.clock.now()
    house.up.isUp = false
    const wanted = { cards: ['before'], comments: [] as string[], labels: 0 }
    const happen = (name: string) => {
      house.board.addCard(board, list, name, person)
      house.board.comment(first, name, person)
      house.board.label(first, person)
      wanted.cards.push(name)
      wanted.comments.push(name)
      wanted.labels += 1
    }
    for (let n = 0; n < 72; n += 1) {
      happen(`hour ${(n / 12).toFixed(2)}`)
      for (let at = 0; at < 5; at += 1) {
        house.clock.advance(minute)
        await house.board.pump()
      }
      if (n === 24) for (const hook of house.board.hooks.values()) hook.active = false
      if (n === 48) house.board.tokens.clear()
    }
    house.board.deliveries.splice(0)
    house.up.isUp = true

    // Up again, without a token that works.
    house.restart()
    await house.triggers.ticks.returnFrom()
    const upAt = house.clock.now()
    await round()
    expect((await house.triggers.subscriptions.get(caller, cards.id)).state).toBe('paused_auth')
    const frozen = await house.store.cursors.get(tenant, 'con_1', `board:${board}`)
    happen('while disconnected')
    await live(30 * minute)
    expect(await house.store.cursors.get(tenant, 'con_1', `board:${board}`)).toEqual(frozen)

    // Reconnected with a new token of the same account.
    house.board.tokens.set('token-2', me)
    await house.store.connections.patch(tenant, 'con_1', { state: 'connected', stateReason: null, secrets: house.vault.seal({ tenant, owner: 'con_1' }, { key: 'app-key', token: 'token-2' }) })
    house.accounts.forget(tenant)
    await live(30 * minute)
    expect((await house.triggers.subscriptions.get(caller, cards.id)).state).toBe('active')
    happen('after')
    await live(60 * minute)

    const called = (path: string) => house.requests.filter(({ url }) => url.endsWith(path)).map(({ body }) => JSON.parse(body) as (typeof house.called)[number])
    expect(called('/start').map(({ data }) => (data.event as { card: { name: string } }).card.name).sort()).toEqual(wanted.cards.sort())
    expect(called('/comments').map(({ data }) => (data.event as { text: string }).text).sort()).toEqual(wanted.comments.sort())
    // Labels are told by webhook only: what happened from the outage to the repair is a gap, what happened after it started.
    expect(called('/labels')).toHaveLength(1)
    const found = await gaps()
    const missing = house.board.actions.filter(({ type, date }) => type === 'addLabelToCard' && Date.parse(date) >= downAt).slice(0, -1)
    expect(missing).toHaveLength(73)
    expect(found.map(({ kind }) => kind)).toEqual(found.map(() => 'addLabelToCard'))
    for (const { date } of missing) expect(found.some(({ from, to }) => from <= date && date <= to)).toBe(true)
    expect(Math.min(...found.map(({ from }) => Date.parse(from)))).toBeGreaterThan(downAt - 10 * minute)
    expect(found.some(({ to }) => Date.parse(to) > upAt + 60 * minute)).toBe(false)
    expect(new Set(house.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(house.requests.length)
    expect([...house.board.hooks.values()]).toMatchObject([{ token: 'token-2', idModel: board, active: true }])
  })

  test('shorter than the provider\'s own repeats leaves no gap', async () => {
    await subscribe(house, 'new-label-added-to-card', { boards: [board] })
    const card = house.board.addCard(board, list, 'one', person).data.card.id as string
    await live(10 * minute)
    house.up.isUp = false
    house.board.label(card, person)
    await house.board.pump()
    house.clock.advance(2 * minute)
    await house.board.pump()
    house.up.isUp = true
    house.restart()
    await house.triggers.ticks.returnFrom()
    await live(5 * minute)
    expect(house.called).toHaveLength(1)
    expect(await gaps()).toEqual([])
  })

  test('of the store while we are up: 503, then healed, listed, and what only webhooks tell is a gap', async () => {
    let broken = false
    await subscribe(house, 'new-card', { boards: [board] })
    await subscribe(house, 'new-label-added-to-card', { boards: [board] })
    const refuse = () => Promise.reject(fail('unavailable', 'the disk is full'))
    house.restart((store) => overlay(store, { ingest: (arrival) => (broken ? refuse() : store.ingest(arrival)), check: () => (broken ? refuse() : store.check()) }))
    await live(6 * minute)
    const began = house.clock.now()
    broken = true
    const card = house.board.addCard(board, list, 'during', person).data.card.id as string
    house.board.label(card, person)
    for (let n = 0; n < 10; n += 1) {
      house.clock.advance(minute)
      await house.board.pump()
      await house.triggers.ticks.heal().catch(() => undefined)
    }
    expect(house.board.lost).toHaveLength(2)
    broken = false
    await live(2 * minute)
    expect(cardNames()).toEqual(['during'])
    expect(await gaps()).toMatchObject([{ kind: 'addLabelToCard', from: new Date(began).toISOString(), to: new Date(began + 11 * minute).toISOString(), reason: 'Deliveries could not be stored.' }])
  })
  test('of the way to us, while we are up: seen by the provider\'s count of failures', async () => {
    await subscribe(house, 'new-label-added-to-card', { boards: [board] })
    const card = house.board.addCard(board, list, 'one', person).data.card.id as string
    await live(10 * minute)
    const began = house.clock.now()
    house.up.isUp = false
    house.board.label(card, person)
    await live(20 * minute, 30_000)
    house.up.isUp = true
    house.board.label(card, person)
    await live(10 * minute)
    expect(house.called).toHaveLength(1)
    const [gap, ...rest] = await gaps()
    expect([gap!.kind, gap!.reason, rest]).toEqual(['addLabelToCard', 'Deliveries did not reach us for a while.', []])
    expect(Date.parse(gap!.from)).toBeLessThanOrEqual(began)
    expect(Date.parse(gap!.from)).toBeGreaterThan(began - 10 * minute)
    expect(Date.parse(gap!.to)).toBeGreaterThan(began + 20 * minute)
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
    expect(await house.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'paused_auth', stateReason: 'The connected account was removed.' })
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
    const { id } = await subscribe(house, 'custom-webhook-events', { boards: [board], types: ['createCard', 'addLabelToCard'] })
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
    await subscribe(house, 'new-checklist', { boards: [board], lists: [house.board.addList('Other')] }, { agent: { url: 'https://agents.example/other' } })
    const card = house.board.addCard(board, list, 'one', person).data.card.id as string
    await settle(house)
    house.clock.advance(1000)
    let asked = 0
    const { answer } = house.board
    let fails = true
    house.board.answer = async (request) => {
      if (!request.path.startsWith('/1/cards/')) return answer(request)
      asked += 1
      return fails ? { status: 500, body: 'oops' } : answer(request)
    }
    house.board.checklist(card, person)
    await settle(house)
    expect([house.called.length, asked]).toEqual([0, 1])
    house.clock.advance(6_000)
    await settle(house)
    expect([house.called.length, asked]).toEqual([0, 2])
    fails = false
    house.clock.advance(20_000)
    await settle(house)
    expect([house.requests.map(({ url }) => url), asked]).toEqual([['https://agents.example/start'], 3])
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
