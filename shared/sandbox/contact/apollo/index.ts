/**
 * Apollo as its documents describe it: enrichment of people and organizations, and its two searches.
 *
 * From the documents: the key in the header `x-api-key`, or as `authorization: Bearer`; a bad key gets 401 with plain
 * text. POST /api/v1/people/match takes its inputs in the query, and so does GET /api/v1/organizations/enrich (domain
 * without www, website, linkedin_url or name; none: 422). A miss is 200 with null, and free. POST
 * /api/v1/people/bulk_match takes 1 to 10 `details` and answers `matches` in the order of the request, null for a miss,
 * with `missing_records` and `credits_consumed`; other numbers of details get 400 `{ status: "failed", error_code,
 * error_message }`. Private e-mail addresses are included with `reveal_personal_emails=true`, but not for people in
 * Europe; phone numbers are sent only to a webhook. POST /api/v1/mixed_people/api_search is free and shows neither
 * family names nor addresses; POST /api/v1/mixed_companies/search costs 1 credit per page. Filters are lists `name[]`
 * in the query; a page has at most 100 rows, a search 500 pages. Each person or organization found costs 1 credit,
 * repeats included. POST /api/v1/usage_stats/credit_usage_stats returns what is left. Searches and usage require a key
 * for all endpoints (control: set the switch `key` to `scoped`), otherwise 403 with the code API_INACCESSIBLE. Limits
 * count per endpoint, in fixed windows: 1,000 a minute for enrichment; 200 a minute, 6,000 an hour and 50,000 a day for
 * searches. Headers of each answer report them, with an empty value for a window without a limit; 429 has `retry-after`
 * in seconds.
 *
 * Chosen here, because the documents leave it open:
 * - Unknown parameters, wrong types and a body for people/match get 422 `{ error }`. Searches also accept a JSON body
 *   with the same names, without [].
 * - Without credits: 422 `{ error }` that says "insufficient credits"; a batch is refused as a whole.
 * - People who opted out are not found; a name requires a domain or organization_name.
 * - `reveal_phone_number` requires a `webhook_url` with https (otherwise 400); then nothing is sent and nothing
 *   charged. Waterfalls are not implemented.
 * - A page has 10 rows by default; unknown words match nobody; an empty page of organizations also costs its credit.
 * - Unknown paths and methods get 404 `{ "status": 404, "error": "Not Found" }`.
 */
import { answersOf } from '../../lookups/server.ts'
import type { Dialect, Handler } from '../../lookups/server.ts'
import type { Vendor } from '../../lookups/start.ts'
import type { Answerer } from '../../lookups/transport.ts'
import type { Window, World } from '../../lookups/world.ts'
import { enrichOrganization, matchPeople, matchPerson } from './enrich.ts'
import { outOfScope, readQuery } from './inputs.ts'
import { searchOrganizations, searchPeople } from './search.ts'

const root = '/api/v1'

const creditUsage: Handler = (call) => {
  const { world, path } = call
  const refused = outOfScope(world, path)
  if (refused !== undefined) return refused
  const query = readQuery(call, {})
  if (!query.ok) return query
  const { total, used, remaining } = world.credits
  const unused = { limit: 0, consumed: 0, left_over: 0 }
  const body = {
    credit_usage_stats: {
      lead_credit: { limit: total, consumed: used, left_over: remaining },
      direct_dial_credit: unused,
      export_credit: unused,
    },
    current_credit_cycle: { start_date: '2026-01-01T00:00:00.000Z', end_date: '2026-02-01T00:00:00.000Z' },
  }
  return { ok: true, answer: { status: 200, body }, credits: 0 }
}

/** The counters use 402 for missing credits; the answer itself has the status of other refusals, 422. */
const outOfCredits = 402
const insufficient =
  'You have insufficient credits. Please upgrade your plan from https://app.apollo.io/#/settings/plans/upgrade.'

