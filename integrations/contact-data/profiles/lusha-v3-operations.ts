import type { ApiOperation } from '#kit'
import { billed, perResults } from './lusha-v3-prices.ts'
import { companySignals, contactSignals } from './lusha-v3-signals.ts'
import { inBody, inPath, inQuery } from './parameters.ts'

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

/** The provider's reference: these requests look up, search and reveal. */
const documentation = 'https://docs.lusha.com/api-reference/overview'

const companyFields = [
  'employeesByDepartment',
  'employeesByLocation',
  'employeesBySeniority',
  'competitors',
  'intent',
  'estimatedAnnualItSpend',
  'monthlyWebsiteTraffic',
]
const signalFilters = ['newsEventTypes', 'hiringByDepartments', 'hiringByLocations', 'intentCategories']

/** Requests for the signals and scores of contacts or companies. */
const signalReads = (what: 'contacts' | 'companies', types: string[]): ApiOperation[] => [
  {
    method: 'POST',
    path: `/v3/${what}/signals`,
    title: `Signals of ${what}`,
    effect: 'read',
    effectSource: documentation,
    // Each kind of signal is charged for each record that has it.
    price: [{ per: 'match', credits: types.length }],
    credits: billed,
    records: { in: ['ids'], most: 100 },
    unpriced: ['tableId'],
    parameters: [
      ...inBody('ids', { type: 'string', list: true, required: true }),
      ...inBody('signalTypes', { type: 'string', list: true, required: true, choices: ['allSignals', ...types] }),
      ...inBody('startDate', { type: 'string' }),
      ...inBody('maxResultsPerSignal', { type: 'integer' }),
      ...(what === 'companies' ? inBody('filters', { type: 'object' }) : []),
    ],
  },
  {
    method: 'GET',
    path: `/v3/${what}/signals/types`,
    title: `Signals that ${what} have`,
    price: 'free',
    parameters: [],
  },
  {
    method: 'POST',
    path: `/v3/${what}/signal-score`,
    title: `Score ${what} by their signals`,
    effect: 'read',
    effectSource: documentation,
    parameters: inBody(what, objects),
  },
]

/** Look-ups, reveals and searches. */
const lookUps = (): ApiOperation[] => [
  {
    method: 'POST',
    path: '/v3/contacts/search-and-enrich',
    title: 'Find contacts and reveal their data',
    effect: 'read',
    effectSource: documentation,
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
    effectSource: documentation,
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
    effectSource: documentation,
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
    effectSource: documentation,
    unpriced: extras,
    parameters: [
      ...inBody('ids', { type: 'string', list: true, required: true }),
      ...inBody('reveal', { type: 'string', list: true, choices: ['emails', 'phones'] }),
      ...inBody('waterfallEnabled', { type: 'boolean' }),
    ],
  },
  {
    method: 'POST',
    path: '/v3/companies/search-and-enrich',
    title: 'Find companies and reveal their data',
    effect: 'read',
    effectSource: documentation,
    unpriced: [...extras, 'reveal'],
    parameters: inBody('companies', objects),
  },
  ...['contacts', 'companies'].map((what): ApiOperation => ({
    method: 'POST',
    path: `/v3/${what}/prospecting`,
    title: `Search ${what} by filters`,
    effect: 'read',
    effectSource: documentation,
    unpriced: filterExtras,
    parameters: [
      ...inBody('pagination filters', { type: 'object', required: true }),
      ...inBody('options', { type: 'object' }),
    ],
  })),
]

/** What more is known of contacts and companies. */
const details = (): ApiOperation[] => [
  {
    method: 'POST',
    path: '/v3/companies/enrich',
    title: 'Reveal companies by their ids, with chosen fields',
    effect: 'read',
    effectSource: documentation,
    unpriced: ['tableId'],
    parameters: [
      ...inBody('ids', { type: 'string', list: true, required: true }),
      ...inBody('reveal', { type: 'string', list: true, choices: companyFields }),
    ],
  },
  ...['contacts', 'companies'].map((what): ApiOperation => ({
    method: 'POST',
    path: `/v3/${what}/lookalike`,
    title: `Find ${what} that are similar to others`,
    effect: 'read',
    effectSource: documentation,
    unpriced: ['tableId'],
    parameters: [
      ...inBody('seeds', { type: 'object', required: true }),
      ...inBody('exclude', { type: 'object' }),
      ...inBody('limit', { type: 'integer' }),
      ...inBody('dedupeSessionId', { type: 'string' }),
    ],
  })),
  {
    method: 'POST',
    path: '/v3/contacts/buying-group',
    title: 'Find the people who decide on a purchase in a company',
    effect: 'read',
    effectSource: documentation,
    parameters: [
      ...inBody('companies', objects),
      ...inBody('personas', {
        type: 'string',
        list: true,
        choices: ['decision_maker', 'potential_champion', 'end_user'],
      }),
      ...inBody('contactsLimit', { type: 'integer' }),
      ...inBody('pagination', { type: 'object' }),
    ],
  },
  ...signalReads('contacts', contactSignals),
  ...signalReads('companies', companySignals),
  { method: 'GET', path: '/v3/companies/signals/filters', title: 'Filters of signals', price: 'free', parameters: [] },
  {
    method: 'GET',
    path: '/v3/companies/signals/filters/{filterType}',
    title: 'Values of a filter for signals',
    price: 'free',
    parameters: [{ ...inPath('filterType')[0]!, choices: signalFilters }, ...inQuery('query')],
  },
  {
    method: 'POST',
    path: '/v3/companies/website-visits',
    title: 'Companies that visited websites of the account',
    effect: 'read',
    effectSource: documentation,
    parameters: [
      ...inBody('domains', { type: 'string', list: true, required: true }),
      ...inBody('startDate endDate', { type: 'string', required: true }),
      ...inBody('pagination', { type: 'object', required: true }),
      ...inBody('sort filters', { type: 'object' }),
    ],
  },
]

/** What is free: lists of values, and the account. */
const lists = (): ApiOperation[] => [
  ...['contacts', 'companies'].map((what): ApiOperation => ({
    method: 'GET',
    path: `/v3/${what}/prospecting/filters`,
    title: `Filters for ${what} that have lists of values`,
    price: 'free',
    parameters: [],
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

export const operations = (): ApiOperation[] => [...lookUps(), ...details(), ...lists()]
