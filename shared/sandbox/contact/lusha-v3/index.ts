/**
 * Lusha's API, version 3, as its documents describe it.
 *
 * From the documents: the key in the header `api_key`, nowhere else; POST
 * /v3/{contacts,companies}/{search-and-enrich,search,enrich,prospecting}, GET
 * /v3/{contacts,companies}/prospecting/filters[/{type}], GET /v3/account/usage (5 requests a minute); `contacts` or
 * `companies` of 1 to 100 items with `clientReferenceId`, `ids` of 1 to 100, `reveal` of emails and phones (both by
 * default); `results` as a list, an item's `error.code` NOT_FOUND, COMPLIANCE_RESTRICTED (people who opted out) or
 * ENRICH_FAILED; `billing`; pages from 0 to 1000 of 10 to 100 rows; filters to include and to exclude, of which an
 * unknown value matches nobody; 25 requests a second, windows of a minute, an hour and a day with nine headers in every
 * answer, 429 with "Reset in n seconds" and no Retry-After; 402, 403; both bodies of errors (a switch). Prices: e-mail
 * addresses of a person 1, phone numbers 5, a company 1, each paid once; searches 1 for each 25 results or part of
 * them.
 *
 * Webhooks: see webhooks/index.ts.
 *
 * Chosen here, where the documents leave it open or disagree (switches are named):
 * - search-and-enrich of contacts also pays for its results, that of companies does not; prospecting pays for the rows
 *   of a page. A request that finds nothing is free; `misses: minimum` makes it 1 credit. Without any credits every
 *   paid request gets 402; a request that the credits do not fully cover is refused as a whole, also with 402.
 * - Unknown fields, wrong types and sizes get 400; unknown filters and malformed e-mail or LinkedIn addresses get 422;
 *   a list of more than 100 is refused as a whole. The body is `{ statusCode, message, errors }`, or with `errorBody:
 *   nested` `{ error: { code, message } }`. Unknown paths and methods get 404.
 * - Where every item has a reference, or was requested by id alone, the matches are answered first. Without references
 *   the order is kept. An identifier that contains "enrich-failed" is answered with ENRICH_FAILED.
 * - Several identifiers of one item are tried in turn: id, linkedinUrl, email, name with company. Nothing else in the
 *   item is compared.
 * - Some records leave out fields without a value; others have an empty list. Domains occur with and without "www.".
 * - The windows are those of the plan Scale, begin with their first request, and count every request with a valid key;
 *   `rateHeaders: RateLimit` gives the other form of headers, for the second and the day.
 * - Lookalikes, people of a buying group and scores cost 1 credit each, website visits nothing; only `shop.example` is
 *   tracked. A kind of signal costs 1 credit for each record that has it. Fields of a company that are revealed in addition cost 1 credit each where the company has them.
 * - `waterfall: on` gives people without a work address one of another provider, for 7 credits, unless the request
 *   says `waterfallEnabled: false`.
 * - `plan: premium` cannot exclude people on do-not-call lists, `pro` has no prospecting and no filters, `account:
 *   inactive` has nothing: 403.
 * - Ids of seniorities that the vendor does not show, ids of industries, and forms of the value lists, which are those
 *   of v2 inside `values`.
 * - Sizes match where the number of employees is within the range, revenues where ranges overlap, job titles where they
 *   contain the words; several values of a filter are alternatives. Known filters of contacts and companies are those
 *   for which the fictional records have values, and codes and topics, which no record has.
 */
import { answersOf } from '../../lookups/server.ts'
import type { Dialect, Handler } from '../../lookups/server.ts'
import type { Vendor } from '../../lookups/start.ts'
import { dialectOf, prospecting, switches, windowState, windowsOf } from '../lusha/account.ts'
import { prices, resultsPerCredit } from '../lusha/billing.ts'
import {
  enrichCompanies,
  enrichContacts,
  searchAndEnrichCompanies,
  searchAndEnrichContacts,
  searchCompanies,
  searchContacts,
} from './lookups.ts'
import { scoreCompanies, scoreContacts, websiteVisits } from './activity.ts'
import { buyingGroup, lookalikeCompanies, lookalikeContacts } from './similar.ts'
import {
  companyFilterTypes,
  companyFilterValues,
  contactFilterTypes,
  contactFilterValues,
  prospectCompanies,
  prospectContacts,
} from './prospecting.ts'
import {
  companySignals,
  companySignalTypes,
  contactSignals,
  contactSignalTypes,
  signalFilterTypes,
  signalFilterValues,
} from './signal-reads.ts'
import { bodyless, webhooksOf, webhookWindow } from './webhooks/index.ts'