const dialect: Omit<Dialect, 'apiKey'> = {
  keyOf: (headers) =>
    typeof headers['x-api-key'] === 'string'
      ? headers['x-api-key']
      : /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1],
  keyPlace: 'the header x-api-key',
  problemBody: ({ status, code, message }) => {
    if (status === 401)
      return 'Invalid API key. See https://docs.apollo.io/reference/authentication for how to authenticate.'
    if (status === 429) return { message }
    if (code === 'NO_ENDPOINT') return { status: 404, error: 'Not Found' }
    if (code === 'API_INACCESSIBLE') return { error: message, error_code: code }
    if (code === 'INVALID_REQUEST' || code === 'RECORD_LIMIT_EXCEEDED')
      return { status: 'failed', error_code: code, error_message: message }
    return { error: status === outOfCredits ? insufficient : message }
  },
  retryAfter: true,
  tooMany: (_world, _waitMs, window) => ({
    code: 'TOO_MANY',
    message: `The maximum number of api calls allowed for ${window?.path?.slice(1) ?? 'this endpoint'} is ${window?.max} times per ${window?.name.split(' ')[1]}. Please upgrade your plan from https://app.apollo.io/#/settings/plans/upgrade.`,
  }),
  query: ['GET', 'POST'],
  wrongMethod: 404,
  routes: {
    [`POST ${root}/people/match`]: matchPerson,
    [`POST ${root}/people/bulk_match`]: matchPeople,
    [`GET ${root}/organizations/enrich`]: enrichOrganization,
    [`POST ${root}/mixed_people/api_search`]: searchPeople,
    [`POST ${root}/mixed_companies/search`]: searchOrganizations,
    [`POST ${root}/usage_stats/credit_usage_stats`]: creditUsage,
  },
}

const spans: [span: string, windowMs: number, inHeaders: string][] = [
  ['minute', 60_000, 'minute'],
  ['hour', 3_600_000, 'hourly'],
  ['day', 86_400_000, '24-hour'],
]

const windowsOf = (name: string, path: string, most: number[]): Window[] =>
  spans.flatMap(([span, windowMs], at) =>
    most[at] === undefined ? [] : [{ name: `${name} ${span}`, max: most[at], windowMs, path: root + path }],
  )

const usage = (world: World, path: string): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const [, windowMs, name] of spans) {
    const window = world.windows.find((openWindow) => openWindow.path === path && openWindow.windowMs === windowMs)
    headers[`x-rate-limit-${name}`] = window === undefined ? '' : String(window.max)
    if (window === undefined) continue
    const used = world.now() < window.from + windowMs ? window.used : 0
    headers[`x-${name}-usage`] = String(used)
    headers[`x-${name}-requests-left`] = String(window.max - used)
  }
  return headers
}

const asVendor =
  (world: World, answer: Answerer): Answerer =>
  (request, record) => {
    const reply = answer(request, record)
    if (reply.status === 401) return { ...reply, headers: { 'content-type': 'text/plain; charset=utf-8' } }
    if (reply.status === 403 || reply.status === 404) return reply
    return {
      ...reply,
      status: reply.status === outOfCredits ? 422 : reply.status,
      headers: { ...reply.headers, ...usage(world, request.path) },
    }
  }

export const apollo: Vendor = {
  apiKey: 'apollo-sandbox-key-0001',
  // Limits count per endpoint; there is no overall limit.
  limits: { requests: 1_000_000, windowMs: 1000 },
  windows: [
    ...windowsOf('match', '/people/match', [1000]),
    ...windowsOf('bulk_match', '/people/bulk_match', [1000]),
    ...windowsOf('organization', '/organizations/enrich', [1000]),
    ...windowsOf('people-search', '/mixed_people/api_search', [200, 6000, 50_000]),
    ...windowsOf('organization-search', '/mixed_companies/search', [200, 6000, 50_000]),
    ...windowsOf('usage', '/usage_stats/credit_usage_stats', [200, 400, 2000]),
  ],
  switches: { key: ['master', 'scoped'] },
  answers: (world, apiKey) => {
    const { answer, broken } = answersOf({ ...dialect, apiKey }, world)
    return { answer: asVendor(world, answer), broken }
  },
  override: (origin) => ({ profile: 'apollo', baseUrl: origin }),
}
