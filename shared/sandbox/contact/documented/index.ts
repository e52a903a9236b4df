/**
 * A strict, stateful stand-in for the global contact-data provider, on 127.0.0.1 only.
 *
 * From the documents: POST /person (one of: email; linkedInUrl; firstName + lastName + company), POST /company (one of:
 * domain; name), POST /person/bulk and /company/bulk (a bare array of the same objects, charged per record).
 *
 * Chosen here, because the documents do not show it (all of it is data in override.ts, where the pack needs it):
 * - the key goes into `authorization: Bearer <key>`; a missing or unknown one is 401;
 * - found: `{ "data": {…} }`; every answer of an endpoint tells its price in the header `x-credits-charged`. A person
 *   costs 1 credit, 2 with telephone numbers; a company 1; a miss and a search nothing; a batch 1 per record, found or
 *   not. Without enough credits 402, a batch whole;
 * - not found: 200 `null`, or another form by control, or by an identifier that contains miss-null, miss-object,
 *   miss-list (200 with null, {}, []), miss-404 or miss-500;
 * - a batch has 1 to 100 records, else 400. It answers an array in the order asked: `{ data }`, a miss in the form in
 *   force (404 and 500 as `{ error }`), or `{ error: { code, message, field? } }` for a record that is wrong (INVALID) or
 *   opted out (SUPPRESSED);
 * - opted-out people: 451; left out of searches;
 * - POST /person/search (jobTitle, company, location, industry, role) and /company/search (industry, location, size,
 *   name), with `limit` up to 100 and `cursor`; answer `{ people | companies, total, nextCursor }`. `role` is a seniority
 *   or department label; `location` a city, state, country or ISO code; the others match parts;
 * - 25 requests in any second, then 429, which does not say how long to wait;
 * - errors: `{ "error": { "code", "message", "field"? } }`; unknown fields, wrong types, fields in the query: 400;
 * - GET /account/usage, for trying out GET requests: `{ plan, credits: { total, remaining, used } }`, free.
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
