import type { EndpointProfile, FieldWire, PricePart, ReplyCondition } from '#kit'
import { many, single } from './lusha-v3-lookups.ts'
import { billed } from './lusha-v3-prices.ts'
import { signalsFreshMs } from './lusha-v3-signals.ts'

/** What version 3 can do with what a search or lookup found: similar records, buying groups, scores, more fields. */

const lists = (names: { [ours: string]: string }): { [ours: string]: FieldWire } =>
  Object.fromEntries(Object.entries(names).map(([ours, name]) => [ours, { name, as: 'list' }]))

const lookalikes = (
  what: 'contacts' | 'companies',
  kind: 'person' | 'company',
  names: { [ours: string]: string },
): EndpointProfile => ({
  method: 'POST',
  path: `/v3/${what}/lookalike`,
  place: 'json',
  kind,
  fields: lists(names),
  record: ['results'],
  page: {
    style: 'cursor',
    place: 'json',
    position: 'dedupeSessionId',
    size: 'limit',
    max: 100,
    default: 25,
    nextCursor: 'dedupeSessionId',
  },
  price: [{ per: 'match', credits: 3 }],
  credits: billed,
  probe: {
    values: {
      [kind === 'person' ? 'emails' : 'domains']: [1, 2, 3, 4, 5].map((n) =>
        kind === 'person' ? `nobody${n}@example.invalid` : `nobody${n}.invalid`,
      ),
    },
    credits: 75,
  },
})

export const lookalikeContacts = (): EndpointProfile =>
  lookalikes('contacts', 'person', {
    personIds: 'seeds.ids',
    linkedinUrls: 'seeds.linkedinUrls',
    emails: 'seeds.emails',
    excludePersonIds: 'exclude.ids',
    excludeLinkedinUrls: 'exclude.linkedinUrls',
    excludeEmails: 'exclude.emails',
  })
export const lookalikeCompanies = (): EndpointProfile =>
  lookalikes('companies', 'company', {
    domains: 'seeds.domains',
    linkedinUrls: 'seeds.linkedinUrls',
    excludeDomains: 'exclude.domains',
    excludeLinkedinUrls: 'exclude.linkedinUrls',
  })

export const buyingGroup = (): EndpointProfile => ({
  method: 'POST',
  path: '/v3/contacts/buying-group',
  place: 'json',
  kind: 'person',
  aliases: 'groupMember',
  fields: {
    companyId: 'companies.0.id',
    domain: 'companies.0.domain',
    roles: {
      name: 'personas',
      map: { 'decision-maker': 'decision_maker', champion: 'potential_champion', user: 'end_user' },
      labels: { 'decision-maker': 'Decision maker', champion: 'Champion', user: 'User' },
      as: 'list',
    },
    most: 'contactsLimit',
  },
  requires: [['companyId'], ['domain']],
  record: ['results.0.contacts'],
  noMatch: single().noMatch,
  errors: single().errors,
  page: {
    style: 'page',
    place: 'json',
    position: 'pagination.page',
    size: 'pagination.size',
    firstPage: 0,
    min: 10,
    max: 100,
    default: 25,
    total: 'pagination.total',
  },
  price: [{ per: 'match', credits: 1 }],
  credits: billed,
  probe: { values: { domain: 'nobody.invalid' }, credits: 0 },
})

export const websiteVisits = (): EndpointProfile => ({
  method: 'POST',
  path: '/v3/companies/website-visits',
  place: 'json',
  kind: 'company',
  aliases: 'visitor',
  fields: {
    ...lists({ domains: 'domains', bands: 'filters.scoreBands' }),
    firstDay: 'startDate',
    lastDay: 'endDate',
    ...lists({
      countries: 'filters.visitorCountries.include',
      excludeCountries: 'filters.visitorCountries.exclude',
    }),
    minSessions: 'filters.totalSessions.min',
    minVisitors: 'filters.uniqueVisitors.min',
  },
  requires: [['domains', 'firstDay', 'lastDay']],
  record: ['results'],
  page: {
    style: 'page',
    place: 'json',
    position: 'pagination.page',
    size: 'pagination.size',
    firstPage: 0,
    max: 150,
    default: 25,
    total: 'pagination.total',
  },
  // No price is documented. A credit is reserved for each match, so that budgets are not exceeded.
  price: [{ per: 'match', credits: 1 }],
  credits: billed,
  probe: { values: { domains: ['nobody.invalid'], firstDay: '2026-01-01', lastDay: '2026-01-02' }, credits: 0 },
})

