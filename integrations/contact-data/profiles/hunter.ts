import { excluded } from '#kit'
import type { ApiOperation, EndpointProfile, ErrorRule, FieldWire, ReplyCondition, WireProfile } from '#kit'
import { inBody, inQuery } from './parameters.ts'
import { notMapped, notMappedAssumed } from './not-mapped.ts'

const second = 1000
const minute = 60_000

/**
 * The provider's own form of a 404, which says that nobody was found; a gateway's has another form. The form in
 * `missing` counts only once a match was seen.
 */
const noMatch: ReplyCondition[] = [{ status: 404, path: 'errors.0.id', equals: 'not_found' }]
const missing: ReplyCondition[] = [{ status: 404, path: 'errors.0.code', equals: 404 }]

const person = (): EndpointProfile => ({
  method: 'GET',
  path: '/v2/people/find',
  place: 'query',
  kind: 'person',
  fields: { email: 'email', linkedinUrl: { name: 'linkedin_handle', template: '{lastPart}' } },
  requires: [['email'], ['linkedinUrl']],
  identifiers: 'one',
  record: ['data'],
  recordIs: 'object',
  noMatch,
  noMatchOnceMatched: missing,
  price: [{ per: 'match', credits: 1 }],
  probe: { values: { email: 'nobody@example.invalid' }, credits: 0 },
})

const company = (): EndpointProfile => ({
  method: 'GET',
  path: '/v2/companies/find',
  place: 'query',
  kind: 'company',
  fields: { domain: 'domain' },
  requires: [['domain']],
  identifiers: 'one',
  record: ['data'],
  recordIs: 'object',
  noMatch,
  noMatchOnceMatched: missing,
  price: [{ per: 'match', credits: 1 }],
  probe: { values: { domain: 'nobody.invalid' }, credits: 0 },
})

const words = (...all: string[]) => Object.fromEntries(all.map((word) => [word, word]))
const offset = { style: 'offset' as const, position: 'offset', size: 'limit', min: 1, max: 100, total: 'meta.results' }

const searchContacts = (): EndpointProfile => ({
  method: 'GET',
  path: '/v2/domain-search',
  place: 'query',
  kind: 'person',
  aliases: 'address',
  fields: {
    companyDomain: { name: 'domain', single: true },
    company: { name: 'company', single: true },
    seniority: { name: 'seniority', as: 'string', map: words('junior', 'senior', 'executive') },
    department: {
      name: 'department',
      as: 'string',
      map: {
        ...words(
          'executive',
          'it',
          'finance',
          'management',
          'sales',
          'legal',
          'support',
          'marketing',
          'communication',
          'education',
          'design',
          'health',
          'operations',
        ),
        'human resources': 'hr',
      },
      labels: { it: 'IT' },
    },
  },
  constants: { type: 'personal' },
  requires: [['companyDomain'], ['company']],
  record: ['data.emails'],
  page: { ...offset, place: 'query', default: 10 },
  price: [{ per: 'results', credits: 1, of: 10 }],
  probe: { values: { companyDomain: 'nobody.invalid' }, credits: 0 },
})

const sides = (names: { [ours: string]: string }): { [ours: string]: FieldWire } =>
  Object.fromEntries(
    Object.entries(names).flatMap(([ours, wire]) => [
      [ours, { name: `${wire}.include`, as: 'list' }],
      [excluded(ours), { name: `${wire}.exclude`, as: 'list' }],
    ]),
  )

const searchCompanies = (): EndpointProfile => ({
  method: 'POST',
  path: '/v2/discover',
  place: 'json',
  kind: 'company',
  aliases: 'discovered',
  fields: {
    name: { name: 'organization.name', as: 'list' },
    domain: { name: 'organization.domain', as: 'list' },
    country: { name: 'headquarters_location.include', part: 'country' },
    state: { name: 'headquarters_location.include', part: 'state' },
    city: { name: 'headquarters_location.include', part: 'city' },
    [excluded('country')]: { name: 'headquarters_location.exclude', add: true, template: { country: '{value}' } },
    [excluded('state')]: { name: 'headquarters_location.exclude', add: true, template: { state: '{value}' } },
    [excluded('city')]: { name: 'headquarters_location.exclude', add: true, template: { city: '{value}' } },
    ...sides({ industry: 'industry', keyword: 'keywords', technologies: 'technology' }),
    foundedYear: { name: 'year_founded', template: { min: '{min}', max: '{max}' }, single: true },
    size: {
      name: 'headcount',
      as: 'list',
      map: words('1-10', '11-50', '51-200', '201-500', '501-1000', '1001-5000', '5001-10000', '10001+'),
    },
  },
  record: ['data'],
  page: { ...offset, place: 'json', default: 100, last: 10_000 },
  price: [],
  probe: { values: { domain: 'nobody.invalid' }, credits: 0 },
})

