import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { Json, WireProfile } from '#kit'
import type { Call, Wire, WireOptions } from '../../shared/wire/index.ts'
import { account, callTo, failureOf, profileFor, secrets, wireTo } from '../wire/setup.ts'
import { makeCertificates } from './certificate.ts'
import { faults, startFaultServer } from './server.ts'
import type { Asked, Fault } from './server.ts'

const server = await startFaultServer()
afterAll(() => server.close())

// Far above what a busy machine needs, so that only what is meant to hang does.
const timeouts = { connectMs: 1000, headersMs: 1000, bodyMs: 1000, totalMs: 2400, deadlineMs: 12_000 }
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const profileOf = (over: Partial<WireProfile> = {}) => profileFor(server.origin, { timeouts, ...over })
let profile = profileOf()
let wire: Wire
/** No jitter: rows are about whether and how often, not about when. */
const quick: Partial<WireOptions> = { random: () => 0 }

beforeEach(() => {
  // Pauses, budgets and the breaker belong to the wire: each row begins with a fresh one.
  wire = wireTo([server.origin], quick)
  profile = profileOf()
  server.requests.length = 0
  server.done.clear()
  server.choose = () => undefined
  server.accept = () => undefined
})

let serial = 0
const read = (over: Partial<Call> = {}) =>
  callTo(profile, { method: 'GET', path: `/1/cards/r${(serial += 1)}`, ...over })
const create = (over: Partial<Call> = {}) =>
  callTo(profile, { method: 'POST', path: '/1/cards', effect: 'create', body: { item: `c${(serial += 1)}` }, ...over })
const update = (over: Partial<Call> = {}) =>
  callTo(profile, { method: 'PUT', path: `/1/cards/u${(serial += 1)}`, effect: 'update', body: { name: 'n' }, ...over })
const remove = (over: Partial<Call> = {}) =>
  callTo(profile, { method: 'DELETE', path: `/1/cards/d${(serial += 1)}`, effect: 'delete', ...over })
const paidLookup = (over: Partial<Call> = {}) =>
  callTo(profile, {
    method: 'POST',
    path: '/1/people',
    effect: 'read',
    paid: true,
    body: { item: `p${(serial += 1)}` },
    ...over,
  })

const always = (fault: Fault) => (server.choose = () => fault)
const once = (fault: Fault) => (server.choose = ({ attempt }: Asked) => (attempt === 1 ? fault : undefined))
const asks = () => server.requests.length
/** Aborts a moment after the provider was asked. */
const abortAfterRequest = (): AbortSignal => {
  const before = asks()
  const stop = new AbortController()
  void (async () => {
    while (asks() === before) await wait(5)
    await wait(40)
    stop.abort()
  })()
  return stop.signal
}
const mostDone = () => Math.max(0, ...server.done.values())

/** The failure has the code, leaks nothing, and the provider was asked and did as often as said. */
const fails = async (call: Call, code: string, requestCount: number) => {
  const before = asks()
  const failure = await failureOf(wire.exchange(call))
  expect(failure.code).toBe(code)
  expect(asks() - before).toBe(requestCount)
  expect(mostDone()).toBeLessThanOrEqual(1)
  for (const secret of Object.values(secrets))
    expect(`${failure.message} ${failure.stack} ${JSON.stringify(failure.details)}`).not.toContain(secret)
  return failure
}
const succeeds = async (call: Call, requestCount: number, body?: Json) => {
  const before = asks()
  const got = await wire.exchange(call)
  expect(got.status).toBeLessThan(300)
  expect(asks() - before).toBe(requestCount)
  if (body !== undefined) expect(got.body).toEqual(body)
  return got
}