const usagePath = '/v3/account/usage'

const accountUsage: Handler = ({ world, query }) => {
  const [unknown] = query.keys()
  if (unknown !== undefined)
    return { ok: false, problem: { status: 400, code: 'INVALID', message: `property ${unknown} should not exist` } }
  const tier = (name: string) => {
    const { limit, used, remaining, resetsAt } = windowState(world, name)
    return { limit, used, remaining, resetsAt: new Date(resetsAt).toISOString() }
  }
  const { total, used, remaining } = world.credits
  const body = {
    credits: { total, used, remaining },
    rateLimits: { daily: tier('daily'), hourly: tier('hourly'), minute: tier('minute') },
    plan: {
      category: world.switches.plan,
      renewalType: 'annual',
      startDate: '2026-01-01T00:00:00.000Z',
      endDate: '2027-01-01T00:00:00.000Z',
    },
    pricing: {
      revealEmail: { credits: prices.email, perQuantity: 1 },
      revealPhone: { credits: prices.phone, perQuantity: 1 },
      revealCompany: { credits: prices.company, perQuantity: 1 },
      apiSearch: { credits: 1, perQuantity: resultsPerCredit },
    },
  }
  return { ok: true, answer: { status: 200, body }, credits: 0 }
}

const lookups: Dialect['routes'] = {
  'POST /v3/contacts/search-and-enrich': searchAndEnrichContacts,
  'POST /v3/contacts/search': searchContacts,
  'POST /v3/contacts/enrich': enrichContacts,
  'POST /v3/companies/search-and-enrich': searchAndEnrichCompanies,
  'POST /v3/companies/search': searchCompanies,
  'POST /v3/companies/enrich': enrichCompanies,
  'POST /v3/contacts/lookalike': lookalikeContacts,
  'POST /v3/companies/lookalike': lookalikeCompanies,
  'POST /v3/contacts/buying-group': buyingGroup,
  'POST /v3/contacts/signal-score': scoreContacts,
  'POST /v3/companies/signal-score': scoreCompanies,
  'POST /v3/contacts/signals': contactSignals,
  'POST /v3/companies/signals': companySignals,
  'GET /v3/contacts/signals/types': contactSignalTypes,
  'GET /v3/companies/signals/types': companySignalTypes,
  'GET /v3/companies/signals/filters': signalFilterTypes,
  'GET /v3/companies/signals/filters/{filterType}': signalFilterValues,
  'POST /v3/companies/website-visits': websiteVisits,
  [`GET ${usagePath}`]: accountUsage,
  ...prospecting({
    'POST /v3/contacts/prospecting': prospectContacts,
    'POST /v3/companies/prospecting': prospectCompanies,
    'GET /v3/contacts/prospecting/filters': contactFilterTypes,
    'GET /v3/contacts/prospecting/filters/{filterType}': contactFilterValues,
    'GET /v3/companies/prospecting/filters': companyFilterTypes,
    'GET /v3/companies/prospecting/filters/{filterType}': companyFilterValues,
  }),
}

const answers: Vendor['answers'] = (world, apiKey) => {
  const { routes, ...webhooks } = webhooksOf(world)
  const dialect = dialectOf({ ...lookups, ...routes })
  return { ...answersOf({ ...dialect, apiKey, query: ['GET', ...bodyless] }, world), ...webhooks }
}

export const lushaV3: Vendor = {
  apiKey: 'lusha-sandbox-key-0003',
  limits: { requests: 25, windowMs: 1000 },
  windows: [...windowsOf(usagePath), webhookWindow],
  switches: { ...switches, waterfall: ['off', 'on'] },
  answers,
  override: (origin) => ({ profile: 'lusha-v3', baseUrl: origin }),
}
