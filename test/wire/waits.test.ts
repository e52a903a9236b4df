import { describe, expect, test, vi } from 'vitest'
import { readRetryAfter } from '#kit'
import type { Pace, WireProfile } from '#kit'
import { askedWait, readWindow } from '../../shared/wire/rate-limit/provider-wait.ts'
import { fakeClock } from './clock.ts'
import { account, callTo, failureOf, listen, profileFor, reply, wireTo } from './setup.ts'

const now = Date.parse('2026-03-02T10:00:00Z')
const dateIn = (ms: number) => new Date(now + ms).toUTCString()
const hour = 3_600_000
const pace: Pace = { limits: [], concurrency: 1 }

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

  test.each([
    '-5',
    '1.5',
    '1e3',
    '+3',
    '0x10',
    'soon',
    '',
    '2026-03-02T10:00:30Z',
    'Mon, 02 Mar 2026',
    '1000000000',
    dateIn(48 * hour),
    '9'.repeat(400),
  ])('"%s" says nothing that can be meant', (text) => expect(readRetryAfter(text, now)).toBeUndefined())
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
  ])('%s: %s', (name, text, ms) => expect(askedWait(pace, { [name]: text, date }, now + 777_000).resetMs).toBe(ms))
})

describe('reset headers that a profile names', () => {
  const date = dateIn(0)
  const wait = (over: Partial<Pace>, headers: Record<string, string>) =>
    askedWait({ ...pace, ...over }, { date, ...headers }, now + 777_000).resetMs
  test.each([
    ['epoch-s', String(now / 1000 + 40)],
    ['epoch-ms', String(now + 40_000)],
    ['seconds', '40'],
    ['ms', '40000'],
    ['date', '2026-03-02T10:00:40Z'],
    ['date', '2026-03-02T10:00:40'],
    ['date', '2026-03-02 10:00:40'],
    ['date', '2026-03-02 10:00:40.000 UTC'],
    ['date', '2026-03-02T12:00:40+02:00'],
    ['date', dateIn(40_000)],
  ] as const)('%s: %s', (as, text) =>
    expect(wait({ resets: [{ header: 'X-Desk-Reset', as }] }, { 'x-desk-reset': text })).toBe(40_000),
  )

  test.each([
    ['seconds', 'soon'],
    ['epoch-s', '-1'],
    ['date', '40'],
    ['date', 'next week'],
  ] as const)('%s: "%s" says nothing', (as, text) =>
    expect(wait({ resets: [{ header: 'x-desk-reset', as }] }, { 'x-desk-reset': text })).toBeUndefined(),
  )

  test('a time without a zone is in UTC, wherever this runs', () => {
    vi.stubEnv('TZ', 'Australia/Sydney')
    try {
      expect(
        wait({ resets: [{ header: 'x-desk-reset', as: 'date' }] }, { 'x-desk-reset': '2026-03-02 10:00:40' }),
      ).toBe(40_000)
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('of several windows the last of those that are used up counts, else the first that opens', () => {
    const window = (name: string) => ({
      header: `x-left-${name}`,
      per: 'connection' as const,
      reset: { header: `x-reset-${name}`, as: 'seconds' as const },
    })
    const remaining = [window('minute'), window('hour')]
    const resets = { 'x-reset-minute': '40', 'x-reset-hour': '1800' }
    expect(wait({ remaining }, { ...resets, 'x-left-minute': '0', 'x-left-hour': '70' })).toBe(40_000)
    expect(wait({ remaining }, { ...resets, 'x-left-minute': '0', 'x-left-hour': '0' })).toBe(1_800_000)
    expect(wait({ remaining }, resets)).toBe(40_000)
  })

  test('only those that are named are read', () => {
    expect(wait({ resets: [{ header: 'x-desk-reset', as: 'seconds' }] }, { 'x-ratelimit-reset': '40' })).toBeUndefined()
  })
})

describe('what is left of a window, in a header that holds several', () => {
  const leftOf = (text: string, part: string) =>
    readWindow({ headers: { 'x-left': text } }, { header: 'X-Left', part, per: 'connection' }, now).left
  test.each([
    ['{"minute": 12, "day": 900}', 'day', 900],
    ["{'minute': 12, 'day': 900}", 'minute', 12],
    ["{'kind':'minute','minute':'7'}", 'minute', 7],
    ['{"minute": 0}', 'minute', 0],
    ['{"minute": -1}', 'minute', undefined],
    ['{"minute": null, "day": 3}', 'minute', undefined],
    ['{"per_minute": 5}', 'minute', undefined],
    ['', 'minute', undefined],
    ['12', 'minute', undefined],
  ])('%s: %s', (text, part, left) => expect(leftOf(text, part)).toBe(left))

  test.each(['', '-1', 'unlimited'])('"%s" says nothing', (text) =>
    expect(
      readWindow({ headers: { 'x-left': text } }, { header: 'x-left', per: 'connection' }, now).left,
    ).toBeUndefined(),
  )
})

describe('texts of refusals that say how long to wait', () => {
  const waitTexts = ['Retry in {seconds}s', 'Reset in {seconds} seconds', 'again in {minutes} minute(s)']
  const said = (body: unknown, headers: Record<string, string> = {}) =>
    askedWait({ ...pace, waitTexts }, headers, now, body)
  test.each([
    [{ success: false, error: 'Too many requests. Retry in 36s.' }, 36_000],
    [{ errors: [{ message: 'Hourly quota used up, reset in  90.5 seconds' }] }, 90_500],
    ['Try again in 2 minute(s).', 120_000],
    [{ message: 'Retry in 0s' }, 1000],
    [{ message: 'Retry in 999999999s' }, undefined],
    [{ message: 'Retry in a while' }, undefined],
    [null, undefined],
  ])('%j', (body, ms) => expect(said(body).resetMs).toBe(ms))

  test('are read only where no header says it, and only those that the profile names', () => {
    const body = { message: 'Retry in 36s' }
    expect(said(body, { 'retry-after': '5' })).toEqual({ retryAfterMs: 5000, resetMs: undefined })
    expect(said(body, { 'ratelimit-reset': '7' })).toEqual({ retryAfterMs: undefined, resetMs: 7000 })
    expect(askedWait(pace, {}, now, body).resetMs).toBeUndefined()
  })
})

const hourly: Pace = { limits: [{ per: 'connection', max: 1000, windowMs: hour }], concurrency: 5 }

/** A wire to a server that always refuses in one way, with a clock that jumps over every wait. */
const refusing = async (status: number, headers: Record<string, string>, over: Partial<WireProfile> = {}) => {
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
    pace: hourly,
    timeouts: { connectMs: 5000, headersMs: 60_000, bodyMs: 60_000, totalMs: 60_000, deadlineMs: 30_000 },
    errors: [{ status: 403, contains: 'rate limit', failure: 'rate_limited' }],
    ...over,
  })
  const call = async (): Promise<any> =>
    wire.exchange(callTo(profile, { account: account() })).catch((thrown: unknown) => thrown)
  return { sink, clock, slept, call }
}

describe('a provider that refuses', () => {
  test.each(['-5', '0', new Date(0).toUTCString()])(
    'Retry-After "%s": never more than one send in a second',
    async (text) => {
      const { sink, call, clock } = await refusing(429, { 'retry-after': text })
      const before = clock.monotonic()
      expect((await call()).code).toBe('rate_limited')
      expect(clock.monotonic() - before).toBeGreaterThanOrEqual((sink.seen.length - 1) * 1000)
    },
  )

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

  test('a refusal that names no time pauses for the time the profile gives, else for the window', async () => {
    expect(
      (await (await refusing(429, {}, { pace: { ...hourly, fallbackMs: 60_000 } })).call()).details.retryAfterMs,
    ).toBeLessThanOrEqual(60_010)
    expect((await (await refusing(429, {})).call()).details.retryAfterMs).toBeGreaterThan(3_500_000)
  })
})

describe('403 as a rate limit, told by headers', () => {
  const errors: WireProfile['errors'] = [
    { status: 403, header: { name: 'X-RateLimit-Remaining', equals: '0' }, failure: 'rate_limited' },
    { status: [403, 429], header: { name: 'retry-after' }, failure: 'rate_limited' },
  ]
  const remaining = [
    {
      header: 'x-ratelimit-remaining',
      per: 'connection' as const,
      reset: { header: 'x-ratelimit-reset', as: 'epoch-s' as const },
    },
  ]
  const over = { errors, pace: { ...hourly, remaining } }
  const date = new Date().toUTCString()
  const in40s = String(Math.floor(Date.parse(date) / 1000) + 40)

  test('nothing left: paused until the reset', async () => {
    const { call } = await refusing(403, { date, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': in40s }, over)
    const failure = await call()
    expect(failure.code).toBe('rate_limited')
    expect(failure.details.retryAfterMs).toBeGreaterThan(39_000)
    expect(failure.details.retryAfterMs).toBeLessThan(41_000)
  })

  test.each([403, 429])(
    '%d with Retry-After: paused for so long, whatever the reset of the other limit',
    async (status) => {
      const { call } = await refusing(
        status,
        { date, 'retry-after': '33', 'x-ratelimit-remaining': '4000', 'x-ratelimit-reset': in40s },
        over,
      )
      expect(await call()).toMatchObject({
        code: 'rate_limited',
        details: { retryAfterMs: expect.closeTo(33_002, -1) as number },
      })
    },
  )

  test('a 403 without such headers is a refusal of access, asked once', async () => {
    const { sink, call } = await refusing(
      403,
      { date, 'x-ratelimit-remaining': '4000', 'x-ratelimit-reset': in40s },
      over,
    )
    expect((await call()).status).toBe(403)
    expect(sink.seen).toHaveLength(1)
  })

  test('a window that ends in 40 s is free again then, not an hour after the last call', async () => {
    const sink = await listen()
    const clock = fakeClock()
    let left = 3
    sink.answer = (_, response) => {
      left -= 1
      reply(response, 200, {}, { date, 'x-ratelimit-remaining': String(Math.max(left, 0)), 'x-ratelimit-reset': in40s })
    }
    const wire = wireTo([sink.origin], { monotonic: clock.monotonic, now: () => Date.parse(date), sleep: clock.sleep })
    const call = callTo(
      profileFor(sink.origin, {
        ...over,
        pace: { ...over.pace, limits: [{ per: 'connection', max: 3, windowMs: hour }] },
      }),
      { noWait: true },
    )
    for (let count = 0; count < 3; count += 1) await wire.exchange(call)
    expect((await failureOf(wire.exchange(call))).details.retryAfterMs).toBeLessThanOrEqual(40_010)
    clock.jump(40_010)
    left = 3
    expect((await wire.exchange(call)).status).toBe(200)
  })
})

describe('several windows that one header reports', () => {
  test('hold calls back until the one that is used up ends', async () => {
    const sink = await listen()
    const clock = fakeClock()
    sink.answer = (_, response) => reply(response, 200, {}, { 'x-left': "{'minute': 9, 'day': 1}" })
    const wire = wireTo([sink.origin], { monotonic: clock.monotonic, sleep: clock.sleep })
    const limits: Pace['limits'] = [
      { per: 'connection', max: 10, windowMs: 60_000 },
      { per: 'connection', max: 100, windowMs: 24 * hour },
    ]
    const remaining = limits.map(({ windowMs }, index) => ({
      header: 'x-left',
      part: ['minute', 'day'][index]!,
      per: 'connection' as const,
      windowMs,
    }))
    const call = callTo(profileFor(sink.origin, { pace: { limits, concurrency: 5, remaining } }), { noWait: true })
    for (let count = 0; count < 2; count += 1) await wire.exchange(call)
    expect((await failureOf(wire.exchange(call))).details.retryAfterMs).toBeGreaterThan(23 * hour)
  })
})

describe('a refusal of status 200', () => {
  test('pauses for as long as its text says, and is sent again', async () => {
    const sink = await listen()
    const clock = fakeClock()
    sink.answer = (_, response) =>
      reply(
        response,
        200,
        sink.seen.length === 1
          ? { success: false, code: 'rate_limited', error: 'Slow down. Retry in 36s.' }
          : { id: 'p1' },
      )
    const wire = wireTo([sink.origin], { monotonic: clock.monotonic, sleep: clock.sleep })
    const profile = profileFor(sink.origin, {
      pace: { ...hourly, waitTexts: ['Retry in {seconds}s'] },
      timeouts: { connectMs: 5000, headersMs: 60_000, bodyMs: 60_000, totalMs: 60_000, deadlineMs: 600_000 },
      errors: [{ path: 'code', equals: 'rate_limited', failure: 'rate_limited' }],
    })
    const from = clock.monotonic()
    let answered: unknown
    const going = wire.exchange(callTo(profile)).then(({ body }) => (answered = body))
    while (answered === undefined && clock.monotonic() - from < 300_000) {
      await clock.pass(100)
      await new Promise(setImmediate)
    }
    await going
    expect(answered).toEqual({ id: 'p1' })
    expect(clock.monotonic() - from).toBeGreaterThanOrEqual(36_000)
  })
})
