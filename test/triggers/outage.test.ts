/**
 * The process, the store, the way to us or the provider's hook is away for a while: nothing is doubled, and what is
 * lost is said.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fail } from '#kit'
import {
  caller,
  live as liveOf,
  me,
  openHouse,
  overlay,
  round as roundOf,
  settle,
  someoneElse,
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
const live = (ms: number, stepMs?: number) => liveOf(house, ms, stepMs)

describe('an outage', () => {
  test('of six hours, the hook switched off meanwhile, the token taken back and the account reconnected', async () => {
    const cards = await subscribe(house, 'new-card', { boards: [board] })
    await subscribe(
      house,
      'new-comment-added-to-card',
      { boards: [board] },
      { agent: { url: 'https://agents.example/comments' } },
    )
    await subscribe(
      house,
      'new-label-added-to-card',
      { boards: [board] },
      { agent: { url: 'https://agents.example/labels' } },
    )
    await live(30 * minute)
    const first = house.board.addCard(board, list, 'before', person).data.card.id as string
    await live(minute)
    expect(cardNames()).toEqual(['before'])

    // Down: nobody answers and nothing runs.
    const downAt = house.clock.now()
    house.up.isUp = false
    const expectedStarts = { cards: ['before'], comments: [] as string[], labels: 0 }
    const happen = (name: string) => {
      house.board.addCard(board, list, name, person)
      house.board.comment(first, name, person)
      house.board.label(first, person)
      expectedStarts.cards.push(name)
      expectedStarts.comments.push(name)
      expectedStarts.labels += 1
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
    await house.store.connections.patch(tenant, 'con_1', {
      state: 'connected',
      stateReason: null,
      secrets: house.vault.seal({ tenant, owner: 'con_1' }, { key: 'app-key', token: 'token-2' }),
    })
    house.openConnections.forget(tenant)
    await live(30 * minute)
    expect((await house.triggers.subscriptions.get(caller, cards.id)).state).toBe('active')
    happen('after')
    await live(60 * minute)

    const called = (path: string) =>
      house.requests
        .filter(({ url }) => url.endsWith(path))
        .map(({ body }) => JSON.parse(body) as (typeof house.called)[number])
    expect(
      called('/start')
        .map(({ data }) => (data.event as { card: { name: string } }).card.name)
        .sort(),
    ).toEqual(expectedStarts.cards.sort())
    expect(
      called('/comments')
        .map(({ data }) => (data.event as { text: string }).text)
        .sort(),
    ).toEqual(expectedStarts.comments.sort())
    // Labels are told by webhook only: what happened from the outage to the repair is a gap, what happened after it
    // started.
    expect(called('/labels')).toHaveLength(1)
    const reportedGaps = await gaps()
    const missing = house.board.actions
      .filter(({ type, date }) => type === 'addLabelToCard' && Date.parse(date) >= downAt)
      .slice(0, -1)
    expect(missing).toHaveLength(73)
    expect(reportedGaps.map(({ kind }) => kind)).toEqual(reportedGaps.map(() => 'addLabelToCard'))
    for (const { date } of missing) expect(reportedGaps.some(({ from, to }) => from <= date && date <= to)).toBe(true)
    expect(Math.min(...reportedGaps.map(({ from }) => Date.parse(from)))).toBeGreaterThan(downAt - 10 * minute)
    expect(reportedGaps.some(({ to }) => Date.parse(to) > upAt + 60 * minute)).toBe(false)
    expect(new Set(house.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(house.requests.length)
    expect([...house.board.hooks.values()]).toMatchObject([{ token: 'token-2', idModel: board, active: true }])
  })

  test("shorter than the provider's own repeats leaves no gap", async () => {
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
    house.restart((store) =>
      overlay(store, {
        ingest: (arrival) => (broken ? refuse() : store.ingest(arrival)),
        check: () => (broken ? refuse() : store.check()),
      }),
    )
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
    expect(await gaps()).toMatchObject([
      {
        kind: 'addLabelToCard',
        from: new Date(began).toISOString(),
        to: new Date(began + 11 * minute).toISOString(),
        reason: 'Deliveries could not be stored.',
      },
    ])
  })
  test("of the way to us, while we are up: seen by the provider's count of failures", async () => {
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
    const [gap, ...otherGaps] = await gaps()
    expect([gap!.kind, gap!.reason, otherGaps]).toEqual([
      'addLabelToCard',
      'Deliveries did not reach us for a while.',
      [],
    ])
    expect(Date.parse(gap!.from)).toBeLessThanOrEqual(began)
    expect(Date.parse(gap!.from)).toBeGreaterThan(began - 10 * minute)
    expect(Date.parse(gap!.to)).toBeGreaterThan(began + 20 * minute)
  })
})

/** A label is told by webhook only: it starts an agent, or it is in a gap. */
describe('what only webhooks tell is never lost in silence', () => {
  let card: string
  beforeEach(async () => {
    await subscribe(house, 'new-label-added-to-card', { boards: [board] })
    card = house.board.addCard(board, list, 'one', person).data.card.id as string
    await live(10 * minute)
  })
  /** While nobody listens; the delivery is tried as the provider does. */
  const away = async (ms: number) => {
    house.up.isUp = false
    for (let passed = 0; passed < ms; passed += 10_000) {
      house.clock.advance(10_000)
      await house.board.pump()
    }
    house.up.isUp = true
  }
  const labelled = () => house.board.label(card, person).date as string
  const isTold = async (date: string) =>
    (await gaps()).some(({ kind, from, to }) => kind === 'addLabelToCard' && from <= date && date <= to)

  test('the store cannot be written to while the process comes back: the absence is looked after later', async () => {
    const date = labelled()
    await away(10 * minute)
    let broken = true
    const refuse = () => Promise.reject(fail('unavailable', 'the database is locked'))
    house.restart((store) =>
      overlay(store, {
        ingest: (arrival) => (broken ? refuse() : store.ingest(arrival)),
        timestamps: overlay(store.timestamps, {
          put: (...putArguments) => (broken ? refuse() : store.timestamps.put(...putArguments)),
        }),
      }),
    )
    await expect(house.triggers.ticks.returnFrom()).rejects.toThrow('locked')
    await expect(house.triggers.ticks.alive()).rejects.toThrow('locked')
    broken = false
    await live(10 * minute)
    expect(await isTold(date)).toBe(true)
  })

  test('the process dies over looking after it: the next one does', async () => {
    const date = labelled()
    await away(10 * minute)
    house.restart((store) => overlay(store, { ingest: () => new Promise(() => {}) }))
    void house.triggers.ticks.returnFrom()
    await new Promise((resolve) => setTimeout(resolve, 20))
    house.restart()
    await house.triggers.ticks.returnFrom()
    await live(10 * minute)
    expect(await isTold(date)).toBe(true)
  })

  test('short absences that together outlast the provider', async () => {
    house.up.isUp = false
    const date = labelled()
    // Up for a while in between each time, but not when the provider tries.
    for (const pause of [0, 29_000, 59_000, 119_000]) {
      house.clock.advance(pause)
      await house.triggers.ticks.alive()
      house.clock.advance(1000)
      await house.board.pump()
      house.restart()
      await house.triggers.ticks.returnFrom()
    }
    house.up.isUp = true
    expect(house.board.lost).toHaveLength(1)
    await live(10 * minute)
    expect(await isTold(date)).toBe(true)
  })

  test('the process dies between setting a hook right and writing down what it missed', async () => {
    for (const hook of house.board.hooks.values()) hook.active = false
    const date = labelled()
    await house.board.pump()
    house.clock.advance(6 * minute)
    await house.triggers.ticks.alive()
    // The write after the provider's answer never comes.
    house.restart((store) =>
      overlay(store, {
        hooks: overlay(store.hooks, {
          patch: (tenant_, id, changes) =>
            changes.providerId ? new Promise(() => {}) : store.hooks.patch(tenant_, id, changes),
        }),
      }),
    )
    void house.triggers.ticks.upkeep()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([...house.board.hooks.values()]).toMatchObject([{ active: true }])
    house.restart()
    await house.triggers.ticks.returnFrom()
    await live(10 * minute)
    expect(await isTold(date)).toBe(true)
    expect((await house.store.hooks.all()).map(({ suspectSince }) => suspectSince)).toEqual([null])
  })

  test('a delivery that was still to be made when the hook was switched off, though a later one had come', async () => {
    const date = labelled()
    const [label] = house.board.deliveries.splice(0)
    house.clock.advance(1000)
    house.board.addCard(board, list, 'two', person)
    await settle(house)
    await house.triggers.ticks.alive()
    house.board.deliveries.push(label!)
    for (const hook of house.board.hooks.values()) hook.active = false
    await house.board.pump()
    await live(10 * minute)
    expect(await isTold(date)).toBe(true)
  })

  test('what could not be stored is looked after by the next process, should this one die before it can', async () => {
    const refuse = () => Promise.reject(fail('unavailable', 'the disk is full'))
    house.restart((store) => overlay(store, { ingest: refuse }))
    await house.triggers.ticks.returnFrom()
    const date = labelled()
    for (let n = 0; n < 5; n += 1) {
      await house.board.pump()
      await house.triggers.ticks.alive()
      house.clock.advance(minute)
    }
    house.restart()
    await house.triggers.ticks.returnFrom()
    expect(await isTold(date)).toBe(true)
  })

  test('the clock is set back by an hour while the process is away: said, and nothing due is put off by an hour', async () => {
    await subscribe(
      house,
      'new-comment-added-to-card',
      { boards: [board] },
      { agent: { url: 'https://agents.example/comments' } },
    )
    house.clock.advance(1000)
    house.agent.answer = () => ({ status: 500, headers: {}, message: '' })
    house.board.comment(card, 'tried again in five seconds', person)
    await settle(house)
    house.agent.answer = () => ({ status: 200, headers: {}, message: '' })
    expect(house.called).toHaveLength(1)
    await house.triggers.ticks.alive()
    const date = labelled()
    await away(10 * minute)
    house.clock.jump(-60 * minute)
    house.restart()
    await house.triggers.ticks.returnFrom()
    const [gap] = await gaps()
    expect(gap).toMatchObject({ kind: 'addLabelToCard', reason: 'This server was down.' })
    expect(Math.abs(Date.parse(gap!.to) - Date.parse(date))).toBeLessThanOrEqual(60 * minute)
    await live(2 * minute)
    expect(house.called).toHaveLength(2)
  })
})
