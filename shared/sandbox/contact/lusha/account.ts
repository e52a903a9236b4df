/**
 * What both versions of this vendor's API share: the key, request windows, the form of errors, and the rights of
 * accounts.
 */
import type { Problem } from '../../lookups/check.ts'
import type { Dialect } from '../../lookups/server.ts'
import type { Vendor } from '../../lookups/start.ts'
import type { OpenWindow, Window, World } from '../../lookups/world.ts'

export const switches = {
  /** The documents list nine headers; the specification of v2 declares others for 429. */
  rateHeaders: ['nine', 'RateLimit'],
  /** The error body: `{ statusCode, message, errors }` or `{ error: { code, message } }`. */
  errorBody: ['flat', 'nested'],
  account: ['active', 'inactive'],
  /**
   * `premium`: cannot choose what v2 reveals, and has no filter for do-not-call numbers. `pro`: in addition, has
   * lookups only.
   */
  plan: ['scale', 'premium', 'pro'],
  /** Whether a request that finds nothing is free or costs the minimum of 1 credit: the vendor's pages say both. */
  misses: ['free', 'minimum'],
} satisfies Vendor['switches']

/** The windows of the plan Scale. */
export const windowsOf = (usagePath: string): Window[] => [
  { name: 'minute', max: 300, windowMs: 60_000 },
  { name: 'hourly', max: 5000, windowMs: 3_600_000 },
  { name: 'daily', max: 50_000, windowMs: 86_400_000 },
  { name: 'usage', max: 5, windowMs: 60_000, path: usagePath },
]

export type WindowState = { limit: number; used: number; remaining: number; resetsAt: number }

/** The window's current state. A window that has ended starts again with the next request. */
export const windowState = (world: World, name: string): WindowState => {
  const window = world.windows.find((openWindow) => openWindow.name === name)
  if (window === undefined) throw new Error(`there is no window ${name}`)
  const now = world.now()
  const open = now < window.from + window.windowMs
  const used = open ? window.used : 0
  return {
    limit: window.max,
    used,
    remaining: Math.max(0, window.max - used),
    resetsAt: (open ? window.from : now) + window.windowMs,
  }
}

const nineHeaders = (world: World): Record<string, string> =>
  Object.fromEntries(
    ['minute', 'hourly', 'daily'].flatMap((name) => {
      const { limit, used, remaining } = windowState(world, name)
      return [
        [`x-rate-limit-${name}`, String(limit)],
        [`x-${name}-requests-left`, String(remaining)],
        [`x-${name}-usage`, String(used)],
      ]
    }),
  )

const secondsTo = (world: World, at: number) => String(Math.ceil((at - world.now()) / 1000))

/** The documents say that the first three headers count the requests of one second. */
const standardHeaders = (world: World): Record<string, string> => {
  const { requests, windowMs } = world.limits
  const now = world.now()
  const recent = world.accepted.filter((at) => at > now - windowMs)
  const daily = windowState(world, 'daily')
  return {
    'RateLimit-Limit': String(requests),
    'RateLimit-Remaining': String(Math.max(0, requests - recent.length)),
    'RateLimit-Reset': secondsTo(world, (recent[0] ?? now) + windowMs),
    'X-RateLimit-Remaining-Daily': String(daily.remaining),
    'X-RateLimit-Reset-Daily': secondsTo(world, daily.resetsAt),
  }
}

const said: Record<string, (problem: Problem) => string> = {
  BAD_KEY: () => 'Invalid API key',
  NO_ENDPOINT: ({ message }) => message.replace(/^There is no endpoint (\S+?)( for \w+)?\.$/, 'Cannot find $1'),
  NOT_JSON: () => 'Unsupported media type',
}

const flatBody = (problem: Problem, message: string) => ({
  statusCode: problem.status,
  ...(problem.code === 'INVALID' ? { message: 'Invalid request parameters', errors: [message] } : { message }),
})

const problemBody = (problem: Problem, world: World): unknown => {
  const message = said[problem.code]?.(problem) ?? problem.message
  return world.switches.errorBody === 'nested'
    ? { error: { code: problem.status, message } }
    : flatBody(problem, message)
}

const tooMany = (_world: World, waitMs: number, window: OpenWindow | undefined) => {
  const which =
    window === undefined
      ? 'Rate'
      : window.name === 'usage'
        ? 'Usage rate'
        : `${window.name[0]?.toUpperCase()}${window.name.slice(1)} rate`
  return {
    code: 'TOO_MANY',
    message: `Too many requests. ${which} limit exceeded. Reset in ${Math.ceil(waitMs / 1000)} seconds`,
  }
}

const inactive: Problem = {
  status: 403,
  code: 'FORBIDDEN',
  message: 'Your account is not active. Please reach out to support',
}

export const planLacks = (message = 'This feature is not available in your current plan'): Problem => ({
  status: 403,
  code: 'FORBIDDEN',
  message,
})

/** Only the largest plan can exclude people on do-not-call lists. */
export const refusedFilter = ({ switches: { plan } }: World, excludeDnc: boolean | undefined): Problem | undefined =>
  excludeDnc === true && plan !== 'scale' ? planLacks('Exclude DNC is not supported on your current plan') : undefined

export const refuses = ({ switches: { account } }: World): Problem | undefined =>
  account === 'inactive' ? inactive : undefined

export const dialectOf = (routes: Dialect['routes']): Omit<Dialect, 'apiKey'> => ({
  keyOf: (headers) => (typeof headers.api_key === 'string' ? headers.api_key : undefined),
  keyPlace: 'the header api_key',
  problemBody,
  retryAfter: false,
  tooMany,
  headers: (world) => (world.switches.rateHeaders === 'nine' ? nineHeaders(world) : standardHeaders(world)),
  refuses,
  query: ['GET'],
  wrongMethod: 404,
  routes,
})

/** Routes that are missing from a plan with lookups only. */
export const prospecting = (routes: Dialect['routes']): Dialect['routes'] =>
  Object.fromEntries(
    Object.entries(routes).map(([route, handler]) => [
      route,
      (call) => (call.world.switches.plan === 'pro' ? { ok: false, problem: planLacks() } : handler(call)),
    ]),
  )
