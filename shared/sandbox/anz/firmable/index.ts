/**
 * Firmable as its specification and those who measured it describe it: GET /company, GET /people, POST /people/search.
 *
 * From the documents: `authorization: Bearer fbl_…`; 50 requests a second; the parameters of each operation; countries
 * AU (where none is given), NZ, SG, MY, ID, PH, HK, JP, VN, KR, TH, US, CA, any other 400; `from` and `size` are
 * strings; errors `{ "error": 400, "message" }`; the fields of records. Measured: a miss is 500 `{ "error": "Company
 * profile not found" }`; a search is 307 to an inner address of the same origin, where the answer is `{ records, total
 * }`; a record costs 1 credit the first time and nothing again; misses and searches are free; no header and no address
 * shows credits.
 *
 * Chosen here, because neither says it:
 * - the miss of a person reads "People profile not found"; one who opted out is such a miss, and in no search;
 * - 401, 402 and 429 have the body of other errors, and 429 does not say how long to wait. Without credits only what
 *   would cost one is refused;
 * - several identifiers, none, a wrong form, unknown names: 400. `country` is taken for people too, and changes nothing
 *   there;
 * - a request that is redirected counts once against the limit;
 * - a company is found whatever the country; `employee_count` and the numbers in `industry_codes` are those of the
 *   country asked for;
 * - `seniority` and `department` are taken as numbers in strings; any other word finds nobody. `position` matches parts
 *   of a title;
 * - `size` is 10 where none is given, at most 100. A search finds people of the company in `selectedCountry` only;
 * - `is_dnd` is null where it is not known; `linkedin` of a person is a handle or an address, as the specification has
 *   both;
 * - other paths and methods: 404 `{ "statusCode": 404, "message", "error": "Not Found" }`, as web frameworks write it.
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