describe('nothing was sent', () => {
  test('connection refused: every kind of call is tried four times, then unreachable', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
    await new Promise((resolve) => closed.close(resolve))
    let sends = 0
    for (const make of [read, create]) {
      wire = wireTo([origin], quick)
      profile = profileFor(origin, { timeouts })
      sends = 0
      const failure = await failureOf(wire.exchange(make({ recheck: () => (sends += 1) })))
      expect([failure.code, sends]).toEqual(['unreachable', 4])
      expect(failure.message).toContain('refused the connection')
    }
  })

  test('a create goes through once the provider is back', async () => {
    wire = wireTo([server.origin], { random: () => 0.3 })
    const back = server.refuseFor(100)
    await succeeds(create(), 1)
    await back
    expect(mostDone()).toBe(1)
  })

  test('a full backlog: connect timeouts, and the deadline holds', async () => {
    const state = new Int32Array(new SharedArrayBuffer(8))
    const deaf = new Worker(
      `const { parentPort, workerData: state } = require('node:worker_threads')
       const server = require('node:net').createServer()
       server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
         parentPort.postMessage(server.address().port)
         setTimeout(() => (Atomics.store(state, 0, 1), Atomics.wait(state, 1, 0, 30000)), 20)
       })`,
      { eval: true, workerData: state },
    )
    const port = await new Promise<number>((resolve) => deaf.once('message', resolve))
    const { connect } = await import('node:net')
    while (Atomics.load(state, 0) === 0) await wait(5)
    let connected = 0
    const fillers = Array.from({ length: 8 }, () =>
      connect(port, '127.0.0.1', () => void (connected += 1)).on('error', () => undefined),
    )
    // As many as the system takes for it; the others wait.
    while (connected === 0) await wait(5)
    await wait(60)
    const origin = `http://127.0.0.1:${port}`
    wire = wireTo([origin], quick)
    profile = profileFor(origin, { timeouts: { ...timeouts, deadlineMs: 2800 } })
    const started = performance.now()
    const failure = await failureOf(wire.exchange(create()))
    // Four tries would take four seconds.
    expect(performance.now() - started).toBeLessThan(3900)
    expect(failure.code).toBe('unreachable')
    for (const filler of fillers) filler.destroy()
    Atomics.notify(state, 1)
    await deaf.terminate()
  })

  test('a name that does not exist is tried twice, a resolver in trouble four times', async () => {
    for (const [code, times] of [
      ['ENOTFOUND', 2],
      ['EAI_AGAIN', 4],
    ] as const) {
      let lookups = 0
      const resolve = async () => {
        lookups += 1
        throw Object.assign(new Error(`getaddrinfo ${code}`), { code })
      }
      wire = wireTo([], { ...quick, resolve })
      profile = profileFor('https://api.provider.example', { timeouts })
      expect((await failureOf(wire.exchange(create()))).code).toBe('unreachable')
      expect(lookups).toBe(times)
    }
  })

  test('a slow resolver cannot hold a call beyond its deadline', async () => {
    wire = wireTo([], { ...quick, resolve: () => new Promise(() => undefined) })
    profile = profileFor('https://api.provider.example', { timeouts: { ...timeouts, deadlineMs: 2400 } })
    const started = performance.now()
    expect((await failureOf(wire.exchange(read()))).code).toBe('unreachable')
    // Four tries would take four seconds.
    expect(performance.now() - started).toBeLessThan(3900)
  })

  test('TLS that cannot be trusted is never used and never tried again; a cut handshake is', async () => {
    const certificates = makeCertificates('provider.test')
    const before = getCACertificates()
    setDefaultCACertificates([...before, certificates.authority])
    const over = async (tls: object, host: string) => {
      const secure = await startFaultServer(tls)
      const origin = `https://${host}:${secure.port}`
      wire = wireTo([origin], { ...quick, resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
      profile = profileFor(origin, { timeouts })
      return secure
    }
    try {
      const trusted = await over(certificates.good, 'provider.test')
      expect((await wire.exchange(create())).status).toBe(200)
      await trusted.close()
      const old = { ...certificates.good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
      for (const [tls, host] of [
        [certificates.expired, 'provider.test'],
        [certificates.good, 'other.test'],
        [certificates.selfSigned, 'provider.test'],
        [old, 'provider.test'],
      ] as const) {
        const bad = await over(tls, host)
        let sends = 0
        const failure = await failureOf(wire.exchange(read({ recheck: () => (sends += 1) })))
        expect([failure.code, failure.details.retryable, sends, bad.requests.length]).toEqual([
          'unreachable',
          false,
          1,
          0,
        ])
        await bad.close()
      }
      const cut = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.destroy()))
      await new Promise<void>((resolve) => cut.listen(0, '127.0.0.1', resolve))
      const origin = `https://provider.test:${(cut.address() as AddressInfo).port}`
      wire = wireTo([origin], { ...quick, resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
      profile = profileFor(origin, { timeouts })
      let sends = 0
      expect((await failureOf(wire.exchange(create({ recheck: () => (sends += 1) })))).code).toBe('unreachable')
      expect(sends).toBe(4)
      cut.close()
    } finally {
      setDefaultCACertificates(before)
    }
  })
})

describe('nobody knows whether it was done', () => {
  const unknowns: [string, () => Fault][] = [
    ['closed before a byte, done', () => faults.closed(true)],
    ['closed before a byte, not done', () => faults.closed(false)],
    ['reset as it arrives', () => faults.reset(true)],
    ['no answer in time', () => faults.silent(true)],
    ['500', () => faults.broken(500, true)],
    ['502', () => faults.broken(502, true)],
    ['504', () => faults.broken(504, false)],
  ]
  for (const [name, fault] of unknowns) {
    test(`${name}: a read and an update are sent again, a create and a paid lookup never`, async () => {
      once(fault())
      await succeeds(read(), 2)
      server.done.clear()
      await succeeds(update(), 2)
      server.done.clear()
      for (const make of [create, paidLookup]) {
        const call = make()
        if (name.startsWith('5')) {
          const got = await wire.exchange(call)
          expect(wire.classify(profile, got, 'create')?.code).toBe('outcome_unknown')
          expect(server.requests.filter(({ body }) => body === JSON.stringify(call.body)).length).toBe(1)
        } else await fails(call, 'outcome_unknown', 1)
        expect(mostDone()).toBeLessThanOrEqual(1)
      }
    })
  }

  test('a kept connection that the provider closed meanwhile', async () => {
    await succeeds(read(), 1)
    const kept = server.requests.length
    server.choose = ({ number, attempt }) => (number === kept + 1 && attempt === 1 ? faults.reset(false) : undefined)
    await fails(create(), 'outcome_unknown', 1)
    await succeeds(create(), 1)
  })

  test('cut in the middle of an answer that said it was done', async () => {
    once(faults.cutShort())
    await succeeds(read(), 2)
    server.done.clear()
    always(faults.cutShort())
    const failure = await fails(create(), 'outcome_unknown', 1)
    expect(failure.message).toContain('answered 200, so it was done')
    expect(mostDone()).toBe(1)
  })

  test('an answer that drips ends at the total time; a read is tried once more', async () => {
    always(faults.dripping(60))
    const started = performance.now()
    const before = asks()
    expect((await failureOf(wire.exchange(read()))).code).toBe('unreachable')
    expect(asks() - before).toBe(2)
    expect(performance.now() - started).toBeLessThan(timeouts.deadlineMs)
    server.done.clear()
    await fails(create(), 'outcome_unknown', 1)
  })

  test('a length that is not true', async () => {
    once(faults.wrongLength('long'))
    await succeeds(read(), 2)
    server.done.clear()
    always(faults.wrongLength('long'))
    await fails(create(), 'outcome_unknown', 1)
    server.done.clear()
    always(faults.wrongLength('short'))
    const got = await wire.exchange(create())
    expect(wire.classify(profile, got, 'create')?.code).toBe('bad_reply')
    expect(mostDone()).toBe(1)
    server.choose = () => undefined
    await succeeds(read(), 1)
  })

  test('a deletion whose answer was lost counts as done when the thing is gone', async () => {
    server.choose = ({ attempt }) => (attempt === 1 ? faults.closed(true) : faults.refused(404))
    const got = await succeeds(remove(), 2)
    expect([got.status, got.body]).toEqual([200, null])
    server.done.clear()
    always(faults.refused(404))
    expect((await wire.exchange(remove())).status).toBe(404)
  })

  test('an update that was lost and then cannot be sent again is unknown, not "nothing was done"', async () => {
    server.choose = ({ attempt }) => (attempt === 1 ? faults.closed(true) : faults.retryAfter(3600))
    await fails(update(), 'outcome_unknown', 2)
  })
})

describe('odd answers', () => {
  test('a bomb is stopped at the limit, nested codings too', async () => {
    always(faults.bomb())
    const used = process.memoryUsage().arrayBuffers
    const started = performance.now()
    await fails(read(), 'too_large', 1)
    expect(performance.now() - started).toBeLessThan(timeouts.deadlineMs)
    expect(process.memoryUsage().arrayBuffers - used).toBeLessThan(40 * 1024 * 1024)
    server.done.clear()
    expect((await fails(create(), 'outcome_unknown', 1)).message).toContain('it was done')
    always((_, __, execute, answer) => {
      execute()
      answer(200, 'x', { 'content-encoding': 'gzip, gzip, gzip' })
    })
    server.done.clear()
    await fails(read(), 'bad_reply', 1)
  })
  test('a plain answer over the limit is cut off', async () => {
    profile = profileOf({ maxReplyBytes: 1000 })
    always((_, __, execute, answer) => {
      execute()
      answer(200, { text: 'x'.repeat(5000) })
    })
    await fails(read(), 'too_large', 1)
    // Told beforehand: not a byte of it is waited for.
    always(
      (_, socket) =>
        void socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 50000000\r\n\r\n'),
    )
    await fails(read(), 'too_large', 1)
    // Not told at all.
    always(
      (_, socket) =>
        void socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1388\r\n${'x'.repeat(5000)}\r\n`,
        ),
    )
    await fails(read(), 'too_large', 1)
  })
  test('pages instead of JSON are bad replies with a short excerpt', async () => {
    for (const kind of ['html', 'login', 'text', 'lines'] as const) {
      always(faults.odd(kind))
      server.done.clear()
      const got = await succeeds(create(), 1)
      const failure = wire.classify(profile, got, 'create')
      expect(failure?.code).toBe('bad_reply')
      expect(failure?.details.providerMessage?.length).toBeLessThanOrEqual(200)
    }
  })
  test('empty answers are null; a byte order mark is no part of JSON', async () => {
    for (const fault of [faults.empty(), faults.noContent()]) {
      always(fault)
      server.done.clear()
      const got = await succeeds(create(), 1)
      expect(got.body).toBe(null)
      expect(wire.classify(profile, got, 'create')).toBeUndefined()
    }
    always(faults.odd('bom'))
    server.done.clear()
    const got = await succeeds(read(), 1)
    expect(got.json).toBe(true)
  })
  test('some interim answers are tolerated, a storm of them is cut', async () => {
    always(faults.interim(5, 203))
    expect((await succeeds(read(), 1)).status).toBe(203)
    always(faults.interim(30, 200))
    server.done.clear()
    await fails(read(), 'bad_reply', 1)
    server.done.clear()
    await fails(create(), 'outcome_unknown', 1)
  })
  test('deep, wide and poisonous JSON', async () => {
    const bodies = ['['.repeat(1_000_000) + ']'.repeat(1_000_000), `{"a":${'{"b":'.repeat(9000)}1${'}'.repeat(9000)}}`]
    for (const body of bodies) {
      always((_, __, ___, answer) => answer(200, body))
      await fails(read(), 'bad_reply', 1)
    }
    const wide = (fields: number) =>
      always((_, __, ___, answer) =>
        answer(200, `{${Array.from({ length: fields }, (_, index) => `"k${index}":1`).join()}}`),
      )
    wide(10_000)
    expect(Object.keys((await wire.exchange(read())).body as object).length).toBe(10_000)
    wide(200_000)
    await fails(read(), 'too_large', 1)
    for (const [name, value] of [
      ['__proto__', '{"admin":true}'],
      ['\\u005f_proto__', '{"admin":true}'],
      ['_\\u005Fproto__', '{"admin":true}'],
      ['__proto__', 'null'],
    ]) {
      always((_, __, ___, answer) => answer(200, `{"a":[{"${name}":${value},"ok":2}]}`))
      const { body } = await wire.exchange(read())
      expect(body).toEqual({ a: [{ ok: 2 }] })
      expect(Object.hasOwn((body as { a: object[] }).a[0]!, '__proto__')).toBe(false)
    }
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
  })
  test('what the provider refuses is not sent again, and its words are passed on', async () => {
    const codes = {
      400: 'rejected',
      401: 'not_connected',
      402: 'credits_exhausted',
      403: 'access_denied',
      404: 'not_found',
      405: 'rejected',
      409: 'conflict',
      410: 'rejected',
      413: 'too_large',
      415: 'rejected',
      422: 'rejected',
      451: 'suppressed',
      501: 'rejected',
      505: 'rejected',
    }
    for (const [status, code] of Object.entries(codes)) {
      always(faults.refused(Number(status)))
      const before = asks()
      const got = await wire.exchange(create())
      expect(asks() - before).toBe(1)
      const failure = wire.classify(profile, got, 'create')
      expect([failure?.code, failure?.details.providerMessage]).toEqual([code, `Refused with ${status}`])
    }
  })
  test('a profile rule comes before the status', async () => {
    profile = profileOf({ errors: [{ status: 401, contains: 'may not', failure: 'access_denied' }] })
    always((_, __, ___, answer) => answer(401, { message: 'You MAY NOT see this' }))
    expect(wire.classify(profile, await wire.exchange(read()), 'read')?.code).toBe('access_denied')
    // But none makes a create that may have happened look like one that can be sent again.
    profile = profileOf({ errors: [{ status: [500, 599], failure: 'provider_failed' }] })
    always(faults.broken(500, true))
    const got = await wire.exchange(create())
    expect([wire.classify(profile, got, 'create')?.code, wire.classify(profile, got, 'read')?.code]).toEqual([
      'outcome_unknown',
      'provider_failed',
    ])
  })
})

describe('redirects', () => {
  test('redirects are answers, never followed', async () => {
    for (const location of [
      'http://169.254.169.254/latest/meta-data',
      'https://evil.test/',
      `${server.origin}/1/loop`,
      'file:///etc/passwd',
      'http://u:p@127.0.0.1/',
      'unix:/x',
    ]) {
      for (const status of [301, 302, 303, 307, 308]) {
        always(faults.redirect(status, location))
        const before = asks()
        expect((await wire.exchange(create())).status).toBe(status)
        expect(asks() - before).toBe(1)
      }
    }
  })
  test('307 within the origin is followed once where the call says so, with the same rules', async () => {
    const moved = (location: string) =>
      (server.choose = ({ target }) => (target.startsWith('/1/cards') ? faults.redirect(307, location) : undefined))
    moved(`${server.origin}/1/moved?x=1&token=EVIL`)
    const got = await wire.exchange(create({ redirects: 'same-origin' }))
    expect(got.status).toBe(200)
    const last = server.requests.at(-1)
    expect([
      last?.method,
      last?.target.split('?')[0],
      new URL(last?.target ?? '', server.origin).searchParams.getAll('token'),
    ]).toEqual(['POST', '/1/moved', [secrets.token]])
    for (const location of [
      'http://127.0.0.1:9/1/x',
      '//evil.test/1/x',
      `${server.origin}/2/x`,
      `${server.origin}/1/cards/again`,
      '/1/%2e%2e/x',
      'http://[bad',
    ]) {
      moved(location)
      const before = asks()
      expect((await wire.exchange(create({ redirects: 'same-origin' }))).status).toBe(307)
      expect(asks() - before).toBe(location.endsWith('again') ? 2 : 1)
    }
  })
})

describe('limits', () => {
  test("Retry-After is waited for, as seconds or as a date on the provider's clock", async () => {
    const rows: Record<string, Fault> = {
      seconds: faults.retryAfter(2),
      date: faults.retryAfterDate(2),
      ahead: faults.retryAfterDate(2, 86_400_000),
      behind: faults.retryAfterDate(2, -3_600_000),
    }
    server.choose = ({ body, attempt }) =>
      attempt === 1 ? rows[(JSON.parse(body) as { item: string }).item] : undefined
    const gap = async (item: string) => {
      // Each with a wire of its own, so that one pause does not hold another.
      await wireTo([server.origin], quick).exchange(create({ body: { item } }))
      const [first, second] = server.requests.filter(({ body }) => body.includes(`"${item}"`))
      return (second?.at ?? 0) - (first?.at ?? 0)
    }
    for (const each of await Promise.all(Object.keys(rows).map(gap))) {
      expect(each).toBeGreaterThanOrEqual(2000)
      expect(each).toBeLessThanOrEqual(3500)
    }
    expect(mostDone()).toBe(1)
  }, 15_000)

  test('a wait beyond the deadline is handed back at once', async () => {
    always(faults.retryAfter(3600))
    const started = performance.now()
    const failure = await fails(create(), 'rate_limited', 1)
    expect(failure.details.retryAfterMs).toBeGreaterThanOrEqual(3_600_000)
    expect(performance.now() - started).toBeLessThan(500)
    // The whole account waits now; another one does not.
    await fails(read(), 'rate_limited', 0)
    server.choose = () => undefined
    await succeeds(read({ account: account({ key: 'other', appKey: 'other' }) }), 1)
  })

  test('without Retry-After the token waits for its window, and none of its calls is refused again in it', async () => {
    profile = profileOf({ pace: { limits: [{ per: 'connection', max: 50, windowMs: 400 }], concurrency: 20 } })
    const first = { at: 0 }
    server.choose = ({ at }) => {
      if (first.at === 0) first.at = at
      return at - first.at < 300 ? faults.tooMany() : undefined
    }
    await wire.exchange(create())
    await Promise.all([1, 2, 3].map(() => wire.exchange(create())))
    const refused = server.requests.filter(({ at }) => at - first.at < 300)
    expect(refused.length).toBe(1)
    expect(server.requests[1]!.at - first.at).toBeGreaterThanOrEqual(400)
    expect(mostDone()).toBe(1)
  })

  test('what the 429 names is what waits', async () => {
    const errors: WireProfile['errors'] = [
      { status: 429, path: 'error', equals: 'API_KEY_LIMIT_EXCEEDED', failure: 'rate_limited', pauses: 'app' },
      { status: 429, path: 'error', equals: 'MEMBER_LIMIT_EXCEEDED', failure: 'rate_limited', pauses: 'route' },
    ]
    profile = profileOf({ errors, pace: { limits: [], concurrency: 20 } })
    const [a, b, other] = [
      account({ key: 'a', appKey: 'k1' }),
      account({ key: 'b', appKey: 'k1' }),
      account({ key: 'c', appKey: 'k2' }),
    ]
    once(faults.tooMany('API_KEY_LIMIT_EXCEEDED'))
    await fails(read({ account: a, noWait: true }), 'rate_limited', 1)
    await fails(read({ account: b, noWait: true }), 'rate_limited', 0)
    server.choose = () => undefined
    await succeeds(read({ account: other, noWait: true }), 1)
    // A family of paths that the profile knows no limit of.
    once(faults.tooMany('MEMBER_LIMIT_EXCEEDED'))
    await fails(read({ account: other, noWait: true, path: '/1/members/me/boards' }), 'rate_limited', 1)
    await fails(read({ account: other, noWait: true, path: '/1/members/x' }), 'rate_limited', 0)
    server.choose = () => undefined
    await succeeds(read({ account: other, noWait: true, path: '/1/boards/x' }), 1)
  })

  test('503 with Retry-After: a read waits; a create only where the profile says that nothing was executed', async () => {
    once(faults.busy(1))
    const before = asks()
    await succeeds(read(), 2)
    expect(server.requests[before + 1]!.at - server.requests[before]!.at).toBeGreaterThanOrEqual(1000)
    const got = await wire.exchange(create())
    expect(wire.classify(profile, got, 'create')?.code).toBe('outcome_unknown')
    profile = profileOf({ rejectsBeforeExecuting: [503] })
    await succeeds(create(), 2)
    always(faults.refused(503))
    expect(wire.classify(profile, await wire.exchange(create()), 'create')?.code).toBe('provider_failed')
  })
})

describe('cancelling', () => {
  test('before it starts, and while it waits for its turn: nothing is sent', async () => {
    await fails(create({ signal: AbortSignal.abort() }), 'cancelled', 0)
    profile = profileOf({
      pace: { limits: [{ per: 'connection', max: 1, windowMs: 60_000 }], concurrency: 5 },
      timeouts: { ...timeouts, deadlineMs: 120_000 },
    })
    await succeeds(read(), 1)
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 30)
    await fails(create({ signal: stop.signal }), 'cancelled', 0)
  })
  test('while it connects: nothing is sent, and the place is free again', async () => {
    const origin = 'https://api.provider.example'
    wire = wireTo([origin], { ...quick, resolve: () => new Promise(() => undefined) })
    profile = profileFor(origin, {
      timeouts,
      pace: { limits: [{ per: 'connection', max: 1, windowMs: 60_000 }], concurrency: 5 },
    })
    for (let round = 0; round < 3; round += 1) {
      const stop = new AbortController()
      setTimeout(() => stop.abort(), 20)
      expect((await failureOf(wire.exchange(create({ signal: stop.signal })))).code).toBe('cancelled')
    }
  })
  test('while it connects: nothing is sent later either, when the connection is there', async () => {
    const origin = `http://provider.test:${server.port}`
    const resolve = async () => {
      await new Promise((done) => setTimeout(done, 80))
      return [{ address: '127.0.0.1', family: 4 }]
    }
    wire = wireTo([origin], { ...quick, resolve })
    profile = profileFor(origin, { timeouts })
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 20)
    await fails(create({ signal: stop.signal }), 'cancelled', 0)
    await new Promise((done) => setTimeout(done, 150))
    expect(asks()).toBe(0)
    await succeeds(create(), 1)
  })
  test('when it was sent, or is being answered: a create is unknown, a read is cancelled', async () => {
    for (const fault of [faults.silent(true), faults.dripping(20)]) {
      always(fault)
      for (const [make, code] of [
        [create, 'outcome_unknown'],
        [paidLookup, 'outcome_unknown'],
        [read, 'cancelled'],
      ] as const) {
        server.done.clear()
        await fails(make({ signal: abortAfterRequest() }), code, 1)
      }
    }
  })
  test('while it waits to be tried again: nothing more is sent', async () => {
    wire = wireTo([server.origin], { random: () => 0.99 })
    always(faults.closed(false))
    await fails(read({ signal: abortAfterRequest() }), 'cancelled', 1)
  })
})

test('what was allowed when the call began is looked at again just before it is sent', async () => {
  profile = profileOf({ pace: { limits: [{ per: 'connection', max: 1, windowMs: 200 }], concurrency: 5 } })
  await succeeds(read(), 1)
  let live = true
  const recheck = () => {
    if (!live) throw Object.assign(new Error('gone'), { code: 'not_connected' })
  }
  const waiting = failureOf(wire.exchange(create({ recheck })))
  live = false
  const before = asks()
  expect((await waiting).code).toBe('not_connected')
  expect(asks() - before).toBe(0)
})

test('the intent is written once, before the first byte, also when the call is sent again', async () => {
  const requestCounts: number[] = []
  once(faults.tooMany())
  profile = profileOf({ pace: { limits: [{ per: 'connection', max: 50, windowMs: 100 }], concurrency: 5 } })
  const before = asks()
  await succeeds(create({ onSending: async () => void requestCounts.push(asks() - before) }), 2)
  expect(requestCounts).toEqual([0])
})

test('no error, nor anything behind it, carries an address with a secret or a header', async () => {
  always(faults.closed(false))
  for (const make of [read, create]) {
    const failure = await failureOf(wire.exchange(make()))
    const { inspect } = await import('node:util')
    const all = inspect(failure, { depth: 10, showHidden: true })
    for (const secret of [...Object.values(secrets), encodeURIComponent(secrets.token)])
      expect(all).not.toContain(secret)
  }
})
