/** The provider's rate limits: sliding windows per token, per key, and for the route /1/members/{id} itself. */
import type { Answer } from './refusals.ts'

export type LimitSettings = {
  /** Window of the token and key limits in milliseconds. */
  windowMs: number
  token: number
  key: number
  memberRoute: number
  memberRouteWindowMs: number
  /** More refusals than this for one key within a window block the key until that window ends. */
  blockAfter: number
  /** Whether a 429 includes `retry-after`; not documented, so off by default. */
  retryAfter: boolean
}
export const documentedLimits: LimitSettings = {
  windowMs: 10_000,
  token: 100,
  key: 300,
  memberRoute: 100,
  memberRouteWindowMs: 900_000,
  blockAfter: 200,
  retryAfter: false,
}

export type Limiter = {
  settings: LimitSettings
  windows: Map<string, number[]>
  refusals: Map<string, number[]>
  blockedUntil: Map<string, number>
  refused: number
}
export const createLimiter = (settings: Partial<LimitSettings> = {}): Limiter => ({
  settings: { ...documentedLimits, ...settings },
  windows: new Map(),
  refusals: new Map(),
  blockedUntil: new Map(),
  refused: 0,
})

const recent = (store: Map<string, number[]>, name: string, since: number): number[] => {
  const times = store.get(name) ?? []
  let stale = 0
  while (stale < times.length && (times[stale] as number) <= since) stale += 1
  if (stale > 0) times.splice(0, stale)
  store.set(name, times)
  return times
}

type Rule = { name: string; max: number; windowMs: number; code: string }
export type CountedRequest = { key: string | null; token: string | null; memberRoute: string | null }

const rulesFor = (settings: LimitSettings, request: CountedRequest, scale: number): Rule[] => {
  const windowMs = settings.windowMs * scale
  const rules: Rule[] = []
  if (request.key)
    rules.push({ name: `key ${request.key}`, max: settings.key, windowMs, code: 'API_KEY_LIMIT_EXCEEDED' })
  if (request.token)
    rules.push({ name: `token ${request.token}`, max: settings.token, windowMs, code: 'API_TOKEN_LIMIT_EXCEEDED' })
  if (request.memberRoute) {
    rules.push({
      name: `member ${request.token} ${request.memberRoute}`,
      max: settings.memberRoute,
      windowMs: settings.memberRouteWindowMs * scale,
      code: 'MEMBER_LIMIT_EXCEEDED',
    })
  }
  return rules
}

export type Verdict = { refusal: Answer | null; headers: Record<string, string> }

/** Counts one request. A refused request does not count in the windows, but counts towards the block. */
export const admit = (limiter: Limiter, request: CountedRequest, now: number, scale: number): Verdict => {
  const { settings } = limiter
  const rules = rulesFor(settings, request, scale)
  const full = rules.find((rule) => recent(limiter.windows, rule.name, now - rule.windowMs).length >= rule.max)
  const blocked = request.key !== null && (limiter.blockedUntil.get(request.key) ?? 0) > now
  if (!full && !blocked) for (const rule of rules) limiter.windows.get(rule.name)?.push(now)
  const headers = headersOf(limiter, request, rules, now)
  if (!full && !blocked) return { refusal: null, headers }
  limiter.refused += 1
  if (!blocked && request.key) countRefusal(limiter, request.key, now, settings.windowMs * scale)
  if (settings.retryAfter)
    headers['retry-after'] = String(Math.max(1, Math.ceil(waitOf(limiter, full, request, now) / 1000)))
  const error = full?.code ?? 'API_KEY_LIMIT_EXCEEDED'
  return { refusal: { status: 429, body: { error, message: 'Rate limit exceeded' } }, headers }
}

const countRefusal = (limiter: Limiter, key: string, now: number, windowMs: number): void => {
  const times = recent(limiter.refusals, key, now - windowMs)
  times.push(now)
  if (times.length <= limiter.settings.blockAfter) return
  limiter.blockedUntil.set(key, (times[0] as number) + windowMs)
  limiter.refusals.delete(key)
}
const waitOf = (limiter: Limiter, full: Rule | undefined, request: CountedRequest, now: number): number => {
  const oldest = full ? limiter.windows.get(full.name)?.[0] : undefined
  return full && oldest !== undefined
    ? oldest + full.windowMs - now
    : (limiter.blockedUntil.get(request.key ?? '') ?? now) - now
}

const headersOf = (limiter: Limiter, request: CountedRequest, rules: Rule[], now: number): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const [label, kind] of [
    ['api-token', 'token'],
    ['api-key', 'key'],
  ] as const) {
    const rule = rules.find((candidate) => candidate.name === `${kind} ${request[kind]}`)
    if (!rule) continue
    const used = recent(limiter.windows, rule.name, now - rule.windowMs).length
    headers[`x-rate-limit-${label}-interval-ms`] = String(rule.windowMs)
    headers[`x-rate-limit-${label}-max`] = String(rule.max)
    headers[`x-rate-limit-${label}-remaining`] = String(Math.max(0, rule.max - used))
  }
  return headers
}
