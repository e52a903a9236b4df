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
  { status: [200, 299], path: 'contact.error.name', equals: 'EMPTY_DATA' },
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
  { status: [200, 299], path: 'error.code', equals: 'COMPLIANCE_RESTRICTED', failure: 'suppressed' },
  { status: [200, 299], path: 'success', equals: false, failure: 'rejected' },
  { status: [400, 403], contains: 'insufficient credit', failure: 'credits_exhausted' },
  { status: [400, 403], contains: 'out of credit', failure: 'credits_exhausted' },
  { status: 401, failure: 'not_connected' },
  { status: 402, failure: 'credits_exhausted' },
  { status: 403, failure: 'access_denied' },
  { status: 429, failure: 'rate_limited' },
  { status: 451, failure: 'suppressed' },
  ...errorsInGoodReplies,
]

const itemNoMatch = (words: string[]): ReplyCondition[] => [
  { path: '', is: 'empty' },
  { path: 'matched', equals: false },
  { path: 'status', equals: 404 },
  { path: 'status', equals: 'not_found' },
  { path: 'error.name', equals: 'EMPTY_DATA' },
  { path: 'error.code', equals: 'NOT_FOUND' },
  ...messages.flatMap((path) => words.map((word) => ({ path, begins: word }))),
]
const itemErrors: ErrorRule[] = [
  { path: 'status', equals: 451, failure: 'suppressed' },
  { path: 'error.code', equals: 'COMPLIANCE_RESTRICTED', failure: 'suppressed' },
  { path: 'error.code', equals: 'SUPPRESSED', failure: 'suppressed' },
  { path: 'error', is: 'present', failure: 'rejected' },
]
const bulk = {
  max: 100,
  envelope: '',
  answer: 'array' as const,
  answers: ['', 'results', 'data'],
  charge: 'record' as const,
  itemErrors,
}

const personEndpoint: EndpointProfile = {
  method: 'POST',
  path: '/person',
  place: 'json',
  kind: 'person',
  fields: {
    email: 'email',
    linkedinUrl: 'linkedInUrl',
    firstName: 'firstName',
    lastName: 'lastName',
    company: 'company',
    companyDomain: null,
    personId: null,
    country: null,
    reveal: null,
  },
  identifiers: 'one',
  record: ['person', 'contact.data', 'contact', 'data', 'result', ''],
  noMatch: noMatch(personMisses),
  noMatchOnceMatched,
  bulk: {
    path: '/person/bulk',
    ...bulk,
    itemNoMatch: itemNoMatch(personMisses),
    itemRecord: ['person', 'contact.data', 'contact', 'data', 'result', ''],
  },
}

const companyEndpoint: EndpointProfile = {
  method: 'POST',
  path: '/company',
  place: 'json',
  kind: 'company',
  fields: { domain: 'domain', name: 'name', companyId: null, country: null },
  identifiers: 'one',
  record: ['company.data', 'company', 'data', 'result', ''],
  noMatch: noMatch(companyMisses),
  noMatchOnceMatched,
  bulk: {
    path: '/company/bulk',
    ...bulk,
    itemNoMatch: itemNoMatch(companyMisses),
    itemRecord: ['company.data', 'company', 'data', 'result', ''],
  },
}

const searchContacts: EndpointProfile = {
  method: 'POST',
  path: null,
  place: 'json',
  kind: 'person',
  fields: {
    jobTitle: null,
    company: null,
    location: null,
    industry: null,
    role: null,
    seniority: null,
    department: null,
    companyDomain: null,
    companySize: null,
    country: null,
    revenue: null,
    technologies: null,
  },
  record: ['', 'results', 'contacts', 'people', 'data.results', 'data.contacts', 'data'],
  noMatch: nobody,
  noMatchOnceMatched,
}

const searchCompanies: EndpointProfile = {
  method: 'POST',
  path: null,
  place: 'json',
  kind: 'company',
  fields: {
    industry: null,
    location: null,
    size: null,
    name: null,
    domain: null,
    country: null,
    revenue: null,
    technologies: null,
  },
  record: ['', 'results', 'companies', 'data.results', 'data.companies', 'data'],
  noMatch: nobody,
  noMatchOnceMatched,
}

