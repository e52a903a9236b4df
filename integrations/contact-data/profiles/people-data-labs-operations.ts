import type { ApiOperation } from '#kit'
import { inBody, inPath, inQuery } from './parameters.ts'

/** Where an answer says what it cost. */
export const spent = { header: 'x-call-credits-spent' }

const queryParameters = inQuery(
  'pdl_id name first_name last_name middle_name location street_address locality region country postal_code company school phone email email_hash profile lid birth_date required data_include',
)
const searchParameters = [
  ...inBody('query', { type: 'object' }),
  ...inBody('sql scroll_token'),
  ...inBody('size from', { type: 'integer' }),
  ...inBody('titlecase pretty', { type: 'boolean' }),
]

/** A page of the provider's documentation. */
const reference = (name: string) => `https://docs.peopledatalabs.com/docs/${name}`

export const peopleDataLabsOperations = (): ApiOperation[] => [
  {
    method: 'GET',
    path: '/v5/person/enrich',
    title: 'Find one person',
    parameters: [
      ...queryParameters,
      ...inQuery('min_likelihood', { type: 'integer' }),
      ...inQuery('titlecase include_if_matched', { type: 'boolean' }),
    ],
  },
  {
    method: 'POST',
    path: '/v5/person/bulk',
    title: 'Find many persons',
    effect: 'read',
    effectSource: reference('bulk-enrichment-api'),
    parameters: [...inBody('requests', { type: 'object', list: true, required: true }), ...inBody('required')],
  },
  {
    method: 'GET',
    path: '/v5/person/identify',
    title: 'Find persons that fit some data',
    price: [{ per: 'call', credits: 1 }],
    credits: spent,
    parameters: queryParameters,
  },
  {
    method: 'POST',
    path: '/v5/person/search',
    title: 'Search persons',
    effect: 'read',
    effectSource: reference('person-search-api'),
    parameters: searchParameters,
  },
  {
    method: 'GET',
    path: '/v5/person/retrieve/{person_id}',
    title: 'One person by id',
    price: [{ per: 'match', credits: 1 }],
    credits: spent,
    parameters: inPath('person_id'),
  },
  {
    method: 'POST',
    path: '/v5/person/retrieve/bulk',
    title: 'Many persons by id',
    effect: 'read',
    effectSource: reference('person-retrieve-api'),
    price: [{ per: 'match', credits: 1 }],
    credits: spent,
    records: { in: ['requests'], most: 100 },
    parameters: inBody('requests', { type: 'object', list: true, required: true }),
  },
  {
    method: 'GET',
    path: '/v5/company/enrich',
    title: 'Find one company',
    parameters: [...inQuery('name website pdl_id profile'), ...inQuery('pretty titlecase', { type: 'boolean' })],
  },
  {
    method: 'POST',
    path: '/v5/company/search',
    title: 'Search companies',
    effect: 'read',
    effectSource: reference('company-search-api'),
    parameters: searchParameters,
  },
  {
    method: 'GET',
    path: '/v5/autocomplete',
    title: 'Values of a field that begin with a text',
    price: 'free',
    parameters: [
      ...inQuery('field', { type: 'string', required: true }),
      ...inQuery('text'),
      ...inQuery('size', { type: 'integer' }),
    ],
  },
  {
    method: 'GET',
    path: '/v5/person/subjectrequest',
    title: 'Ids of persons that opted out',
    price: 'free',
    parameters: [],
  },
]
