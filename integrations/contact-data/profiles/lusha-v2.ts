import { excluded } from '#kit'
import type {
  EndpointProfile,
  ErrorRule,
  FieldWire,
  FieldWireSpec,
  PageRule,
  PricePart,
  ReplyCondition,
  WireProfile,
} from '#kit'
import { lushaRecords } from './lusha-records.ts'
import { lushaV2Operations, pricePerField } from './lusha-v2-operations.ts'
import { lusha, lushaAssumed } from './lusha.ts'
import { notMapped, notMappedAssumed } from './not-mapped.ts'

/** What each batch of results costs in addition to the matches. */
const pricePerResults: PricePart = { per: 'results', credits: 1, of: 25 }
const labels = { emails: 'E-mails', phones: 'Phones' }
const reveal: FieldWire = { name: null, flags: { emails: 'revealEmails', phones: 'revealPhones' }, labels }
const revealMany: FieldWire = {
  name: null,
  flags: { emails: 'metadata.revealEmails', phones: 'metadata.revealPhones' },
  labels,
}

const isMiss = (at: string): ReplyCondition[] => [
  { path: `${at}error.name`, equals: 'EMPTY_DATA' },
  { path: `${at}error.code`, equals: 3 },
]
const isError = (at: string): ErrorRule[] => [
  { path: `${at}error.code`, equals: 451, failure: 'suppressed' },
  { path: `${at}error.message`, contains: 'GDPR', failure: 'suppressed' },
  { path: `${at}error`, is: 'present', failure: 'rejected' },
]
const ok = <T extends ReplyCondition>(rules: T[]): T[] => rules.map((rule) => ({ ...rule, status: [200, 299] }))

/**
 * The description uses "Resource not found" for a person who was not found; the guide uses "endpoint not found" for the
 * same status.
 */
const notThere: ReplyCondition[] = ['message', 'error.message'].map((path) => ({
  status: 404,
  path,
  equals: 'Resource not found',
}))

const person = (): EndpointProfile => ({
  method: 'GET',
  path: '/v2/person',
  place: 'query',
  kind: 'person',
  fields: {
    email: 'email',
    linkedinUrl: 'linkedinUrl',
    firstName: 'firstName',
    lastName: 'lastName',
    company: 'companyName',
    companyDomain: 'companyDomain',
    personId: 'personId',
    reveal,
  },
  requires: [
    ['personId'],
    ['email'],
    ['linkedinUrl'],
    ['firstName', 'lastName', 'company'],
    ['firstName', 'lastName', 'companyDomain'],
  ],
  identifiers: 'one',
  record: ['contact.data'],
  recordIs: 'object',
  noMatch: ok(isMiss('contact.')),
  noMatchOnceMatched: notThere,
  errors: ok(isError('contact.')),
  price: pricePerField,
  credits: { flag: 'contact.isCreditCharged' },
  probe: { values: { email: 'nobody@example.invalid' }, credits: 1 },
  bulk: {
    path: '/v2/person',
    max: 100,
    envelope: 'contacts',
    fields: {
      email: 'email',
      linkedinUrl: 'linkedinUrl',
      firstName: { name: 'fullName', template: '{firstName} {lastName}' },
      lastName: { name: 'fullName', template: '{firstName} {lastName}' },
      company: { name: 'companies', template: [{ name: '{company}', domain: '{companyDomain}', isCurrent: true }] },
      companyDomain: {
        name: 'companies',
        template: [{ name: '{company}', domain: '{companyDomain}', isCurrent: true }],
      },
      personId: 'personId',
      reveal: revealMany,
    },
    beside: ['reveal'],
    itemId: 'contactId',
    answer: 'byId',
    answers: 'contacts',
    charge: 'match',
    price: [pricePerResults, ...pricePerField],
    credits: { flag: 'isCreditCharged' },
    itemNoMatch: isMiss(''),
    itemErrors: isError(''),
    itemRecord: ['data'],
  },
  joins: [{ into: 'company', from: 'companies', by: 'companyId' }],
})

const company = (): EndpointProfile => ({
  method: 'GET',
  path: '/v2/company',
  place: 'query',
  kind: 'company',
  fields: { domain: 'domain', name: 'company', companyId: 'companyId' },
  requires: [['companyId'], ['domain'], ['name']],
  identifiers: 'one',
  record: ['data'],
  recordIs: 'object',
  noMatch: [
    ...ok(isMiss('')),
    { status: [200, 299], path: 'errors.name', equals: 'EMPTY_DATA' },
    { status: [200, 299], path: 'data', is: 'null' },
  ],
  noMatchOnceMatched: [...notThere, { status: 404, path: 'message', begins: 'company not found' }],
  price: [{ per: 'match', credits: 1 }],
  probe: { values: { domain: 'nobody.invalid' }, credits: 1 },
  bulk: {
    path: '/v2/company',
    max: 100,
    envelope: 'companies',
    fields: { domain: 'domain', name: 'name', companyId: 'companyId' },
    itemId: 'id',
    answer: 'byId',
    answers: ['companies', 'data', ''],
    charge: 'match',
    price: [pricePerResults, { per: 'match', credits: 1 }],
    itemNoMatch: [{ path: '', is: 'empty' }, ...isMiss('')],
    itemErrors: isError(''),
    itemRecord: ['data', ''],
  },
})

