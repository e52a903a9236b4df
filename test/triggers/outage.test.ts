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
  openTriggerWorld,
  overlay,
  round as roundOf,
  settle,
  someoneElse,
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
const live = (ms: number, stepMs?: number) => liveOf(world, ms, stepMs)

describe('an outage', () => {
  test('of six hours, the hook switched off meanwhile, the token taken back and the account reconnected', async () => {
    const cards = await subscribe(world, 'new-card', { boards: [board] })
    await subscribe(
      world,
      'new-comment-added-to-card',
      { boards: [board] },
      { agent: { url: 'https://agents.example/comments' } },
    )
    await subscribe(
      world,
      'new-label-added-to-card',
      { boards: [board] },
      { agent: { url: 'https://agents.example/labels' } },
    )
    await live(30 * minute)
    const first = world.board.addCard(board, list, 'before', person).data.card.id as string
    await live(minute)
    expect(cardNames()).toEqual(['before'])

    // Down: nobody answers and nothing runs.
    const downAt = world.clock.now()
    world.up.isUp = false
    const expectedStarts = { cards: ['before'], comments: [] as string[], labels: 0 }
    const happen = (name: string) => {
      world.board.addCard(board, list, name, person)
      world.board.comment(first, name, person)
      world.board.label(first, person)
      expectedStarts.cards.push(name)
      expectedStarts.comments.push(name)
      expectedStarts.labels += 1
    }
    for (let n = 0; n < 72; n += 1) {
      happen(`hour ${(n / 12).toFixed(2)}`)
      for (let at = 0; at < 5; at += 1) {
        world.clock.advance(minute)
        await world.board.pump()
      }
      if (n === 24) for (const hook of world.board.hooks.values()) hook.active = false
      if (n === 48) world.board.tokens.clear()
    }
    world.board.deliveries.splice(0)
    world.up.isUp = true

    // Up again, without a token that works.
    world.restart()
    await world.triggers.ticks.returnFrom()
    const upAt = world.clock.now()
    await round()
    expect((await world.triggers.subscriptions.get(caller, cards.id)).state).toBe('paused_auth')
    const frozen = await world.store.cursors.get(tenant, 'con_1', `board:${board}`)
    happen('while disconnected')
    await live(30 * minute)
    expect(await world.store.cursors.get(tenant, 'con_1', `board:${board}`)).toEqual(frozen)

    // Reconnected with a new token of the same account.
    world.board.tokens.set('token-2', me)
    await world.store.connections.patch(tenant, 'con_1', {
      state: 'connected',
      stateReason: null,
      secrets: world.vault.seal({ tenant, owner: 'con_1' }, { key: 'app-key', token: 'token-2' }),
    })
    world.openConnections.forget(tenant)
    await live(30 * minute)
    expect((await world.triggers.subscriptions.get(caller, cards.id)).state).toBe('active')
    happen('after')
    await live(60 * minute)

    const called = (path: string) =>
      world.requests
        .filter(({ url }) => url.endsWith(path))
        .map(({ body }) => JSON.parse(body) as (typeof world.called)[number])
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
    const missing = world.board.actions
      .filter(({ type, date }) => type === 'addLabelToCard' && Date.parse(date) >= downAt)
      .slice(0, -1)
    expect(missing).toHaveLength(73)
    expect(reportedGaps.map(({ kind }) => kind)).toEqual(reportedGaps.map(() => 'addLabelToCard'))
    for (const { date } of missing) expect(reportedGaps.some(({ from, to }) => from <= date && date <= to)).toBe(true)
    expect(Math.min(...reportedGaps.map(({ from }) => Date.parse(from)))).toBeGreaterThan(downAt - 10 * minute)
    expect(reportedGaps.some(({ to }) => Date.parse(to) > upAt + 60 * minute)).toBe(false)
    expect(new Set(world.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(world.requests.length)
    expect([...world.board.hooks.values()]).toMatchObject([{ token: 'token-2', idModel: board, active: true }])
  })

  test("shorter than the provider's own repeats leaves no gap", async () => {
    await subscribe(world, 'new-label-added-to-card', { boards: [board] })
    const card = world.board.addCard(board, list, 'one', person).data.card.id as string
    await live(10 * minute)
    world.up.isUp = false
    world.board.label(card, person)
    await world.board.pump()
    world.clock.advance(2 * minute)
    await world.board.pump()
    world.up.isUp = true
    world.restart()
    await world.triggers.ticks.returnFrom()
    await live(5 * minute)
    expect(world.called).toHaveLength(1)
    expect(await gaps()).toEqual([])
  })

  test('of the store while we are up: 503, then healed, listed, and what only webhooks tell is a gap', async () => {
    let broken = false
    await subscribe(world, 'new-card', { boards: [board] })
    await subscribe(world, 'new-label-added-to-card', { boards: [board] })
    const refuse = () => Promise.reject(fail('unavailable', 'the disk is full'))
    world.restart((store) =>
      overlay(store, {
        ingest: (arrival) => (broken ? refuse() : store.ingest(arrival)),
        check: () => (broken ? refuse() : store.check()),
      }),
    )
    await live(6 * minute)
    const began = world.clock.now()
    broken = true
    const card = world.board.addCard(board, list, 'during', person).data.card.id as string
    world.board.label(card, person)
    for (let n = 0; n < 10; n += 1) {
      world.clock.advance(minute)
      await world.board.pump()
      await world.triggers.ticks.heal().catch(() => undefined)
    }
    expect(world.board.lost).toHaveLength(2)
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
    await subscribe(world, 'new-label-added-to-card', { boards: [board] })
    const card = world.board.addCard(board, list, 'one', person).data.card.id as string
    await live(10 * minute)
    const began = world.clock.now()
    world.up.isUp = false
    world.board.label(card, person)
    await live(20 * minute, 30_000)
    world.up.isUp = true
    world.board.label(card, person)
    await live(10 * minute)
    expect(world.called).toHaveLength(1)
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
    await subscribe(world, 'new-label-added-to-card', { boards: [board] })
    card = world.board.addCard(board, list, 'one', person).data.card.id as string
    await live(10 * minute)
  })
  /** While nobody listens; the delivery is tried as the provider does. */
  const away = async (ms: number) => {
    world.up.isUp = false
    for (let passed = 0; passed < ms; passed += 10_000) {
      world.clock.advance(10_000)
      await world.board.pump()
    }
    world.up.isUp = true
  }
  const labelled = () => world.board.label(card, person).date as string
  const isTold = async (date: string) =>
    (await gaps()).some(({ kind, from, to }) => kind === 'addLabelToCard' && from <= date && date <= to)

  test('the store cannot be written to while the process comes back: the absence is looked after later', async () => {
    const date = labelled()
    await away(10 * minute)
    let broken = true
    const refuse = () => Promise.reject(fail('unavailable', 'the database is locked'))
    world.restart((store) =>
      overlay(store, {
        ingest: (arrival) => (broken ? refuse() : store.ingest(arrival)),
        timestamps: overlay(store.timestamps, {
          put: (...putArguments) => (broken ? refuse() : store.timestamps.put(...putArguments)),
        }),
      }),
    )
    await expect(world.triggers.ticks.returnFrom()).rejects.toThrow('locked')
    await expect(world.triggers.ticks.alive()).rejects.toThrow('locked')
    broken = false
    await live(10 * minute)
    expect(await isTold(date)).toBe(true)
  })

  test('the process dies over looking after it: the next one does', async () => {
    const date = labelled()
    await away(10 * minute)
    world.restart((store) => overlay(store, { ingest: () => new Promise(() => {}) }))
    void world.triggers.ticks.returnFrom()
    await new Promise((resolve) => setTimeout(resolve, 20))
    world.restart()
    await world.triggers.ticks.returnFrom()
    await live(10 * minute)
    expect(await isTold(date)).toBe(true)
  })

  test('short absences that together outlast the provider', async () => {
    world.up.isUp = false
    const date = labelled()
    // Up for a while in between each time, but not when the provider tries.
    for (const pause of [0, 29_000, 59_000, 119_000]) {
      world.clock.advance(pause)
      await world.triggers.ticks.alive()
      world.clock.advance(1000)
      await world.board.pump()
      world.restart()
      await world.triggers.ticks.returnFrom()
    }
    world.up.isUp = true
    expect(world.board.lost).toHaveLength(1)
    await live(10 * minute)
    expect(await isTold(date)).toBe(true)
  })

  test('the process dies between setting a hook right and writing down what it missed', async () => {
    for (const hook of world.board.hooks.values()) hook.active = false
    const date = labelled()
    await world.board.pump()
    world.clock.advance(6 * minute)
    await world.triggers.ticks.alive()
    // The write after the provider's answer never comes.
    world.restart((store) =>
      overlay(store, {
        hooks: overlay(store.hooks, {
          patch: (tenant_, id, changes) =>
            changes.providerId ? new Promise(() => {}) : store.hooks.patch(tenant_, id, changes),
        }),
      }),
    )
    void world.triggers.ticks.upkeep()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([...world.board.hooks.values()]).toMatchObject([{ active: true }])
    world.restart()
    await world.triggers.ticks.returnFrom()
    await live(10 * minute)
    expect(await isTold(date)).toBe(true)
    expect((await world.store.hooks.all()).map(({ suspectSince }) => suspectSince)).toEqual([null])
  })

  test('a delivery that was still to be made when the hook was switched off, though a later one had come', async () => {
    const date = labelled()
    const [label] = world.board.deliveries.splice(0)
    world.clock.advance(1000)
    world.board.addCard(board, list, 'two', person)
    await settle(world)
    await world.triggers.ticks.alive()
    world.board.deliveries.push(label!)
    for (const hook of world.board.hooks.values()) hook.active = false
    await world.board.pump()
    await live(10 * minute)
    expect(await isTold(date)).toBe(true)
  })

  test('what could not be stored is looked after by the next process, should this one die before it can', async () => {
    const refuse = () => Promise.reject(fail('unavailable', 'the disk is full'))
    world.restart((store) => overlay(store, { ingest: refuse }))
    await world.triggers.ticks.returnFrom()
    const date = labelled()
    for (let n = 0; n < 5; n += 1) {
      await world.board.pump()
      await world.triggers.ticks.alive()
      world.clock.advance(minute)
    }
    world.restart()
    await world.triggers.ticks.returnFrom()
    expect(await isTold(date)).toBe(true)
  })

  test('the clock is set back by an hour while the process is away: said, and nothing due is put off by an hour', async () => {
    await subscribe(
      world,
      'new-comment-added-to-card',
      { boards: [board] },
      { agent: { url: 'https://agents.example/comments' } },
    )
    world.clock.advance(1000)
    world.agent.answer = () => ({ status: 500, headers: {}, message: '' })
    world.board.comment(card, 'tried again in five seconds', person)
    await settle(world)
    world.agent.answer = () => ({ status: 200, headers: {}, message: '' })
    expect(world.called).toHaveLength(1)
    await world.triggers.ticks.alive()
    const date = labelled()
    await away(10 * minute)
    world.clock.jump(-60 * minute)
    world.restart()
    await world.triggers.ticks.returnFrom()
    const [gap] = await gaps()
    expect(gap).toMatchObject({ kind: 'addLabelToCard', reason: 'This server was down.' })
    expect(Math.abs(Date.parse(gap!.to) - Date.parse(date))).toBeLessThanOrEqual(60 * minute)
    await live(2 * minute)
    expect(world.called).toHaveLength(2)
  })
})