const texts = (...names: string[]): ApiParameter[] => names.map((name) => ({ name, in: 'body', type: 'string' }))
const ofPerson = texts('email', 'linkedInUrl', 'firstName', 'lastName', 'company')
const ofCompany = texts('domain', 'name')

/** The page that shows what each endpoint finds. */
const documentation = 'https://relevanceai.com/docs/integrations/popular-integrations/lusha'

/** The documented endpoints, as API Call lists them. */
const operations: ApiOperation[] = [
  {
    method: 'POST',
    path: '/person',
    title: 'Find a person',
    effect: 'read',
    effectSource: documentation,
    price: 'typically 1 to 2 credits per successful lookup',
    parameters: ofPerson,
  },
  {
    method: 'POST',
    path: '/company',
    title: 'Find a company',
    effect: 'read',
    effectSource: documentation,
    price: 'typically 1 credit per successful lookup',
    parameters: ofCompany,
  },
  {
    method: 'POST',
    path: '/person/bulk',
    title: 'Enrich several persons',
    effect: 'read',
    effectSource: documentation,
    price: 'credits per record in the batch',
    body: 'list',
    parameters: ofPerson,
  },
  {
    method: 'POST',
    path: '/company/bulk',
    title: 'Enrich several companies',
    effect: 'read',
    effectSource: documentation,
    price: 'credits per record in the batch',
    body: 'list',
    parameters: ofCompany,
  },
]

/** Not in the document; other profiles have this endpoint. */
const revealContacts: EndpointProfile = {
  method: 'POST',
  path: null,
  place: 'json',
  kind: 'person',
  fields: { personId: null, searchId: null, reveal: null, waterfallReveal: null },
}
const accountUsage: EndpointProfile = { method: 'GET', path: null, place: 'query', kind: 'usage', fields: {} }

const unknown = (kind: string): EndpointProfile => ({ method: 'POST', path: null, place: 'json', kind, fields: {} })
/** Not in the document either. */
const more = {
  'reveal-companies': unknown('company'),
  'lookalike-contacts': unknown('person'),
  'lookalike-companies': unknown('company'),
  'buying-group': unknown('person'),
  'website-visits': unknown('company'),
  'signal-subscriptions': unknown('signal'),
  'contact-signals': unknown('person'),
  'company-signals': unknown('company'),
  'score-contacts': unknown('person'),
  'score-companies': unknown('company'),
  'contact-seniorities': unknown('choice'),
}

/**
 * The provider's wire profile. The document shows the four paths with their methods and request fields, bulk bodies as
 * arrays, prices, and that a miss and a rate limit are reported. Everything else is null or named in `assumed`.
 */
