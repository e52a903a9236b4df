/**
 * A strict, stateful stand-in for the global contact-data provider, on 127.0.0.1 only.
 *
 * From the documents: POST /person (one of: email; linkedInUrl; firstName + lastName + company), POST /company (one of:
 * domain; name), POST /person/bulk and /company/bulk (a bare array of the same objects, charged per record).
 *
 * Chosen here, because the documents do not show it (as far as the pack needs it, it is data in override.ts):
 * - The key goes into `authorization: Bearer <key>`; a missing or unknown key gets 401.
 * - A match is `{ "data": {…} }`; every answer of an endpoint has its price in the header `x-credits-charged`. A person
 *   costs 1 credit, 2 with phone numbers; a company costs 1; a miss and a search are free; a batch costs 1 per record,
 *   whether it matches or not. Without enough credits: 402, for a batch as a whole.
 * - A miss is 200 `null`, or has another form that the control functions set, or that an identifier names by containing
 *   miss-null, miss-object, miss-list (200 with null, {}, []), miss-404 or miss-500.
 * - A batch has 1 to 100 records, otherwise 400. It answers an array in the order of the request: `{ data }`, a miss in
 *   the current form (404 and 500 as `{ error }`), or `{ error: { code, message, field? } }` for a record that is
 *   invalid (INVALID) or opted out (SUPPRESSED).
 * - People who opted out get 451 and are left out of searches.
 * - POST /person/search (jobTitle, company, location, industry, role) and /company/search (industry, location, size,
 *   name) take `limit` up to 100 and `cursor`, and answer `{ people | companies, total, nextCursor }`. `role` is a
 *   seniority or department label; `location` a city, state, country or ISO code; the other filters match parts of the
 *   value.
 * - 25 requests are accepted in any second, then 429, which does not say how long to wait.
 * - Errors are `{ "error": { "code", "message", "field"? } }`; unknown fields, wrong types and fields in the query get
 *   400.
 * - GET /account/usage, for trying GET requests, answers `{ plan, credits: { total, remaining, used } }` for free.
 */
import { answersOf } from '../../lookups/server.ts'
import type { Dialect } from '../../lookups/server.ts'
import type { Vendor } from '../../lookups/start.ts'
import { errorOf, manyCompanies, manyPeople, oneCompany, onePerson } from './lookups.ts'
import { createOverride } from './override.ts'
import { searchCompanies, searchPeople } from './search.ts'

const dialect: Omit<Dialect, 'apiKey'> = {
  keyOf: (headers) => /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1],
  keyPlace: 'the header authorization, as "Bearer <key>"',
  problemBody: (problem) => ({ error: errorOf(problem) }),
  retryAfter: false,
  creditHeader: 'x-credits-charged',
  routes: {
    'POST /person': onePerson,
    'POST /company': oneCompany,
    'POST /person/bulk': manyPeople,
    'POST /company/bulk': manyCompanies,
    'POST /person/search': searchPeople,
    'POST /company/search': searchCompanies,
    'GET /account/usage': ({ world }) => ({
      ok: true,
      answer: { status: 200, body: { plan: 'sandbox', credits: { ...world.credits } } },
      credits: 0,
    }),
  },
}

export const documented: Vendor = {
  apiKey: 'contact-sandbox-key-0001',
  limits: { requests: 25, windowMs: 1000 },
  noMatch: 'null',
  answers: (world, apiKey) => answersOf({ ...dialect, apiKey }, world),
  override: createOverride,
}
