import { describe, expect, test } from 'vitest'
import type { Pace } from '#kit'
import { pace as paceSchema } from '../../shared/kit/profile/pace.ts'
import { createRateLimiter } from '../../shared/wire/rate-limit/rate-limiter.ts'
import type { BucketSet } from '../../shared/wire/rate-limit/rate-limiter.ts'
import { fakeClock } from './clock.ts'
import { account, callTo, failureOf, listen, profileFor, reply, wireTo } from './setup.ts'
import type { Call } from '../../shared/wire/index.ts'

const sink = await listen()
const limit = { per: 'connection', counts: 'points', max: 100, windowMs: 60_000 } as const
const pace = (over: Partial<Pace> = {}): Pace => ({
  limits: [limit],
  points: { default: 10 },
  concurrency: 50,
  ...over,
})
const withPace = (over?: Partial<Pace>) => profileFor(sink.origin, { pace: pace(over) })
const answerWith = (body: unknown, headers: Record<string, string> = {}) => {
  sink.answer = (_, response) => reply(response, 200, body, headers)
}

/** How many of the calls, made one after the other without waiting, are sent. */
const sent = async (profile: ReturnType<typeof withPace>, calls: Partial<Call>[]) => {
  const wire = wireTo([sink.origin])
  let count = 0
  for (const call of calls)
    await wire.exchange(callTo(profile, { noWait: true, ...call })).then(
      () => (count += 1),
      (failure: { code: string }) => expect(failure.code).toBe('rate_limited'),
    )
  return count
}
const times = (count: number, call: Partial<Call>) => Array.from({ length: count }, () => call)

describe('a limit in points', () => {
  test('takes what each request costs: its own points, those of its path, of a write, or the default', async () => {
    answerWith({})
    const profile = withPace({ points: { default: 10, write: 25, routes: { '/1/messages/{id}/send': 50 } } })
    const write = { method: 'POST', effect: 'create' } as const
    expect(await sent(profile, times(12, {}))).toBe(10)
    expect(await sent(profile, times(12, write))).toBe(4)
    expect(await sent(profile, times(12, { ...write, path: '/1/messages/7/send' }))).toBe(2)
    expect(await sent(profile, times(12, { ...write, path: '/1/messages/7/send', points: 33 }))).toBe(3)
    expect(await sent(profile, [{ points: 95 }, {}, { points: 5 }, { points: 1 }])).toBe(2)
  })

  test('counts beside a limit of calls', async () => {
    answerWith({})
    const profile = withPace({ limits: [limit, { per: 'connection', max: 3, windowMs: 60_000 }] })
    expect(await sent(profile, times(5, { points: 1 }))).toBe(3)
    expect(await sent(profile, times(5, { points: 40 }))).toBe(2)
  })

  test('refuses a request that costs more than the limit ever allows, and sends nothing', async () => {
    answerWith({})
    const seen = sink.seen.length
    const wire = wireTo([sink.origin])
    const failure = await failureOf(wire.exchange(callTo(withPace(), { points: 101 })))
    expect(failure.code).toBe('not_allowed')
    expect(failure.message).toMatch(/test-provider costs 101 points, more than the 100 that its limit has in 60000 ms/)
    expect(await failureOf(wire.exchange(callTo(withPace(), { points: 1.5 })))).toMatchObject({ code: 'internal' })
    expect(sink.seen.length).toBe(seen)
    expect((await wire.exchange(callTo(withPace(), { points: 100 }))).status).toBe(200)
  })

  test('is corrected by what the answer says a request really cost', async () => {
    const actual = { path: 'extensions.cost.actualQueryCost' }
    answerWith({ extensions: { cost: { actualQueryCost: 4 } } })
    // Each must find its 20 points free; the 22nd finds 16.
    expect(await sent(withPace({ points: { default: 20, actual } }), times(30, {}))).toBe(21)
    answerWith({ extensions: { cost: { actualQueryCost: 45.2 } } })
    expect(await sent(withPace({ points: { default: 20, actual } }), times(30, {}))).toBe(2)
    // Without a number the cost stays as it was.
    answerWith({ extensions: { cost: { actualQueryCost: null } } })
    expect(await sent(withPace({ points: { default: 20, actual } }), times(30, {}))).toBe(5)
    answerWith({}, { 'X-Complexity': '7' })
    expect(await sent(withPace({ points: { default: 20, actual: { header: 'X-Complexity' } } }), times(30, {}))).toBe(
      12,
    )
  })

  test('learns what others use from the points that the provider reports as left', async () => {
    const remaining: Pace['remaining'] = [
      { path: 'extensions.cost.throttleStatus.currentlyAvailable', per: 'connection', counts: 'points' },
    ]
    answerWith({ extensions: { cost: { throttleStatus: { currentlyAvailable: 35 } } } })
    // 10 are ours and 55 those of others, so one of 40 must wait although 90 are free by our own count.
    expect(await sent(withPace({ remaining }), [{}, { points: 40 }])).toBe(1)
    expect(await sent(withPace({ remaining }), [{}, { points: 30 }])).toBe(2)
    // What the request cost more than declared is not taken for the use of others.
    answerWith({ cost: 30, left: 70 })
    const points = { default: 10, actual: { path: 'cost' } }
    const left: Pace['remaining'] = [{ path: 'left', per: 'connection', counts: 'points' }]
    expect(await sent(withPace({ points, remaining: left }), [{}, { points: 70 }])).toBe(2)
    // A report in calls says nothing about points.
    answerWith({}, { 'x-left': '1' })
    expect(await sent(withPace({ remaining: [{ header: 'x-left', per: 'connection' }] }), times(5, {}))).toBe(5)
  })

  test('says what a request costs, and where a number is', () => {
    const parsed = (over: object) => paceSchema().safeParse({ ...pace(), ...over })
    const failedAt = (over: object) => parsed(over).error?.issues[0]?.path
    expect(parsed({}).success).toBe(true)
    expect(failedAt({ points: undefined })).toEqual(['points'])
    expect(failedAt({ points: { default: 0 } })).toEqual(['points', 'default'])
    expect(failedAt({ remaining: [{ per: 'connection' }] })).toEqual(['remaining', 0, 'header'])
    expect(failedAt({ remaining: [{ per: 'connection', header: 'x', path: 'y' }] })).toEqual(['remaining', 0, 'header'])
  })
})

