import { describe, expect, test } from 'vitest'
import type { PaceLimit } from '#kit'
import { createRateLimiter } from '../../shared/wire/rate-limit/rate-limiter.ts'
import type { BucketSet, WaitOptions } from '../../shared/wire/rate-limit/rate-limiter.ts'
import { fakeClock } from './clock.ts'
import { account, failureOf, profileFor } from './setup.ts'

const origin = 'https://api.provider.example'
const start = (limits: PaceLimit[], concurrency = 100) => {
  const clock = fakeClock()
  const limiter = createRateLimiter(clock)
  const profile = profileFor(origin, { pace: { limits, concurrency } })
  const buckets = (key: string, appKey = 'app', routes: number[] = [], families: string[] = []) =>
    limiter.bucketsFor('p', origin, profile, account({ key, appKey }), routes, families)
  const order: string[] = []
  /** Waits for its turn and is answered `answerMs` later. */
  const go = async (name: string, at: BucketSet, turn: Partial<WaitOptions> = {}, answerMs = 1) => {
    let startedAt = limiter.tryTake(at)
    if (startedAt < 0) startedAt = await limiter.take(at, { deadlineAt: clock.monotonic() + 600_000, ...turn })
    order.push(name)
    void clock.sleep(answerMs).then(() => limiter.settle(at, startedAt, 'answered'))
  }
  return { clock, limiter, buckets, order, go }
}
const perConnection = (max: number): PaceLimit => ({ per: 'connection', max, windowMs: 1000 })

