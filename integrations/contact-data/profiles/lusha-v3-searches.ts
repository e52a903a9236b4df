import type { EndpointProfile, PageRule } from '#kit'
import { companySearchFields, contactSearchFields } from './lusha-v3-filters.ts'
import { billed, perResults, perSignal } from './lusha-v3-prices.ts'

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

export const searchContacts = (): EndpointProfile => ({
  method: 'POST',
  path: '/v3/contacts/prospecting',
  place: 'json',
  kind: 'person',
  fields: contactSearchFields(),
  record: ['results'],
  page: page(),
  price: [perResults, perSignal],
  credits: billed,
  probe: { values: { jobTitle: 'no such job title' }, credits: 1 },
})

export const searchCompanies = (): EndpointProfile => ({
  method: 'POST',
  path: '/v3/companies/prospecting',
  place: 'json',
  kind: 'company',
  fields: companySearchFields(),
  constants: { 'filters.companies.include': {} },
  record: ['results'],
  page: page(),
  price: [perResults, perSignal],
  credits: billed,
  probe: { values: { domain: 'nobody.invalid' }, credits: 1 },
})

/** The values of one filter. */
const valueList = (path: string): EndpointProfile => ({
  method: 'GET',
  path,
  place: 'query',
  kind: 'choice',
  fields: {},
  record: ['values'],
  price: [],
  probe: { values: {}, credits: 0 },
})
/** The values of a filter that has too many to list: those that contain a text. */
const searchableList = (path: string): EndpointProfile => ({
  ...valueList(path),
  fields: { query: 'query' },
  requires: [['query']],
  probe: { values: { query: 'ne' }, credits: 0 },
})

const lists = (at: string, names: { [endpoint: string]: string }, make: (path: string) => EndpointProfile) =>
  Object.entries(names).map(([endpoint, type]) => [endpoint, make(`${at}/${type}`)] as const)

/** One endpoint for each list: with a placeholder in the path, every other path there would count as free, too. */
export const valueLists = (): { [endpoint: string]: EndpointProfile } => {
  const [contacts, companies] = ['/v3/contacts/prospecting/filters', '/v3/companies/prospecting/filters']
  const signals = '/v3/companies/signals/filters'
  return Object.fromEntries([
    ...lists(contacts, { 'contact-seniorities': 'seniority', 'contact-data-points': 'existingDataPoints' }, valueList),
    ...lists(contacts, { 'contact-departments': 'departments', 'contact-countries': 'countries' }, valueList),
    ...lists(contacts, { 'contact-locations': 'locations' }, searchableList),
    ...lists(companies, { 'company-industries': 'industriesLabels', 'company-topics': 'intentTopics' }, valueList),
    ...lists(companies, { 'company-sizes': 'sizes', 'company-revenues': 'revenues' }, valueList),
    ...lists(companies, { 'company-sics': 'sics', 'company-naics': 'naics' }, valueList),
    ...lists(companies, { 'company-names': 'names', 'company-technologies': 'technologies' }, searchableList),
    ...lists(companies, { 'company-locations': 'locations' }, searchableList),
    ...lists(signals, { 'signal-departments': 'hiringByDepartments' }, valueList),
    ...lists(signals, { 'signal-categories': 'intentCategories' }, valueList),
    ...lists(signals, { 'signal-locations': 'hiringByLocations' }, searchableList),
  ])
}
