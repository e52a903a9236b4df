import { describe, expect, test } from 'vitest'
import type { Json } from '#kit'
import { tenant } from './world.ts'
import { openTracker } from './tracker.ts'

const me = 41
const minute = 60_000

type Opened = Awaited<ReturnType<typeof openTracker>>
const write = ({ own }: Opened, path: string, over: { reply?: Json; startId?: string | null; runId?: string } = {}) => {
  const { reply = { id: 5_000_000_001 }, startId = null, runId = 'run_1' } = over
  own.wrote({
    tenant,
    connection: 'con_1',
    integration: 'tracker',
    runId,
    step: 'comment',
    startId,
    method: 'POST',
    path,
    body: { body: 'x' },
    reply,
  })
}

/** The ways in: how a fact that happens reaches us. */
const ways = {
  webhook: async (opened: Opened, fact: object) => void (await opened.deliver(fact)),
  recovery: async (opened: Opened) => {
    opened.clock.advance(20 * minute)
    await opened.triggers.ticks.upkeep()
    await opened.triggers.ticks.aside()
    await opened.settle()
  },
  poll: async (opened: Opened) => {
    opened.clock.advance(2 * minute)
    await opened.triggers.ticks.scans()
    await opened.settle()
  },
}

describe.each(Object.keys(ways) as (keyof typeof ways)[])('without a correlation id, by %s', (way) => {
  const opened = async (options: Record<string, unknown> = {}) => {
    const world = await openTracker()
    await world.subscribe('opened', '7', { ...options, ...(way === 'poll' ? { delivery: 'poll' } : {}) })
    world.clock.advance(minute)
    return world
  }
  const causes = async ({ store }: Opened) =>
    (await store.events.list(tenant, { limit: 10 })).items.map(({ causedByUs }) => causedByUs)

  test('what we wrote, named by number, is our own and starts nothing', async () => {
    const world = await opened()
    write(world, '/repos/7/issues/7/comments')
    await ways[way](world, world.tracker.happen('opened', { actor: me }))
    expect(await causes(world)).toEqual([true])
    expect(world.called).toEqual([])
  })

  test.each([
    ['another actor', { actor: 99 }, '/repos/7/issues/7/comments'],
    ['a number that holds ours', { actor: me, issue: 77 }, '/repos/7/issues/7/comments'],
    ['a number that ours holds', { actor: me, issue: 7 }, '/repos/8/issues/77/comments'],
    ['the same number of another kind', { actor: me, issue: 7 }, '/repos/8/labels/7'],
    [
      'a number above 2^53 that differs in its last digit',
      { actor: me, issue: 7 },
      '/repos/8/issues/70000000000000000001',
    ],
  ])('%s is not ours and starts the agent', async (_, fact, path) => {
    const world = await opened()
    write(world, path)
    await ways[way](world, world.tracker.happen('opened', fact))
    expect(await causes(world)).not.toContain(true)
    expect(world.called).toHaveLength(1)
  })

  test('an id longer than any number is known as a whole', async () => {
    const world = await opened()
    const long = 4_294_967_296 * 1_000_000
    write(world, `/repos/7/issues/${long}/comments`)
    await ways[way](world, world.tracker.happen('opened', { actor: me, issue: long }))
    expect(await causes(world)).toEqual([true])
  })
})

test('an agent that answers what it is started by starts itself at most three times, then the chain ends', async () => {
  const world = await openTracker()
  await world.subscribe('opened', '7', { ownEvents: true })
  world.clock.advance(minute)
  let answered = 0
  await world.deliver(world.tracker.happen('opened', { actor: 99 }))
  while (answered < world.called.length && answered < 10) {
    const start = world.called[answered]!
    answered += 1
    const runId = `run_${answered}`
    world.own.began(tenant, runId, start.data.id)
    write(world, '/repos/7/issues/7/comments', { startId: start.data.id, runId })
    await world.deliver(world.tracker.happen('opened', { actor: me }))
  }
  expect(world.called.map(({ data }) => data.depth)).toEqual([0, 1, 2])
  // Somebody else goes on starting it.
  await world.deliver(world.tracker.happen('opened', { actor: 99 }))
  expect(world.called).toHaveLength(4)
})
