import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fail } from '#kit'
import type { AgentStart } from '../../shared/runtime/triggers/index.ts'
import { failsWith } from '../store/fails.ts'
import { caller, openTriggerWorld, overlay, settle, someoneElse, start0, subscribe, tenant } from './world.ts'
import type { Agent, TriggerWorld } from './world.ts'

let world: TriggerWorld
let board: string
let list: string
const person = { member: someoneElse }
const open = async (options: Parameters<typeof openTriggerWorld>[0] = {}) => {
  world = await openTriggerWorld(options)
  board = world.board.addBoard('Launch plan')
  list = world.board.addList('Ideas')
}
beforeEach(() => open())
afterEach(() => world.close())

const attach = async (options: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => {
  const made = await subscribe(world, 'new-card', { boards: [board] }, { options, ...more })
  world.clock.advance(1000)
  return made
}
const starts = async () => (await world.store.starts.list(tenant, { limit: 100 })).items
const answers = (...list: (number | { status: number; retryAfter?: string } | 'unreachable')[]): Agent => {
  let n = 0
  return () => {
    const answer = list[Math.min(n, list.length - 1)]!
    n += 1
    if (answer === 'unreachable')
      throw fail('unreachable', 'The agent could not be reached: it refused the connection.')
    const { status, retryAfter } = typeof answer === 'number' ? { status: answer, retryAfter: undefined } : answer
    return { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter }, message: `said ${status}` }
  }
}
/** Moves time on from one due time to the next until so many calls came; gives when each came. */
const run = async (until: number) => {
  const times: number[] = []
  for (let n = 0; n < 50 && times.length < until; n += 1) {
    const before = world.called.length
    await settle(world)
    for (let called = before; called < world.called.length; called += 1) times.push(world.clock.now())
    const dueAt = await world.store.starts.nextDueAt()
    if (times.length < until && dueAt !== undefined) world.clock.advance(Math.max(0, dueAt - world.clock.now()))
  }
  return times
}

describe('a start', () => {
  test('is signed by Standard Webhooks with the start key as its id, and can be checked with the public library', async () => {
    const { agent } = await attach()
    world.board.addCard(board, list, 'One', person)
    await settle(world)
    const { headers, body, url } = world.requests[0]!
    const [start] = await starts()
    expect(url).toBe('https://agents.example/start')
    expect(headers['webhook-id']).toBe(start!.id)
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(world.clock.now() / 1000)))
    // The library looks at the real clock for the age of a message, so the signature is made again for its own time.
    expect(headers['webhook-signature']).toBe(
      new Webhook(agent.secret!).sign(start!.id, new Date(world.clock.now()), body),
    )
    const now = new Date()
    const signature = new Webhook(agent.secret!).sign(start!.id, now, body)
    const checked = new Webhook(agent.secret!).verify(body, {
      'webhook-id': start!.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': signature,
    })
    expect((checked as AgentStart).data.start).toBe(start!.id)
    expect(start).toMatchObject({ state: 'done', attempts: 1, answer: { status: 200 } })
  })

  test('that begins together with others shares one read of their subscription with them', async () => {
    await attach()
    for (const name of ['One', 'Two', 'Three', 'Four']) world.board.addCard(board, list, name, person)
    const read = vi.spyOn(world.store.subscriptions, 'get')
    await settle(world)
    expect(world.called).toHaveLength(4)
    const readTogether = read.mock.calls.length
    expect(readTogether).toBeLessThan(4)
    // A later one does not use what was read for the others.
    world.board.addCard(board, list, 'Five', person)
    await settle(world)
    expect(world.called).toHaveLength(5)
    expect(read.mock.calls.length).toBeGreaterThan(readTogether)
  })

  test('carries no character that nobody sees; what is kept is as it was', async () => {
    await attach()
    world.board.addCard(board, list, 'Plan\u200b\u{e0041}\u202e ok \u{1f468}\u200d\u{1f469}', person)
    await settle(world)
    expect(world.called[0]!.data.event).toMatchObject({ card: { name: 'Plan ok \u{1f468}\u200d\u{1f469}' } })
    expect(JSON.stringify((await starts())[0]!.data)).toContain('\u200b')
  })
})

