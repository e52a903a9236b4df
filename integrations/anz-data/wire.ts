import { companyMisses, matchMisses, personMisses, textBegins, textIs } from '#kit'
import type { ApiOperation, ApiParameter, EndpointProfile, ErrorRule, ReplyCondition, WireProfile } from '#kit'
import { company, person } from './records.ts'

/** Paths at which an error text may be. */
const messages = ['error', 'error.message', 'message']

const emptyAnswer: ReplyCondition = { status: [200, 299], path: '', is: 'empty' }
/**
 * "The result is empty or indicates that no match was found" is the document's wording; every concrete form of it here
 * is a guess.
 */
const noMatch = (words: string[]): ReplyCondition[] => [
  emptyAnswer,
  { status: [200, 299], path: 'matched', equals: false },
  { status: [200, 299], path: 'found', equals: false },
  ...[404, 500].flatMap((status) => messages.flatMap((path) => textBegins(status, path, words))),
  ...['error', 'message'].flatMap((path) => textIs(404, path, ['No match found', 'No match was found'])),
  ...textBegins([200, 299], 'message', [...words, ...matchMisses]),
]
const nobody: ReplyCondition[] = [emptyAnswer, ...textBegins([200, 299], 'message', ['no results', ...matchMisses])]
/** Usual forms of a miss that servers also return for a wrong address, since none of them says what was not found. */
const noMatchOnceMatched: ReplyCondition[] = [
  { status: 404, path: '', is: 'empty' },
  ...['error', 'message'].flatMap((path) => textIs(404, path, ['not found', 'Not found'])),
  { status: [200, 299], path: 'error.code', equals: 'NOT_FOUND' },
  { status: [200, 299], path: 'status', equals: 'not_found' },
]

/** Servers that answer every request with 200 report an unknown address in the body. */
const errorsInGoodReplies: ErrorRule[] = [
  ...['error.message', 'errors.0'].map((path): ErrorRule => ({
    status: [200, 299],
    path,
    is: 'present',
    failure: 'rejected',
  })),
  ...['code', 'status', 'statusCode'].flatMap((path) =>
    [400, 401, 403, 404, 405, 500].map((equals): ErrorRule => ({
      status: [200, 299],
      path,
      equals,
      failure: 'rejected',
    })),
  ),
  { status: [200, 299], path: 'status', equals: 'error', failure: 'rejected' },
]

const errors: ErrorRule[] = [
  { status: [400, 403], contains: 'insufficient credit', failure: 'credits_exhausted' },
  { status: [400, 403], contains: 'out of credit', failure: 'credits_exhausted' },
  { status: [400, 429], path: 'code', equals: 'no_credits', failure: 'credits_exhausted' },
  { status: [200, 299], path: 'code', equals: 'no_credits', failure: 'credits_exhausted' },
  { status: [200, 299], path: 'code', equals: 'rate_limited', failure: 'rate_limited' },
  { status: [200, 299], path: 'success', equals: false, failure: 'rejected' },
  { status: 401, failure: 'not_connected' },
  { status: 402, failure: 'credits_exhausted' },
  { status: 403, failure: 'access_denied' },
  { status: 429, failure: 'rate_limited' },
  { status: 451, failure: 'suppressed' },
  ...errorsInGoodReplies,
]

const enrichPerson: EndpointProfile = {
  method: 'POST',
  path: '/enrich/person',
  place: 'json',
  kind: 'person',
  fields: { linkedinUrl: 'linkedin_url', linkedinSlug: 'linkedin_slug', email: 'email', personId: null, country: null },
  identifiers: 'one',
  record: ['person', 'data.person', 'result.person', 'data', 'result', ''],
  noMatch: noMatch(personMisses),
  noMatchOnceMatched,
}

const enrichCompany: EndpointProfile = {
  method: 'POST',
  path: '/enrich/company',
  place: 'json',
  kind: 'company',
  fields: {
    domain: 'domain',
    linkedin: 'linkedin_url',
    abn: 'abn',
    website: 'website',
    companyId: null,
    country: null,
  },
  identifiers: 'one',
  record: ['company', 'data.company', 'result.company', 'data', 'result', ''],
  noMatch: noMatch(companyMisses),
  noMatchOnceMatched,
}

const searchPeople: EndpointProfile = {
  method: 'POST',
  path: '/search/people',
  place: 'json',
  kind: 'person',
  fields: {
    company: 'company',
    companyDomain: null,
    companyId: null,
    position: 'position',
    seniority: 'seniority',
    department: 'department',
    states: null,
    companySize: null,
    country: null,
  },
  record: [
    '',
    'results',
    'records',
    'contacts',
    'people',
    'persons',
    'data.results',
    'data.contacts',
    'data.people',
    'data',
  ],
  noMatch: nobody,
  noMatchOnceMatched,
}

