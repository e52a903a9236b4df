/**
 * The operator's override that directs the `anz-data` profile to this sandbox: everything that the documents do not
 * show, as data. Endpoint and field names on the left are those of the integration's profile.
 */
import type { Limits } from '../../lookups/world.ts'

const noMatchOf = (what: string) => [
  { status: 200, path: '', is: 'empty' },
  { status: 404, path: 'error', equals: `${what} profile not found` },
  { status: 500, path: 'error', equals: `${what} profile not found` },
]

const where = { city: ['location.city'], region: ['location.state', 'state'], countryCode: ['location.country'] }

/** Our field names, with their paths in this sandbox's records and search rows. */
const records = {
  person: {
    id: ['id', 'person_id'],
    fullName: ['full_name'],
    firstName: ['first_name'],
    lastName: ['last_name'],
    jobTitle: ['position'],
    seniority: ['seniority'],
    departments: ['department'],
    company: ['company.name', 'company_name'],
    companyId: ['company.id'],
    companyDomain: ['company.domain', 'company_domain'],
    companyAbn: ['company.abn'],
    companySize: ['company_size'],
    linkedinSlug: ['linkedin_slug'],
    emails: { lists: [{ at: 'emails', item: { value: ['address'], type: ['kind'], status: ['deliverability'] } }] },
    phones: { lists: [{ at: 'phones', item: { number: ['number'], type: ['kind'], doNotCall: ['do_not_call'] } }] },
    hasEmail: ['has_email'],
    hasPhone: ['has_phone'],
    hasDoNotCall: ['has_do_not_call'],
    updatedAt: ['updated_at'],
    ...where,
  },
  company: {
    id: ['id'],
    name: ['name'],
    legalName: ['legal_name'],
    abn: ['abn'],
    acn: ['acn'],
    nzbn: ['nzbn'],
    domain: ['domain'],
    website: ['website'],
    industry: ['industry'],
    employeeCount: ['employee_count'],
    employeeRange: ['company_size'],
    foundedYear: ['year_founded'],
    technologies: ['technologies'],
    linkedinSlug: ['linkedin_slug'],
    phones: { lists: [{ at: 'phone', item: { number: [''] }, set: { type: 'office' } }] },
    city: ['location.city'],
    region: ['location.state'],
    countryCode: ['location.country'],
  },
}

export const createOverride = (origin: string, limits: Limits) => ({
  profile: 'anz-data sandbox',
  baseUrl: origin,
  auth: { 'api-key': { place: 'header', fields: { 'x-api-key': '{apiKey}' } } },
  pace: { limits: [{ per: 'connection', max: limits.requests, windowMs: limits.windowMs }], concurrency: 8 },
  errors: [
    { status: 401, failure: 'not_connected' },
    { status: 402, failure: 'credits_exhausted' },
    { status: 429, failure: 'rate_limited' },
    { status: 451, failure: 'suppressed' },
  ],
  rejectsBeforeExecuting: [400, 401, 402, 404, 405, 415, 429, 451],
  endpoints: {
    'enrich-person': { record: ['person'], noMatch: noMatchOf('Person'), credits: { path: 'credits_charged' } },
    'enrich-company': { record: ['company'], noMatch: noMatchOf('Company'), credits: { path: 'credits_charged' } },
    'search-people': {
      fields: { states: { name: 'states', as: 'list' }, companySize: 'company_size' },
      record: ['results'],
      credits: { path: 'credits_charged' },
      page: {
        style: 'page',
        place: 'json',
        position: 'page',
        size: 'page_size',
        firstPage: 1,
        max: 50,
        default: 25,
        total: 'total',
      },
    },
  },
  records,
})
