/**
 * A strict, stateful stand-in for the ANZ data provider, on 127.0.0.1 only.
 *
 * From the documents: POST /enrich/person (exactly one of linkedin_url, email, linkedin_slug), POST /enrich/company
 * (exactly one of domain, linkedin_url, abn, website), POST /search/people (company, position, seniority, department).
 *
 * Chosen here, because the documents do not show it (as far as the pack needs it, it is data in override.ts):
 * - The key goes into the header `x-api-key`; a missing or unknown key gets 401.
 * - A match is `{ "person" | "company": {…}, "credits_charged": n }`. A person costs 1 credit, 2 with phone numbers; a
 *   company costs 1; a miss is free; a search costs 1 for every 10 rows or part of them. Without enough credits: 402.
 * - A miss is 404 `{ "error": "Person profile not found" }`, or has another form that the control functions set, or
 *   that an identifier names by containing miss-null, miss-object, miss-list (200 with null, {}, []), miss-404 or
 *   miss-500.
 * - People who opted out get 451 and are left out of searches.
 * - Searches also have the filters `states` (list of ISO 3166-2 codes) and `company_size` (band), `page` from 1, and
 *   `page_size` up to 50. The answer is `{ results, total, page, page_size, credits_charged }`. `company` and
 *   `position` match parts of the name; `seniority` and `department` match whole words (c_suite, human_resources), and
 *   an unknown word matches nobody.
 * - 50 requests are accepted in any second, then 429 with `retry-after` in seconds.
 * - Errors are `{ "error": "sentence", "field"?: "name" }`; unknown fields, wrong types and fields in the query get
 *   400.
 * - GET /account/usage, for trying GET requests, answers `{ plan, credits: { total, remaining, used } }` for free.
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