describe('turns', () => {
  test('a free place is taken at once, without a promise; the next waits one window after the answer', async () => {
    const { clock, limiter, buckets, order, go } = start([perConnection(1)])
    const a = buckets('a')
    const startedAt = limiter.tryTake(a)
    expect(startedAt).toBe(1000)
    const waits = go('second', a)
    await clock.pass(500)
    limiter.settle(a, startedAt, 'answered')
    await clock.pass(999)
    expect(order).toEqual([])
    await clock.pass(2)
    expect(order).toEqual(['second'])
    await waits
  })

  test('a call that was provably not sent gives its place back; one that was given up keeps it until nothing of it can be under way', async () => {
    const { clock, limiter, buckets } = start([perConnection(1)])
    const a = buckets('a')
    limiter.settle(a, limiter.tryTake(a), 'not_sent')
    const startedAt = limiter.tryTake(a)
    expect(startedAt).toBeGreaterThan(0)
    limiter.settle(a, startedAt, 'unanswered', 5000)
    await clock.pass(5999)
    expect(limiter.tryTake(a)).toBeLessThan(0)
    await clock.pass(2)
    expect(limiter.tryTake(a)).toBeGreaterThan(0)
  })

  test('interactive calls go before bulk calls, also before one that already stood first', async () => {
    const { clock, buckets, order, go } = start([perConnection(1)])
    const a = buckets('a')
    await go('first', a)
    for (const name of ['bulk1', 'bulk2', 'bulk3']) void go(name, a, { priority: 'bulk' })
    await clock.settle()
    void go('person1', a, { priority: 'interactive' })
    void go('person2', a)
    await clock.pass(10_000)
    expect(order).toEqual(['first', 'person1', 'person2', 'bulk1', 'bulk2', 'bulk3'])
  })

  test('accounts under one key take turns, however much one of them wants', async () => {
    const { clock, buckets, order, go } = start([{ per: 'app', max: 2, windowMs: 1000 }])
    const [a, b] = [buckets('a'), buckets('b')]
    for (let index = 0; index < 20; index += 1) void go('a', a)
    await clock.settle()
    for (let index = 0; index < 4; index += 1) void go('b', b)
    await clock.pass(4100)
    expect(order.length).toBe(10)
    expect(order.filter((name) => name === 'b').length).toBe(4)
  })

  test('an account with several kinds of calls gets no more than one with a single kind', async () => {
    const limits: PaceLimit[] = [
      { per: 'app', max: 1, windowMs: 1000 },
      { per: 'route', route: '/1/members/{id}', max: 1000, windowMs: 1000 },
    ]
    const { clock, buckets, order, go } = start(limits)
    const [plain, member, b] = [buckets('a'), buckets('a', 'app', [1]), buckets('b')]
    for (let index = 0; index < 20; index += 1) {
      void go('a', plain)
      void go('a', member)
      void go('b', b)
    }
    await clock.pass(12_100)
    expect(order.filter((name) => name === 'b').length).toBeGreaterThanOrEqual(5)
  })

  test('a person of one account goes before the bulk of another', async () => {
    const { clock, buckets, order, go } = start([{ per: 'app', max: 1, windowMs: 1000 }])
    const [a, b] = [buckets('a'), buckets('b')]
    await go('first', b)
    for (let index = 0; index < 3; index += 1) void go('bulk', a, { priority: 'bulk' })
    await clock.settle()
    for (let index = 0; index < 3; index += 1) void go('person', b)
    await clock.pass(7000)
    expect(order).toEqual(['first', 'person', 'person', 'person', 'bulk', 'bulk', 'bulk'])
  })

  test('a call that comes now does not overtake one that waits, even in the moment before it is woken', async () => {
    const { clock, limiter, buckets, order, go } = start([perConnection(1)])
    const a = buckets('a')
    await go('first', a)
    await clock.pass(10)
    void go('waiting', a)
    await clock.settle()
    clock.jump(5000)
    expect(limiter.tryTake(a)).toBeLessThan(0)
    await clock.pass(0)
    expect(order).toEqual(['first', 'waiting'])
  })

  test('a place that was given in the very moment of cancelling is not lost', async () => {
    const { clock, limiter, buckets } = start([perConnection(1)])
    const a = buckets('a')
    const held = limiter.tryTake(a)
    const stop = new AbortController()
    const waiting = failureOf(limiter.take(a, { deadlineAt: 1e9, signal: stop.signal }))
    await clock.settle()
    limiter.settle(a, held, 'not_sent')
    stop.abort()
    expect((await waiting).code).toBe('cancelled')
    expect(limiter.tryTake(a)).toBeGreaterThan(0)
  })

  test('all limits are taken together: a call that waits for one holds none of the others', async () => {
    const limits: PaceLimit[] = [perConnection(2), { per: 'route', route: '/1/members/{id}', max: 1, windowMs: 60_000 }]
    const { clock, buckets, order, go } = start(limits)
    const [plain, member] = [buckets('a'), buckets('a', 'app', [1])]
    await go('member1', member)
    void go('member2', member)
    await clock.settle()
    void go('plain', plain)
    await clock.pass(100)
    expect(order).toEqual(['member1', 'plain'])
    await clock.pass(2000)
    expect(order).toEqual(['member1', 'plain'])
    await clock.pass(60_000)
    expect(order).toEqual(['member1', 'plain', 'member2'])
  })

  test('a call that may not wait, or not long enough, is told how long', async () => {
    const { clock, limiter, buckets, go } = start([perConnection(1)])
    const a = buckets('a')
    await go('first', a)
    await clock.pass(10)
    const failure = await failureOf(limiter.take(a, { deadlineAt: clock.monotonic() + 60_000, noWait: true }))
    expect(failure.code).toBe('rate_limited')
    expect(failure.details.retryAfterMs).toBe(991)
    expect((await failureOf(limiter.take(a, { deadlineAt: clock.monotonic() + 900 }))).code).toBe('rate_limited')
    // Behind others: told at once that the third window from now is too late.
    void go('second', a)
    void go('third', a)
    await clock.settle()
    const late = await failureOf(limiter.take(a, { deadlineAt: clock.monotonic() + 1500 }))
    expect(late.details.retryAfterMs).toBeGreaterThan(1900)
  })

  test('a deadline that passes in line ends the wait', async () => {
    const { clock, limiter, buckets } = start([perConnection(1)])
    const a = buckets('a')
    limiter.tryTake(a)
    const waits = failureOf(limiter.take(a, { deadlineAt: clock.monotonic() + 3000 }))
    await clock.pass(3001)
    expect((await waits).code).toBe('rate_limited')
  })

  test('cancelling in line holds nothing and lets the others go on', async () => {
    const { clock, limiter, buckets, order, go } = start([perConnection(1)])
    const a = buckets('a')
    await go('first', a)
    const [standing, behind] = [new AbortController(), new AbortController()]
    const failures = [
      failureOf(limiter.take(a, { deadlineAt: 1e9, signal: standing.signal })),
      failureOf(limiter.take(a, { deadlineAt: 1e9, signal: behind.signal })),
    ]
    void go('last', a)
    await clock.settle()
    standing.abort()
    behind.abort()
    expect((await Promise.all(failures)).map(({ code }) => code)).toEqual(['cancelled', 'cancelled'])
    await clock.pass(1100)
    expect(order).toEqual(['first', 'last'])
  })

  test('no more calls are under way than the profile allows', async () => {
    const { clock, buckets, order, go } = start([perConnection(100)], 3)
    const a = buckets('a')
    for (let index = 0; index < 8; index += 1) void go(`${index}`, a, {}, 50)
    await clock.pass(10)
    expect(order.length).toBe(3)
    await clock.pass(50)
    expect(order.length).toBe(6)
    await clock.pass(100)
    expect(order.length).toBe(8)
  })
})

