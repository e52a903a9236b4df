import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { WireProfile } from '#kit'
import { createWire } from '../../shared/wire/index.ts'
import { median, row } from './support.ts'
import type { Row } from './support.ts'

/** Scaled down, as the cases with much network are; a case in a process of its own may ask for another. */
const windowMs = Number(process.argv[3] ?? 1000)
const perToken = 100
const perKey = 300

const randomFrom = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

/** Counts like the strictest provider: at no moment more than `max` requests in the window behind it. */
const slidingWindow = (max: number) => {
  const times: number[] = []
  let first = 0
  return (now: number) => {
    while (first < times.length && times[first]! <= now - windowMs) first += 1
    const isFine = times.length - first < max
    if (isFine) times.push(now)
    return { isFine, left: max - (times.length - first) }
  }
}

type Network = { upMs(): number; downMs: number }
const later = (ms: number, then: () => void) => (ms === 0 ? then() : setTimeout(then, ms))

/** `foreignCalls`: calls that another client with the first token makes in each window, since long ago. */
const startProvider = async ({ upMs, downMs }: Network, foreignCalls: number) => {
  const tokens = new Map<string, ReturnType<typeof slidingWindow>>()
  const key = slidingWindow(perKey)
  const seen = { refused: 0, first: 0, last: 0 }
  const everyMs = windowMs / foreignCalls
  const shared = slidingWindow(perToken)
  tokens.set('OAuth token-number-0', shared)
  for (let count = foreignCalls; count > 0; count -= 1) shared(performance.now() - count * everyMs)
  const useToo = foreignCalls > 0 ? setInterval(() => shared(performance.now()), everyMs) : undefined
  const server = createServer((request, response) => {
    request.resume()
    later(upMs(), () => {
      const now = performance.now()
      const token = String(request.headers.authorization)
      if (!tokens.has(token)) tokens.set(token, slidingWindow(perToken))
      const { isFine, left } = tokens.get(token)!(now)
      const fine = isFine && key(now).isFine
      if (!fine) seen.refused += 1
      seen.first ||= now
      seen.last = now
      later(downMs, () =>
        response.writeHead(fine ? 200 : 429, { 'content-type': 'application/json', 'x-left': left }).end('{}'),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    seen,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => (clearInterval(useToo), server.close()),
  }
}

const profileAt = (origin: string, tellsRemaining: boolean, concurrency: number): WireProfile => ({
  profile: 'pace',
  baseUrl: origin,
  auth: { 'key-token': { place: 'header', fields: { Authorization: 'OAuth {token}' } } },
  reserved: [],
  pace: {
    limits: [
      { per: 'connection', max: perToken, windowMs },
      { per: 'app', max: perKey, windowMs },
    ],
    concurrency,
    ...(tellsRemaining ? { remaining: [{ header: 'x-left', per: 'connection' as const }] } : {}),
  },
  timeouts: { connectMs: 5000, headersMs: 10_000, bodyMs: 10_000, totalMs: 30_000, deadlineMs: 120_000 },
  maxReplyBytes: 1_000_000,
  errors: [],
  assumed: {},
})

type Asked = { tellsRemaining?: boolean; concurrency?: number; foreignCalls?: number }
const run = async (
  network: Network,
  tokens: number,
  arrivals: number[],
  { tellsRemaining = false, concurrency = 100, foreignCalls = 0 }: Asked = {},
) => {
  const { seen, origin, stop } = await startProvider(network, foreignCalls)
  const wire = createWire({
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: (ms, signal) => delay(ms, undefined, { signal }),
    random: Math.random,
    egress: { privateOrigins: [origin], production: false },
  })
  const profile = profileAt(origin, tellsRemaining, concurrency)
  const accounts = Array.from({ length: tokens }, (_, index) => ({
    key: `c${index}`,
    tenant: 't',
    appKey: 'key',
    type: 'key-token',
    secrets: { token: `token-number-${index}` },
  }))
  const policy = { methods: ['GET'], under: '/1', deny: [] }
  let largestTrip = 0
  await Promise.all(
    arrivals.map(async (arrival, index) => {
      await delay(arrival)
      let sentAt = 0
      const recheck = () => void (sentAt = performance.now())
      await wire.exchange({
        integration: 'pace',
        profile,
        account: accounts[index % tokens]!,
        method: 'GET',
        path: '/1/cards/x',
        effect: 'read',
        policy,
        recheck,
      })
      largestTrip = Math.max(largestTrip, performance.now() - sentAt)
    }),
  )
  await wire.close()
  stop()
  return { refused: seen.refused, span: seen.last - seen.first, largestTrip }
}

const together = (count: number) => Array.from({ length: count }, () => 0)
const trickling = (count: number) => {
  const random = randomFrom(5)
  return Array.from({ length: count }, () => Math.round(random() * 3 * windowMs)).sort((a, b) => a - b)
}
/** Span of the best schedule that the window allows, when each token's calls arrive as given. */
const ideal = (arrivals: number[], tokens: number) => {
  const times: number[][] = Array.from({ length: tokens }, () => [])
  arrivals.forEach((arrival, index) => {
    const own = times[index % tokens]!
    own.push(Math.max(arrival, own.at(-1) ?? 0, (own[own.length - perToken] ?? -windowMs) + windowMs))
  })
  return Math.max(...times.flat()) - Math.min(...times.flat())
}

/**
 * What a process of its own runs: it is told what is left, as by the work board, with as many calls at once as the work
 * board is given.
 */
const toldCases: Record<string, { network: () => Network; foreignCalls: number }> = {
  near: { network: () => ({ upMs: () => 1, downMs: 0 }), foreignCalls: 0 },
  'near-shared': { network: () => ({ upMs: () => 1, downMs: 0 }), foreignCalls: 20 },
  'far-shared': { network: () => ({ upMs: () => 10 + Math.random() * 40, downMs: 10 }), foreignCalls: 20 },
}
const toldRun = async (name: string) => {
  const { network, foreignCalls } = toldCases[name]!
  const { span, refused } = await run(network(), 1, together(500), {
    tellsRemaining: true,
    concurrency: 16,
    foreignCalls,
  })
  return { ratio: span / ideal(together(500), 1), refused }
}
const processes = 7
const inProcesses = (name: string, ms = 1000) => {
  const all = Array.from({ length: processes }, () => {
    const { stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), name, String(ms)], {
      encoding: 'utf8',
    })
    return JSON.parse(stdout) as { ratio: number; refused: number }
  })
  return {
    ratio: median(all.map(({ ratio }) => ratio)),
    refused: median(all.map(({ refused }) => refused)),
    maxRefused: Math.max(...all.map((result) => result.refused)),
  }
}

const toldRows = (): Row[] => {
  const near = inProcesses('near')
  const [nearShared, farShared] = [inProcesses('near-shared'), inProcesses('far-shared')]
  const what = 'pacing, 500 calls, 100 per window, server 1 ms away that tells what is left: time against the ideal'
  return [
    row(`${what}, window of 10 s as of the work board`, inProcesses('near', 10_000).ratio, 'x', '<= 1.03'),
    row(`${what}, window of 1 s`, near.ratio, 'x', '<= 1.03'),
    row('the same: refusals, of all processes the most', near.maxRefused, '429s', '= 0'),
    row('the same while another client uses a fifth of the limit: refusals', nearShared.refused, '429s'),
    row('the same 20 to 60 ms away: refusals', farShared.refused, '429s'),
  ]
}

/**
 * 500 calls of a token, 100 per window of a second, against a sliding window; and three tokens under a key with 300.
 */
export const paceRows = async (): Promise<Row[]> => {
  const random = randomFrom(11)
  const near: Network = { upMs: () => 0, downMs: 0 }
  const far: Network = { upMs: () => 10 + random() * 40, downMs: 10 }
  const cases: [string, Network, number, number[]][] = [
    ['500 calls at once, loopback', near, 1, together(500)],
    ['500 calls at once, 20 to 60 ms away', far, 1, together(500)],
    ['500 calls trickling in, 20 to 60 ms away', far, 1, trickling(500)],
    ['1500 calls of 3 tokens under one key, 20 to 60 ms away', far, 3, together(1500)],
  ]
  const rows: Row[] = []
  for (const [name, network, tokens, arrivals] of cases) {
    const { refused, span, largestTrip } = await run(network, tokens, arrivals)
    const best = ideal(arrivals, tokens)
    rows.push(row(`pacing, ${name}: refusals`, refused, '429s', '= 0'))
    rows.push(
      row(
        `pacing, ${name}: time over the ideal, of 5 x (largest round trip + 10 ms)`,
        Math.max(0, span - best) / (5 * (largestTrip + 10)),
        'x',
        '<= 1',
      ),
    )
  }
  return [...rows, ...toldRows()]
}

const caseName = process.argv[2]
if (import.meta.main && caseName !== undefined) console.log(JSON.stringify(await toldRun(caseName)))
