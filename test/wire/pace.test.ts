import { describe, expect, test } from 'vitest'
import { account, callTo, listen, profileFor, reply, wireTo } from './setup.ts'
import type { Sink } from './setup.ts'

const windowMs = 400
const perToken = 100
const perKey = 300

const randomFrom = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}
const later = (ms: number, then: () => void) => (ms === 0 ? then() : setTimeout(then, ms))

/** Counts like the strictest provider: at no moment more than `max` requests in the window behind it. */
const slidingWindow = (max: number) => {
  const times: number[] = []
  let first = 0
  return (now: number) => {
    while (first < times.length && (times[first] as number) <= now - windowMs) first += 1
    if (times.length - first >= max) return false
    times.push(now)
    return true
  }
}

type Way = { up: () => number; down: number }
const limited = (sink: Sink, way: Way) => {
  const tokens = new Map<string, ReturnType<typeof slidingWindow>>()
  const key = slidingWindow(perKey)
  const counts = { answered: 0, refused: 0, first: 0, last: 0 }
  sink.answer = (request, response) => {
    later(way.up(), () => {
      const now = performance.now()
      const token = String(request.headers['authorization'])
      if (!tokens.has(token)) tokens.set(token, slidingWindow(perToken))
      const fine = tokens.get(token)!(now) && key(now)
      if (fine) counts.answered += 1
      else counts.refused += 1
      if (counts.first === 0) counts.first = now
      counts.last = now
      later(way.down, () =>
        reply(response, fine ? 200 : 429, fine ? { ok: true } : { error: 'API_TOKEN_LIMIT_EXCEEDED' }),
      )
    })
  }
  return counts
}

const limits = [
  { per: 'connection', max: perToken, windowMs },
  { per: 'app', max: perKey, windowMs },
] as const

/** When each call goes if the provider's rule is all that holds it back. */
const idealSpan = (arrivals: number[], rules: { max: number; of: (index: number) => boolean }[]) => {
  const times: number[] = []
  arrivals.forEach((arrival, index) => {
    let at = Math.max(arrival, times.at(-1) ?? 0)
    for (const { max, of } of rules) {
      if (!of(index)) continue
      const counted = times.filter((_, other) => of(other))
      const before = counted[counted.length - max]
      if (before !== undefined) at = Math.max(at, before + windowMs)
    }
    times.push(at)
  })
  return (times.at(-1) ?? 0) - (times[0] ?? 0)
}

const run = async (way: Way, tokens: number, arrivals: number[]) => {
  const sink = await listen()
  const counts = limited(sink, way)
  const wire = wireTo([sink.origin])
  const profile = profileFor(sink.origin, {
    auth: { 'key-token': { place: 'header', fields: { Authorization: 'OAuth {token}' } } },
    pace: { limits: [...limits], concurrency: 100 },
    timeouts: { connectMs: 2000, headersMs: 5000, bodyMs: 5000, totalMs: 10_000, deadlineMs: 60_000 },
  })
  const accounts = Array.from({ length: tokens }, (_, index) =>
    account({ key: `c${index}`, appKey: 'app', secrets: { token: `token-number-${index}` } }),
  )
  let largestTrip = 0
  const sendCall = async (index: number) => {
    await new Promise<void>((resolve) => later(arrivals[index] ?? 0, resolve))
    let sentAt = 0
    const got = await wire.exchange(
      callTo(profile, { account: accounts[index % tokens]!, recheck: () => (sentAt = performance.now()) }),
    )
    largestTrip = Math.max(largestTrip, performance.now() - sentAt)
    expect(got.status).toBe(200)
  }
  await Promise.all(arrivals.map((_, index) => sendCall(index)))
  return { counts, span: counts.last - counts.first, largestTrip }
}

const local: Way = { up: () => 0, down: 0 }
const wide = (): Way => {
  const random = randomFrom(11)
  return { up: () => 10 + random() * 40, down: 10 }
}
const together = (count: number) => Array.from({ length: count }, () => 0)
const trickling = (count: number) => {
  const random = randomFrom(5)
  return Array.from({ length: count }, () => Math.round(random() * windowMs * 3)).sort((a, b) => a - b)
}

describe('500 calls of one token, 100 per window, against a sliding window', () => {
  const rule = [{ max: perToken, of: () => true }]
  for (const [name, way, arrivals] of [
    ['at once on loopback', () => local, together(500)],
    ['at once with 20 to 60 ms on the way', wide, together(500)],
    ['trickling in over three windows', wide, trickling(500)],
  ] as const) {
    test(name, async () => {
      const { counts, span, largestTrip } = await run(way(), 1, arrivals)
      expect(counts.refused).toBe(0)
      expect(counts.answered).toBe(500)
      expect(span).toBeLessThanOrEqual(idealSpan(arrivals, rule) + 5 * (largestTrip + 10))
    })
  }
})

test('three tokens under one key limit: no refusal, and the key is used up', async () => {
  const count = 1200
  const arrivals = together(count)
  const rules = [
    { max: perKey, of: () => true },
    ...[0, 1, 2].map((token) => ({ max: perToken, of: (index: number) => index % 3 === token })),
  ]
  const { counts, span, largestTrip } = await run(wide(), 3, arrivals)
  expect(counts.refused).toBe(0)
  expect(counts.answered).toBe(count)
  expect(span).toBeLessThanOrEqual(idealSpan(arrivals, rules) + 5 * (largestTrip + 10))
})