describe('a 429', () => {
  test('a 429 pauses what it names and nothing else', async () => {
    const limits: PaceLimit[] = [perConnection(100), { per: 'app', max: 300, windowMs: 1000 }]
    const { clock, limiter, buckets } = start(limits)
    const [a, b, other] = [buckets('a', 'key1'), buckets('b', 'key1'), buckets('c', 'key2')]
    limiter.pause(a, 'connection', undefined)
    expect([a, b, other].map((at) => limiter.tryTake(at) > 0)).toEqual([false, true, true])
    await clock.pass(2000)
    limiter.pause(a, 'app', undefined)
    expect([a, b, other].map((at) => limiter.tryTake(at) > 0)).toEqual([false, false, true])
  })

  test('after the pause one call goes ahead; the others follow only when it is answered', async () => {
    const { clock, limiter, buckets, order, go } = start([perConnection(100)])
    const a = buckets('a')
    limiter.pause(a, 'connection', undefined)
    for (let index = 0; index < 5; index += 1) void go(`${index}`, a, {}, 100)
    await clock.pass(999)
    expect(order).toEqual([])
    await clock.pass(50)
    expect(order).toEqual(['0'])
    await clock.pass(100)
    expect(order.length).toBe(5)
  })

  test('a probe that was not sent is followed by another', async () => {
    const { clock, limiter, buckets, order, go } = start([perConnection(100)])
    const a = buckets('a')
    limiter.pause(a, 'connection', 500)
    await clock.pass(600)
    const probe = limiter.tryTake(a)
    expect(probe).toBeGreaterThan(0)
    expect(limiter.tryTake(a)).toBeLessThan(0)
    void go('next', a)
    await clock.settle()
    limiter.settle(a, probe, 'not_sent')
    await clock.pass(1)
    expect(order).toEqual(['next'])
  })

  test('a profile without limits still pauses', async () => {
    const { clock, limiter, buckets } = start([])
    const a = buckets('a')
    expect(limiter.tryTake(a)).toBeGreaterThan(0)
    expect(limiter.pause(a, 'connection', undefined)).toBeGreaterThanOrEqual(10_000)
    expect(limiter.tryTake(a)).toBeLessThan(0)
    await clock.pass(10_010)
    expect(limiter.tryTake(a)).toBeGreaterThan(0)
  })
})

test('what the provider says is left only makes us slower', async () => {
  const { clock, limiter, buckets } = start([perConnection(10)])
  const a = buckets('a')
  limiter.tighten(a, { per: 'connection' }, 500)
  const startedAt = limiter.tryTake(a)
  limiter.tighten(a, { per: 'connection' }, 2)
  limiter.settle(a, startedAt, 'answered')
  expect([0, 1, 2].map(() => limiter.tryTake(a) > 0)).toEqual([true, true, false])
  limiter.tighten(a, { per: 'connection' }, 9)
  expect(limiter.tryTake(a)).toBeLessThan(0)
  await clock.pass(1001)
  expect(limiter.tryTake(a)).toBeGreaterThan(0)
})

test('limits of accounts that are idle are forgotten, those in use are not', async () => {
  const { clock, limiter, buckets } = start([perConnection(1)])
  const used = buckets('used')
  const startedAt = limiter.tryTake(used)
  for (let index = 0; index < 3000; index += 1) buckets(`idle${index}`, `app${index}`)
  limiter.settle(used, startedAt, 'answered')
  expect(limiter.tryTake(buckets('used'))).toBeLessThan(0)
  await clock.pass(1001)
  expect(limiter.tryTake(buckets('used'))).toBeGreaterThan(0)
})
