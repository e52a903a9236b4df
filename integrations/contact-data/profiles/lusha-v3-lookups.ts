import type { EndpointProfile, ErrorRule, FieldWire, ReplyCondition } from '#kit'
import { billed, perField, perResults } from './lusha-v3-prices.ts'

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
export const single = () => ({
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

export const many = {
  envelope: '',
  answer: 'array' as const,
  answers: 'results',
  charge: 'match' as const,
  itemNoMatch,
  itemErrors,
  max: 100,
}

export const person = (): EndpointProfile => ({
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

export const company = (): EndpointProfile => ({
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

export const revealContacts = (): EndpointProfile => ({
  method: 'POST',
  path: '/v3/contacts/enrich',
  place: 'json',
  kind: 'person',
  fields: { personId: { name: 'ids', as: 'list' }, reveal, waterfallReveal: 'waterfallEnabled' },
  // By default, the provider also asks other providers that the account has enabled, at a price that it does not state.
  constants: { waterfallEnabled: false },
  unbounded: ['waterfallReveal'],
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
    constants: { waterfallEnabled: false },
    fields: { personId: 'id', reveal, waterfallReveal: 'waterfallEnabled' },
    beside: ['reveal', 'waterfallReveal'],
    answerId: 'id',
  },
})
