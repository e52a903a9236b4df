import type {
  ApiOperation,
  EndpointProfile,
  ErrorRule,
  FieldWire,
  PageRule,
  PricePart,
  ReplyCondition,
  WireProfile,
} from '#kit'
import { lushaRecords } from './lusha-records.ts'
import { lusha, lushaAssumed } from './lusha.ts'
import { inBody, inPath, inQuery } from './parameters.ts'

const perField: PricePart[] = [
  { per: 'match', credits: 1, wanted: 'emails' },
  { per: 'match', credits: 5, wanted: 'phones' },
]
const perResults: PricePart = { per: 'results', credits: 1, of: 25 }
const billed = { path: 'billing.creditsCharged' }

const reveal: FieldWire = {
  name: 'reveal',
  map: { emails: 'emails', phones: 'phones' },
  labels: { emails: 'E-mails', phones: 'Phones' },
  as: 'list',
}

const itemNoMatch: ReplyCondition[] = [{ path: 'error.code', equals: 'NOT_FOUND' }]
const itemErrors: ErrorRule[] = [
  { path: 'error.code', equals: 'COMPLIANCE_RESTRICTED', failure: 'suppressed' },
  { path: 'error.code', equals: 'ENRICH_FAILED', failure: 'provider_failed' },
  { path: 'error', is: 'present', failure: 'rejected' },
]

/** A single lookup is sent as a list of one, so its response has the same error codes as an item of a bulk response. */
const single = () => ({
  record: ['results'],
  noMatch: [{ status: [200, 299], path: 'results.0.error.code', equals: 'NOT_FOUND' }] satisfies ReplyCondition[],
  errors: [
    { status: [200, 299], path: 'results.0.error.code', equals: 'COMPLIANCE_RESTRICTED', failure: 'suppressed' },
    {
      status: [200, 299],
      path: 'results.0.error.code',
      equals: 'ENRICH_FAILED',
      failure: 'provider_failed',
      message: 'Lusha found the record but could not complete it. Try again later.',
    },
    { status: [200, 299], path: 'results.0.error', is: 'present', failure: 'rejected' },
  ] satisfies ErrorRule[],
})

const many = {
  envelope: '',
  answer: 'array' as const,
  answers: 'results',
  charge: 'match' as const,
  itemNoMatch,
  itemErrors,
  max: 100,
}

const person = (): EndpointProfile => ({
  method: 'POST',
  path: '/v3/contacts/search-and-enrich',
  place: 'json',
  kind: 'person',
  fields: {
    email: 'contacts.0.email',
    linkedinUrl: 'contacts.0.linkedinUrl',
    firstName: 'contacts.0.firstName',
    lastName: 'contacts.0.lastName',
    company: 'contacts.0.companyName',
    companyDomain: 'contacts.0.companyDomain',
    personId: 'contacts.0.id',
    reveal,
  },
  requires: [
    ['personId'],
    ['linkedinUrl'],
    ['email'],
    ['firstName', 'lastName', 'company'],
    ['firstName', 'lastName', 'companyDomain'],
  ],
  identifiers: 'all',
  ...single(),
  price: [perResults, ...perField],
  credits: billed,
  probe: { values: { email: 'nobody@example.invalid' }, credits: 1 },
  bulk: {
    ...many,
    path: '/v3/contacts/search-and-enrich',
    envelope: 'contacts',
    fields: {
      email: 'email',
      linkedinUrl: 'linkedinUrl',
      firstName: 'firstName',
      lastName: 'lastName',
      company: 'companyName',
      companyDomain: 'companyDomain',
      personId: 'id',
      reveal,
    },
    beside: ['reveal'],
    itemId: 'clientReferenceId',
  },
})

const company = (): EndpointProfile => ({
  method: 'POST',
  path: '/v3/companies/search-and-enrich',
  place: 'json',
  kind: 'company',
  fields: { domain: 'companies.0.domain', name: 'companies.0.name', companyId: 'companies.0.id' },
  requires: [['companyId'], ['domain'], ['name']],
  identifiers: 'all',
  ...single(),
  price: [{ per: 'match', credits: 1 }],
  credits: billed,
  probe: { values: { domain: 'nobody.invalid' }, credits: 1 },
  bulk: {
    ...many,
    path: '/v3/companies/search-and-enrich',
    envelope: 'companies',
    fields: { domain: 'domain', name: 'name', companyId: 'id' },
    itemId: 'clientReferenceId',
  },
})

