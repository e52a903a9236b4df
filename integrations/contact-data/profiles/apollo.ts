import { excluded } from '#kit'
import type { EndpointProfile, ErrorRule, FieldWire, PageRule, ReplyCondition, WireProfile } from '#kit'
import { apolloOperations } from './apollo-operations.ts'
import { apolloRecords } from './apollo-records.ts'
import { notMapped, notMappedAssumed } from './not-mapped.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const names = {
  email: 'email',
  linkedinUrl: 'linkedin_url',
  firstName: 'first_name',
  lastName: 'last_name',
  company: 'organization_name',
  companyDomain: 'domain',
  personId: 'id',
}
/** Apollo sends phones to a webhook some minutes later, so a lookup cannot request them. */
const reveal: FieldWire = {
  name: null,
  flags: { emails: 'reveal_personal_emails' },
  labels: { emails: 'Private e-mails too' },
}

/** Other responses without a person or a company may come from a gateway. */
const emptyAnswer: ReplyCondition[] = [{ status: [200, 299], path: '', is: 'empty' }]

const person = (): EndpointProfile => ({
  method: 'POST',
  path: '/api/v1/people/match',
  place: 'query',
  kind: 'person',
  fields: { ...names, reveal },
  requires: [
    ['personId'],
    ['linkedinUrl'],
    ['email'],
    ['firstName', 'lastName', 'company'],
    ['firstName', 'lastName', 'companyDomain'],
  ],
  identifiers: 'all',
  record: ['person'],
  recordIs: 'object',
  noMatch: [{ status: [200, 299], path: 'person', is: 'null' }],
  noMatchOnceMatched: emptyAnswer,
  price: [{ per: 'match', credits: 1 }],
  probe: { values: { email: 'nobody@example.invalid' }, credits: 0 },
  bulk: {
    path: '/api/v1/people/bulk_match',
    max: 10,
    envelope: 'details',
    fields: { ...names, reveal },
    beside: ['reveal'],
    answer: 'array',
    answers: 'matches',
    charge: 'match',
    credits: { path: 'credits_consumed' },
  },
})

const company = (): EndpointProfile => ({
  method: 'GET',
  path: '/api/v1/organizations/enrich',
  place: 'query',
  kind: 'company',
  fields: { domain: 'domain', name: 'name' },
  requires: [['domain'], ['name']],
  identifiers: 'all',
  record: ['organization'],
  recordIs: 'object',
  noMatch: [{ status: [200, 299], path: 'organization', is: 'null' }],
  noMatchOnceMatched: emptyAnswer,
  price: [{ per: 'match', credits: 1 }],
  probe: { values: { domain: 'nobody.invalid' }, credits: 0 },
})

const seniorities = {
  owner: 'owner',
  founder: 'founder',
  'c-suite': 'c_suite',
  partner: 'partner',
  'vice president': 'vp',
  head: 'head',
  director: 'director',
  manager: 'manager',
  senior: 'senior',
  entry: 'entry',
  intern: 'intern',
}

const page = (total: string): PageRule => ({
  style: 'page',
  place: 'query',
  position: 'page',
  size: 'per_page',
  firstPage: 1,
  min: 1,
  max: 100,
  default: 25,
  last: 500,
  total,
})
const organization = {
  location: { name: 'organization_locations[]', as: 'list' },
  country: { name: 'organization_locations[]', as: 'list', template: '{countryName}' },
  size: { name: 'organization_num_employees_ranges[]', as: 'list', template: '{min},{max}' },
  technologies: { name: 'currently_using_any_of_technology_uids[]', as: 'list' },
} satisfies { [ours: string]: FieldWire }

const searchContacts = (): EndpointProfile => ({
  method: 'POST',
  path: '/api/v1/mixed_people/api_search',
  place: 'query',
  kind: 'person',
  fields: {
    jobTitle: { name: 'person_titles[]', as: 'list' },
    seniority: { name: 'person_seniorities[]', as: 'list', map: seniorities },
    location: { name: 'person_locations[]', as: 'list' },
    country: { name: 'person_locations[]', as: 'list', template: '{countryName}' },
    companyDomain: { name: 'q_organization_domains_list[]', as: 'list' },
    companyCountry: { name: 'organization_locations[]', as: 'list', template: '{countryName}' },
    companySize: organization.size,
    text: { name: 'q_keywords', single: true },
    technologies: organization.technologies,
  },
  record: ['people'],
  page: page('total_entries'),
  price: [],
  probe: { values: { companyDomain: 'nobody.invalid' }, credits: 0 },
})

const searchCompanies = (): EndpointProfile => ({
  method: 'POST',
  path: '/api/v1/mixed_companies/search',
  place: 'query',
  kind: 'company',
  fields: {
    name: { name: 'q_organization_name', single: true },
    domain: { name: 'q_organization_domains_list[]', as: 'list' },
    industry: { name: 'q_organization_keyword_tags[]', as: 'list' },
    ...organization,
    [excluded('location')]: { name: 'organization_not_locations[]', as: 'list' },
  },
  record: ['organizations'],
  page: page('pagination.total_entries'),
  price: [{ per: 'call', credits: 1 }],
  probe: { values: { domain: 'nobody.invalid' }, credits: 1 },
})