const errors = (): ErrorRule[] => [
  { status: 400, failure: 'rejected' },
  {
    status: 401,
    failure: 'not_connected',
    message: 'Hunter does not know this API key. Copy it again from the settings under API, and reconnect.',
  },
  {
    status: 403,
    failure: 'rate_limited',
    message: 'The rate limit of Hunter is used up. It opens again by itself within a minute.',
  },
  {
    status: 429,
    failure: 'credits_exhausted',
    message:
      "The month's usage of the Hunter account is used up. Its owner chooses a larger plan, or waits until it renews.",
  },
  {
    status: 451,
    failure: 'suppressed',
    message: 'This person asked Hunter not to process their data. Do not look for it elsewhere.',
  },
]

const where = {
  location: ['location'],
  city: ['geo.city'],
  region: ['geo.state'],
  country: ['geo.country'],
  countryCode: ['geo.countryCode'],
}
const linkedin = { linkedinUrl: ['linkedin_url', 'linkedin'], linkedinSlug: ['linkedin.handle'] }

const records = (): NonNullable<WireProfile['records']> => ({
  person: {
    id: ['id'],
    fullName: ['name.fullName'],
    firstName: ['name.givenName'],
    lastName: ['name.familyName'],
    jobTitle: ['employment.title'],
    seniority: ['employment.seniority'],
    departments: ['employment.role'],
    company: ['employment.name'],
    companyDomain: ['employment.domain'],
    ...where,
    emails: { lists: [{ at: 'email', item: { value: [''] } }] },
    phones: { lists: [{ at: 'phone', item: { number: [''] } }] },
    linkedinSlug: ['linkedin.handle'],
    updatedAt: ['activeAt'],
  },
  address: {
    firstName: ['first_name'],
    lastName: ['last_name'],
    jobTitle: ['position'],
    seniority: ['seniority'],
    departments: ['department'],
    emails: {
      lists: [
        {
          at: '',
          item: {
            value: ['value'],
            type: ['type'],
            confidence: ['confidence'],
            status: ['verification.status'],
            updatedAt: ['verification.date'],
          },
        },
      ],
    },
    phones: { lists: [{ at: 'phone_number', item: { number: [''] } }] },
    ...linkedin,
    confidence: ['confidence'],
  },
  company: {
    id: ['id'],
    name: ['name'],
    legalName: ['legalName'],
    type: ['company_type', 'type'],
    domain: ['domain'],
    website: ['site.url'],
    description: ['description'],
    industry: ['category.industry'],
    industries: ['tags'],
    employeeCount: ['metrics.employees'],
    employeeRange: ['metrics.employeesRange', 'metrics.employees'],
    revenue: ['metrics.annualRevenue', 'metrics.estimatedAnnualRevenue'],
    foundedYear: ['foundedYear'],
    technologies: ['tech'],
    ...where,
    emails: { lists: [{ at: 'site.emailAddresses', item: { value: [''] } }] },
    phones: {
      lists: [
        { at: 'site.phoneNumbers', item: { number: [''] } },
        { at: 'phone', item: { number: [''] } },
      ],
    },
    linkedinSlug: ['linkedin.handle'],
  },
  discovered: {
    name: ['organization', 'name'],
    domain: ['domain'],
    industry: ['industry'],
    employeeRange: ['headcount'],
    country: ['country'],
  },
  usage: {
    creditsTotal: ['data.requests.credits.available', 'data.requests.searches.available', 'data.calls.available'],
    creditsUsed: ['data.requests.credits.used', 'data.requests.searches.used', 'data.calls.used'],
    plan: ['data.plan_name'],
    renewsAt: ['data.reset_date'],
    limits: ['data.requests'],
  },
})

