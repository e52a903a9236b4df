import type { ApiOperation, OperationPart, PricePart } from '#kit'
import { inBody, inQuery } from './parameters.ts'

/** E-mails and phones have separate prices. */
export const pricePerField: PricePart[] = [
  { per: 'match', credits: 1, wanted: 'emails' },
  { per: 'match', credits: 5, wanted: 'phones' },
]

/** A contact costs 1 credit more if it has any of the signals in the request. */
const withSignals: OperationPart[] = [...pricePerField, { per: 'match', credits: 1, given: 'signals' }]
const objects = { type: 'object', list: true, required: true } as const
const filterLists = [
  'contacts/departments',
  'contacts/seniority',
  'contacts/existing_data_points',
  'contacts/all_countries',
  'companies/industries_labels',
  'companies/sizes',
  'companies/revenues',
  'companies/sics',
  'companies/naics',
  'companies/intent_topics',
]
const filterSearches = ['contacts/locations', 'companies/names', 'companies/locations', 'companies/technologies']

/** The provider's reference: these requests look up, search and reveal. */
const documentation = 'https://docs.lusha.com/apis/openapi'

export const lushaV2Operations = (): ApiOperation[] => [
  {
    method: 'GET',
    path: '/v2/person',
    title: 'Find one contact and reveal its data',
    price: withSignals,
    parameters: [
      ...inQuery('firstName lastName companyName companyDomain email linkedinUrl personId signalsStartDate'),
      ...inQuery('filterBy', { type: 'string', choices: ['phoneNumbers', 'emailAddresses'] }),
      ...inQuery('revealEmails revealPhones refreshJobInfo partialProfile', { type: 'boolean' }),
      ...inQuery('signals', { type: 'string', list: true }),
    ],
  },
  {
    method: 'POST',
    path: '/v2/person',
    title: 'Find many contacts and reveal their data',
    effect: 'read',
    effectSource: documentation,
    unpriced: ['metadata.signals'],
    parameters: [...inBody('contacts', objects), ...inBody('metadata', { type: 'object' })],
  },
  { method: 'GET', path: '/v2/company', title: 'Find one company', parameters: inQuery('domain company companyId') },
  {
    method: 'POST',
    path: '/v2/company',
    title: 'Find many companies',
    effect: 'read',
    effectSource: documentation,
    parameters: inBody('companies', objects),
  },
  ...['contact', 'company'].map((object): ApiOperation => ({
    method: 'POST',
    path: `/prospecting/${object}/search`,
    title: object === 'contact' ? 'Search contacts by filters' : 'Search companies by filters',
    effect: 'read',
    effectSource: documentation,
    parameters: [
      ...inBody('pages', { type: 'object' }),
      ...inBody('filters', { type: 'object', required: true }),
      ...(object === 'contact' ? inBody('excludeDnc', { type: 'boolean' }) : []),
    ],
  })),
  {
    method: 'POST',
    path: '/prospecting/contact/enrich',
    title: 'Reveal contacts of a search by their ids',
    effect: 'read',
    effectSource: documentation,
    parameters: [
      ...inBody('requestId', { type: 'string', required: true }),
      ...inBody('contactIds', { type: 'string', list: true, required: true }),
      ...inBody('revealEmails revealPhones', { type: 'boolean' }),
    ],
  },
  {
    method: 'POST',
    path: '/prospecting/company/enrich',
    title: 'Reveal companies of a search by their ids',
    effect: 'read',
    effectSource: documentation,
    price: [{ per: 'match', credits: 1 }],
    records: { in: ['companiesIds'], most: 100 },
    parameters: [
      ...inBody('requestId', { type: 'string', required: true }),
      ...inBody('companiesIds', { type: 'string', list: true, required: true }),
    ],
  },
  { method: 'GET', path: '/account/usage', title: 'Credits of the account', parameters: [] },
  ...filterLists.map((name): ApiOperation => ({
    method: 'GET',
    path: `/prospecting/filters/${name}`,
    title: `Values of the filter ${name.replace('/', ': ')}`,
    price: 'free',
    parameters: [],
  })),
  ...filterSearches.map((name): ApiOperation => ({
    method: 'POST',
    path: `/prospecting/filters/${name}`,
    title: `Find values of the filter ${name.replace('/', ': ')}`,
    effect: 'read',
    effectSource: documentation,
    price: 'free',
    parameters: inBody('text', { type: 'string', required: true }),
  })),
]