export const wire: WireProfile = {
  profile: 'documented',
  baseUrl: null,
  auth: { 'api-key': null },
  reserved: ['api_key', 'api-key', 'apikey', 'x-api-key', 'authorization', 'access_token'],
  pace: { limits: [], concurrency: 4 },
  timeouts: { connectMs: 5_000, headersMs: 60_000, bodyMs: 30_000, totalMs: 90_000, deadlineMs: 300_000 },
  maxReplyBytes: 10 * 1024 * 1024,
  errors,
  endpoints: {
    person: personEndpoint,
    company: companyEndpoint,
    'search-contacts': searchContacts,
    'search-companies': searchCompanies,
    'reveal-contacts': revealContacts,
    'account-usage': accountUsage,
    ...more,
  },
  operations,
  records: { person, company },
  assumed: {
    reserved:
      'How the key is sent is not shown; these are common names for it, which API Call refuses in query and body.',
    'pace.limits':
      'Limits exist, but neither their numbers nor their window are shown: none is applied until the operator sets one. A rate-limit reply pauses the connection.',
    'pace.concurrency': 'Not shown; 4 at once load no plan heavily.',
    timeouts: 'Not shown; bulk answers take longer than single ones.',
    maxReplyBytes: 'Not shown.',
    errors: 'Status codes and error bodies are not shown; these are the meanings that comparable providers give them.',
    'endpoints.person':
      'Paths of the find operation are not shown; Find Contact and Enrich Contacts both use the documented lookup POST /person.',
    'endpoints.company': 'As for persons: Find Company and Enrich Companies both use POST /company.',
    'endpoints.person.record':
      'Response bodies are not shown. The record is taken from person, contact, data, result or the answer itself, whichever is there.',
    'endpoints.company.record': 'As for persons: company, data, result or the answer itself.',
    'endpoints.person.noMatch':
      'An empty answer is shown. Words about a person or company, and codes in an answer of status 200, are guesses.',
    'endpoints.company.noMatch': 'As for persons.',
    'endpoints.person.noMatchOnceMatched':
      'Common forms of a no match that a server also answers at a wrong address: they count once the endpoint has given a match.',
    'endpoints.company.noMatchOnceMatched': 'As for persons.',
    'endpoints.person.identifiers':
      'One lookup set per request is shown, yet more data is documented to match better. Sets are sent one per request, strongest first; "all" sends what is given together.',
    'endpoints.company.identifiers': 'As for persons.',
    'endpoints.person.credits':
      'No sign of charged credits is shown, so the price is estimated: the upper end of the usual price for each match, or for each record of a bulk request.',
    'endpoints.company.credits': 'As for persons.',
    'endpoints.person.bulk.max': 'The maximum batch size is not shown; 100 is common among comparable providers.',
    'endpoints.company.bulk.max': 'As for persons.',
    'endpoints.person.bulk.answer':
      'The answer to a bulk request is not shown; an array in the order of the request is expected, bare or under results or data.',
    'endpoints.company.bulk.answer': 'As for persons.',
    'endpoints.person.bulk.itemNoMatch':
      'Not shown: null, an empty answer and common codes are read as no match for one record.',
    'endpoints.company.bulk.itemNoMatch': 'As for persons.',
    'endpoints.person.bulk.itemErrors': 'Not shown: an error in the answer for one record is a failure of that record.',
    'endpoints.company.bulk.itemErrors': 'As for persons.',
    'endpoints.search-contacts.method':
      'Method, path and parameter names of the search are not shown: set path and names; the method is taken from the other endpoints.',
    'endpoints.search-companies.method': 'As for contacts.',
    'endpoints.search-contacts.record':
      'Response bodies are not shown: a list under one of the usual names, or the answer itself.',
    'endpoints.search-companies.record': 'As for contacts.',
    'endpoints.search-contacts.noMatch': 'An empty list is shown. Words in an answer of status 200 are guesses.',
    'endpoints.search-companies.noMatch': 'As for contacts.',
    'endpoints.search-contacts.noMatchOnceMatched': 'As for persons.',
    'endpoints.search-companies.noMatchOnceMatched': 'As for contacts.',
    'records.person':
      'Names of response fields are not shown; common spellings of comparable providers are read, and everything else stays in raw.',
    'records.company': 'As for persons.',
    'steps.enrich-contacts':
      'The price is listed per record, because bulk requests charge each record whether it is found or not.',
    'steps.enrich-companies': 'As for contacts.',
    'steps.search-contacts': 'The price of a search is not shown: 0 to 1 credit per result is listed.',
    'steps.search-companies': 'As for contacts.',
    'endpoints.reveal-contacts.method':
      'The documents show no such endpoint; if your provider has one, set its path and names.',
    'endpoints.account-usage.method': 'As for revealing contacts.',
    'steps.search-and-enrich-contacts': 'As for revealing contacts, with 1 credit for the search.',
    'steps.search-and-enrich-companies': 'As for contacts.',
    'endpoints.reveal-companies.method': 'As for revealing contacts.',
    'endpoints.lookalike-contacts.method': 'As for revealing contacts.',
    'endpoints.lookalike-companies.method': 'As for revealing contacts.',
    'endpoints.buying-group.method': 'As for revealing contacts.',
    'endpoints.website-visits.method': 'As for revealing contacts.',
    'endpoints.signal-subscriptions.method': 'As for revealing contacts.',
    'endpoints.contact-signals.method': 'As for revealing contacts.',
    'endpoints.company-signals.method': 'As for revealing contacts.',
    'endpoints.score-contacts.method': 'As for revealing contacts.',
    'endpoints.score-companies.method': 'As for revealing contacts.',
    'endpoints.contact-seniorities.method': 'As for revealing contacts.',
    'steps.reveal-contacts':
      'The price is not shown: 1 credit for an e-mail address and 5 for a phone number are those of a comparable provider.',
    'steps.api-call':
      'Which endpoints an agent should not reach is not shown: the usual names of credentials, webhooks and the account are refused.',
  },
}
