/** docs/scaling.md, "Failover": the primary of PostgreSQL is lost under load, and its standby becomes the primary. */
import { expect, onTestFinished } from 'vitest'
import { startAgent } from '../nodes/agent.ts'
import { ask, openPlace, until } from '../nodes/place.ts'
import type { OpenPlace } from '../nodes/place.ts'
import { happen, onlyTold, prepareBoards, randomFrom, startsWanted } from '../support/board-events.ts'
import { subscribeToAll } from './attach.ts'
import { startReplicated } from './replicated.ts'
import type { Replicated, Replication } from './replicated.ts'

/** Of each failover. */
export const events = 240
export const perSecond = 40
/** The provider's waits before it tries again, as documented, thirty times shorter. */
const retriesMs = [1_000, 2_000, 4_000]

type Agent = Awaited<ReturnType<typeof startAgent>>

export const openStory = async () => {
  const database = await startReplicated()
  onTestFinished(database.close)
  const agent = await startAgent(randomFrom(1), 20)
  onTestFinished(() => void agent.close())
  const place = await openPlace({
    nodes: 2,
    database,
    agentOrigin: agent.origin,
    board: { hooks: { retriesMs, timeoutMs: 5_000 }, limits: { token: 1e9, key: 1e9, memberRoute: 1e9 } },
    wire: { pace: { limits: [], concurrency: 16 } },
  })
  const { boards, places } = prepareBoards(place.board)
  await place.connect()
  await subscribeToAll(place.origin, boards, agent.origin)
  return { database, agent, place, boards, places, began: Date.now() }
}
type Story = Awaited<ReturnType<typeof openStory>>

/** What the page says of the time between: no server is ready, and a call fails with `unavailable`. */
const refuses = async ({ nodes }: OpenPlace, reason: RegExp) => {
  for (const { origin } of nodes) {
    await until('a node is not ready', async () => (await ask(origin, '/readyz')).status === 503, 30_000)
    const change = async () => {
      const { status, json } = await ask(origin, '/v1/apps/work-board', {
        method: 'PUT',
        body: { key: 'k'.repeat(32), secret: 's'.repeat(64) },
      })
      return [status, json.code, json.detail]
    }
    // A connection to the primary that was lost is the reason until the standby has answered.
    await expect
      .poll(change, { timeout: 60_000 })
      .toEqual([503, 'unavailable', expect.stringMatching(reason) as string])
  }
}

/** The primary dies; the name leads to the standby, which becomes the primary while the servers try it. */
const failOver = async (database: Replicated, place: OpenPlace, agent: Agent) => {
  await database.killPrimary()
  agent.refuseFirst(false)
  database.leadToStandby()
  await refuses(place, /read-only/)
  await database.promote()
  for (const { origin } of place.nodes)
    await until('a node is ready on its own', async () => (await ask(origin, '/readyz')).status === 200, 60_000)
}

/** Events of one failover. The agent takes no start in the last moment before it, so that there are some to lose. */
export const play = async ({ database, agent, place, places }: Story, how: Replication, seed: number) => {
  let lostSince = Infinity
  let failing = Promise.resolve()
  await happen(place.board, places, events, perSecond, randomFrom(seed), (n) => {
    if (n === events / 2 - 2 * perSecond) {
      agent.refuseFirst(true)
      lostSince = Date.now()
      if (how === 'asynchronous') database.cutLink()
    }
    if (n === events / 2) failing = failOver(database, place, agent)
  })
  await failing
  return lostSince
}

/** Starts that must have come and have not, once everything that can come has. */
export const missingStarts = async ({ agent, place, boards, began }: Story) => {
  const { board, origin } = place
  await until(
    'every delivery is over',
    () => board.control.deliveries().every(({ state }) => state === 'done' || state === 'lost'),
    60_000,
  )
  const missing = () => {
    const actions = new Map(board.state.actions.map(({ id, type, date }) => [id, { type, date }]))
    return startsWanted(board, boards, began)
      .filter((start) => !agent.keys.has(start))
      .map((start) => ({ start, ...actions.get(start.split(' ')[1]!)! }))
  }
  // A start of which the end was lost is repeated after a minute.
  const isOver = async () =>
    missing().every(({ type }) => type === onlyTold) &&
    /^toolyard_starts_open 0$/m.test(String((await ask(origin, '/metrics')).json))
  // Histories are read within 15 minutes of what was missed, as the page of triggers says.
  await until('what the history has is started, and nothing is open', isOver, 900_000)
  return missing()
}
