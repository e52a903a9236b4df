/**
 * People Data Labs as its documents describe it: person and company enrichment, bulk enrichment of persons, searches.
 *
 * From the documents: the key in the header `x-api-key` or the query as `api_key`; GET and POST /v5/person/enrich, GET
 * /v5/company/enrich (405 for POST), POST /v5/person/bulk with 1 to 100 `requests[].params` and `metadata`, which is
 * echoed; GET /v5/person/retrieve/{id} and POST /v5/person/retrieve/bulk with `requests[].id`, which answer `billed`;
 * GET and POST /v5/person/search and /v5/company/search. Values in a body take precedence over those in the query. A
 * person is under `data`, a company at the top level of the answer. A miss is 404 `{ status, error: { type: "not_found"
 * } }` and free, also for an item of a batch. 1 credit for each match and for each record of a search; without credits
 * every request gets 402. Headers of every answer say what it cost, what is left, and how many requests of which
 * window: a JSON object as text, with the time of the reset. Limits count per endpoint, in fixed windows of a minute:
 * 1,000 for enrichment (a paying account), 10 for searches. No header says how long to wait. Searches take an
 * Elasticsearch `query`, `size` 1 to 100 (default 1), and `scroll_token`.
 *
 * Chosen here, because the documents leave it open:
 * - Unknown parameters and empty values get 400, with the type invalid_request_error. A person requires profile, email,
 *   phone or pdl_id, or a full name with a company or location; `required`, `email_hash`, `lid`, `school`,
 *   `birth_date`, `include_if_matched` and `sql` are not implemented.
 * - The likelihood is 10 for a pdl_id, or a website or profile of a company; 9 for email, profile and phone; 7 for name
 *   and company; 6 for a company's name; 3 for name and place.
 * - People who opted out are not found, and are in no search.
 * - A batch with more matches than credits is refused as a whole; a wrong item is `{ status: 400, error }`, and the
 *   others are answered.
 * - Repeats cost again.
 * - Of Elasticsearch: bool (must, filter, should, must_not), term, terms, prefix, match, match_phrase, range, exists;
 *   terms are compared unchanged.
 * - An unknown path is 404 `{ "message": "Not Found" }`, as from gateways.
 */
import { noCredits } from '../../lookups/find.ts'
import { answersOf } from '../../lookups/server.ts'
import type { Dialect } from '../../lookups/server.ts'
import type { Vendor } from '../../lookups/start.ts'
import type { Answerer } from '../../lookups/transport.ts'
import type { World } from '../../lookups/world.ts'
import { bulkPeople, enrichCompany, enrichPerson, retrievePeople, retrievePerson } from './enrich.ts'
import { searchCompanies, searchPeople } from './search.ts'

const types: Record<number, string> = {
  401: 'authentication_error',
  402: 'payment_required',
  429: 'rate_limit_error',
  500: 'api_error',
}

const dialect: Omit<Dialect, 'apiKey'> = {
  keyOf: (headers, query) =>
    typeof headers['x-api-key'] === 'string' ? headers['x-api-key'] : (query.get('api_key') ?? undefined),
  keyPlace: 'the header x-api-key, or the query as api_key',
  problemBody: ({ status, code, message }) =>
    code === 'NO_ENDPOINT'
      ? { message: 'Not Found' }
      : { status, error: { type: types[status] ?? 'invalid_request_error', message } },
  retryAfter: false,
  query: ['GET', 'POST'],
  refuses: (world) => (world.credits.remaining < 1 ? noCredits(world, 1) : undefined),
  routes: {
    'GET /v5/person/enrich': enrichPerson,
    'POST /v5/person/enrich': enrichPerson,
    'GET /v5/company/enrich': enrichCompany,
    'POST /v5/person/bulk': bulkPeople,
    'GET /v5/person/retrieve/{personId}': retrievePerson,
    'POST /v5/person/retrieve/bulk': retrievePeople,
    'GET /v5/person/search': searchPeople,
    'POST /v5/person/search': searchPeople,
    'GET /v5/company/search': searchCompanies,
    'POST /v5/company/search': searchCompanies,
  },
}

const minute = 60_000

/** Headers of every answer about credits and requests. */
const usage = (world: World, path: string, credits: number): Record<string, string> => {
  const { remaining, used } = world.credits
  const spent = {
    'x-call-credits-spent': String(credits),
    'x-lifetime-used': String(used),
    'x-totallimit-remaining': String(remaining),
    'x-totallimit-purchased-remaining': String(remaining),
    'x-totallimit-overages-remaining': '0',
  }
  const window = world.windows.find((openWindow) => openWindow.path === path)
  if (window === undefined) return spent
  const isOpen = world.now() < window.from + window.windowMs
  const left = isOpen ? window.max - window.used : window.max
  // Rounded up to whole seconds, so that the window is really over at that time.
  const resetsAt = new Date(Math.ceil(((isOpen ? window.from : world.now()) + window.windowMs) / 1000) * 1000)
  return {
    ...spent,
    'x-ratelimit-limit': JSON.stringify({ minute: window.max, day: null, month: null }),
    'x-ratelimit-remaining': JSON.stringify({ minute: left, day: null, month: null }),
    'x-ratelimit-limit.minute': String(window.max),
    'x-ratelimit-remaining.minute': String(left),
    'x-ratelimit-reset': resetsAt.toISOString().replace(/\.\d+Z$/, 'Z'),
  }
}

const tellUsage =
  (world: World, answer: Answerer): Answerer =>
  (request, record) => {
    const reply = answer(request, record)
    return reply.status === 401
      ? reply
      : { ...reply, headers: { ...reply.headers, ...usage(world, request.path, record.credits) } }
  }

export const peopleDataLabs: Vendor = {
  apiKey: 'pdl-sandbox-key-0001',
  // Limits count per endpoint; there is no overall limit.
  limits: { requests: 1_000_000, windowMs: 1000 },
  windows: [
    { name: 'person-enrich', max: 1000, windowMs: minute, path: '/v5/person/enrich' },
    { name: 'company-enrich', max: 1000, windowMs: minute, path: '/v5/company/enrich' },
    { name: 'person-bulk', max: 1000, windowMs: minute, path: '/v5/person/bulk' },
    { name: 'retrieve-bulk', max: 1000, windowMs: minute, path: '/v5/person/retrieve/bulk' },
    { name: 'person-search', max: 10, windowMs: minute, path: '/v5/person/search' },
    { name: 'company-search', max: 10, windowMs: minute, path: '/v5/company/search' },
  ],
  answers: (world, apiKey) => {
    const { answer, broken } = answersOf({ ...dialect, apiKey }, world)
    return { answer: tellUsage(world, answer), broken }
  },
  override: (origin) => ({ profile: 'people-data-labs', baseUrl: origin }),
}
