import { describe, expect, test } from 'vitest'
import type { Json } from '#kit'
import { tenant } from './house.ts'
import { openDesk } from './desk.ts'

const me = 41
const minute = 60_000

type Opened = Awaited<ReturnType<typeof openDesk>>
const write = ({ own }: Opened, path: string, over: { reply?: Json; startId?: string | null; runId?: string } = {}) => {
  const { reply = { id: 5_000_000_001 }, startId = null, runId = 'run_1' } = over
  own.wrote({
    tenant,
    connection: 'con_1',
    integration: 'desk',
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
    const house = await openDesk()
    await house.subscribe('opened', '7', { ...options, ...(way === 'poll' ? { delivery: 'poll' } : {}) })
    house.clock.advance(minute)
    return house
  }
  const causes = async ({ store }: Opened) =>
    (await store.events.list(tenant, { limit: 10 })).items.map(({ causedByUs }) => causedByUs)

  test('what we wrote, named by number, is our own and starts nothing', async () => {
    const house = await opened()
    write(house, '/repos/7/issues/7/comments')
    await ways[way](house, house.desk.happen('opened', { actor: me }))
    expect(await causes(house)).toEqual([true])
    expect(house.called).toEqual([])
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
    const house = await opened()
    write(house, path)
    await ways[way](house, house.desk.happen('opened', fact))
    expect(await causes(house)).not.toContain(true)
    expect(house.called).toHaveLength(1)
  })

  test('an id longer than any number is known as a whole', async () => {
    const house = await opened()
    const long = 4_294_967_296 * 1_000_000
    write(house, `/repos/7/issues/${long}/comments`)
    await ways[way](house, house.desk.happen('opened', { actor: me, issue: long }))
    expect(await causes(house)).toEqual([true])
  })
})

test('an agent that answers what it is started by starts itself at most three times, then the chain ends', async () => {
  const house = await openDesk()
  await house.subscribe('opened', '7', { ownEvents: true })
  house.clock.advance(minute)
  let answered = 0
  await house.deliver(house.desk.happen('opened', { actor: 99 }))
  while (answered < house.called.length && answered < 10) {
    const start = house.called[answered]!
    answered += 1
    const runId = `run_${answered}`
    house.own.began(tenant, runId, start.data.id)
    write(house, '/repos/7/issues/7/comments', { startId: start.data.id, runId })
    await house.deliver(house.desk.happen('opened', { actor: me }))
  }
  expect(house.called.map(({ data }) => data.depth)).toEqual([0, 1, 2])
  // Somebody else goes on starting it.
  await house.deliver(house.desk.happen('opened', { actor: 99 }))
  expect(house.called).toHaveLength(4)
})
