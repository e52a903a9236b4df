import type { Pace, WebhookSignature, WireProfile } from '#kit'
import { lushaRecords } from './lusha-records.ts'
import { company, person, revealContacts } from './lusha-v3-lookups.ts'
import { filtersAssumed } from './lusha-v3-filters.ts'
import {
  buyingGroup,
  lookalikeCompanies,
  lookalikeContacts,
  moreAssumed,
  revealCompanies,
  scoreCompanies,
  scoreContacts,
  websiteVisits,
} from './lusha-v3-more.ts'
import { operations } from './lusha-v3-operations.ts'
import { searchCompanies, searchContacts, valueLists } from './lusha-v3-searches.ts'
import { signalsAssumed, signalsOfCompanies, signalsOfContacts } from './lusha-v3-signals.ts'
import { lusha, lushaAssumed } from './lusha.ts'

const endpoints = (): NonNullable<WireProfile['endpoints']> => ({
  person: person(),
  company: company(),
  'search-contacts': searchContacts(),
  'search-companies': searchCompanies(),
  'reveal-contacts': revealContacts(),
  'reveal-companies': revealCompanies(),
  'lookalike-contacts': lookalikeContacts(),
  'lookalike-companies': lookalikeCompanies(),
  'buying-group': buyingGroup(),
  'website-visits': websiteVisits(),
  'contact-signals': signalsOfContacts(),
  'company-signals': signalsOfCompanies(),
  'score-contacts': scoreContacts(),
  'score-companies': scoreCompanies(),
  'signal-subscriptions': {
    method: 'POST',
    path: '/api/subscriptions',
    place: 'json',
    fields: {},
    price: [],
  },
  'account-usage': {
    method: 'GET',
    path: '/v3/account/usage',
    place: 'query',
    kind: 'usage',
    fields: {},
    record: [''],
    price: [],
    freshMs: 0,
    probe: { values: {}, credits: 0 },
  },
  ...valueLists(),
})

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
  ...filtersAssumed,
  'endpoints.search-contacts.page.total': 'Only an example shows the name of the total.',
  'endpoints.contact-seniorities.record':
    'The answer of a list of values is shown as "values" without the form of its items, which is taken to be that of version 2.',
  'endpoints.contact-departments.record': 'As for seniorities.',
  'endpoints.contact-data-points.record': 'As for seniorities.',
  'endpoints.company-industries.record': 'As for seniorities.',
  'endpoints.company-sics.record':
    'Items in lists of codes are assumed to look like the codes in a company record: code and description.',
  'endpoints.company-naics.record': 'As for SIC codes.',
  ...moreAssumed,
  deliveries: 'The answer that deliveries require is documented; that its time may have any precision is a guess.',
  'endpoints.signal-subscriptions.method':
    'The waits before the three repeats of a delivery are not documented; 1, 2 and 4 minutes are assumed.',
  ...signalsAssumed,
  'endpoints.reveal-contacts.probe': 'That an unknown id costs nothing is a guess.',
}

/** Subscriptions to signals share a limit of their own, below those of all requests. */
const pace = ({ limits, ...others }: Pace): Pace => ({
  ...others,
  limits: [...limits, { per: 'route', route: '/api/**', max: 100, windowMs: 60_000 }],
})

/** One secret signs for the whole account, and the answer to a delivery must contain its id. */
const signed = ({ signature, optOuts, pace: shared, ...others }: ReturnType<typeof lusha>) => ({
  ...others,
  optOuts: optOuts!,
  pace: pace(shared),
  signature: { ...signature!, secret: 'provider' as const } as WebhookSignature,
  deliveries: {
    bodies: ['json' as const],
    acknowledge: { constants: { received: true }, time: 'timestamp', echo: { webhookId: ['id'] } },
  },
})

/** The wire profile of version 3 of Lusha's API, the current one. */
export const lushaV3 = (): WireProfile => ({
  ...signed(lusha()),
  profile: 'lusha-v3',
  endpoints: endpoints(),
  records: lushaRecords,
  operations: operations(),
  assumed,
})
