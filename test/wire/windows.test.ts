import { describe, expect, test } from 'vitest'
import type { PaceLimit } from '#kit'
import { createRateLimiter } from '../../shared/wire/rate-limit/rate-limiter.ts'
import {
  createWindow,
  freeAt,
  giveBack,
  isFree,
  release,
  returnedBy,
  take,
  tighten,
  usedOf,
} from '../../shared/wire/rate-limit/window.ts'
import { fakeClock } from './clock.ts'
import { account, profileFor } from './setup.ts'

const origin = 'https://api.provider.example'
const windowMs = 10_000

/** The strictest provider: at no moment more than `max` requests in the window behind it. Tells what is left. */
const slidingWindow = (max: number) => {
  const times: number[] = []
  let first = 0
  const count = (now: number): number => {
    while (first < times.length && times[first]! <= now - windowMs) first += 1
    return times.length - first
  }
  return {
    /** What is left after this request. */
    ask(now: number): { left: number; isFine: boolean } {
      const isFine = count(now) < max
      if (isFine) times.push(now)
      return { left: max - count(now), isFine }
    },
  }
}

const randomFrom = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

/** `calls` at once, about `wayMs` there and as long back; gives the time they take against the ideal. */
type Way = {
  calls: number
  max: number
  wayMs: number
  concurrency: number
  tells: boolean
  seed: number
  foreignCalls?: number
}
const play = async ({ calls, max, wayMs, concurrency, tells, seed, foreignCalls = 0 }: Way) => {
  const clock = fakeClock()
  const limiter = createRateLimiter(clock)
  const limits: PaceLimit[] = [{ per: 'connection', max, windowMs }]
  const buckets = limiter.bucketsFor(
    'p',
    origin,
    profileFor(origin, { pace: { limits, concurrency } }),
    account(),
    [],
    [],
  )
  const provider = slidingWindow(max)
  const sent: number[] = []
  const random = randomFrom(seed)
  let refused = 0
  const useToo = async () => {
    for (;;) {
      provider.ask(clock.monotonic())
      await clock.sleep(windowMs / foreignCalls)
    }
  }
  if (foreignCalls > 0) {
    void useToo()
    await clock.pass(windowMs)
  }
  const way = () => clock.sleep(wayMs * 2 * random())
  const runCall = async () => {
    let startedAt = limiter.tryTake(buckets)
    if (startedAt < 0) startedAt = await limiter.take(buckets, { deadlineAt: Infinity })
    const returned = limiter.returnedBy(buckets, startedAt)
    sent.push(startedAt)
    await way()
    const { left, isFine } = provider.ask(clock.monotonic())
    await way()
    if (tells) limiter.tighten(buckets, { per: 'connection' }, left, { returned })
    if (!isFine) {
      refused += 1
      limiter.pause(buckets, 'connection', 0)
    }
    limiter.settle(buckets, startedAt, 'answered')
  }
  const all = Promise.all(Array.from({ length: calls }, runCall))
  while (sent.length < calls) await clock.pass(windowMs / 4)
  await clock.pass(windowMs)
  await all
  const ideal = Math.floor((calls - 1) / max) * windowMs
  return { ratio: (sent.at(-1)! - sent[0]!) / ideal, refused }
}

describe('500 calls at 100 per window against a sliding window', () => {
  test.each([
    ['1 ms away, told what is left', { wayMs: 0.5, tells: true, concurrency: 16 }],
    ['1 ms away, not told', { wayMs: 0.5, tells: false, concurrency: 16 }],
    ['60 ms away, told what is left', { wayMs: 30, tells: true, concurrency: 100 }],
  ])('%s: no refusal, and at most 1.03 of the ideal', async (_, way) => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { ratio, refused } = await play({ calls: 500, max: 100, seed, ...way })
      expect({ seed, refused }).toEqual({ seed, refused: 0 })
      expect(ratio, `seed ${seed}`).toBeLessThanOrEqual(1.03)
    }
  })
})

test('what others used with the same credential is still taken from what is left', () => {
  const window = createWindow(10, windowMs)
  take(window, 0)
  tighten(window, 4, 1, { returned: 0 })
  release(window, 0, 1 + windowMs)
  for (let count = 0; count < 4; count += 1) {
    expect(isFree(window, 2)).toBe(true)
    take(window, 2)
  }
  expect(isFree(window, 2)).toBe(false)
  // Told again by each answer, the same others are not counted again.
  tighten(window, 0, 3, { returned: 0 })
  expect(usedOf(window, 3).used).toBe(10)
})

