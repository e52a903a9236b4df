/**
 * Hunter as its documents describe it: enrichment of a person, a company or both, the addresses of a domain, companies,
 * the account.
 *
 * From the documents: the key in the query as `api_key`, in the header `x-api-key`, or as `authorization: Bearer`. GET
 * /v2/people/find (email or linkedin_handle), /v2/companies/find (domain), /v2/combined/find (email); GET
 * /v2/domain-search (domain or company, limit 1 to 100, default 10, offset, type, seniority, department,
 * required_field); POST /v2/discover with filters in a JSON body, limit up to 100, offset up to 10,000; GET
 * /v2/account. Answers are `{ data, meta }`, refusals `{ errors: [{ id, code, details }] }`. A miss is 404. 403 is the
 * rate limit, 429 the monthly usage, 451 a person who asked not to be shown. 15 requests a second and 500 a minute for
 * each endpoint, 5 and 50 for discover; no header says what is left or how long to wait. A domain search costs 1 credit
 * for every 10 addresses or part of them, and nothing when there are none; companies of discover are free, and so is
 * the account; a miss costs nothing. An enrichment costs 1 credit, that of both costs 2.
 *
 * Chosen here, because the documents leave it open:
 * - Ids of errors other than wrong_params and authentication_failed. The message of a 404, "The requested resource does
 *   not exist.", is that of the documents' table, and names neither person nor company.
 * - Both identifiers, none, unknown parameters, and unknown words of a list get 400.
 * - Repeats cost again. `linkedin` of a company is "company/<slug>"; metrics.employees is a range.
 * - An unknown domain is 200 without addresses; generic addresses are in no answer; a search leaves out people who
 *   opted out.
 * - Filters of discover: organization, headquarters_location (a list of places, a country as its code), industry,
 *   headcount, keywords, technology, year_founded. `query`, `similar_to`, `company_type` and `funding` are not
 *   implemented, nor are the finder, the verifier and `clearbit_format`.
 * - Other paths and methods get 404 with an HTML page, as from web applications.
 */
import { answersOf } from '../../lookups/server.ts'
import type { Dialect, Handler } from '../../lookups/server.ts'
import type { Vendor } from '../../lookups/start.ts'
import type { Answerer } from '../../lookups/transport.ts'
import type { Window } from '../../lookups/world.ts'
import { errorBody, statuses } from './errors.ts'
import { findBoth, findCompany, findPerson, readQuery } from './find.ts'
import { discover, searchDomain } from './search.ts'

const account: Handler = (call) => {
  const query = readQuery(call, {})
  if (!query.ok) return query
  const { total, used } = call.world.credits
  const data = {
    first_name: 'Sandbox',
    last_name: 'Account',
    email: 'owner@sandbox.example',
    plan_name: 'Growth',
    plan_level: 2,
    reset_date: '2026-02-01',
    team_id: 1,
    calls: { used, available: total },
    requests: {
      credits: { used, available: total },
      searches: { used, available: total },
      verifications: { used: 0, available: total },
    },
  }
  return { ok: true, answer: { status: 200, body: { data, meta: {} } }, credits: 0 }
}

const page =
  '<!DOCTYPE html>\n<html><head><title>Page not found (404)</title></head><body><h1>Page not found</h1></body></html>\n'

const dialect: Omit<Dialect, 'apiKey'> = {
  keyOf: (headers, query) => {
    const inHeader = headers['x-api-key']
    return (
      query.get('api_key') ??
      (typeof inHeader === 'string' ? inHeader : /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1])
    )
  },
  keyPlace: 'the query as api_key, the header x-api-key, or the header authorization as "Bearer <key>"',
  problemBody: ({ status, code, message }) => {
    if (code === 'NO_ENDPOINT') return page
    return errorBody(statuses[status] ?? status, message)
  },
  retryAfter: false,
  query: ['GET', 'POST'],
  wrongMethod: 404,
  routes: {
    'GET /v2/people/find': findPerson,
    'GET /v2/companies/find': findCompany,
    'GET /v2/combined/find': findBoth,
    'GET /v2/domain-search': searchDomain,
    'POST /v2/discover': discover,
    'GET /v2/account': account,
  },
}

const asVendor =
  (answer: Answerer): Answerer =>
  (request, record) => {
    const reply = answer(request, record)
    if (reply.body === page)
      return { ...reply, headers: { ...reply.headers, 'content-type': 'text/html; charset=utf-8' } }
    return { ...reply, status: statuses[reply.status] ?? reply.status }
  }

const windowsOf = (name: string, path: string, second: number, minute: number): Window[] => [
  { name: `${name} second`, max: second, windowMs: 1000, path: `/v2/${path}` },
  { name: `${name} minute`, max: minute, windowMs: 60_000, path: `/v2/${path}` },
]

export const hunter: Vendor = {
  apiKey: 'hunter-sandbox-key-0001',
  // Limits count per endpoint; there is no overall limit.
  limits: { requests: 1_000_000, windowMs: 1000 },
  windows: [
    ...windowsOf('people', 'people/find', 15, 500),
    ...windowsOf('companies', 'companies/find', 15, 500),
    ...windowsOf('combined', 'combined/find', 15, 500),
    ...windowsOf('domain-search', 'domain-search', 15, 500),
    ...windowsOf('discover', 'discover', 5, 50),
  ],
  answers: (world, apiKey) => {
    const { answer, broken } = answersOf({ ...dialect, apiKey }, world)
    return { answer: asVendor(answer), broken }
  },
  override: (origin) => ({ profile: 'hunter', baseUrl: origin }),
}