const texts = (...names: string[]): ApiParameter[] => names.map((name) => ({ name, in: 'body', type: 'string' }))

/** The page that shows what each endpoint finds. */
const documentation = 'https://relevanceai.com/docs/integrations/popular-integrations/firmable'

/** The documented endpoints, as API Call lists them. */
const operations: ApiOperation[] = [
  {
    method: 'POST',
    path: '/enrich/person',
    title: 'Enrich a person',
    effect: 'read',
    effectSource: documentation,
    price: 'typically 1 to 2 credits per successful lookup',
    parameters: texts('linkedin_url', 'email', 'linkedin_slug'),
  },
  {
    method: 'POST',
    path: '/enrich/company',
    title: 'Enrich a company',
    effect: 'read',
    effectSource: documentation,
    price: 'typically 1 credit per successful lookup',
    parameters: texts('domain', 'linkedin_url', 'abn', 'website'),
  },
  {
    method: 'POST',
    path: '/search/people',
    title: 'Search people',
    effect: 'read',
    effectSource: documentation,
    price: 'varies with the number of results',
    parameters: texts('company', 'position', 'seniority', 'department'),
  },
]

/**
 * The provider's wire profile. The document shows the three paths with their methods and request fields, JSON in both
 * directions, prices, and that a miss and a rate limit are reported. Everything else is null or named in `assumed`.
 */
export const wire: WireProfile = {
  profile: 'documented',
  baseUrl: null,
  auth: { 'api-key': null },
  reserved: ['api_key', 'api-key', 'apikey', 'x-api-key', 'authorization', 'access_token'],
  pace: { limits: [], concurrency: 4 },
  timeouts: { connectMs: 5_000, headersMs: 30_000, bodyMs: 30_000, totalMs: 45_000, deadlineMs: 120_000 },
  maxReplyBytes: 10 * 1024 * 1024,
  errors,
  endpoints: { 'enrich-person': enrichPerson, 'enrich-company': enrichCompany, 'search-people': searchPeople },
  operations,
  records: { person, company },
  assumed: {
    'endpoints.search-people.noMatch': 'An empty list is shown. Words in an answer of status 200 are guesses.',
    reserved:
      'How the key is sent is not shown; these are common names for it, which API Call refuses in query and body.',
    'pace.limits':
      'Limits exist, but neither their numbers nor their window are shown: none is applied until the operator sets one. A rate-limit reply pauses the connection.',
    'pace.concurrency': 'Not shown; 4 at once load no plan heavily.',
    timeouts: 'Not shown.',
    maxReplyBytes: 'Not shown.',
    errors:
      'Status codes and error bodies are not shown; these are the meanings that comparable providers give them, also inside answers of status 200.',
    'endpoints.enrich-person.record':
      'Response bodies are not shown. The record is taken from person, data, result or the answer itself, whichever is there.',
    'endpoints.enrich-company.record': 'As for persons: company, data, result or the answer itself.',
    'endpoints.search-people.record': 'As for persons: a list under one of the usual names, or the answer itself.',
    'endpoints.enrich-person.noMatch':
      'An empty answer is shown. Words about a person or company in an answer of status 200, 404 or 500 (a provider of this kind answers so) are guesses.',
    'endpoints.enrich-company.noMatch': 'As for persons.',
    'endpoints.enrich-person.noMatchOnceMatched':
      'Common forms of a no match that a server also answers at a wrong address: they count once the endpoint has given a match.',
    'endpoints.enrich-company.noMatchOnceMatched': 'As for persons.',
    'endpoints.search-people.noMatchOnceMatched': 'As for persons.',
    'endpoints.enrich-person.identifiers':
      'The endpoint wants exactly one identifier, yet several are documented to match better. They are sent one per request, strongest first; "all" sends what is given together.',
    'endpoints.enrich-company.identifiers': 'As for persons.',
    'endpoints.enrich-person.credits':
      'No sign of charged credits is shown, so the price is estimated: the upper end of the usual price for each match.',
    'endpoints.enrich-company.credits': 'As for persons.',
    'endpoints.search-people.page':
      'Paging and result counts are not shown: one answer is read, and no page size is sent.',
    'records.person':
      'Names of response fields are not shown; common spellings of comparable providers are read, and everything else stays in raw.',
    'records.company': 'As for persons.',
    'steps.people-search':
      'The documents say that the cost of a search varies with the number of results, but not how much it is: 0 to 1 credit per result is listed. Region and size filters exist, but their names are not shown: set them. Words for seniority and department are sent as given.',
    'steps.api-call':
      'Which endpoints an agent should not reach is not shown: the usual names of credentials, webhooks and the account are refused.',
  },
}
