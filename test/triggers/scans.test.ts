import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { caller, openTriggerWorld, settle, subscribe, tenant } from './world.ts'
import type { TriggerWorld } from './world.ts'
import type { Row } from './model/board.ts'

const minute = 60_000
const hour = 60 * minute
let world: TriggerWorld
let board: string
let cards: Row[]
let notifications: Row[]
let requestedResources: string[]
let fails: boolean
beforeEach(async () => {
  world = await openTriggerWorld()
  board = world.board.addBoard('Launch plan')
  cards = []
  notifications = []
  requestedResources = []
  fails = false
  const { answer } = world.board
  world.board.answer = async (request) => {
    const path = request.path.split('/').slice(2)
    if (path[0] === 'boards' && path[2] === 'cards') {
      requestedResources.push(`cards ${path[1]!}`)
      return fails
        ? { status: 500, body: 'oops' }
        : { status: 200, body: cards.filter(({ idBoard }) => idBoard === path[1]).map((card) => ({ ...card })) }
    }
    if (path[0] === 'members' && path[2] === 'notifications') {
      requestedResources.push('notifications')
      const since = request.query?.['since'] as string | undefined
      return { status: 200, body: notifications.filter(({ id }) => since === undefined || id >= since).toReversed() }
    }
    return answer(request)
  }
})
afterEach(() => world.close())

const iso = (at: number) => new Date(at).toISOString()
const addCard = (name: string, due: number, on = board) => {
  const card = {
    id: world.board.newId(),
    name,
    due: iso(due),
    dueComplete: false,
    closed: false,
    idBoard: on,
    idList: 'e'.repeat(24),
    shortLink: 'Ab12Cd34',
  }
  cards.push(card)
  return card
}
const notify = (type = 'mentionedOnCard') => {
  const notification = {
    id: world.board.newId(),
    type,
    date: iso(world.clock.now()),
    unread: true,
    data: { text: 'Hi' },
    idMemberCreator: 'b'.repeat(24),
  }
  notifications.push(notification)
  return notification
}
const live = async (ms: number, stepMs = 10_000) => {
  const { ticks } = world.triggers
  for (let passed = 0; passed < ms; passed += stepMs) {
    world.clock.advance(stepMs)
    await ticks.scans()
    await ticks.timers()
    await settle(world)
  }
}
const remind = (leadMinutes: number, more: Record<string, unknown> = {}) =>
  subscribe(world, 'card-due-date-reminder', { boards: [board], leadMinutes }, more)
const names = () => world.called.map(({ data }) => (data.event as { card: { name: string } }).card.name)
const starts = async () => (await world.store.starts.list(tenant, { limit: 100 })).items

