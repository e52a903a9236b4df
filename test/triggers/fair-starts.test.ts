import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fail } from '#kit'
import { createAgentConcurrency } from '../../shared/runtime/triggers/starts/concurrency.ts'
import { createWaiting } from '../../shared/runtime/triggers/starts/waiting.ts'
import type { Delivered } from '../../shared/wire/types.ts'
import { connectionRow, openTriggerWorld, someoneElse } from './world.ts'
import type { TriggerWorld } from './world.ts'

let world: TriggerWorld
let list: string
const person = { member: someoneElse }
const fine: Delivered = { status: 200, headers: {}, message: '' }
const never = () => new Promise<Delivered>(() => {})
const isSilent = (url: string) => url.includes('silent')

beforeEach(async () => {
  world = await openTriggerWorld()
  list = world.board.addList('Ideas')
})
afterEach(() => world.close())

/** A trigger on a board of its own, for a tenant. */
const attach = async (tenant: string, url: string, options: Record<string, unknown> = {}) => {
  if (!(await world.store.connections.get(tenant, `con_${tenant}`)))
    await world.store.connections.add(connectionRow(world.vault, { tenant, id: `con_${tenant}` }))
  const board = world.board.addBoard(`Plan of ${tenant}`)
  const request = {
    integration: 'work-board',
    trigger: 'new-card',
    connection: `con_${tenant}`,
    config: { boards: [board] },
    agent: { url },
    options,
  }
  await world.triggers.subscriptions.create({ tenant }, request)
  world.clock.advance(1000)
  return board
}
const happen = async (board: string, count = 1) => {
  for (let n = 0; n < count; n += 1) world.board.addCard(board, list, `Card ${n}`, person)
  await world.board.pump()
  await world.triggers.ticks.dispatch()
}
const calledAt = (url: string) => world.requests.filter((request) => request.url === url).length

describe('starts of one are not delayed by another', () => {
  test('agents of two tenants never answer, by the hundred: a third tenant is called at once', async () => {
    world.agent.answer = ({ url }) => (isSilent(url) ? never() : fine)
    const [firstSubscription, two, three] = [
      await attach('a', 'https://silent-1.example/start'),
      await attach('b', 'https://silent-2.example/start'),
      await attach('c', 'https://agents.example/start'),
    ]
    await happen(firstSubscription, 200)
    await happen(two, 200)
    await happen(three, 3)
    expect(calledAt('https://agents.example/start')).toBe(3)
    expect(world.requests.length - 3).toBeLessThan(120)
  })

  test('one agent of a tenant never answers: another agent of the same tenant is called at once', async () => {
    world.agent.answer = ({ url }) => (isSilent(url) ? never() : fine)
    const [firstSubscription, two] = [
      await attach('a', 'https://silent.example/start'),
      await attach('a', 'https://agents.example/start'),
    ]
    await happen(firstSubscription, 200)
    await happen(two, 3)
    expect(calledAt('https://agents.example/start')).toBe(3)
  })

  test('twenty tenants that are silent on top of it leave a place for the next', async () => {
    world.agent.answer = ({ url }) => (isSilent(url) ? never() : fine)
    for (let n = 0; n < 20; n += 1) await happen(await attach(`t${n}`, `https://silent-${n}.example/start`), 100)
    await happen(await attach('newcomer', 'https://agents.example/start'))
    expect(calledAt('https://agents.example/start')).toBe(1)
  })

  test('an agent that did not answer has two places until it answers again', async () => {
    const answer = { now: () => fail('unreachable', 'It did not answer.') as never as Promise<Delivered> }
    world.agent.answer = () => {
      const reply = answer.now()
      if (reply instanceof Error) throw reply
      return reply
    }
    const board = await attach('a', 'https://agents.example/start')
    await happen(board)
    await new Promise<void>((resolve) => setImmediate(resolve))
    const waiting: ((said: Delivered) => void)[] = []
    answer.now = () => new Promise<Delivered>((resolve) => void waiting.push(resolve))
    await happen(board, 50)
    expect(waiting).toHaveLength(2)
    waiting.shift()!(fine)
    await new Promise<void>((resolve) => setImmediate(resolve))
    await world.triggers.ticks.dispatch()
    expect(waiting.length).toBeGreaterThan(20)
  })
})

test('how long an agent may take is 5 minutes, or what its subscription says', async () => {
  await happen(await attach('a', 'https://agents.example/start'))
  await happen(await attach('a', 'https://agents.example/quick', { timeoutMs: 2000 }))
  expect(world.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([300_000, 2000])
  for (const timeoutMs of [999, 15 * 60_000 + 1, 1.5])
    await expect(attach('a', 'https://agents.example/start', { timeoutMs })).rejects.toThrow(/timeoutMs/)
})

test('a plan gives who holds least the next place, and nobody more than half of what is free', () => {
  const places = createAgentConcurrency()
  const queue = (tenant: string, subscription: string) => ({ tenant, subscription, dueAt: 0 })
  const plan = (...queues: ReturnType<typeof queue>[]) => {
    const waiting = createWaiting((_, subscription) => subscription)
    for (const startQueue of queues) waiting.add(startQueue)
    return places.plan(waiting, 1000).map(({ tenant, subscription, limit }) => `${tenant} ${subscription} ${limit}`)
  }
  expect(plan(queue('a', 'x'))).toEqual(['a x 32'])
  expect(plan(queue('a', 'x'), queue('a', 'y'))).toEqual(['a x 22', 'a y 21'])
  for (let n = 0; n < 60; n += 1) places.begin({ tenant: 'a', agent: `${n}` })
  expect(plan(queue('a', 'new'))).toEqual(['a new 2'])
  expect(plan(queue('a', 'new'), queue('b', 'x'))).toEqual(['b x 32'])
  for (let n = 0; n < 200; n += 1) places.begin({ tenant: `t${n}`, agent: 'x' })
  expect(plan(queue('newcomer', 'x'), queue('a', 'new'))).toEqual(['newcomer x 2'])
})