const page = (): PageRule => ({
  style: 'page',
  place: 'json',
  position: 'pagination.page',
  size: 'pagination.size',
  firstPage: 0,
  min: 10,
  max: 100,
  default: 25,
  last: 1000,
  total: 'pagination.total',
})

const range = [{ min: '{min}', max: '{max}' }]
const listed = (endpoint: string, value: string, label: string) => ({ endpoint, list: 'values', value, label })

const searchContacts = (): EndpointProfile => ({
  method: 'POST',
  path: '/v3/contacts/prospecting',
  place: 'json',
  kind: 'person',
  fields: {
    jobTitle: { name: 'filters.contacts.include.jobTitles', as: 'list' },
    seniority: {
      name: 'filters.contacts.include.seniorityIds',
      as: 'list',
      choices: listed('contact-seniorities', 'id', 'name'),
    },
    department: {
      name: 'filters.contacts.include.departments',
      as: 'list',
      choices: listed('contact-departments', '', ''),
    },
    country: { name: 'filters.contacts.include.countries', as: 'list' },
    company: { name: 'filters.companies.include.names', as: 'list' },
    companyDomain: { name: 'filters.companies.include.domains', as: 'list' },
    industry: {
      name: 'filters.companies.include.mainIndustriesIds',
      as: 'list',
      choices: listed('company-industries', 'main_industry_id', 'main_industry'),
    },
    companySize: { name: 'filters.companies.include.sizes', template: range },
    revenue: { name: 'filters.companies.include.revenues', template: range },
    technologies: { name: 'filters.companies.include.technologies', as: 'list' },
  },
  record: ['results'],
  page: page(),
  price: [perResults],
  credits: billed,
  probe: { values: { jobTitle: 'no such job title' }, credits: 1 },
})

const searchCompanies = (): EndpointProfile => ({
  method: 'POST',
  path: '/v3/companies/prospecting',
  place: 'json',
  kind: 'company',
  fields: {
    name: { name: 'filters.companies.include.names', as: 'list' },
    domain: { name: 'filters.companies.include.domains', as: 'list' },
    industry: {
      name: 'filters.companies.include.mainIndustriesIds',
      as: 'list',
      choices: listed('company-industries', 'main_industry_id', 'main_industry'),
    },
    country: { name: 'filters.companies.include.locations', template: [{ country: '{countryName}' }] },
    size: { name: 'filters.companies.include.sizes', template: range },
    revenue: { name: 'filters.companies.include.revenues', template: range },
    technologies: { name: 'filters.companies.include.technologies', as: 'list' },
  },
  record: ['results'],
  page: page(),
  price: [perResults],
  credits: billed,
  probe: { values: { domain: 'nobody.invalid' }, credits: 1 },
})

const revealContacts = (): EndpointProfile => ({
  method: 'POST',
  path: '/v3/contacts/enrich',
  place: 'json',
  kind: 'person',
  fields: { personId: { name: 'ids', as: 'list' }, reveal },
  requires: [['personId']],
  ...single(),
  price: perField,
  credits: billed,
  probe: { values: { personId: '0' }, credits: 0 },
  bulk: {
    ...many,
    path: '/v3/contacts/enrich',
    envelope: 'ids',
    items: 'value',
    fields: { personId: 'id', reveal },
    beside: ['reveal'],
    answerId: 'id',
  },
})

const list = (path: string): EndpointProfile => ({
  method: 'GET',
  path,
  place: 'query',
  kind: 'choice',
  fields: {},
  record: ['values'],
  price: [],
  probe: { values: {}, credits: 0 },
})

const endpoints = (): NonNullable<WireProfile['endpoints']> => ({
  person: person(),
  company: company(),
  'search-contacts': searchContacts(),
  'search-companies': searchCompanies(),
  'reveal-contacts': revealContacts(),
  'account-usage': {
    method: 'GET',
    path: '/v3/account/usage',
    place: 'query',
    kind: 'usage',
    fields: {},
    record: [''],
    price: [],
    probe: { values: {}, credits: 0 },
  },
  'contact-seniorities': list('/v3/contacts/prospecting/filters/seniority'),
  'contact-departments': list('/v3/contacts/prospecting/filters/departments'),
  'company-industries': list('/v3/companies/prospecting/filters/industriesLabels'),
})

const contactTypes = ['departments', 'seniority', 'existingDataPoints', 'countries', 'locations']
const companyTypes = [
  'names',
  'sizes',
  'revenues',
  'locations',
  'sics',
  'naics',
  'industriesLabels',
  'intentTopics',
  'technologies',
]
/** Requesting signals, or storing the records in a table, costs more, but the provider does not document how much. */
const extras = ['signals', 'tableId']
const filterExtras = ['tableId', 'filters.contacts.include.signals', 'filters.companies.include.signals']
const objects = { type: 'object', list: true, required: true } as const