const page = (): PageRule => ({
  style: 'page',
  place: 'json',
  position: 'pages.page',
  size: 'pages.size',
  firstPage: 0,
  min: 10,
  max: 50,
  default: 20,
  last: 1000,
  total: 'totalResults',
})

const range = [{ min: '{min}', max: '{max}' }]
const listed = (endpoint: string, value: string, label: string) => ({ endpoint, list: '', value, label })
type Wires = { [ours: string]: FieldWireSpec }
const lists = (at: string, names: { [ours: string]: string }): Wires =>
  Object.fromEntries(Object.entries(names).map(([ours, wire]) => [ours, { name: `${at}.${wire}`, as: 'list' }]))

/** A place that results must have has all given properties; results are excluded by each of them. */
const places = (at: string, names: { [ours: string]: string }, isExcluded: boolean): Wires =>
  Object.fromEntries(
    Object.entries(names).map(([ours, part]): [string, FieldWireSpec] => {
      const value = part === 'country' ? '{countryName}' : '{value}'
      const name = `${at}.locations`
      return [ours, isExcluded ? { name, add: true, template: { [part]: value } } : { name, part, template: value }]
    }),
  )

/** What both searches can say of companies; `at`: the side. */
const companiesAt = (at: string): Wires => ({
  industry: {
    name: `${at}.mainIndustriesIds`,
    as: 'list',
    choices: listed('company-industries', 'main_industry_id', 'main_industry'),
  },
  subIndustry: { name: `${at}.subIndustriesIds`, as: 'number', template: ['{value}'] },
  ...lists(at, { sic: 'sicCodes', naics: 'naicsCodes', intentTopic: 'intentTopics' }),
  revenue: { name: `${at}.revenues`, template: range },
  technologies: { name: `${at}.technologies`, template: [{ name: '{value}' }] },
})

const contactsSide = (side: 'include' | 'exclude'): Wires => {
  const [contacts, companies] = [`filters.contacts.${side}`, `filters.companies.${side}`]
  const place = { country: 'country', state: 'state', city: 'city', continent: 'continent' }
  return {
    ...lists(contacts, { jobTitle: 'jobTitles', has: 'existing_data_points', linkedinUrl: 'linkedinUrls' }),
    text: { name: `${contacts}.searchText`, single: true },
    seniority: { name: `${contacts}.seniority`, as: 'list', choices: listed('contact-seniorities', 'id', 'name') },
    department: { name: `${contacts}.departments`, as: 'list', choices: listed('contact-departments', '', '') },
    ...places(contacts, { ...place, countryGroup: 'country_grouping' }, side === 'exclude'),
    ...lists(companies, { company: 'names', companyDomain: 'domains' }),
    companySize: { name: `${companies}.sizes`, template: range },
    ...companiesAt(companies),
  }
}

const companiesSide = (side: 'include' | 'exclude'): Wires => {
  const at = `filters.companies.${side}`
  const place = { country: 'country', state: 'state', city: 'city', continent: 'continent' }
  return {
    ...lists(at, { name: 'names', domain: 'domains' }),
    text: { name: `${at}.searchText`, single: true },
    size: { name: `${at}.sizes`, template: range },
    ...places(at, place, side === 'exclude'),
    ...companiesAt(at),
  }
}

const bothSides = (of: (side: 'include' | 'exclude') => Wires): Wires => ({
  ...of('include'),
  ...Object.fromEntries(Object.entries(of('exclude')).map(([ours, wire]) => [excluded(ours), wire])),
})

const searchContacts = (): EndpointProfile => ({
  method: 'POST',
  path: '/prospecting/contact/search',
  place: 'json',
  kind: 'person',
  fields: {
    ...bothSides(contactsSide),
    [excluded('doNotCall')]: { name: 'excludeDnc', map: { yes: true }, single: true },
  },
  record: ['contacts', 'data'],
  page: page(),
  searchId: 'requestId',
  price: [],
  probe: { values: { jobTitle: 'no such job title' }, credits: 0 },
})

const searchCompanies = (): EndpointProfile => ({
  method: 'POST',
  path: '/prospecting/company/search',
  place: 'json',
  kind: 'company',
  fields: bothSides(companiesSide),
  record: ['companies', 'data'],
  page: page(),
  searchId: 'requestId',
  price: [],
  probe: { values: { domain: 'nobody.invalid' }, credits: 0 },
})

