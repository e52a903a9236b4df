/**
 * Nodes are killed and paused again and again, and their database is restarted, while a provider tells them of
 * thousands of events: nothing is lost, nothing is doubled.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { attached, happen, prepareBoards, randomFrom, startsWanted } from '../support/board-events.ts'
import { postgresIsMissing } from '../support/postgres.ts'
import { agentSecret, startAgent } from './agent.ts'
import { figure, seed } from './figures.ts'
import type { Node } from './node.ts'
import { ask, must, openPlace, until } from './place.ts'
import type { OpenPlace } from './place.ts'

const events = figure(10_000)
const kills = figure(20)
const pauses = figure(50)
const perSecond = figure(100, 40)
/** The provider's waits before it tries again, as documented, six times shorter. */
const retriesMs = [5_000, 10_000, 20_000]
/** A node cannot know that a call of its own arrived before it was told that the start is another's. */
const graceMs = 1_000

/** Mostly short; some longer than anything that a node holds may last without it. */
const pauseMs = (random: () => number): number => {
  const kind = random()
  return kind < 0.6 ? 50 + random() * 700 : kind < 0.9 ? 1_000 + random() * 4_000 : 10_000 + random() * 10_000
}

/** Kills and pauses nodes, one of each at a time and never both of one node. */
const disturb = ({ nodes, postgres }: OpenPlace, random: () => number) => {
  const busy = new Set<Node>()
  const done = { kills: 0, pauses: 0, restarts: 0 }
  const withNode = async (work: (node: Node) => Promise<void>) => {
    const free = nodes.filter((node) => !busy.has(node))
    const node = free[Math.floor(random() * free.length)]!
    busy.add(node)
    await work(node)
    busy.delete(node)
  }
  const up = async (node: Node) => {
    // A database that is away at that moment ends it; a process manager starts it again.
    while (!(await node.start())) await wait(200)
  }
  const last = { kill: Promise.resolve(), pause: Promise.resolve(), restart: Promise.resolve() }
  return {
    done,
    kill: () =>
      void (last.kill = last.kill.then(() =>
        withNode(async (node) => {
          await wait(random() * 300)
          await node.kill()
          done.kills += 1
          await wait(random() * 1_500)
          await up(node)
        }),
      )),
    pause: () =>
      void (last.pause = last.pause.then(() =>
        withNode(async (node) => {
          await node.pause(pauseMs(random))
          done.pauses += 1
        }),
      )),
    restart: (how: 'stop' | 'kill') =>
      void (last.restart = last.restart.then(async () => {
        await postgres[how]()
        await wait(500 + random() * 2_000)
        await postgres.start()
        done.restarts += 1
      })),
    over: () => Promise.all(Object.values(last)),
  }
}

/** So many moments among the events, in order. */
const momentsOf = (count: number, random: () => number) =>
  Array.from({ length: count }, () => Math.floor(random() * events)).toSorted((a, b) => a - b)

const openStarts = async (origin: string) => {
  // A node that is late is asked again.
  const { status, json } = await ask(origin, '/metrics').catch(() => ({ status: 0, json: '' }))
  return status === 200 ? Number(/^toolyard_starts_open (\d+)/m.exec(json as string)?.[1] ?? NaN) : NaN
}

describe.skipIf(postgresIsMissing())('triggers on 4 nodes', () => {
  it(`${events} events, ${kills} kills, ${pauses} pauses, the database restarted twice: nothing is lost, nothing is doubled`, async () => {
    const random = randomFrom(seed)
    const agent = await startAgent(randomFrom(seed + 1), 40)
    const place = await openPlace({
      agentOrigin: agent.origin,
      board: { hooks: { retriesMs, timeoutMs: 5_000 }, limits: { token: 1e9, key: 1e9, memberRoute: 1e9 } },
      wire: { pace: { limits: [], concurrency: 16 } },
    })
    const { board, origin } = place
    const { boards, places } = prepareBoards(board)
    await place.connect()
    for (const { path, trigger } of attached)
      await must(origin, '/v1/subscriptions', {
        body: {
          integration: 'work-board',
          trigger,
          config: { boards },
          agent: { url: agent.origin + path, secret: agentSecret },
        },
      })
    // A start may be called again when its first call was cut off, but not when its end was recorded.
    const calledAfterEnd: string[] = []
    agent.onRepeat(async (key, at) => {
      const { status, json } = await ask(origin, `/v1/starts/${key}`).catch(() => ({ status: 0, json: undefined }))
      if (status === 200 && json.state === 'done' && Date.parse(json.endedAt) < at - graceMs)
        calledAfterEnd.push(`${key}: ended ${json.endedAt}, called again ${new Date(at).toISOString()}`)
    })
    // Ids of actions count in seconds.
    await wait(1_100)
    const began = Date.now()
    board.control.disturb({ how: 'duplicate', times: Math.floor(events / 20), copies: 3, skip: 10 })
    const chaos = disturb(place, random)
    const plan: [number[], () => void][] = [
      [momentsOf(kills, random), chaos.kill],
      [momentsOf(pauses, random), chaos.pause],
      [[Math.floor(events / 3)], () => chaos.restart('stop')],
      [[Math.floor((events * 2) / 3)], () => chaos.restart('kill')],
    ]
    await happen(board, places, events, perSecond, random, (n) => {
      for (const [moments, act] of plan)
        while (moments[0] === n) {
          moments.shift()
          act()
        }
    })
    await chaos.over()
    await until(
      'every delivery is over',
      () => board.control.deliveries().every(({ state }) => state === 'done' || state === 'lost'),
      120_000,
    )
    const expectedStarts = startsWanted(board, boards, began)
    const missing = () => expectedStarts.filter((name) => !agent.keys.has(name))
    // What the provider gave up is found in its history; what a killed node was at is taken over.
    await until('every start has come', () => missing().length === 0, 180_000).catch(() => undefined)
    let open = NaN
    await until('nothing is open', async () => (open = await openStarts(origin)) === 0, 180_000).catch(() => undefined)
    await agent.settled()

    const lost = missing()
    const doubled = [...agent.keys].filter(([, keys]) => keys.size > 1).map(([name]) => name)
    const repeated = [...agent.calls.values()].reduce((sum, { length }) => sum + length - 1, 0)
    const lostDeliveries = board.control.deliveries().filter(({ state }) => state === 'lost').length
    console.log(
      `NODES_SEED=${seed}`,
      JSON.stringify({
        expectedStarts: expectedStarts.length,
        lost: lost.length,
        doubled: doubled.length,
        calledAfterEnd: calledAfterEnd.length,
        repeated,
        givenUpByProvider: lostDeliveries,
        ...chaos.done,
        ms: Date.now() - began,
      }),
    )
    expect(chaos.done).toEqual({ kills, pauses, restarts: 2 })
    expect(expectedStarts.length).toBeGreaterThan(events)
    expect({ lost, doubled, calledAfterEnd }).toEqual({ lost: [], doubled: [], calledAfterEnd: [] })
    expect(open).toBe(0)
    agent.close()
  })
})
