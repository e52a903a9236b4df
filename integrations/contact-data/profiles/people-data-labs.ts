import { excluded } from '#kit'
import type { EndpointProfile, ErrorRule, FieldWire, PageRule, ReplyCondition, WireProfile } from '#kit'
import { peopleDataLabsOperations, spent } from './people-data-labs-operations.ts'
import { peopleDataLabsRecords } from './people-data-labs-records.ts'
import { notMapped, notMappedAssumed } from './not-mapped.ts'

const minute = 60_000

const missing: ReplyCondition[] = [{ status: 404, path: 'error.type', equals: 'not_found' }]
const itemMissing: ReplyCondition[] = [{ path: 'status', equals: 404 }]
const itemErrors: ErrorRule[] = [
  { path: 'status', equals: 400, failure: 'rejected' },
  { path: 'status', equals: 402, failure: 'credits_exhausted' },
  { path: 'status', equals: 429, failure: 'rate_limited' },
  { path: 'error', is: 'present', failure: 'rejected' },
]

const personNames = {
  email: 'email',
  linkedinUrl: 'profile',
  firstName: 'first_name',
  lastName: 'last_name',
  company: 'company',
  companyDomain: 'company',
  personId: 'pdl_id',
}
/** A country makes a name unambiguous; it identifies nobody by itself. */
const country = (name: string): FieldWire => ({ name, template: '{countryName}', case: 'lower' })
const inParams = (names: { [ours: string]: string }) =>
  Object.fromEntries(Object.entries(names).map(([ours, name]) => [ours, `params.${name}`]))
const requests = {
  max: 100,
  envelope: 'requests',
  itemId: 'metadata.reference',
  answer: 'array' as const,
  answers: '',
  charge: 'match' as const,
}

const person = (): EndpointProfile => ({
  method: 'GET',
  path: '/v5/person/enrich',
  place: 'query',
  kind: 'person',
  aliases: 'scored-person',
  fields: { ...personNames, country: country('country') },
  requires: [
    ['personId'],
    ['linkedinUrl'],
    ['email'],
    ['firstName', 'lastName', 'company'],
    ['firstName', 'lastName', 'companyDomain'],
  ],
  identifiers: 'all',
  record: [''],
  noMatch: missing,
  price: [{ per: 'match', credits: 1 }],
  credits: spent,
  probe: { values: { email: 'nobody@example.invalid' }, credits: 0 },
  bulk: {
    ...requests,
    path: '/v5/person/bulk',
    fields: { ...inParams(personNames), country: country('params.country') },
    itemNoMatch: itemMissing,
    itemErrors,
    itemRecord: [''],
  },
})

const companyNames = { domain: 'website', name: 'name', companyId: 'pdl_id' }

const company = (): EndpointProfile => ({
  method: 'GET',
  path: '/v5/company/enrich',
  place: 'query',
  kind: 'company',
  fields: companyNames,
  requires: [['companyId'], ['domain'], ['name']],
  identifiers: 'all',
  record: ['data', ''],
  recordIs: 'object',
  noMatch: missing,
  price: [{ per: 'match', credits: 1 }],
  credits: spent,
  probe: { values: { domain: 'nobody.invalid' }, credits: 0 },
})

/** How a filter is compared, in the query language; and how its value is sent. */
type Comparison = [template: { [kind: string]: { [field: string]: string } }, more?: object]

/**
 * A search is one query in the provider's query language; each filter adds a condition to it: one that must hold, of
 * several values for one of them, or conditions that must not.
 */
const conditions = (all: { [ours: string]: Comparison }): { [ours: string]: FieldWire } =>
  Object.fromEntries(
    Object.entries(all).flatMap(([ours, [template, more]]) => [
      [ours, { name: 'query.bool.must', add: true, any: { bool: { should: '{items}' } }, template, ...more }],
      [excluded(ours), { name: 'query.bool.must_not', add: true, template, ...more }],
    ]),
  )

