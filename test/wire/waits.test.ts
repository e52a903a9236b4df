import { describe, expect, test } from 'vitest'
import { readRetryAfter } from '#kit'
import { askedWait } from '../../shared/wire/exchange/retry.ts'
import { fakeClock } from './clock.ts'
import { account, callTo, failureOf, listen, profileFor, reply, wireTo } from './setup.ts'

const now = Date.parse('2026-03-02T10:00:00Z')
const dateIn = (ms: number) => new Date(now + ms).toUTCString()
const hour = 3_600_000

describe('Retry-After', () => {
  test.each([
    ['7', 7000],
    ['0', 1000],
    ['86400', 86_400_000],
    [dateIn(90_000), 90_000],
    [dateIn(-90_000), 1000],
    ['Monday, 02-Mar-26 10:00:30 GMT', 30_000],
    ['Mon Mar  2 10:00:30 2026', 30_000],
  ])('"%s" is %d ms', (text, ms) => expect(readRetryAfter(text, now)).toBe(ms))

  test.each(['-5', '1.5', '1e3', '+3', '0x10', 'soon', '', '2026-03-02T10:00:30Z', 'Mon, 02 Mar 2026', '1000000000', dateIn(48 * hour), '9'.repeat(400)])(
    '"%s" says nothing that can be meant',
    (text) => expect(readRetryAfter(text, now)).toBeUndefined(),
  )
})

describe('headers that say when a limit opens again', () => {
  const date = dateIn(0)
  test.each([
    ['x-ratelimit-reset', String(now / 1000 + 40), 40_000],
    ['x-ratelimit-reset', String(now + 40_000), 40_000],
    ['ratelimit-reset', '40', 40_000],
    ['x-rate-limit-reset', '2026-03-02T10:00:40Z', 40_000],
    ['x-ratelimit-reset', String(now / 1000 - 40), 1000],
    ['x-ratelimit-reset', '{"minute": "2026"}', undefined],
    ['x-ratelimit-reset', '-1', undefined],
  ])('%s: %s', (name, text, ms) => expect(askedWait({ [name]: text, date }, now + 777_000).resetMs).toBe(ms))
})

/** A wire to a server that always refuses in one way, with a clock that jumps over every wait. */
const refusing = async (status: number, headers: Record<string, string>, max = 1000) => {
  const sink = await listen()
  const { origin } = sink
  sink.answer = (_, response) => reply(response, status, { message: 'API rate limit exceeded' }, headers)
  const clock = fakeClock()
  const slept: number[] = []
  const sleep = async (ms: number) => {
    slept.push(ms)
    clock.jump(ms)
  }
  const wire = wireTo([origin], { monotonic: clock.monotonic, sleep })
  const profile = profileFor(origin, {
    pace: { limits: [{ per: 'connection', max, windowMs: hour }], concurrency: 5 },
    timeouts: { connectMs: 5000, headersMs: 60_000, bodyMs: 60_000, totalMs: 60_000, deadlineMs: 30_000 },
    errors: [{ status: 403, contains: 'rate limit', failure: 'rate_limited' }],
  })
  const call = () => failureOf(wire.exchange(callTo(profile, { account: account() })))
  return { sink, clock, slept, call }
}

describe('a provider that refuses', () => {
  test.each(['-5', '0', new Date(0).toUTCString()])('Retry-After "%s": never more than one send in a second', async (text) => {
    const { sink, call, clock } = await refusing(429, { 'retry-after': text })
    const before = clock.monotonic()
    expect((await call()).code).toBe('rate_limited')
    expect(clock.monotonic() - before).toBeGreaterThanOrEqual((sink.seen.length - 1) * 1000)
  })

  test('Retry-After 1000000000 is not believed: the window is waited for, and callers are told no more than that', async () => {
    const { call } = await refusing(429, { 'retry-after': '1000000000' })
    const failure = await call()
    expect(failure.code).toBe('rate_limited')
    expect(failure.details.retryAfterMs).toBeLessThanOrEqual(hour + 10)
  })

  test('Retry-After of half a day: callers are told an hour, after which one call asks again', async () => {
    const failure = await (await refusing(429, { 'retry-after': '43200' })).call()
    expect(failure.details.retryAfterMs).toBeLessThanOrEqual(hour + 10)
  })

  test('403 with a reset header pauses until then and not for the whole window', async () => {
    const reset = String(Math.floor(Date.now() / 1000) + 60)
    const failure = await (await refusing(403, { 'x-ratelimit-reset': reset, date: new Date().toUTCString() })).call()
    expect(failure.code).toBe('rate_limited')
    expect(failure.details.retryAfterMs).toBeLessThanOrEqual(61_000)
    expect(failure.details.retryAfterMs).toBeGreaterThan(50_000)
  })
})