const noScore = (path: string): ReplyCondition => ({ path, equals: 'NO_SCORE' })
const score = (
  what: 'contacts' | 'companies',
  names: { [ours: string]: string },
): Omit<EndpointProfile, 'kind' | 'requires'> => {
  const shared = single()
  const path = `/v3/${what}/signal-score`
  return {
    method: 'POST',
    path,
    place: 'json',
    fields: Object.fromEntries(Object.entries(names).map(([ours, name]) => [ours, `${what}.0.${name}`])),
    ...shared,
    noMatch: [...shared.noMatch, { status: [200, 299], ...noScore('results.0.error.code') }],
    price: [{ per: 'match', credits: 1 }],
    credits: billed,
    freshMs: signalsFreshMs,
    bulk: {
      ...many,
      path,
      envelope: what,
      fields: names,
      itemId: 'clientReferenceId',
      itemNoMatch: [...many.itemNoMatch, noScore('error.code')],
    },
  }
}

export const scoreContacts = (): EndpointProfile => ({
  ...score('contacts', {
    email: 'email',
    linkedinUrl: 'linkedinUrl',
    firstName: 'firstName',
    lastName: 'lastName',
    company: 'companyName',
    companyDomain: 'companyDomain',
    personId: 'id',
  }),
  kind: 'person',
  aliases: 'scoredPerson',
  requires: [
    ['personId'],
    ['linkedinUrl'],
    ['email'],
    ['firstName', 'lastName', 'company'],
    ['firstName', 'lastName', 'companyDomain'],
  ],
  identifiers: 'all',
  probe: { values: { email: 'nobody@example.invalid' }, credits: 0 },
})
// An item of a company has exactly one identifier, so that they are sent in turn.
export const scoreCompanies = (): EndpointProfile => ({
  ...score('companies', { domain: 'domain', name: 'name', companyId: 'id' }),
  kind: 'company',
  aliases: 'scoredCompany',
  requires: [['companyId'], ['domain'], ['name']],
  identifiers: 'one',
  probe: { values: { domain: 'nobody.invalid' }, credits: 0 },
})

/** Our field of a company → the provider's name for it; each is charged for the companies that have it. */
const companyDetails = {
  employeesByDepartment: 'employeesByDepartment',
  employeesByLocation: 'employeesByLocation',
  employeesBySeniority: 'employeesBySeniority',
  competitors: 'competitors',
  intent: 'intent',
  itSpend: 'estimatedAnnualItSpend',
  websiteTraffic: 'monthlyWebsiteTraffic',
}

export const revealCompanies = (): EndpointProfile => {
  const reveal: FieldWire = {
    name: 'reveal',
    map: companyDetails,
    labels: {
      employeesByDepartment: 'Employees by department',
      employeesByLocation: 'Employees by location',
      employeesBySeniority: 'Employees by seniority',
      competitors: 'Competitors',
      intent: 'Buying intent',
      itSpend: 'Yearly IT spend',
      websiteTraffic: 'Website traffic',
    },
    as: 'list',
  }
  const price: PricePart[] = [
    { per: 'match', credits: 1 },
    ...Object.keys(companyDetails).map((wanted): PricePart => ({ per: 'match', credits: 1, wanted })),
  ]
  return {
    method: 'POST',
    path: '/v3/companies/enrich',
    place: 'json',
    kind: 'company',
    aliases: 'companyDetails',
    fields: { companyId: { name: 'ids', as: 'list' }, reveal },
    requires: [['companyId']],
    ...single(),
    price,
    credits: billed,
    probe: { values: { companyId: '0', reveal: [] }, credits: 0 },
    bulk: {
      ...many,
      path: '/v3/companies/enrich',
      envelope: 'ids',
      items: 'value',
      fields: { companyId: 'id', reveal },
      beside: ['reveal'],
      answerId: 'id',
    },
  }
}

export const moreAssumed = {
  'endpoints.lookalike-contacts.price':
    'Each result is charged, by a price that only the account shows. An example was charged 3 credits for 1 result, so that 3 are reserved for each; the charge that the answer reports counts.',
  'endpoints.lookalike-companies.price': 'As for contacts.',
  'endpoints.lookalike-contacts.probe': 'That nothing is charged where nothing is similar is a guess.',
  'endpoints.lookalike-companies.probe': 'As for contacts.',
  'endpoints.buying-group.price':
    'Each contact is charged, by a price that only the account shows; an example was charged 1 credit for 1 contact.',
  'endpoints.buying-group.record': 'Each request is for one company, since pages count the contacts of all of them.',
  'endpoints.website-visits.price':
    'No price is documented; an example was charged nothing. 1 credit for each company is reserved; the charge that the answer reports counts.',
  'endpoints.score-contacts.price':
    'An account without a price for scores is charged nothing; the charge that the answer reports counts.',
  'endpoints.score-companies.price': 'As for contacts.',
  'endpoints.reveal-companies.price':
    'The price of IT spend and website traffic is documented; that of the other fields is taken to be the same.',
}