const levels = {
  owner: 'owner',
  partner: 'partner',
  'c-suite': 'cxo',
  'vice president': 'vp',
  director: 'director',
  manager: 'manager',
  senior: 'senior',
  entry: 'entry',
  training: 'training',
  unpaid: 'unpaid',
}
const roles = {
  'customer service': 'customer_service',
  design: 'design',
  education: 'education',
  engineering: 'engineering',
  finance: 'finance',
  health: 'health',
  'human resources': 'human_resources',
  legal: 'legal',
  marketing: 'marketing',
  media: 'media',
  operations: 'operations',
  'public relations': 'public_relations',
  'real estate': 'real_estate',
  sales: 'sales',
  trades: 'trades',
}
const sizes = Object.fromEntries(
  ['1-10', '11-50', '51-200', '201-500', '501-1000', '1001-5000', '5001-10000', '10001+'].map((size) => [size, size]),
)
const lower = { case: 'lower' }

const page = (): PageRule => ({
  style: 'cursor',
  place: 'json',
  position: 'scroll_token',
  size: 'size',
  min: 1,
  max: 100,
  default: 10,
  total: 'total',
  nextCursor: 'scroll_token',
})

const searchContacts = (): EndpointProfile => ({
  method: 'POST',
  path: '/v5/person/search',
  place: 'json',
  kind: 'person',
  fields: conditions({
    jobTitle: [{ match: { job_title: '{value}' } }, lower],
    seniority: [{ term: { job_title_levels: '{value}' } }, { map: levels }],
    department: [{ term: { job_title_role: '{value}' } }, { map: roles }],
    company: [{ term: { job_company_name: '{value}' } }, lower],
    companyDomain: [{ term: { job_company_website: '{value}' } }, lower],
    industry: [{ term: { job_company_industry: '{value}' } }, lower],
    location: [{ match: { location_name: '{value}' } }, lower],
    country: [{ term: { location_country: '{countryName}' } }, lower],
    companySize: [{ term: { job_company_size: '{value}' } }, { map: sizes }],
  }),
  record: ['data'],
  noMatch: missing,
  page: page(),
  price: [{ per: 'results', credits: 1 }],
  credits: spent,
  probe: { values: { companyDomain: 'nobody.invalid' }, credits: 0 },
})

const searchCompanies = (): EndpointProfile => ({
  method: 'POST',
  path: '/v5/company/search',
  place: 'json',
  kind: 'company',
  fields: conditions({
    name: [{ term: { name: '{value}' } }, lower],
    domain: [{ term: { website: '{value}' } }, lower],
    industry: [{ term: { industry: '{value}' } }, lower],
    location: [{ match: { 'location.name': '{value}' } }, lower],
    country: [{ term: { 'location.country': '{countryName}' } }, lower],
    size: [{ term: { size: '{value}' } }, { map: sizes }],
  }),
  record: ['data'],
  noMatch: missing,
  page: page(),
  price: [{ per: 'results', credits: 1 }],
  credits: spent,
  probe: { values: { domain: 'nobody.invalid' }, credits: 0 },
})

/** A search already returns whole records; a reveal looks one of them up again by the id from an earlier response. */
const revealContacts = (): EndpointProfile => {
  const { bulk, ...single } = person()
  return {
    ...single,
    fields: { personId: 'pdl_id' },
    requires: [['personId']],
    probe: { values: { personId: 'nobody' }, credits: 0 },
    bulk: { ...bulk!, fields: { personId: 'params.pdl_id' } },
  }
}

const errors = (): ErrorRule[] => [
  {
    status: 400,
    failure: 'rejected',
    message:
      'People Data Labs cannot identify anybody by this. Give a profile, an e-mail address, or a full name with an employer.',
  },
  {
    status: 401,
    failure: 'not_connected',
    message:
      'People Data Labs does not know this API key. Copy it again from the dashboard under API Keys, and reconnect.',
  },
  {
    status: 402,
    failure: 'credits_exhausted',
    message:
      'All matches of the People Data Labs account are used. Its owner buys more, or waits until the month ends.',
  },
  {
    status: 403,
    failure: 'access_denied',
    message: 'The People Data Labs plan does not include this. Its owner asks for it in the dashboard.',
  },
  { status: 429, failure: 'rate_limited', message: 'The rate limit of this API key is used up for this minute.' },
]

