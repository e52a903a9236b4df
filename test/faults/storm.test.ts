import { createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, expect, test } from 'vitest'
import type { Call, WireOptions } from '../../shared/wire/index.ts'
import { account, callTo, profileFor, realOptions, wireTo } from '../wire/setup.ts'
import { makeCertificates } from './certificate.ts'
import { faults, startFaultServer } from './server.ts'
import type { Fault, FaultServer } from './server.ts'

const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  await Promise.all(closing.map((close) => close()))
})

/** Deterministic, so that a bad run can be repeated. */
const randomFrom = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

// Far above what a busy machine needs, so that only what is meant to hang does.
const timeouts = { connectMs: 10_000, headersMs: 4000, bodyMs: 4000, totalMs: 8000, deadlineMs: 120_000 }
const share = 0.3

/** Every fault that can be chosen per request. Those that may or may not have been carried out come in both forms. */
const perRequest: Fault[] = [
  faults.closed(true),
  faults.closed(false),
  faults.reset(true),
  faults.reset(false),
  faults.silent(true),
  faults.silent(false),
  faults.cutShort(),
  faults.dripping(40),
  faults.bomb(),
  faults.wrongLength('long'),
  faults.wrongLength('short'),
  faults.html(),
  faults.loginPage(),
  faults.empty(),
  faults.noContent(),
  faults.interim(3, 200),
  faults.interim(30, 200),
  faults.retryAfter(0),
  faults.retryAfterDate(0),
  faults.retryAfterDate(0, 86_400_000),
  faults.tooMany(),
  faults.tooMany('API_KEY_LIMIT_EXCEEDED'),
  faults.broken(500, true),
  faults.broken(500, false),
  faults.broken(502, true),
  faults.broken(504, true),
  faults.busy(0),
  faults.refused(400),
  faults.refused(403),
  faults.refused(404),
  faults.refused(409),
  faults.refused(413),
  faults.refused(422),
  faults.refused(501),
  faults.redirect(302, 'http://169.254.169.254/'),
  faults.redirect(307, '/1/cards'),
  faults.redirect(308, '/1/cards'),
]

type Result = { item: string; code: string; status: number | undefined }
/** What a failure claims: that nothing was done, or that nobody knows. */
const nothingDone = new Set([
  'unreachable',
  'rate_limited',
  'cancelled',
  'unavailable',
  'rejected',
  'not_found',
  'conflict',
  'access_denied',
  'not_allowed',
])

const storm = async (
  server: FaultServer,
  origin: string,
  options: Partial<WireOptions>,
  count: number,
  atOnce: number,
) => {
  const random = randomFrom(42)
  const wire = wireTo([origin], options)
  const profile = profileFor(origin, {
    timeouts,
    maxReplyBytes: 1024 * 1024,
    pace: {
      limits: [
        { per: 'connection', max: 5000, windowMs: 25 },
        { per: 'app', max: 20_000, windowMs: 25 },
      ],
      concurrency: 40,
    },
    errors: [{ status: 429, path: 'error', equals: 'API_KEY_LIMIT_EXCEEDED', failure: 'rate_limited', pauses: 'app' }],
  })
  const accounts = Array.from({ length: 20 }, (_, index) => account({ key: `k${index}`, appKey: `a${index % 4}` }))
  server.choose = () => (random() < share ? perRequest[Math.floor(random() * perRequest.length)] : undefined)
  const announced = new Map<string, number>()
  const results: Result[] = []

  const sendItem = async (number: number) => {
    const item = `i${number}`
    const paid = number % 2 === 0
    const stop = new AbortController()
    const cancelled = random() < 0.03 ? setTimeout(() => stop.abort(), random() * 60) : undefined
    const call: Partial<Call> = {
      method: 'POST',
      path: paid ? '/1/people' : '/1/cards',
      effect: paid ? 'read' : 'create',
      paid,
      body: { item },
      account: accounts[number % 20]!,
      redirects: 'same-origin',
      priority: number % 3 === 0 ? 'bulk' : 'interactive',
      ...(cancelled ? { signal: stop.signal } : {}),
      onSending: async () => void announced.set(item, (announced.get(item) ?? 0) + 1),
    }
    try {
      const got = await wire.exchange(callTo(profile, call))
      const failure = wire.classify(profile, got, 'create')
      results.push({ item, code: failure?.code ?? 'ok', status: got.status })
    } catch (thrown) {
      results.push({ item, code: (thrown as { code: string }).code, status: undefined })
    }
    clearTimeout(cancelled)
  }
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await sendItem((next += 1))
    }),
  )
  return { results, announced }
}