describe('what the agent says', () => {
  test('2xx and 409 end it', async () => {
    await attach()
    for (const status of [204, 409]) {
      world.agent.answer = answers(status)
      world.board.addCard(board, list, 'One', person)
      await settle(world)
    }
    expect((await starts()).map(({ state, attempts }) => [state, attempts])).toEqual([
      ['done', 1],
      ['done', 1],
    ])
  })

  test('other 4xx make a dead letter at once; replayed under the same key, with force under a new one', async () => {
    await attach()
    world.agent.answer = answers(400, 200)
    world.board.addCard(board, list, 'One', person)
    await settle(world)
    const [dead] = (await world.triggers.starts.list(caller, { limit: 9 }, { state: 'dead' })).items
    expect(dead).toMatchObject({
      attempts: 1,
      answer: { status: 400, message: 'The answer has 8 bytes. This server does not store its text.' },
    })
    await world.triggers.starts.replay(caller, dead!.id)
    await settle(world)
    expect(world.requests.map(({ headers }) => headers['webhook-id'])).toEqual([dead!.id, dead!.id])
    const attempts = async (id: string) =>
      (await world.triggers.starts.get(caller, id)).answers.map(({ status, nextAt }) => [status, nextAt])
    expect(await attempts(dead!.id)).toEqual([
      [400, null],
      [200, null],
    ])
    const again = await world.triggers.starts.replay(caller, dead!.id, { force: true })
    await settle(world)
    expect(again).toMatchObject({ replayOf: dead!.id })
    expect(await attempts(again.id)).toEqual([[200, null]])
    expect((await world.store.starts.get(tenant, again.id))!.answers).toBeNull()
    expect(world.requests[2]!.headers['webhook-id']).toBe(again.id)
    expect(again.id).not.toBe(dead!.id)
  })

  test('what it answers is shown only where the operator allows it, and never the secret it knows', async () => {
    for (const agentAnswers of [undefined, true]) {
      await world.close()
      await open({ agentAnswers })
      const { agent } = await attach()
      world.agent.answer = () => ({ status: 400, headers: {}, message: `inside ${agent.secret} ${'x'.repeat(600)}` })
      world.board.addCard(board, list, 'One', person)
      await settle(world)
      const text = JSON.stringify((await world.triggers.starts.list(caller, { limit: 9 })).items)
      expect(text.includes('inside')).toBe(agentAnswers === true)
      expect(text.includes('does not store its text')).toBe(agentAnswers !== true)
      expect(text).not.toContain(agent.secret)
    }
  })

  test('dead letters are replayed in bulk', async () => {
    const { id } = await attach()
    world.agent.answer = answers(422)
    for (const name of ['a', 'b', 'c']) world.board.addCard(board, list, name, person)
    await settle(world)
    world.agent.answer = answers(200)
    expect(await world.triggers.starts.replayAll(caller, { subscription: id })).toEqual({ replayed: 3 })
    await settle(world)
    expect((await starts()).map(({ state }) => state)).toEqual(['done', 'done', 'done'])
  })

  test('410 pauses the subscription; resumed, it gets what it missed under the same key', async () => {
    const { id } = await attach()
    world.agent.answer = answers(410)
    world.board.addCard(board, list, 'One', person)
    await settle(world)
    expect(await world.triggers.subscriptions.get(caller, id)).toMatchObject({
      state: 'paused',
      stateReason: 'The agent answered 410 Gone.',
    })
    world.clock.advance(3_600_000)
    await settle(world)
    expect(world.called).toHaveLength(1)
    world.agent.answer = answers(200)
    await world.triggers.subscriptions.resume(caller, id)
    await settle(world)
    expect(world.called).toHaveLength(2)
    expect(world.called[1]).toEqual(world.called[0])
  })

  test('5xx, no answer and redirects climb the ladder: now, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, then dead', async () => {
    await attach()
    world.agent.answer = answers(500, 'unreachable', 302, 502, 500, 504, 500, 500, 500)
    world.board.addCard(board, list, 'One', person)
    const began = world.clock.now()
    const times = await run(8)
    const waits = times.map((at, n) => at - (times[n - 1] ?? began))
    const ladder = [0, 5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000]
    waits.forEach((wait, n) => {
      expect(wait).toBeGreaterThanOrEqual(ladder[n]!)
      expect(wait).toBeLessThanOrEqual(ladder[n]! * 1.2)
    })
    world.clock.advance(86_400_000)
    await settle(world)
    expect(world.called).toHaveLength(8)
    const [dead] = await starts()
    expect(dead).toMatchObject({ state: 'dead', attempts: 8 })
    const { answers: every } = await world.triggers.starts.get(caller, dead!.id)
    expect(every.map(({ status }) => status)).toEqual([500, null, 302, 502, 500, 504, 500, 500])
    expect(every[1]).toMatchObject({ message: 'The agent could not be reached: it refused the connection.' })
    every.slice(0, -1).forEach(({ nextAt }, n) => expect(Date.parse(nextAt!)).toBe(times[n + 1]))
    expect(every.at(-1)!.nextAt).toBeNull()
    expect(new Set(world.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(world.requests.map(({ body }) => body)).size).toBe(1)
  })

  test('429 and 503 wait as long as they ask', async () => {
    await attach()
    world.agent.answer = answers(
      { status: 429, retryAfter: '120' },
      { status: 503, retryAfter: new Date(start0 + 20 * 60_000).toUTCString() },
      200,
    )
    world.board.addCard(board, list, 'One', person)
    const times = await run(3)
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(120_000)
    expect(times[1]! - times[0]!).toBeLessThanOrEqual(140_000)
    expect(times[2]!).toBeGreaterThanOrEqual(start0 + 20 * 60_000)
  })
})

const calledOnce = async () => {
  while (world.called.length < 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('leases', () => {
  const slow = () => {
    const waiting: (() => void)[] = []
    world.agent.answer = () =>
      new Promise((resolve) => waiting.push(() => resolve({ status: 200, headers: {}, message: '' })))
    return () => waiting.splice(0).forEach((go) => go())
  }

  test('are renewed while an agent is slow: nobody else calls it', async () => {
    await attach()
    const answer = slow()
    world.board.addCard(board, list, 'One', person)
    await world.board.pump()
    void world.triggers.ticks.dispatch()
    await calledOnce()
    for (let n = 0; n < 20; n += 1) {
      world.clock.advance(15_000)
      await world.triggers.ticks.dispatch()
    }
    expect(world.called).toHaveLength(1)
    answer()
    await settle(world)
    expect(world.called).toHaveLength(1)
    expect((await starts())[0]).toMatchObject({ state: 'done', attempts: 1 })
  })

  test('of a process that died run out: the next one calls once more, under the same key', async () => {
    await attach()
    slow()
    world.board.addCard(board, list, 'One', person)
    await world.board.pump()
    void world.triggers.ticks.dispatch()
    await calledOnce()
    world.restart()
    world.agent.answer = answers(200)
    await settle(world)
    expect(world.called).toHaveLength(1)
    world.clock.advance(60_001)
    await settle(world)
    expect(world.called).toHaveLength(2)
    expect(world.called[1]!.data.start).toBe(world.called[0]!.data.start)
  })

  test('a wall clock that jumps makes no second call, nor holds anything up', async () => {
    await attach()
    const answer = slow()
    world.board.addCard(board, list, 'One', person)
    await world.board.pump()
    void world.triggers.ticks.dispatch()
    await calledOnce()
    world.clock.jump(3_600_000)
    await world.triggers.ticks.dispatch()
    expect(world.called).toHaveLength(1)
    answer()
    await settle(world)
    expect((await starts())[0]).toMatchObject({ state: 'done' })
    world.clock.jump(-7_200_000)
    world.agent.answer = answers(500, 200)
    world.board.addCard(board, list, 'Two', { ...person })
    await settle(world)
    // Back by two hours, the retry of five seconds is still one of seconds.
    world.clock.advance(7_000)
    await settle(world)
    expect(world.called).toHaveLength(3)
    expect((await starts()).map(({ state }) => state)).toEqual(['done', 'done'])
  })

  test('an end that could not be written down is written later; the agent is not called again', async () => {
    let broken = false
    world.restart((store) =>
      overlay(store, {
        starts: overlay(store.starts, {
          end: async (...args) =>
            broken ? Promise.reject(fail('unavailable', 'the store is locked')) : store.starts.end(...args),
        }),
      }),
    )
    await attach()
    world.board.addCard(board, list, 'One', person)
    await world.board.pump()
    broken = true
    await world.triggers.ticks.dispatchOnce()
    await new Promise((resolve) => setTimeout(resolve, 10))
    for (let n = 0; n < 10; n += 1) {
      world.clock.advance(20_000)
      await world.triggers.ticks.dispatchOnce()
    }
    broken = false
    world.clock.advance(20_000)
    await world.triggers.ticks.dispatchOnce()
    expect(world.called).toHaveLength(1)
    expect((await starts())[0]).toMatchObject({ state: 'done' })
  })
})

describe('order and quiet', () => {
  test('serial: starts about one card wait for each other, in the order it happened', async () => {
    await subscribe(world, 'card-updated', { boards: [board] }, { options: { serial: true } })
    const card = world.board.addCard(board, list, 'One', person).data.card.id as string
    world.clock.advance(1000)
    const lists = ['Doing', 'Review', 'Done'].map((name) => world.board.addList(name))
    for (const to of lists) {
      world.clock.advance(10)
      world.board.moveCard(card, to, person)
    }
    await world.board.pump((due) => due.toReversed())
    await settle(world)
    expect(world.called).toEqual([])
    world.agent.answer = answers(500, 200)
    world.clock.advance(6_000)
    await settle(world)
    expect(world.called).toHaveLength(1)
    for (let n = 0; n < 4; n += 1) {
      world.clock.advance(7_000)
      await settle(world)
    }
    const moved = world.called.map(({ data }) => (data.event as { to: { list: { id: string } } }).to.list.id)
    expect(moved).toEqual([lists[0], ...lists])
  })

  test('settle: changes of a card within the quiet period start once, with the card as it is then', async () => {
    await subscribe(world, 'card-updated', { boards: [board] }, { options: { settleMs: 30_000 } })
    const card = world.board.addCard(board, list, 'One', person).data.card.id as string
    world.clock.advance(1000)
    const lists = ['Doing', 'Review', 'Done'].map((name) => world.board.addList(name))
    const moves = []
    for (const to of lists) {
      moves.push(world.board.moveCard(card, to, person))
      await settle(world)
      world.clock.advance(20_000)
      await settle(world)
    }
    expect(world.called).toEqual([])
    world.board.cards.get(card)!.name = 'Renamed'
    world.clock.advance(10_000)
    await settle(world)
    expect(world.called).toHaveLength(1)
    expect(world.called[0]!.data).toMatchObject({
      id: moves[0]!.id,
      settled: { events: [moves[1]!.id, moves[2]!.id], card: { id: card, name: 'Renamed' } },
      untrusted: ['/event', '/summary', '/settled'],
    })
    expect((await starts()).map(({ state }) => state).sort()).toEqual(['done', 'merged', 'merged'])
    // Gone by the time it closes; and a provider that cannot be asked holds nothing up.
    world.board.moveCard(card, list, person)
    await settle(world)
    world.board.cards.delete(card)
    world.clock.advance(31_000)
    await settle(world)
    expect(world.called[1]!.data.settled).toEqual({ events: [], card: null })
  })
})

test('in library use starts go to the callback; one that throws is asked again', async () => {
  await world.close()
  const receivedStarts: AgentStart[] = []
  let fails = true
  await open({
    onStart: async (start) => {
      receivedStarts.push(start)
      if (fails) throw new Error('busy')
    },
  })
  await subscribe(world, 'new-card', { boards: [board] }, { agent: { id: 'inside' } })
  world.clock.advance(1000)
  world.board.addCard(board, list, 'One', person)
  await settle(world)
  fails = false
  world.clock.advance(7_000)
  await settle(world)
  expect(receivedStarts).toHaveLength(2)
  expect(receivedStarts[1]).toMatchObject({
    type: 'work-board.new-card',
    data: { agent: 'inside', event: { card: { name: 'One' } } },
  })
  expect((await starts())[0]?.state).toBe('done')
})

describe('without waiting for an event', () => {
  test('a sample comes from history, else from the example; a test starts the agent, marked', async () => {
    const made = await subscribe(world, 'new-comment-added-to-card', { boards: [board] })
    expect(await world.triggers.subscriptions.sample(caller, made.id)).toMatchObject({
      from: 'example',
      start: { data: { test: true, event: { example: true } } },
    })
    const card = world.board.addCard(board, list, 'One', person).data.card.id as string
    const comment = world.board.comment(card, 'Hello', person)
    expect(await world.triggers.subscriptions.sample(caller, made.id)).toMatchObject({
      from: 'history',
      start: { type: 'work-board.new-comment-added-to-card', data: { id: comment.id, event: { text: 'Hello' } } },
    })
    world.board.deliveries.splice(0)
    const { start } = await world.triggers.subscriptions.test(caller, made.id)
    await settle(world)
    expect(world.called).toMatchObject([{ data: { start, test: true, event: { text: 'Hello' } } }])
    // The real one still counts as new.
    await world.triggers.subscriptions.recover(caller, made.id)
    world.clock.advance(1000)
  })

  test('an event is replayed: its ended starts again, and subscriptions attached later', async () => {
    await attach()
    const action = world.board.addCard(board, list, 'One', person)
    await settle(world)
    world.clock.advance(60_000)
    const later = await subscribe(
      world,
      'new-card',
      { boards: [board] },
      { agent: { id: 'later', url: 'https://agents.example/later' } },
    )
    expect(await world.triggers.events.replay(caller, action.id)).toEqual({ replayed: 1, started: 1 })
    await settle(world)
    expect(world.requests.map(({ url }) => url).sort()).toEqual([
      'https://agents.example/later',
      'https://agents.example/start',
      'https://agents.example/start',
    ])
    const detail = await world.triggers.events.get(caller, action.id)
    expect(detail).toMatchObject({ id: action.id, raw: { id: action.id, type: 'createCard' } })
    expect(detail.starts.map(({ subscription }) => subscription)).toContain(later.id)
    // What became of the start of a removed one stays.
    await world.triggers.subscriptions.remove(caller, later.id)
    expect(await world.triggers.events.replay(caller, action.id)).toEqual({ replayed: 1, started: 0 })
    await failsWith(world.triggers.events.get(caller, 'nothing'), 'not_found')
  })

  test('startFrom a date, or the newest few, starts for what happened before, once', async () => {
    const cards = Array.from({ length: 6 }, (_, n) => {
      world.clock.advance(60_000)
      return world.board.addCard(board, list, `Card ${n}`, person).id as string
    })
    const since = new Date(world.clock.now() - 150_000).toISOString()
    await subscribe(world, 'new-card', { boards: [board] }, { options: { startFrom: since } })
    await settle(world)
    expect(world.called.map(({ data }) => data.id)).toEqual(cards.slice(3))
    const recent = await subscribe(
      world,
      'new-card',
      { boards: [board] },
      { options: { startFrom: 'recent:2' }, agent: { url: 'https://agents.example/recent' } },
    )
    await settle(world)
    expect(world.called.slice(3).map(({ data }) => data.id)).toEqual(cards.slice(4))
    await world.triggers.subscriptions.recover(caller, recent.id)
    await settle(world)
    expect(world.called).toHaveLength(5)
  })
})