/** The wire profile of version 5 of People Data Labs' API. */
export const peopleDataLabs = (): WireProfile => ({
  profile: 'people-data-labs',
  baseUrl: 'https://api.peopledatalabs.com',
  auth: { 'api-key': { place: 'header', fields: { 'X-Api-Key': '{apiKey}' } } },
  reserved: ['api_key', 'api-key', 'apikey', 'x-api-key', 'authorization', 'access_token'],
  pace: {
    limits: [
      { per: 'connection', max: 1000, windowMs: minute },
      { per: 'route', route: '/v5/person/search', max: 10, windowMs: minute },
      { per: 'route', route: '/v5/company/search', max: 10, windowMs: minute },
    ],
    concurrency: 4,
    remaining: [
      {
        header: 'x-ratelimit-remaining',
        part: 'minute',
        per: 'connection',
        windowMs: minute,
        reset: { header: 'x-ratelimit-reset', as: 'date' },
      },
    ],
    fallbackMs: minute,
  },
  timeouts: { connectMs: 5_000, headersMs: 60_000, bodyMs: 30_000, totalMs: 90_000, deadlineMs: 300_000 },
  maxReplyBytes: 10 * 1024 * 1024,
  errors: errors(),
  errorDetails: { message: ['error.message'] },
  endpoints: {
    person: person(),
    company: company(),
    'search-contacts': searchContacts(),
    'search-companies': searchCompanies(),
    'reveal-contacts': revealContacts(),
    ...notMapped(),
    'account-usage': { method: 'GET', path: null, place: 'query', fields: {}, record: [''], price: [] },
  },
  test: { endpoint: 'person', values: { email: 'nobody@example.invalid' } },
  validKey: [
    { status: 402 },
    { status: 404, path: 'error.type', equals: 'not_found' },
    { status: 400, path: 'error.type', equals: 'invalid_request_error' },
  ],
  operations: peopleDataLabsOperations(),
  records: peopleDataLabsRecords,
  assumed: {
    ...notMappedAssumed(),
    'pace.limits':
      '1000 requests a minute is the limit of paid plans (free plans: 100), and 10 that of searches; headers report what is left.',
    'pace.concurrency': 'Not documented. 4 requests at a time are few enough for every plan.',
    timeouts: 'Not documented.',
    maxReplyBytes: 'Documented as at most 1 MB; larger answers are read too, so that they do not fail.',
    validKey: 'That the key is checked before the parameters, so that a refusal of them proves the key, is a guess.',
    test: 'No request is free as such, but a lookup that finds nobody is, and only a valid key gets that answer.',
    'errors.3': 'How a valid key without permission is refused is not documented; 403 is taken to mean that.',
    'endpoints.person.bulk.itemErrors': 'Codes of single records other than 200 and 404 are not documented.',
    'endpoints.person.bulk.answer':
      'Answers come in the order of the request; "metadata", which is documented to come back with each, assigns them to the records.',
    'steps.enrich-companies': 'Companies are looked up one by one: we found no bulk request for them in the documents.',
    'endpoints.search-contacts.fields':
      'The provider stores values in lower case, so they are sent in lower case. Which of them must match as a whole is taken from its list of fields.',
    'endpoints.search-contacts.fields.excludeJobTitle':
      'That queries may have "must_not" and nested "bool" is taken from the query language that the provider names.',
    'endpoints.search-companies.fields': 'As for contacts.',
    'endpoints.account-usage.path':
      'The provider has no endpoint for the remaining credits; each answer reports them in a header.',
  },
})