const revealContacts = (): EndpointProfile => ({
  method: 'POST',
  path: '/prospecting/contact/enrich',
  place: 'json',
  kind: 'person',
  fields: { personId: { name: 'contactIds', as: 'list' }, searchId: 'requestId', reveal },
  requires: [['personId', 'searchId']],
  record: ['contacts.0.data'],
  recordIs: 'object',
  noMatch: [...ok(isMiss('contacts.0.')), { status: [200, 299], path: 'contacts.0.isSuccess', equals: false }],
  price: pricePerField,
  bulk: {
    path: '/prospecting/contact/enrich',
    max: 100,
    envelope: 'contactIds',
    items: 'value',
    fields: { personId: 'id', searchId: 'requestId', reveal },
    beside: ['searchId', 'reveal'],
    answerId: 'id',
    answer: 'array',
    answers: 'contacts',
    charge: 'match',
    itemNoMatch: [...isMiss(''), { path: 'isSuccess', equals: false }],
    itemErrors: isError(''),
    itemRecord: ['data'],
  },
})

const list = (path: string): EndpointProfile => ({
  method: 'GET',
  path,
  place: 'query',
  kind: 'choice',
  fields: {},
  record: [''],
  price: [],
  probe: { values: {}, credits: 0 },
})

const endpoints = (): NonNullable<WireProfile['endpoints']> => ({
  person: person(),
  company: company(),
  'search-contacts': searchContacts(),
  'search-companies': searchCompanies(),
  'reveal-contacts': revealContacts(),
  ...notMapped(['contact-seniorities']),
  'account-usage': {
    method: 'GET',
    path: '/account/usage',
    place: 'query',
    kind: 'usage',
    fields: {},
    record: [''],
    price: [],
    freshMs: 0,
    probe: { values: {}, credits: 0 },
  },
  'contact-seniorities': list('/prospecting/filters/contacts/seniority'),
  'contact-departments': list('/prospecting/filters/contacts/departments'),
  'contact-data-points': list('/prospecting/filters/contacts/existing_data_points'),
  'contact-countries': list('/prospecting/filters/contacts/all_countries'),
  'company-industries': list('/prospecting/filters/companies/industries_labels'),
  'company-sizes': list('/prospecting/filters/companies/sizes'),
  'company-revenues': list('/prospecting/filters/companies/revenues'),
  'company-sics': list('/prospecting/filters/companies/sics'),
  'company-naics': list('/prospecting/filters/companies/naics'),
  'company-topics': list('/prospecting/filters/companies/intent_topics'),
})

const assumed = {
  ...notMappedAssumed(['contact-seniorities']),
  ...lushaAssumed,
  'endpoints.person.price':
    'E-mail and phone prices are documented; the documents disagree on whether a no match is charged. The answer says whether it was charged, not how much: the amount is taken from the prices.',
  'endpoints.person.probe':
    'The documents disagree on whether a search without a result is charged: the probe may cost 1 credit.',
  'endpoints.person.errors':
    'Errors inside an answer of status 200 are shown with code, name and message. Which of them mean a person who opted out is a guess.',
  'endpoints.person.noMatchOnceMatched':
    'One page says that a 404 means a wrong address, another that it means no such person.',
  'endpoints.person.bulk.fields.reveal': 'Only an example shows that the choice of fields goes into "metadata".',
  'endpoints.company.noMatch':
    'The answer for a missing company is not documented: taken to be as for persons, or an empty "data".',
  'endpoints.company.noMatchOnceMatched': 'As for people.',
  'endpoints.company.price': 'No answer about a company says whether it was charged.',
  'endpoints.company.bulk.path': 'Another page documents POST /bulk/company/v2 for the same request.',
  'endpoints.company.bulk.answers':
    'Answers are objects keyed by our ids; one page shows them under "companies", another at the top level.',
  'endpoints.search-contacts.record': '"contacts" is documented; a public client reads "data".',
  'endpoints.search-companies.record': 'As for contacts.',
  'endpoints.search-contacts.fields.country':
    'English names are sent; a country that the provider spells differently silently finds nobody.',
  'endpoints.search-contacts.fields.technologies':
    'Names must be spelled as in the list of technologies; others silently find nobody. Forms do not show the list, because it can only be searched by text.',
  'endpoints.search-companies.fields.technologies':
    'As for contacts. An example shows plain names, the API description objects.',
  'endpoints.reveal-contacts.noMatch': 'That "isSuccess": false means that there is nothing to reveal is a guess.',
}

/** The wire profile of version 2 of Lusha's API, which the provider is about to retire. */
export const lushaV2 = (): WireProfile => ({
  ...lusha(),
  profile: 'lusha-v2',
  endpoints: endpoints(),
  records: lushaRecords,
  operations: lushaV2Operations(),
  assumed,
})