const check = (server: FaultServer, { results, announced }: Awaited<ReturnType<typeof storm>>, count: number) => {
  const times = (item: string) => server.done.get(item) ?? 0
  const codes: Record<string, number> = {}
  for (const { code } of results) codes[code] = (codes[code] ?? 0) + 1
  expect(results.length).toBe(count)
  expect(
    results.filter(({ item }) => times(item) > 1),
    'done twice',
  ).toEqual([])
  expect(
    results.filter(({ item, code }) => nothingDone.has(code) && times(item) > 0),
    'said to be undone, but done',
  ).toEqual([])
  expect(
    results.filter(({ item, code }) => code === 'ok' && times(item) !== 1),
    'said to be done, but not',
  ).toEqual([])
  // Whatever was carried out without a readable answer is one of these two.
  expect(
    results.filter(({ item, code }) => times(item) === 1 && !['ok', 'outcome_unknown', 'bad_reply'].includes(code)),
  ).toEqual([])
  expect(
    results.filter(({ code }) => code === 'internal' || code === undefined),
    'not our failures',
  ).toEqual([])
  expect([...announced.values()].every((intentCount) => intentCount === 1)).toBe(true)
  return codes
}

test('5,000 POSTs with faults injected at 30 %: none is done twice, and every unknown is reported as such', async () => {
  const server = await startFaultServer()
  closing.push(server.close)
  const random = randomFrom(3)
  // A resolver that fails now and then; a wall clock that jumps.
  const resolve = async () => {
    if (random() < 0.1) throw Object.assign(new Error('lookup'), { code: random() < 0.5 ? 'ENOTFOUND' : 'EAI_AGAIN' })
    return [{ address: '127.0.0.1', family: 4 }]
  }
  const now = () => Date.now() + Math.floor((random() - 0.5) * 7_200_000)
  server.accept = (socket) => {
    if (random() < 0.05) socket.resetAndDestroy()
  }
  let running = true
  // The provider's listener goes away for moments.
  const flapping = (async () => {
    // Not at the beginning, nor time after time without requests between, as on a busy machine: a provider that is mostly
    // away is left alone by the breaker, and there would be no storm.
    let next = 1500
    while (running) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      if (server.requests.length < next) continue
      await server.refuseFor(10)
      next = server.requests.length + 200
    }
  })()
  const origin = `http://provider.test:${server.port}`
  const outcome = await storm(
    server,
    origin,
    { resolve, now, random: () => random() * 0.1, egress: realOptions([origin]).egress },
    5000,
    120,
  )
  running = false
  await flapping
  const codes = check(server, outcome, 5000)
  // The storm must have been one.
  expect(codes['ok']).toBeGreaterThan(3000)
  for (const code of ['outcome_unknown', 'bad_reply', 'rejected', 'cancelled'])
    expect(codes[code], code).toBeGreaterThan(5)
  console.log(`5,000 POSTs, ${server.requests.length} requests: ${JSON.stringify(codes)}`)
}, 300_000)

test('the same over TLS, with handshakes cut and certificates that nobody vouches for', async () => {
  const certificates = makeCertificates('provider.test')
  const before = getCACertificates()
  setDefaultCACertificates([...before, certificates.authority])
  const random = randomFrom(9)
  const [good, bad] = [createSecureContext(certificates.good), createSecureContext(certificates.selfSigned)]
  const server = await startFaultServer({
    ...certificates.good,
    SNICallback: (_, done) => done(null, random() < 0.1 ? bad : good),
  })
  closing.push(server.close)
  try {
    const origin = `https://provider.test:${server.port}`
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const outcome = await storm(
      server,
      origin,
      { resolve, random: () => random() * 0.1, egress: realOptions([origin]).egress },
      600,
      40,
    )
    const codes = check(server, outcome, 600)
    expect(codes['ok']).toBeGreaterThan(300)
    expect(codes['unreachable'], 'certificates refused').toBeGreaterThan(0)
  } finally {
    setDefaultCACertificates(before)
  }
}, 300_000)