describe('a due date reminder', () => {
  test('fires from a timer of ours at its second, once, and again for another due time', async () => {
    await remind(60)
    const card = addCard('Press kit', world.clock.now() + 90 * minute + 3000)
    await live(29 * minute)
    expect(names()).toEqual([])
    await live(2 * minute, 1000)
    expect(names()).toEqual(['Press kit'])
    expect(world.called[0]!.data).toMatchObject({
      via: 'poll',
      trigger: 'card-due-date-reminder',
      event: { leadMinutes: 60, due: card.due },
    })
    const late = (await starts())[0]!.createdAt - (Date.parse(card.due) - 60 * minute)
    expect(late).toBeLessThanOrEqual(1000)
    expect(late).toBeGreaterThanOrEqual(0)
    await live(30 * minute)
    expect(names()).toHaveLength(1)
    card.due = iso(world.clock.now() + 70 * minute)
    await live(12 * minute)
    expect(names()).toHaveLength(2)
  })

  test('is called off when the card is done, archived or dated anew before', async () => {
    await remind(60)
    const done = addCard('Done', world.clock.now() + 70 * minute)
    const moved = addCard('Moved', world.clock.now() + 70 * minute)
    addCard('Stays', world.clock.now() + 70 * minute)
    await live(3 * minute)
    expect((await world.store.timers.due(world.clock.now() + hour, 9)).length).toBe(3)
    done.dueComplete = true
    moved.due = iso(world.clock.now() + 5 * hour)
    await live(10 * minute)
    expect(names()).toEqual(['Stays'])
  })

  test('is not lost by a restart, nor fired for what changed meanwhile; late is flagged, too late is recorded', async () => {
    await remind(60)
    const kept = addCard('Kept', world.clock.now() + 90 * minute)
    const done = addCard('Done', world.clock.now() + 90 * minute)
    await live(5 * minute)
    // Away for the time they were to fire at.
    world.clock.advance(30 * minute)
    done.dueComplete = true
    world.restart()
    await world.triggers.ticks.timers()
    await settle(world)
    expect(names()).toEqual([])
    await live(minute)
    expect(names()).toEqual(['Kept'])
    expect(world.called[0]!.data).toMatchObject({ late: true })
    expect(await world.store.timers.due(Infinity, 9)).toEqual([])
    // Away for days: of no use any more, but not hidden.
    kept.due = iso(world.clock.now() + 3 * hour)
    await live(2 * minute)
    world.clock.advance(48 * hour)
    world.restart()
    await live(2 * minute)
    expect(names()).toHaveLength(1)
    expect((await world.triggers.starts.list(caller, { limit: 9 }, { state: 'missed' })).items).toMatchObject([
      { trigger: 'card-due-date-reminder', dueAt: null },
    ])
    const [missed] = (await starts()).filter(({ state }) => state === 'missed')
    expect(
      await world.triggers.starts.replayAll(caller, { subscription: missed!.subscription, state: 'missed' }),
    ).toEqual({ replayed: 1 })
    await settle(world)
    expect(names()).toHaveLength(2)
  })

  test('still fires from its timer while the provider cannot be asked', async () => {
    await remind(60)
    addCard('One', world.clock.now() + 70 * minute)
    await live(3 * minute)
    fails = true
    await live(10 * minute)
    expect(names()).toEqual(['One'])
  })
})

describe('a notification', () => {
  test('the first look fires nothing; then each new one once, whatever the order', async () => {
    notify()
    world.clock.advance(1000)
    await subscribe(world, 'new-notification', {})
    await live(3 * minute)
    expect(world.called).toEqual([])
    const notificationIds = [notify(), notify('addedToCard'), notify()].map(({ id }) => id)
    await live(5 * minute)
    expect(world.called.map(({ data }) => data.id).sort()).toEqual(notificationIds.sort())
    world.restart()
    notificationIds.push(notify().id)
    await live(5 * minute)
    expect(world.called.map(({ data }) => data.id).sort()).toEqual(notificationIds.sort())
  })

  test('a failed look loses nothing', async () => {
    await subscribe(world, 'new-notification', {})
    await live(2 * minute)
    const { answer } = world.board
    world.board.answer = async () => ({ status: 500, body: 'oops' })
    const notification = notify()
    await live(10 * minute)
    world.board.answer = answer
    await live(20 * minute)
    expect(world.called.map(({ data }) => data.id)).toEqual([notification.id])
  })
})

describe("the provider's rate", () => {
  test('one look per account and resource is shared by subscriptions', async () => {
    for (let n = 0; n < 5; n += 1) await remind(60 + n)
    await live(5 * minute)
    expect(requestedResources.filter((name) => name === `cards ${board}`).length).toBeGreaterThanOrEqual(4)
    expect(requestedResources.length).toBeLessThanOrEqual(7)
  })

  test('all looks together stay under a tenth of it: with many resources they stretch', async () => {
    const boards = Array.from({ length: 150 }, (_, n) => world.board.addBoard(`Board ${n}`))
    await subscribe(world, 'card-due-date-reminder', { boards, leadMinutes: 60 })
    await live(10 * minute, 1000)
    // 100 requests in 10 s are allowed: one a second is a tenth.
    expect(requestedResources.length).toBeLessThanOrEqual(606)
    expect(requestedResources.length).toBeGreaterThan(500)
    expect(new Set(requestedResources).size).toBe(150)
  })

  test('a subscription that goes takes its looks with it', async () => {
    const { id } = await remind(60)
    addCard('One', world.clock.now() + 2 * hour)
    await live(2 * minute)
    await world.triggers.subscriptions.remove(caller, id)
    const before = requestedResources.length
    await live(5 * minute)
    expect(requestedResources).toHaveLength(before)
    expect(await world.store.timers.due(Infinity, 9)).toEqual([])
  })
})
