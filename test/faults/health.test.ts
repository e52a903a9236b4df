import { afterAll, beforeEach, expect, test } from 'vitest'
import { account, callTo, failureOf, profileFor, realOptions, wireTo } from '../wire/setup.ts'
import { faults, startFaultServer } from './server.ts'

const [server, healthy] = await Promise.all([startFaultServer(), startFaultServer()])
afterAll(() => Promise.all([server.close(), healthy.close()]))
beforeEach(() => {
  server.requests.length = 0
  server.choose = () => undefined
  healthy.choose = () => undefined
})

const timeouts = { connectMs: 300, headersMs: 300, bodyMs: 300, totalMs: 500, deadlineMs: 2000 }
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const until = async (met: () => boolean) => {
  while (!met()) await wait(5)
}
const settled = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (thrown: { code: string }) => thrown.code,
  )

test('a storm of 429 for six windows: one probe per window, fewer than ten requests', async () => {
  const windowMs = 1000
  const wire = wireTo([server.origin], { random: () => 0 })
  const profile = profileFor(server.origin, {
    timeouts: { connectMs: 5000, headersMs: 5000, bodyMs: 5000, totalMs: 8000, deadlineMs: 8000 },
    pace: { limits: [{ per: 'connection', max: 100, windowMs }], concurrency: 20 },
  })
  const end = performance.now() + 6 * windowMs
  server.choose = () => (performance.now() < end ? faults.tooMany() : undefined)
  const calls: Promise<string>[] = []
  const call = () => calls.push(settled(wire.exchange(callTo(profile, { path: `/1/cards/${calls.length}` }))))
  while (performance.now() < end) {
    call()
    await wait(40)
  }
  const during = server.requests.filter(({ at }) => at < end).length
  expect(during).toBeGreaterThanOrEqual(5)
  expect(during).toBeLessThan(10)
  const outcomes = await Promise.all(calls)
  expect(calls.length).toBeGreaterThan(20)
  expect(outcomes.every((outcome) => outcome === 'ok' || outcome === 'rate_limited')).toBe(true)
  expect(outcomes.filter((outcome) => outcome === 'ok').length).toBeGreaterThan(calls.length * 0.7)
})

/** Time that runs as fast as it is used: 60 s of traffic in a second. */
const fastTime = () => {
  let time = 0
  return {
    monotonic: () => time,
    now: () => 1_800_000_000_000 + time,
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (signal?.aborted) throw signal.reason
      time += ms
    },
    pass: (ms: number) => (time += ms),
  }
}

test('two minutes of a dead provider: less than 5 % of the traffic reaches it, and it comes back by itself', async () => {
  const time = fastTime()
  const wire = wireTo([server.origin], { ...time, random: () => 0.5, egress: realOptions([server.origin]).egress })
  const profile = profileFor(server.origin, { timeouts: { ...timeouts, deadlineMs: 60_000 } })
  server.choose = () => faults.closed(false)
  const calls = 1200
  let probes = 0
  for (let number = 0; number < calls; number += 1) {
    time.pass(100)
    const write = number % 4 === 0
    const before = server.requests.length
    const outcome = await settled(
      wire.exchange(
        callTo(profile, {
          account: account({ key: `k${number % 10}` }),
          ...(write
            ? { method: 'POST', path: '/1/cards', effect: 'create' as const, body: { item: `x${number}` } }
            : { path: `/1/cards/${number}` }),
        }),
      ),
    )
    expect(outcome === 'unreachable' || outcome === 'outcome_unknown').toBe(true)
    if (number > 100 && server.requests.length > before) {
      probes += 1
      expect(server.requests.at(-1)?.method, 'a probe only reads').toBe('GET')
    }
  }
  expect(probes).toBeGreaterThan(3)
  expect(server.requests.length).toBeLessThan(calls * 0.05)
  server.choose = () => undefined
  time.pass(11_000)
  expect((await wire.exchange(callTo(profile))).status).toBe(200)
  expect(
    (await wire.exchange(callTo(profile, { method: 'POST', effect: 'create', body: { item: 'back' } }))).status,
  ).toBe(200)
})

test('a provider that only ever gets writes is tried again, too', async () => {
  const time = fastTime()
  const wire = wireTo([server.origin], { ...time, random: () => 0.5, egress: realOptions([server.origin]).egress })
  const profile = profileFor(server.origin, { timeouts })
  const lookup = () =>
    settled(
      wire.exchange(
        callTo(profile, {
          method: 'POST',
          path: '/1/people',
          effect: 'read',
          paid: true,
          body: { item: `l${Math.random()}` },
          deadlineAt: time.monotonic() + 5000,
        }),
      ),
    )
  server.choose = () => faults.broken(500, false)
  for (let number = 0; number < 30; number += 1) await lookup()
  server.choose = () => undefined
  time.pass(15_000)
  expect(await lookup()).toBe('unreachable')
  time.pass(30_000)
  expect(await lookup()).toBe('ok')
  expect(await lookup()).toBe('ok')
})

test('retries of an account are at most a tenth of its traffic beyond a small floor', async () => {
  const wire = wireTo([server.origin], { random: () => 0 })
  const profile = profileFor(server.origin, { timeouts })
  // Four of ten fail at first: too few for the breaker.
  let number = 0
  server.choose = ({ attempt }) => (attempt === 1 && (number += 1) % 10 < 4 ? faults.closed(false) : undefined)
  const calls = 300
  for (let index = 0; index < calls; index += 1)
    await settled(wire.exchange(callTo(profile, { path: `/1/budget/${index}` })))
  expect(server.requests.length - calls).toBeGreaterThan(calls * 0.08)
  expect(server.requests.length - calls).toBeLessThanOrEqual(calls * 0.1 + 6)
})

test('calls to another provider do not wait for one that hangs', async () => {
  const wire = wireTo([server.origin, healthy.origin])
  const pace = { limits: [], concurrency: 10 }
  const patient = { connectMs: 300, headersMs: 60_000, bodyMs: 60_000, totalMs: 60_000, deadlineMs: 120_000 }
  const stop = new AbortController()
  // Every seat of the one is taken and more wait, until this test lets go.
  server.choose = () => faults.silent(false)
  const hanging = Array.from({ length: 60 }, (_, index) => {
    const call = callTo(profileFor(server.origin, { timeouts: patient, pace }), {
      integration: 'sick',
      account: account({ key: `s${index}` }),
      signal: stop.signal,
    })
    return settled(wire.exchange(call))
  })
  await until(() => server.requests.length >= 40)
  const profile = profileFor(healthy.origin, { timeouts: patient, pace })
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, () => settled(wire.exchange(callTo(profile, { integration: 'well' })))),
  )
  expect(outcomes.every((outcome) => outcome === 'ok')).toBe(true)
  expect(server.requests.length).toBe(40)
  stop.abort()
  expect(new Set(await Promise.all(hanging))).toEqual(new Set(['cancelled']))
})

test('calls wait only for their own provider', async () => {
  const wire = wireTo([server.origin, healthy.origin])
  const blocked = profileFor(server.origin, {
    timeouts,
    pace: { limits: [{ per: 'connection', max: 1, windowMs: 60_000 }], concurrency: 5 },
  })
  await wire.exchange(callTo(blocked))
  const stop = new AbortController()
  const waiting = failureOf(
    wire.exchange(callTo(blocked, { signal: stop.signal, deadlineAt: performance.now() + 120_000 })),
  )
  expect((await wire.exchange(callTo(profileFor(healthy.origin), { integration: 'other' }))).status).toBe(200)
  stop.abort()
  expect((await waiting).code).toBe('cancelled')
})
