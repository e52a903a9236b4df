/**
 * Firmable, according to its specification and to measurements: GET /company, GET /people, POST /people/search.
 *
 * From the documents: `authorization: Bearer fbl_…`; 50 requests a second; the parameters of each operation; countries
 * AU (the default), NZ, SG, MY, ID, PH, HK, JP, VN, KR, TH, US, CA, any other gets 400; `from` and `size` are strings;
 * errors `{ "error": 400, "message" }`; the fields of records. Measured: a miss is 500 `{ "error": "Company profile not
 * found" }`; a search is a 307 to an internal path of the same origin, which answers `{ records, total }`; a record
 * costs 1 credit the first time and nothing after that; misses and searches are free; no header and no endpoint shows
 * credits.
 *
 * Chosen here, because neither source says it:
 * - The miss of a person reads "People profile not found". A person who opted out is such a miss, and in no search.
 * - 401, 402 and 429 have the body of other errors, and 429 does not say how long to wait. Without credits, only
 *   requests that would cost a credit are refused.
 * - Several identifiers, none, a malformed one, and unknown names get 400. `country` is accepted for people too,
 *   without any effect.
 * - A redirected request counts once against the limit.
 * - A company is found whatever the country; `employee_count` and the numbers in `industry_codes` are those of the
 *   requested country.
 * - `seniority` and `department` are accepted as numbers in strings; any other word matches nobody. `position` matches
 *   parts of a title.
 * - `size` is 10 by default and at most 100. A search finds only people of companies in `selectedCountry`.
 * - `is_dnd` is null when it is unknown; a person's `linkedin` is a handle or an address, because the specification has
 *   both.
 * - Other paths and methods get 404 `{ "statusCode": 404, "message", "error": "Not Found" }`, as web frameworks write
 *   it.
 */
import { answersOf } from '../../lookups/server.ts'
import type { Dialect } from '../../lookups/server.ts'
import type { Vendor } from '../../lookups/start.ts'
import { getCompany, getPerson, innerSearch, redirectSearch, searchPeople } from './endpoints.ts'

const dialect: Omit<Dialect, 'apiKey'> = {
  keyOf: (headers) => /^Bearer (fbl_\S+)$/.exec(headers.authorization ?? '')?.[1],
  keyPlace: 'the header authorization, as "Bearer fbl_…"',
  problemBody: ({ status, code, message }) =>
    code === 'NO_ENDPOINT' ? { statusCode: 404, message, error: 'Not Found' } : { error: status, message },
  retryAfter: false,
  query: ['GET'],
  wrongMethod: 404,
  routes: {
    'GET /company': getCompany,
    'GET /people': getPerson,
    'POST /people/search': redirectSearch,
    [`POST ${innerSearch}`]: searchPeople,
  },
}

export const firmable: Vendor = {
  apiKey: 'fbl_sandbox_0001',
  limits: { requests: 50, windowMs: 1000 },
  answers: (world, apiKey) => answersOf({ ...dialect, apiKey }, world),
  override: (origin) => ({ profile: 'firmable', baseUrl: origin }),
}
