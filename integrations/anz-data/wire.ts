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
    'endpoints.search-people.noMatch':
      'The documents show an empty list when nothing is found. Which texts mean the same in an answer with status 200 is a guess.',
    reserved: 'How the key is sent is not documented. API Call refuses these common names for it in query and body.',
    'pace.limits':
      'The documents mention limits without numbers or periods. None is applied until the operator sets one; a reply that says that a limit is reached pauses the connection.',
    'pace.concurrency': 'Not documented. 4 requests at a time are few enough for every plan.',
    timeouts: 'Not documented.',
    maxReplyBytes: 'Not documented.',
    errors:
      'Status codes and error bodies are not documented. They are read as comparable providers use them, also inside answers with status 200.',
    'endpoints.enrich-person.record':
      'Response bodies are not documented. The record is taken from person, data, result or the answer itself, whichever is there.',
    'endpoints.enrich-company.record': 'As for people: company, data, result or the answer itself.',
    'endpoints.search-people.record': 'As for people: a list under one of the usual names, or the answer itself.',
    'endpoints.enrich-person.noMatch':
      'The documents show an empty answer when nobody is found. Which texts mean the same in an answer with status 200, 404 or 500 is a guess; a comparable provider uses all three.',
    'endpoints.enrich-company.noMatch': 'As for people.',
    'endpoints.enrich-person.noMatchOnceMatched':
      'Some answers can mean "no match" or a wrong address. They count as no match once the endpoint has given this connection a match.',
    'endpoints.enrich-company.noMatchOnceMatched': 'As for people.',
    'endpoints.search-people.noMatchOnceMatched': 'As for people.',
    'endpoints.enrich-person.identifiers':
      'The documents say that a request has exactly one identifier, and also that several match better. Identifiers are sent one per request, strongest first; "all" sends them together.',
    'endpoints.enrich-company.identifiers': 'As for people.',
    'endpoints.enrich-person.credits':
      'The documents do not say how an answer reports what was charged. The price is estimated: the upper end of the usual price for each match.',
    'endpoints.enrich-company.credits': 'As for people.',
    'endpoints.search-people.page':
      'Paging and result counts are not documented. One answer is read, and no page size is sent.',
    'records.person':
      'Names of response fields are not documented. Names that comparable providers use are read, and everything else stays in raw.',
    'records.company': 'As for people.',
    'steps.people-search':
      'The documents say that the cost of a search varies with the number of results, but not how much it is: 0 to 1 credit per result is listed. Region and size filters exist, but their names are not shown: set them. Words for seniority and department are sent as given.',
    'steps.api-call':
      'The documents do not say which endpoints an agent should not reach. Those with the usual names of credentials, webhooks and account settings are refused.',
  },
}