describe('others with the same credential', () => {
  const makeWindow = (left: number) => {
    const window = createWindow(10, windowMs)
    take(window, 0)
    tighten(window, left, 1, { returned: 0 })
    release(window, 0, 1 + windowMs)
    return window
  }
  const free = (window: ReturnType<typeof createWindow>, now: number) => {
    let count = 0
    for (; isFree(window, now); count += 1) take(window, now)
    return count
  }

  test('are expected to go on for a window, since nobody is told what they do while nothing is sent', () => {
    expect(free(makeWindow(4), 1.2 * windowMs)).toBe(5)
  })

  test('are forgotten when no answer shows them any more', () => {
    const window = makeWindow(4)
    for (const time of [1.2, 2.4, 3.1]) {
      // With another call under way it is not certain.
      const now = time * windowMs
      take(window, now)
      take(window, now)
      tighten(window, 8, now + 1, { returned: returnedBy(window, now) })
      giveBack(window, now)
      giveBack(window, now)
    }
    expect(free(window, 3.2 * windowMs)).toBe(10)
  })

  test('of a limit by the day are not expected beyond the day', () => {
    const day = 86_400_000
    const window = createWindow(10, day)
    take(window, 0)
    tighten(window, 4, 1, { returned: 0 })
    release(window, 0, 1 + day)
    expect(free(window, day / 2)).toBe(4)
    for (let count = 0; count < 4; count += 1) giveBack(window, day / 2)
    expect(free(window, day + 2)).toBe(10)
  })

  test('who use all of it: one call asks after a window', () => {
    const window = makeWindow(0)
    expect(isFree(window, windowMs / 2)).toBe(false)
    expect(freeAt(window, windowMs / 2)).toBeLessThanOrEqual(windowMs + 1)
    expect(free(window, windowMs + 2)).toBe(1)
  })

  test.each([
    ['1 ms', { wayMs: 0.5, concurrency: 16 }],
    ['60 ms', { wayMs: 30, concurrency: 16 }],
  ])('who use a fifth of it, %s away: they are met once, not in each window', async (_, way) => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { ratio, refused } = await play({ calls: 500, max: 100, seed, tells: true, foreignCalls: 20, ...way })
      expect(refused, `seed ${seed}`).toBeLessThanOrEqual(10)
      // They leave 80 of 100, so that seven windows are used in place of five.
      expect(ratio, `seed ${seed}`).toBeLessThanOrEqual(1.75)
    }
  })
})

test('what came back since a call was sent is known to the moment', () => {
  const window = createWindow(10, windowMs)
  for (const time of [0, 1, 2]) {
    take(window, time)
    release(window, time, time + windowMs)
  }
  expect([windowMs - 1, windowMs, windowMs + 1].map((time) => returnedBy(window, time))).toEqual([0, 1, 2])
  // Asked later about the same moment, as a call is that waited in the queue.
  expect(isFree(window, windowMs + 5)).toBe(true)
  expect(returnedBy(window, windowMs + 5)).toBe(3)
  expect(returnedBy(window, windowMs)).toBe(1)
})

describe('a limit of 10 million', () => {
  const large = 10_000_000
  test('takes no more room than a small one, also where little is left of it', () => {
    const window = createWindow(large, windowMs)
    for (let count = 0; count < 300_000; count += 1) {
      const now = count / 10
      isFree(window, now)
      take(window, now)
      release(window, now, now + 1 + windowMs)
    }
    tighten(window, 3, 30_000, { returned: returnedBy(window, 30_000) })
    expect(window.back.byteLength + window.many.byteLength).toBeLessThan(100_000)
    for (let count = 0; count < 3; count += 1) take(window, 30_000)
    expect(isFree(window, 30_000)).toBe(false)
    expect(freeAt(window, 30_000)).toBeLessThanOrEqual(30_000 + windowMs / 1024)
  })

  test('a used place comes back no sooner than its window, and a thousandth of it later at most', () => {
    const window = createWindow(2000, windowMs)
    for (let count = 0; count < 2000; count += 1) {
      take(window, count)
      release(window, count, count + windowMs)
    }
    expect(freeAt(window, 2000)).toBeGreaterThanOrEqual(windowMs)
    expect(freeAt(window, 2000)).toBeLessThanOrEqual(windowMs + windowMs / 1024)
    expect(freeAt(window, 2000, 1500)).toBeGreaterThanOrEqual(windowMs + 1500)
    expect(freeAt(window, 2000, 1500)).toBeLessThanOrEqual(windowMs + 1500 + windowMs / 1024)
  })
})