describe('calls that wait for points', () => {
  const origin = 'https://api.provider.example'
  const start = (over: Partial<Pace> = {}) => {
    const clock = fakeClock()
    const limiter = createRateLimiter(clock)
    const profile = profileFor(origin, { pace: pace({ limits: [{ ...limit, windowMs: 1000 }], ...over }) })
    const buckets = (cost: number, tenant = 't') =>
      limiter.bucketsFor('p', origin, profile, account({ tenant, key: tenant }), [], [], [], cost)
    return { clock, limiter, buckets }
  }
  const deadlineAt = Infinity

  test('go when enough points have come back', async () => {
    const { clock, limiter, buckets } = start()
    for (const cost of [60, 30]) {
      const first = buckets(cost)
      limiter.settle(first, limiter.tryTake(first), 'answered')
      await clock.pass(400)
    }
    const wentAt: number[] = []
    // 10 are free, 70 from 2000 on, 100 from 2400 on.
    for (const cost of [70, 30]) void limiter.take(buckets(cost), { deadlineAt }).then((at) => wentAt.push(at))
    await clock.pass(2000)
    expect(wentAt).toEqual([2000, 2400])
  })

  test('are not overtaken for ever by calls that cost less', async () => {
    const { clock, limiter, buckets } = start()
    const send = async (cost: number) => {
      const mine = buckets(cost)
      const at = await limiter.take(mine, { deadlineAt })
      limiter.settle(mine, at, 'answered')
      return at
    }
    let expensiveAt = 0
    for (let round = 0; round < 50; round += 1) {
      void send(20)
      if (round === 10) void send(90).then((at) => (expensiveAt = at))
      await clock.pass(100)
    }
    expect(expensiveAt).toBeGreaterThan(0)
    expect(expensiveAt).toBeLessThan(1000 + 10 * 100 + 3 * 1000)
  })

  test.each([{ used: 2 ** 33 }, { used: 1e300 }])(
    'go again although an answer told a cost of $used',
    async ({ used }) => {
      const { clock, limiter, buckets } = start()
      const first = buckets(10)
      limiter.settle(first, limiter.tryTake(first), 'answered', 0, clock.monotonic(), used)
      expect(limiter.tryTake(buckets(1))).toBe(-1)
      await clock.pass(1000)
      expect(limiter.tryTake(buckets(100))).toBe(2000)
    },
  )

  test('go when a limit of very many points is free again', async () => {
    const max = 10_000_000_000
    const { clock, limiter, buckets } = start({ limits: [{ ...limit, max, windowMs: 1000 }] })
    const whole = buckets(max)
    limiter.settle(whole, limiter.tryTake(whole), 'answered')
    await clock.pass(1001)
    expect(limiter.tryTake(whole)).toBeGreaterThan(0)
  })

  test('cost more than the share of a tenant, and go all the same', async () => {
    const { clock, limiter, buckets } = start({ limits: [{ ...limit, per: 'app', windowMs: 1000 }] })
    const other = buckets(1, 'other')
    limiter.settle(other, limiter.tryTake(other), 'answered')
    const whole = buckets(100, 't')
    const at = limiter.take(whole, { deadlineAt })
    await clock.pass(1001)
    expect(await at).toBe(2000)
  })

  /** A small generator with a fixed seed, so that a failure can be repeated. */
  const numbers = (seed: number) => () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 2_147_483_648
  }

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('never use more than the limit, whatever they cost (seed %i)', async (seed) => {
    const random = numbers(seed)
    const { clock, limiter, buckets } = start()
    const counted: { at: number; cost: number }[] = []
    let done = 0
    const send = async (cost: number) => {
      const mine: BucketSet = buckets(cost)
      const startedAt = await limiter.take(mine, { deadlineAt, priority: random() < 0.5 ? 'bulk' : 'interactive' })
      await clock.sleep(1 + Math.floor(random() * 80))
      // The provider counts somewhere between sending and answer, and may find that the call costs less.
      const actual = random() < 0.5 ? cost : Math.ceil(cost * random())
      counted.push({ at: clock.monotonic(), cost: actual })
      await clock.sleep(1 + Math.floor(random() * 80))
      limiter.settle(mine, startedAt, 'answered', 0, clock.monotonic(), actual)
      done += 1
    }
    for (let call = 0; call < 60; call += 1) {
      void send(random() < 0.2 ? 1 + Math.floor(random() * 100) : 1 + Math.floor(random() * 20))
      if (random() < 0.5) await clock.pass(Math.floor(random() * 120))
    }
    await clock.pass(60_000)
    expect(done).toBe(60)
    for (const { at } of counted) {
      const within = counted.filter((other) => other.at > at - 1000 && other.at <= at)
      expect(within.reduce((sum, { cost }) => sum + cost, 0)).toBeLessThanOrEqual(100)
    }
  })
})
