/** Nodes are stopped and started one after the other, as an upgrade does, while a provider goes on delivering. */
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { prepareBoards } from '../support/board-events.ts'
import { postgresIsMissing } from '../support/postgres.ts'
import { agentSecret, startAgent } from './agent.ts'
import { figure } from './figures.ts'
import { ask, must, openPlace, until } from './place.ts'

/** At least every node once. */
const restarts = figure(20, 4)
const perSecond = figure(100, 40)
const path = '/comments'
/** The provider's waits before it tries again, as documented, a hundred times shorter. */
const retriesMs = [300, 600, 1_200]

describe.skipIf(postgresIsMissing())('rolling restarts', () => {
  it(`${restarts} restarts under ${perSecond} events a second: every event is acknowledged within the provider's repeats, and starts the agent once`, async () => {
    const agent = await startAgent(Math.random, 20)
    const place = await openPlace({
      agentOrigin: agent.origin,
      board: { hooks: { retriesMs }, limits: { token: 1e9, key: 1e9, memberRoute: 1e9 } },
      wire: { pace: { limits: [], concurrency: 16 } },
    })
    const { board, nodes, origin } = place
    const { boards, places } = prepareBoards(board)
    await place.connect()
    await must(origin, '/v1/subscriptions', {
      body: {
        integration: 'work-board',
        trigger: 'new-comment-added-to-card',
        config: { boards },
        agent: { url: agent.origin + path, secret: agentSecret },
      },
    })
    await wait(1_100)
    const sent: string[] = []
    let isOver = false
    const commenting = (async () => {
      const began = performance.now()
      while (!isOver) {
        const due = ((performance.now() - began) / 1000) * perSecond
        while (sent.length < due) {
          const { id } = board.control.comment({
            by: 'odettequill',
            idCard: places[sent.length % places.length]!.card,
            text: `remark ${sent.length}`,
          }) as {
            id: string
          }
          sent.push(id)
        }
        await wait(5)
      }
    })()
    const stops: number[] = []
    for (let n = 0; n < restarts; n += 1) {
      const node = nodes[n % nodes.length]!
      await wait(300 + n * 17)
      const began = performance.now()
      const { code, err } = await node.stop()
      stops.push(Math.round(performance.now() - began))
      expect(code, err).toBe(0)
      expect(await node.start()).toBe(true)
    }
    isOver = true
    await commenting
    await until(
      'every delivery is over',
      () => board.control.deliveries().every(({ state }) => state === 'done' || state === 'lost'),
      60_000,
    )
    await until('every event has started the agent', () => agent.keys.size >= sent.length, 120_000).catch(
      () => undefined,
    )
    await until(
      'nothing is open',
      async () => /^toolyard_starts_open 0$/m.test(String((await ask(origin, '/metrics')).json)),
      60_000,
    )
    const deliveries = board.control.deliveries()
    const failed = deliveries.flatMap(({ statuses }) => statuses.filter((status) => status !== 200))
    const calls = [...agent.calls.values()].reduce((sum, { length }) => sum + length, 0)
    const missing = sent.filter((id) => !agent.keys.has(`${path} ${id}`))
    console.log(
      `rolling: ${sent.length} events in ${restarts} restarts, ${failed.length} attempts of the provider failed (${[...new Set(failed)].join(', ')}), ` +
        `${calls} calls of the agent, ${missing.length} missing; stops took ${Math.min(...stops)} to ${Math.max(...stops)} ms`,
    )
    expect(deliveries.filter(({ state }) => state !== 'done')).toEqual([])
    expect(missing).toEqual([])
    expect([...agent.keys.values()].filter(({ size }) => size !== 1)).toEqual([])
    // A stop ends no call before its end is recorded.
    expect(calls).toBe(sent.length)
    for (const ms of stops) expect(ms).toBeLessThan(30_000)
    agent.close()
  })
})
