import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setTimeout as wait } from 'node:timers/promises'
import type { Pace } from '#kit'
import type { Call, Wire } from '../../shared/wire/index.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { account, callTo, listen, profileFor, reply, wireTo } from '../wire/setup.ts'

const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: async () => {} }
/** Nothing comes back while a test runs, however slow the machine is. */
const windowMs = 600_000

describe.skipIf(postgresIsMissing())('two processes that share the limits of a provider', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  const stores: Awaited<ReturnType<typeof openPostgresStore>>[] = []
  const wires: Wire[] = []
  let sink: Awaited<ReturnType<typeof listen>>
  beforeAll(async () => {
    sink = await listen()
    server = await startPostgres()
    const url = await server.createDatabase()
    for (let count = 0; count < 2; count += 1) {
      const store = await openPostgresStore({ url, clock, log: () => {} })
      stores.push(store)
      wires.push(wireTo([sink.origin], { slots: store.cluster.slots }))
    }
  })
  afterAll(async () => {
    for (const store of stores) await store.close()
    await server.close()
  })

  const profileWith = (pace: Pick<Pace, 'limits'> & Partial<Pace>) =>
    profileFor(sink.origin, { pace: { concurrency: 50, ...pace } })
  /** Sends calls in turn through both processes; returns what the provider saw of them: `enough`, and nothing more. */
  const sendAll = async (
    profile: ReturnType<typeof profileFor>,
    key: string,
    calls: Partial<Call>[],
    enough: (seen: typeof sink.seen) => boolean,
  ) => {
    const before = sink.seen.length
    const stop = new AbortController()
    const calling = calls.map((call, index) =>
      wires[index % 2]!.exchange(
        callTo(profile, { account: account({ key }), signal: stop.signal, deadlineAt: Infinity, ...call }),
      ).then(
        () => 'sent',
        (failure: { code: string }) => failure.code,
      ),
    )
    const seen = () => sink.seen.slice(before)
    for (const end = performance.now() + 60_000; !enough(seen()) && performance.now() < end;) await wait(50)
    for (let count = -1; count < seen().length; await wait(1500)) count = seen().length
    stop.abort()
    const outcomes = await Promise.all(calling)
    expect(outcomes.filter((outcome) => outcome !== 'sent').every((outcome) => outcome === 'cancelled')).toBe(true)
    return seen()
  }
  const post = (body: Call['body'], over: Partial<Call> = {}): Partial<Call> => ({
    method: 'POST',
    effect: 'create',
    body,
    ...over,
  })

  test('never use more points than it has, whatever their calls cost', async () => {
    sink.answer = (_, response) => reply(response, 200, {})
    const profile = profileWith({
      limits: [{ per: 'connection', counts: 'points', max: 100, windowMs }],
      points: { default: 1 },
    })
    const costs = Array.from({ length: 40 }, (_, index) => 1 + ((index * 17) % 23))
    const usedBy = (seen: typeof sink.seen) =>
      seen.reduce((sum, { body }) => sum + (JSON.parse(body) as { cost: number }).cost, 0)
    const calls = costs.map((cost) => post({ cost }, { points: cost }))
    const used = usedBy(await sendAll(profile, 't/mixed', calls, (seen) => usedBy(seen) > 100 - 23))
    expect(used).toBeLessThanOrEqual(100)
    expect(used).toBeGreaterThan(100 - 23)
  })

  test('get back what a call cost less than it might have', async () => {
    sink.answer = (_, response) => reply(response, 200, { cost: 5 })
    const profile = profileWith({
      limits: [{ per: 'connection', counts: 'points', max: 100, windowMs }],
      points: { default: 50, actual: { path: 'cost' } },
    })
    // The 11th finds 50 points free, the 12th only 45.
    expect(
      await sendAll(
        profile,
        't/returned',
        Array.from({ length: 14 }, () => ({})),
        ({ length }) => length >= 11,
      ),
    ).toHaveLength(11)
  })

  test('send one call for each value of a field', async () => {
    sink.answer = (_, response) => reply(response, 200, {})
    const profile = profileWith({ limits: [{ per: 'field', field: 'channel', max: 1, windowMs }] })
    const channels = ['C1', 'C1', 'C2', 'C2', 'C3', 'C3', 'C1', 'C2']
    const seen = await sendAll(
      profile,
      't/values',
      channels.map((channel) => post({ channel })),
      ({ length }) => length >= 3,
    )
    expect(seen.map(({ body }) => (JSON.parse(body) as { channel: string }).channel).toSorted()).toEqual([
      'C1',
      'C2',
      'C3',
    ])
  })
})