const revealContacts = (): EndpointProfile => ({
  ...person(),
  fields: { personId: 'id', reveal },
  requires: [['personId']],
  probe: { values: { personId: '000000000000000000000000' }, credits: 0 },
})

const errors = (): ErrorRule[] => [
  {
    status: 401,
    failure: 'not_connected',
    message:
      'Apollo does not know this API key. Copy it again from the settings under Integrations, API, and reconnect.',
  },
  {
    status: [400, 499],
    contains: 'insufficient credit',
    failure: 'credits_exhausted',
    message: 'The Apollo account has no credits left. Its owner buys more, or waits until the plan renews.',
  },
  {
    status: 402,
    failure: 'credits_exhausted',
    message: 'The Apollo account has no credits left. Its owner buys more, or waits until the plan renews.',
  },
  {
    status: 403,
    failure: 'access_denied',
    message:
      'This Apollo key may not use this endpoint. Its owner makes a key with it in its scope, or a master key; the plan must include the API.',
  },
  { status: 422, failure: 'rejected' },
  { status: 429, failure: 'rate_limited', message: 'The rate limit of the Apollo plan for this endpoint is used up.' },
]

const perMinute = (route: string, max: number) => ({ per: 'route' as const, route, max, windowMs: minute })

/** The wire profile of Apollo's REST API, version 1. */
export const apollo = (): WireProfile => ({
  profile: 'apollo',
  baseUrl: 'https://api.apollo.io',
  auth: { 'api-key': { place: 'header', fields: { 'x-api-key': '{apiKey}' } } },
  reserved: ['api_key', 'api-key', 'apikey', 'x-api-key', 'authorization', 'access_token'],
  pace: {
    limits: [
      { per: 'connection', max: 1000, windowMs: minute },
      { per: 'connection', max: 6000, windowMs: hour },
      { per: 'connection', max: 50_000, windowMs: day },
      perMinute('/api/v1/mixed_people/api_search', 200),
      perMinute('/api/v1/mixed_companies/search', 200),
    ],
    concurrency: 4,
    remaining: [
      { header: 'x-minute-requests-left', per: 'connection', windowMs: minute },
      { header: 'x-hourly-requests-left', per: 'connection', windowMs: hour },
      { header: 'x-24-hour-requests-left', per: 'connection', windowMs: day },
    ],
    fallbackMs: minute,
  },
  timeouts: { connectMs: 5_000, headersMs: 60_000, bodyMs: 30_000, totalMs: 90_000, deadlineMs: 300_000 },
  maxReplyBytes: 10 * 1024 * 1024,
  errors: errors(),
  errorDetails: { message: ['message', 'error_message', 'error'] },
  endpoints: {
    person: person(),
    company: company(),
    'search-contacts': searchContacts(),
    'search-companies': searchCompanies(),
    'reveal-contacts': revealContacts(),
    ...notMapped(),
    'account-usage': {
      method: 'POST',
      path: '/api/v1/usage_stats/credit_usage_stats',
      place: 'json',
      kind: 'usage',
      fields: {},
      record: [''],
      price: [],
      freshMs: 0,
      probe: { values: {}, credits: 0 },
    },
  },
  test: { endpoint: 'account-usage' },
  validKey: [{ status: 403, path: 'error_code', equals: 'API_INACCESSIBLE' }, { status: 402 }],
  operations: apolloOperations(),
  records: apolloRecords,
  assumed: {
    ...notMappedAssumed(),
    'pace.limits':
      'The numbers are those of paid plans. The provider counts for each endpoint and team; here the largest limits apply to all calls of a connection together, and headers report what a smaller plan has left.',
    'pace.concurrency': 'Not documented. 4 requests at a time are few enough for every plan.',
    'pace.fallbackMs':
      'A refusal says how long to wait in Retry-After; without it, we wait for one minute, the shortest window.',
    timeouts: 'Not documented.',
    maxReplyBytes: 'Not documented.',
    errors: 'The answer when credits are used up is not documented: 402 or a text about credits is taken to mean it.',
    'endpoints.person.noMatchOnceMatched':
      'The documents say that the person is null or absent. That an absent person is an empty answer is a guess.',
    'endpoints.company.noMatchOnceMatched': 'As for people.',
    'endpoints.person.price':
      'Of the 1 to 9 credits for a person, 8 are for a mobile phone, which is never requested because it arrives by webhook. Single answers do not say what was charged.',
    'endpoints.person.bulk.beside':
      'That the choice of fields may be sent in the body is a guess; the documents put it in the query.',
    'steps.enrich-companies':
      'Companies are looked up one by one: what a bulk request answers for a missing company is not documented.',
    'endpoints.search-contacts.page.last': '50,000 records can be shown: 500 pages of 100.',
    'endpoints.search-companies.page.last': 'As for contacts.',
    'endpoints.search-companies.fields.industry':
      'The provider has no industry filter; the keywords of companies are searched instead.',
    'endpoints.account-usage.method':
      'Needs a master key; other keys are refused, which also shows that they are valid.',
  },
})
