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
    reserved: 'How the key is sent is not documented. API Call refuses these common names for it in query and body.',
    'pace.limits':
      'The documents mention limits without numbers or periods. None is applied until the operator sets one; a reply that says that a limit is reached pauses the connection.',
    'pace.concurrency': 'Not documented. 4 requests at a time are few enough for every plan.',
    timeouts: 'Not documented. Bulk requests get more time than single ones.',
    maxReplyBytes: 'Not documented.',
    errors: 'Status codes and error bodies are not documented. They are read as comparable providers use them.',
    'endpoints.person':
      'The documents name no path for finding one contact. Find Contact and Enrich Contacts both use the documented lookup POST /person.',
    'endpoints.company': 'As for people: Find Company and Enrich Companies both use POST /company.',
    'endpoints.person.record':
      'Response bodies are not documented. The record is taken from person, contact, data, result or the answer itself, whichever is there.',
    'endpoints.company.record': 'As for people: company, data, result or the answer itself.',
    'endpoints.person.noMatch':
      'The documents show an empty answer when nobody is found. Which texts mean the same, and which codes in an answer with status 200, is a guess.',
    'endpoints.company.noMatch': 'As for people.',
    'endpoints.person.noMatchOnceMatched':
      'Some answers can mean "no match" or a wrong address. They count as no match once the endpoint has given this connection a match.',
    'endpoints.company.noMatchOnceMatched': 'As for people.',
    'endpoints.person.identifiers':
      'The documents show requests with one set of identifiers, and say that more data matches better. Sets are sent one per request, strongest first; "all" sends them together.',
    'endpoints.company.identifiers': 'As for people.',
    'endpoints.person.credits':
      'The documents do not say how an answer reports what was charged. The price is estimated: the upper end of the usual price for each match, or for each record of a bulk request.',
    'endpoints.company.credits': 'As for people.',
    'endpoints.person.bulk.max':
      'The largest number of records is not documented; 100 is common among comparable providers.',
    'endpoints.company.bulk.max': 'As for people.',
    'endpoints.person.bulk.answer':
      'The answer to a bulk request is not documented. An array in the order of the request is expected, at the top level or under results or data.',
    'endpoints.company.bulk.answer': 'As for people.',
    'endpoints.person.bulk.itemNoMatch':
      'Not documented. For one record of a bulk request, null, an empty answer and common codes are read as no match.',
    'endpoints.company.bulk.itemNoMatch': 'As for people.',
    'endpoints.person.bulk.itemErrors':
      'Not documented. An error in the answer for one record is taken as a failure of that record alone.',
    'endpoints.company.bulk.itemErrors': 'As for people.',
    'endpoints.search-contacts.method':
      'Path and parameter names of the search are not documented: set them. The method is that of the other endpoints.',
    'endpoints.search-companies.method': 'As for contacts.',
    'endpoints.search-contacts.record':
      'Response bodies are not documented. A list under one of the usual names is read, or the answer itself.',
    'endpoints.search-companies.record': 'As for contacts.',
    'endpoints.search-contacts.noMatch':
      'The documents show an empty list when nothing is found. Which texts mean the same in an answer with status 200 is a guess.',
    'endpoints.search-companies.noMatch': 'As for contacts.',
    'endpoints.search-contacts.noMatchOnceMatched': 'As for people.',
    'endpoints.search-companies.noMatchOnceMatched': 'As for contacts.',
    'records.person':
      'Names of response fields are not documented. Names that comparable providers use are read, and everything else stays in raw.',
    'records.company': 'As for people.',
    'steps.enrich-contacts':
      'The price is listed per record, because bulk requests charge each record whether it is found or not.',
    'steps.enrich-companies': 'As for contacts.',
    'steps.search-contacts': 'The price of a search is not documented; 0 to 1 credit per result is listed.',
    'steps.search-companies': 'As for contacts.',
    'endpoints.reveal-contacts.method':
      'The documents have no such endpoint. If your provider has one, set its path and parameter names.',
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
      'The price is not documented. 1 credit for an e-mail address and 5 for a phone number are the prices of a comparable provider.',
    'steps.api-call':
      'The documents do not say which endpoints an agent should not reach. Those with the usual names of credentials, webhooks and account settings are refused.',
  },
}
