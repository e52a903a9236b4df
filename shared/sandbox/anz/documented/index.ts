/**
 * A strict, stateful stand-in for the ANZ data provider, on 127.0.0.1 only.
 *
 * From the documents: POST /enrich/person (exactly one of linkedin_url, email, linkedin_slug), POST /enrich/company
 * (exactly one of domain, linkedin_url, abn, website), POST /search/people (company, position, seniority, department).
 *
 * Chosen here, because the documents do not show it (all of it is data in override.ts, where the pack needs it):
 * - the key goes into the header `x-api-key`; a missing or unknown one is 401;
 * - found: `{ "person" | "company": {…}, "credits_charged": n }`. A person costs 1 credit, 2 with telephone numbers; a
 *   company 1; a miss nothing; a search 1 for every ten rows begun. Without enough credits 402;
 * - not found: 404 `{ "error": "Person profile not found" }`, or another form by control, or by an identifier that
 *   contains miss-null, miss-object, miss-list (200 with null, {}, []), miss-404 or miss-500;
 * - opted-out people: 451; left out of searches;
 * - search: more filters `states` (list of ISO 3166-2 codes) and `company_size` (band), `page` from 1, `page_size` up
 *   to
 *   50; answer `{ results, total, page, page_size, credits_charged }`. `company` and `position` match parts of the name,
 *   `seniority` and `department` whole words (c_suite, human_resources), a word that does not exist finds nobody;
 * - 50 requests in any second, then 429 with `retry-after` in seconds;
 * - errors: `{ "error": "sentence", "field"?: "name" }`; unknown fields, wrong types, fields in the query: 400;
 * - GET /account/usage, for trying out GET requests: `{ plan, credits: { total, remaining, used } }`, free.
 */
import { answersOf } from '../../lookups/server.ts'
import type { Dialect } from '../../lookups/server.ts'
import type { Vendor } from '../../lookups/start.ts'
import { accountUsage, enrichCompany, enrichPerson, searchPeople } from './endpoints.ts'
import { createOverride } from './override.ts'

const dialect: Omit<Dialect, 'apiKey'> = {
  keyOf: (headers) => (typeof headers['x-api-key'] === 'string' ? headers['x-api-key'] : undefined),
  keyPlace: 'the header x-api-key',
  problemBody: ({ message, field }) => ({ error: message, ...(field === undefined ? {} : { field }) }),
  retryAfter: true,
  routes: {
    'POST /enrich/person': enrichPerson,
    'POST /enrich/company': enrichCompany,
    'POST /search/people': searchPeople,
    'GET /account/usage': accountUsage,
  },
}

export const documented: Vendor = {
  apiKey: 'anz-sandbox-key-0001',
  limits: { requests: 50, windowMs: 1000 },
  noMatch: '404',
  answers: (world, apiKey) => answersOf({ ...dialect, apiKey }, world),
  override: createOverride,
}