const operations = (): ApiOperation[] => [
  {
    method: 'POST',
    path: '/v3/contacts/search-and-enrich',
    title: 'Find contacts and reveal their data',
    effect: 'read',
    unpriced: [...extras, 'waterfallEnabled'],
    parameters: [
      ...inBody('contacts', objects),
      ...inBody('reveal', { type: 'string', list: true, choices: ['emails', 'phones'] }),
    ],
  },
  {
    method: 'POST',
    path: '/v3/contacts/search',
    title: 'Find contacts by what identifies them',
    effect: 'read',
    price: [perResults],
    credits: billed,
    records: { in: ['contacts'], most: 100 },
    unpriced: extras,
    parameters: inBody('contacts', objects),
  },
  {
    method: 'POST',
    path: '/v3/companies/search',
    title: 'Find companies by what identifies them',
    effect: 'read',
    price: [perResults],
    credits: billed,
    records: { in: ['companies'], most: 100 },
    unpriced: extras,
    parameters: inBody('companies', objects),
  },
  {
    method: 'POST',
    path: '/v3/contacts/enrich',
    title: 'Reveal contacts by their ids',
    effect: 'read',
    unpriced: [...extras, 'waterfallEnabled'],
    parameters: [
      ...inBody('ids', { type: 'string', list: true, required: true }),
      ...inBody('reveal', { type: 'string', list: true, choices: ['emails', 'phones'] }),
    ],
  },
  {
    method: 'POST',
    path: '/v3/companies/search-and-enrich',
    title: 'Find companies and reveal their data',
    effect: 'read',
    unpriced: [...extras, 'reveal'],
    parameters: inBody('companies', objects),
  },
  ...['contacts', 'companies'].map((what): ApiOperation => ({
    method: 'POST',
    path: `/v3/${what}/prospecting`,
    title: `Search ${what} by filters`,
    effect: 'read',
    unpriced: filterExtras,
    parameters: inBody('pagination filters', { type: 'object', required: true }),
  })),
  { method: 'GET', path: '/v3/account/usage', title: 'Credits, rate limits and prices of the account', parameters: [] },
  {
    method: 'GET',
    path: '/v3/contacts/prospecting/filters/{filterType}',
    title: 'Values of a filter for contacts',
    price: 'free',
    parameters: [{ ...inPath('filterType')[0]!, choices: contactTypes }, ...inQuery('query')],
  },
  {
    method: 'GET',
    path: '/v3/companies/prospecting/filters/{filterType}',
    title: 'Values of a filter for companies',
    price: 'free',
    parameters: [{ ...inPath('filterType')[0]!, choices: companyTypes }, ...inQuery('query')],
  },
]

const assumed = {
  ...lushaAssumed,
  'endpoints.person.price':
    'The provider charges a search and each field revealed; that a search costs 1 credit for 25 results and nothing without a result is taken from its price pages, which contradict each other. The charge that the answer reports counts.',
  'endpoints.person.probe':
    'Two pages contradict each other on whether a search without a result is charged: the probe may cost 1 credit.',
  'endpoints.person.errors': 'The codes are documented; that ENRICH_FAILED may be tried again is a guess.',
  'endpoints.person.record': 'An empty list of results for one person is read as no match.',
  'endpoints.search-contacts.fields.country':
    'Codes under "countries" are documented, and sent by a client of the provider; which it knows is not.',
  'endpoints.search-companies.fields.country':
    'Codes are documented but were seen to be refused. English names are sent; one spelled differently finds nothing.',
  'endpoints.search-contacts.fields.technologies':
    'Names must be spelled as in the list of technologies; others silently find nobody. Forms do not show the list, because it can only be searched by text.',
  'endpoints.search-contacts.page.total': 'Only an example shows the name of the total.',
  'endpoints.contact-seniorities.record':
    'The answer of a list of values is shown as "values" without the form of its items, which is taken to be that of version 2.',
  'endpoints.contact-departments.record': 'As for seniorities.',
  'endpoints.company-industries.record': 'As for seniorities.',
  'endpoints.reveal-contacts.probe': 'That an unknown id costs nothing is a guess.',
}

/** The wire profile of version 3 of Lusha's API, the current one. */
export const lushaV3 = (): WireProfile => ({
  ...lusha(),
  profile: 'lusha-v3',
  endpoints: endpoints(),
  records: lushaRecords,
  operations: operations(),
  assumed,
})