const operations = (): ApiOperation[] => [
  {
    method: 'GET',
    path: '/v2/people/find',
    title: 'Find one person by e-mail or LinkedIn handle',
    parameters: [...inQuery('email linkedin_handle'), ...inQuery('clearbit_format', { type: 'boolean' })],
  },
  {
    method: 'GET',
    path: '/v2/companies/find',
    title: 'Find one company by domain',
    parameters: [
      ...inQuery('domain', { type: 'string', required: true }),
      ...inQuery('clearbit_format', { type: 'boolean' }),
    ],
  },
  {
    method: 'GET',
    path: '/v2/combined/find',
    title: 'Find one person and the employer by e-mail',
    price: [{ per: 'match', credits: 2 }],
    parameters: [...inQuery('email linkedin_handle'), ...inQuery('clearbit_format', { type: 'boolean' })],
  },
  {
    method: 'GET',
    path: '/v2/domain-search',
    title: 'E-mail addresses of a company',
    parameters: [
      ...inQuery('domain company required_field'),
      ...inQuery('limit offset', { type: 'integer' }),
      ...inQuery('type', { type: 'string', choices: ['personal', 'generic'] }),
      ...inQuery('seniority department'),
    ],
  },
  {
    method: 'GET',
    path: '/v2/email-finder',
    title: 'Most likely e-mail address of a person at a company',
    price: [{ per: 'match', credits: 1 }],
    parameters: [
      ...inQuery('domain company first_name last_name full_name linkedin_handle'),
      ...inQuery('max_duration', { type: 'integer' }),
    ],
  },
  {
    method: 'GET',
    path: '/v2/email-verifier',
    title: 'Whether an e-mail address can be delivered to',
    price: [{ per: 'call', credits: 1 }],
    parameters: inQuery('email', { type: 'string', required: true }),
  },
  {
    method: 'GET',
    path: '/v2/email-count',
    title: 'How many addresses of a company are known',
    price: 'free',
    parameters: inQuery('domain company type'),
  },
  {
    method: 'POST',
    path: '/v2/discover',
    title: 'Search companies by filters',
    effect: 'read',
    effectSource: 'https://hunter.io/api-documentation/v2#discover',
    parameters: [
      ...inBody('query similar_to'),
      ...inBody('organization headquarters_location industry year_founded keywords technology funding', {
        type: 'object',
      }),
      ...inBody('headcount company_type', { type: 'string', list: true }),
      ...inBody('limit offset', { type: 'integer' }),
    ],
  },
  { method: 'GET', path: '/v2/account', title: 'Plan and usage of the account', parameters: [] },
]

/** The wire profile of Hunter's API, version 2. */
export const hunter = (): WireProfile => ({
  profile: 'hunter',
  baseUrl: 'https://api.hunter.io',
  auth: { 'api-key': { place: 'header', fields: { 'X-API-KEY': '{apiKey}' } } },
  reserved: ['api_key', 'api-key', 'apikey', 'x-api-key', 'authorization', 'access_token'],
  pace: {
    limits: [
      { per: 'connection', max: 15, windowMs: second },
      { per: 'connection', max: 500, windowMs: minute },
      { per: 'route', route: '/v2/discover', max: 5, windowMs: second },
      { per: 'route', route: '/v2/discover', max: 50, windowMs: minute },
    ],
    concurrency: 4,
    fallbackMs: minute,
  },
  timeouts: { connectMs: 5_000, headersMs: 30_000, bodyMs: 30_000, totalMs: 60_000, deadlineMs: 300_000 },
  maxReplyBytes: 10 * 1024 * 1024,
  errors: errors(),
  errorDetails: { message: ['errors.0.details'] },
  endpoints: {
    person: person(),
    company: company(),
    'search-contacts': searchContacts(),
    'search-companies': searchCompanies(),
    'reveal-contacts': {
      method: 'GET',
      path: null,
      place: 'query',
      kind: 'person',
      fields: { personId: null },
      price: [],
    },
    ...notMapped(),
    'account-usage': {
      method: 'GET',
      path: '/v2/account',
      place: 'query',
      kind: 'usage',
      fields: {},
      record: [''],
      price: [],
      freshMs: 0,
      probe: { values: {}, credits: 0 },
    },
  },
  test: { endpoint: 'account-usage' },
  validKey: [{ status: 429 }, { status: 451 }],
  operations: operations(),
  records: records(),
  assumed: {
    ...notMappedAssumed(),
    'pace.limits':
      'Limits are documented for each endpoint; those of lookups are applied to everything except the company search.',
    'pace.concurrency': 'Not documented; 4 at once stay below 15 a second.',
    'pace.fallbackMs': 'A refusal does not say when to retry: we wait for one minute, the longer window.',
    timeouts: 'Not documented.',
    maxReplyBytes: 'Not documented.',
    'errors.4':
      'The status for a person who opted out is taken from the documents of other endpoints of this provider.',
    'endpoints.person.noMatch':
      'The status is documented; that the id of the error is not_found is a guess. Other ids count as no match once this endpoint has given a match.',
    'endpoints.company.noMatch': 'As for people.',
    'endpoints.person.price':
      'Prices, and that a lookup without a match is free, are taken from descriptions by third parties.',
    'endpoints.company.price': 'As for people.',
    'endpoints.search-contacts.price':
      'One credit for each 10 addresses, rounded up; a third party says one for each request.',
    'endpoints.search-companies.price':
      'Free according to the documents; a third party says one credit for each request.',
    'endpoints.search-companies.fields.country': 'The documents show the form of locations in different ways.',
    'endpoints.reveal-contacts.path': 'The provider has no such request: its search returns the addresses directly.',
  },
})
