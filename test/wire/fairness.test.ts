import { describe, expect, test } from 'vitest'
import type { PaceLimit } from '#kit'
import { createEgress } from '../../shared/wire/guard/egress.ts'
import { createRateLimiter } from '../../shared/wire/rate-limit/rate-limiter.ts'
import type { BucketSet } from '../../shared/wire/rate-limit/rate-limiter.ts'
import { createTransport } from '../../shared/wire/exchange/transport.ts'
import { fakeClock } from './clock.ts'
import { account, callTo, failureOf, listen, profileFor, reply, wireTo } from './setup.ts'

const origin = 'https://api.provider.example'
const start = (limits: PaceLimit[], concurrency = 5) => {
  const clock = fakeClock()
  const limiter = createRateLimiter(clock)
  const profile = profileFor(origin, { pace: { limits, concurrency } })
  const buckets = (tenant: string, name: string) =>
    limiter.bucketsFor('p', origin, profile, account({ tenant, key: `${tenant}/${name}`, appKey: 'shared' }), [], [])
  return { clock, limiter, buckets }
}
const sequence = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index))

describe("one tenant's calls and another's", () => {
  test('14 answers of 500 to one tenant open its own breaker and refuse nobody else', async () => {
    const sink = await listen()
    const secretsOf = (token: string) => ({ apiKey: 'marker-key-6f1c2ab94d', token })
    sink.answer = (request, response) => reply(response, request.url!.includes('sick-token') ? 500 : 200, { ok: true })
    const wire = wireTo([sink.origin])
    const profile = profileFor(sink.origin)
    const call = (tenant: string) =>
      callTo(profile, {
        account: account({ key: `${tenant}/c`, tenant, secrets: secretsOf(`${tenant}-token-0123456789`) }),
        method: 'POST',
        effect: 'create',
      })
    for (let sent = 0; sent < 14; sent += 1) await wire.exchange(call('sick')).catch(() => undefined)
    expect(await failureOf(wire.exchange(call('sick')))).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('of this tenant'),
    })
    expect((await wire.exchange(call('well'))).status).toBe(200)
  })

  test('a provider that hangs for one tenant, however many accounts it has, takes no place from another', () => {
    const { limiter, buckets } = start([])
    const taken = sequence(40, (index) => sequence(5, () => limiter.tryTake(buckets('a', `c${index}`)))).flat()
    // What hangs is bounded for the tenant itself.
    expect(taken.filter((at) => at >= 0).length).toBe(20)
    expect(limiter.tryTake(buckets('b', 'c'))).toBeGreaterThanOrEqual(0)
  })

  test("a limit that tenants share is divided: one that floods it leaves the others' next call a place", async () => {
    const { clock, limiter, buckets } = start([{ per: 'app', max: 30, windowMs: 1000 }], 100)
    const flood = () =>
      sequence(
        60,
        (index) => [buckets('a', `c${index % 6}`), limiter.tryTake(buckets('a', `c${index % 6}`))] as const,
      ).filter(([, at]) => at >= 0)
    const first = flood()
    // Alone it may have all of it.
    expect(first.length).toBe(30)
    for (const [at, startedAt] of first) limiter.settle(at, startedAt, 'answered')
    const b = buckets('b', 'c')
    await clock.pass(1001)
    expect(flood().length).toBe(27)
    expect(limiter.tryTake(b)).toBeGreaterThanOrEqual(0)
  })

  test('a limit that thousands of tenants share costs each of them the same small work', () => {
    const { buckets } = start([{ per: 'app', max: 3000, windowMs: 1000 }])
    const began = process.threadCpuUsage().user
    const sets = sequence(4000, (index) => buckets(`t${index}`, 'c'))
    expect((process.threadCpuUsage().user - began) / 1000, 'ms of CPU').toBeLessThan(1000)
    const shares = [...new Set(sets.map(({ kinds }) => kinds.app.at(-1)!.max))]
    expect(shares).toEqual([2700])
  })

  test('who waits is served tenant by tenant, not account by account, and not by the priority a tenant gives itself', async () => {
    const { clock, limiter, buckets } = start([{ per: 'app', max: 1, windowMs: 1000 }], 100)
    const order: string[] = []
    const go = async (name: string, at: BucketSet, priority?: 'bulk') => {
      let startedAt = limiter.tryTake(at)
      if (startedAt < 0) startedAt = await limiter.take(at, { deadlineAt: clock.monotonic() + 600_000, priority })
      order.push(name)
      limiter.settle(at, startedAt, 'answered')
    }
    for (let index = 0; index < 20; index += 1) void go('a', buckets('a', `c${index}`))
    await clock.settle()
    for (let index = 0; index < 3; index += 1) void go('b', buckets('b', 'c'), 'bulk')
    await clock.pass(6500)
    expect(order.slice(1)).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
  })
})

test('pools of agents that come and go do not stay for ever', async () => {
  const egress = createEgress({ privateOrigins: [], production: false })
  const transport = createTransport(egress)
  for (let index = 0; index < 500; index += 1)
    transport.poolFor(egress.place(`https://agent-${index}.example`, 'agent.url'), 100)
  expect(transport.pools()).toBeLessThanOrEqual(64)
  await transport.close()
})
