/**
 * Lusha's API, version 2, as its documents describe it.
 *
 * From the documents: the key in the header `api_key`, nowhere else; GET /v2/person and /v2/company by query, POST
 * /v2/person and /v2/company with `contacts` or `companies` of 1 to 100 items, each with an id of the caller's; POST
 * /prospecting/contact/search, /prospecting/contact/enrich by the search's `requestId`,
 * /prospecting/company/{search,enrich} likewise, value lists below /prospecting/filters, GET /account/usage (5 requests
 * a minute); a miss is 200 with `contact.error` 3 EMPTY_DATA; `isCreditCharged`; answers to batches are objects by the
 * caller's ids, next to the companies of the people; pages from 0 to 1000 of 10 to 50 rows; filters to include and to
 * exclude, of which an unknown value matches nobody; 451 for people who opted out; 412 for a full name of one word;
 * 410; 402; 403 for what a plan lacks; limits and both bodies of errors as in v3; three spellings of the same record.
 * Prices: e-mail addresses of a person 1, phone numbers 5, a company 1, each paid once; batches 1 more for each 25
 * results or part of them; searches nothing.
 *
 * Chosen here, where the documents leave it open or disagree (switches are named; what v3 chooses about credits, limits
 * and errors applies here too):
 * - In a batch, people who opted out have the error 451 COMPLIANCE_RESTRICTED; a wrong item, or a duplicate id, refuses
 *   the batch as a whole.
 * - An unknown company is 200 with empty `data` and `errors.message`, or with `companyMiss: 404` "Resource not found";
 *   in a batch it is an empty object. Companies of a batch are answered without an envelope, as in the specification.
 * - Unknown or repeated query parameters get 400. Several identifiers are tried in turn: personId, linkedinUrl, email,
 *   name with company.
 * - `signals` are accepted, but the answer contains none. `filterBy` turns people without such details into misses.
 *   Without a choice of what to reveal, both details are revealed and paid for.
 * - A search gives its contacts ids of its own, which are valid for an hour with its `requestId`, then 410. `rows:
 *   data` names its rows `data`.
 * - An id of another search is `isSuccess: false`. Reveals after a search cost only their data points, and no field
 *   says what was charged.
 * - `plan: premium` has no choice of what to reveal either (403).
 * - Ids of people and companies are numbers, as in the samples, and texts in requests.
 */
import { answersOf } from '../../lookups/server.ts'
import type { Handler } from '../../lookups/server.ts'
import type { Vendor } from '../../lookups/start.ts'
import { dialectOf, prospecting, switches, windowsOf } from '../lusha/account.ts'
import { getCompany, postCompanies } from './company.ts'
import { getPerson, postPeople } from './person.ts'
import { revealCompanies, revealContacts, searchCompanies, searchContacts, valueLists } from './prospecting.ts'

const usagePath = '/account/usage'

const accountUsage: Handler = ({ world, query }) => {
  const [unknown] = query.keys()
  if (unknown !== undefined)
    return { ok: false, problem: { status: 400, code: 'INVALID', message: `property ${unknown} should not exist` } }
  const { used, total, remaining } = world.credits
  return { ok: true, answer: { status: 200, body: { usage: { bulkCredits: { used, total, remaining } } } }, credits: 0 }
}

const dialect = dialectOf({
  'GET /v2/person': getPerson,
  'POST /v2/person': postPeople,
  'GET /v2/company': getCompany,
  'POST /v2/company': postCompanies,
  [`GET ${usagePath}`]: accountUsage,
  ...prospecting({
    'POST /prospecting/contact/search': searchContacts,
    'POST /prospecting/contact/enrich': revealContacts,
    'POST /prospecting/company/search': searchCompanies,
    'POST /prospecting/company/enrich': revealCompanies,
    ...valueLists,
  }),
})

export const lushaV2: Vendor = {
  apiKey: 'lusha-sandbox-key-0002',
  limits: { requests: 25, windowMs: 1000 },
  windows: windowsOf(usagePath),
  switches: { ...switches, rows: ['contacts', 'data'], companyMiss: ['errors', '404'] },
  answers: (world, apiKey) => answersOf({ ...dialect, apiKey }, world),
  override: (origin) => ({ profile: 'lusha-v2', baseUrl: origin }),
}
