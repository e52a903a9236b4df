/**
 * The operator's override that directs the `contact-data` profile to this sandbox: everything that the documents do not
 * show, as data. Endpoint and field names on the left are those of the integration's profile.
 */
import type { Limits } from '../../lookups/world.ts'

const noMatchOf = (what: string) => [
  { status: 200, path: '', is: 'empty' },
  { status: 404, path: 'error.message', equals: `${what} not found` },
  { status: 500, path: 'error', equals: `${what} not found` },
]

const itemOf = (what: string) => ({
  max: 100,
  envelope: '',
  answer: 'array',
  answers: '',
  charge: 'record',
  itemNoMatch: [
    { path: '', is: 'empty' },
    { path: 'error.message', equals: `${what} not found` },
    { path: 'error', equals: `${what} not found` },
  ],
  itemErrors: [
    { path: 'error.code', equals: 'SUPPRESSED', failure: 'suppressed' },
    { path: 'error', is: 'present', failure: 'rejected' },
  ],
  itemRecord: ['data'],
})

const credits = { header: 'x-credits-charged' }
const page = {
  style: 'cursor',
  place: 'json',
  position: 'cursor',
  size: 'limit',
  max: 100,
  default: 20,
  total: 'total',
  nextCursor: 'nextCursor',
}

const where = {
  city: ['location.city'],
  region: ['location.state'],
  country: ['location.country'],
  countryCode: ['location.countryCode'],
}

/** Our field names, with their paths in this sandbox's records and search rows. */
const records = {
  person: {
    id: ['personId'],
    fullName: ['fullName'],
    firstName: ['firstName'],
    lastName: ['lastName'],
    jobTitle: ['jobTitle.title'],
    seniority: ['jobTitle.seniority'],
    departments: ['jobTitle.departments'],
    company: ['company.name'],
    companyId: ['company.id'],
    companyDomain: ['company.domain'],
    linkedinUrl: ['socialLinks.linkedin'],
    emails: {
      lists: [{ at: 'emailAddresses', item: { value: ['email'], type: ['type'], confidence: ['confidence'] } }],
    },
    phones: { lists: [{ at: 'phoneNumbers', item: { number: ['number'], type: ['type'], doNotCall: ['doNotCall'] } }] },
    updatedAt: ['updateDate'],
    ...where,
  },
  company: {
    id: ['companyId'],
    name: ['name'],
    legalName: ['legalName'],
    domain: ['domain'],
    website: ['website'],
    industry: ['mainIndustry'],
    employeeCount: ['employees.exact'],
    employeeRange: ['employees.range'],
    revenue: ['revenueRange'],
    foundedYear: ['founded'],
    technologies: ['technologies'],
    linkedinUrl: ['socialLinks.linkedin'],
    phones: { lists: [{ at: 'phone', item: { number: [''] }, set: { type: 'office' } }] },
    ...where,
  },
}

export const createOverride = (origin: string, limits: Limits) => ({
  profile: 'contact-data sandbox',
  baseUrl: origin,
  auth: { 'api-key': { place: 'header', fields: { authorization: 'Bearer {apiKey}' } } },
  pace: { limits: [{ per: 'connection', max: limits.requests, windowMs: limits.windowMs }], concurrency: 8 },
  errors: [
    { status: 401, failure: 'not_connected' },
    { status: 402, failure: 'credits_exhausted' },
    { status: 429, failure: 'rate_limited' },
    { status: 451, failure: 'suppressed' },
  ],
  rejectsBeforeExecuting: [400, 401, 402, 404, 405, 415, 429, 451],
  endpoints: {
    person: {
      record: ['data'],
      noMatch: noMatchOf('Person'),
      credits,
      bulk: { path: '/person/bulk', ...itemOf('Person') },
    },
    company: {
      record: ['data'],
      noMatch: noMatchOf('Company'),
      credits,
      bulk: { path: '/company/bulk', ...itemOf('Company') },
    },
    'search-contacts': {
      method: 'POST',
      path: '/person/search',
      place: 'json',
      fields: { jobTitle: 'jobTitle', company: 'company', location: 'location', industry: 'industry', role: 'role' },
      record: ['people'],
      credits,
      page,
    },
    'search-companies': {
      method: 'POST',
      path: '/company/search',
      place: 'json',
      fields: { industry: 'industry', location: 'location', size: 'size', name: 'name' },
      record: ['companies'],
      credits,
      page,
    },
  },
  records,
})
