import { excluded } from '#kit'
import type { FieldWire, FieldWireSpec } from '#kit'
import { companySignals, contactSignals } from './lusha-v3-signals.ts'

/** How the filters of both searches are sent, by the provider's own document of version 3. */

type Side = 'include' | 'exclude'
type Wires = { [ours: string]: FieldWireSpec }

const listed = (endpoint: string, value: string, label: string) => ({ endpoint, list: 'values', value, label })
const words = (...all: string[]) => Object.fromEntries(all.map((word) => [word, word]))

/** Fields whose values go into a list, by the provider's names. */
const lists = (at: string, names: { [ours: string]: string }): Wires =>
  Object.fromEntries(Object.entries(names).map(([ours, wire]) => [ours, { name: `${at}.${wire}`, as: 'list' }]))
/** Fields with one value. */
const values = (at: string, names: { [ours: string]: string }, more: object = {}): Wires =>
  Object.fromEntries(
    Object.entries(names).map(([ours, wire]) => [ours, { name: `${at}.${wire}`, single: true, ...more }]),
  )
const numbers = (at: string, names: { [ours: string]: string }) => values(at, names, { as: 'number' })
/** Fields that together make the objects of one list. */
const parts = (name: string, names: { [ours: string]: string }, more: object = {}): Wires =>
  Object.fromEntries(Object.entries(names).map(([ours, part]) => [ours, { name, part, ...more }]))

const ends = { min: '{min}', max: '{max}' }
const ranges = (at: string, names: { [ours: string]: string }): Wires =>
  Object.fromEntries(Object.entries(names).map(([ours, wire]) => [ours, { name: `${at}.${wire}`, template: [ends] }]))

const countryName = { template: '{countryName}' }

/**
 * A place that results must have has all given properties; results are excluded by each of them. `prefix`: begins the
 * names of our fields.
 */
const places = (name: string, side: Side, names: { [ours: string]: string }, country?: string): Wires => {
  if (side === 'include')
    return { ...(country ? parts(name, { [country]: 'country' }, countryName) : {}), ...parts(name, names) }
  const each = (ours: string, part: string, value: string): [string, FieldWireSpec] => [
    ours,
    { name, add: true, template: { [part]: value } },
  ]
  return Object.fromEntries([
    ...(country ? [each(country, 'country', '{countryName}')] : []),
    ...Object.entries(names).map(([ours, part]) => each(ours, part, '{value}')),
  ])
}

/** Places around a postcode. */
const near = (name: string, country: string, postcode: string, miles: string): Wires => ({
  ...parts(name, { [country]: 'country' }, countryName),
  ...parts(name, { [postcode]: 'zipcode' }),
  ...parts(name, { [miles]: 'distance' }, { as: 'number' }),
})
const postcodes = (name: string, country: string, postcode: string): Wires => ({
  ...parts(name, { [country]: 'countryIso2' }),
  ...parts(name, { [postcode]: 'zipcode' }),
})

// Without "allSignals": a search is charged for each signal, so that callers name those that they pay for.
const signalsOfContacts = words(...contactSignals)
const signalsOfCompanies = words(...companySignals)

const seniority = listed('contact-seniorities', 'id', 'name')
const department = listed('contact-departments', '', '')
const dataPoint = listed('contact-data-points', '', '')

const contacts = (side: Side): Wires => {
  const at = `filters.contacts.${side}`
  return {
    ...lists(at, { name: 'names', jobTitle: 'jobTitles', exactJobTitle: 'jobTitlesExactMatch' }),
    ...lists(at, { normalizedJobTitle: 'normalizedJobTitles', previousJobTitle: 'previousJobTitle' }),
    seniority: { name: `${at}.seniorityIds`, as: 'list', choices: seniority },
    department: { name: `${at}.departments`, as: 'list', choices: department },
    has: { name: `${at}.existingDataPoints`, as: 'list', choices: dataPoint },
    ...values(at, { hasOperator: 'existingDataPointsCondition', text: 'searchText' }),
    ...lists(at, { country: 'countries', linkedinUrl: 'linkedinUrls', personId: 'ids' }),
    ...lists(at, { email: 'emails', previousEmail: 'previousEmails' }),
    ...lists(at, { skill: 'skills', certification: 'certifications', award: 'awards' }),
    ...places(`${at}.locations`, side, {
      state: 'state',
      city: 'city',
      region: 'region',
      continent: 'continent',
      countryGroup: 'countryGrouping',
    }),
    ...near(`${at}.geographicDetails`, 'nearCountry', 'nearPostcode', 'nearMiles'),
    signal: { name: `${at}.signals.types`, as: 'list', map: signalsOfContacts },
    ...values(at, { signalSince: 'signals.startDate', jobChangedAfter: 'jobChangedAfterDate' }),
    ...values(at, { jobChangeViewedAfter: 'jobChangedLastViewDate' }),
    ...lists(at, { degree: 'education.degrees', fieldOfStudy: 'education.fieldsOfStudy', school: 'education.schools' }),
    ...numbers(at, { studyStart: 'education.startYearGte', graduationBy: 'education.graduationYearLte' }),
    ...numbers(at, { minScore: 'score.minScore', maxScore: 'score.maxScore' }),
  }
}

/** What both searches can say of companies. */
const companies = (side: Side): Wires => {
  const at = `filters.companies.${side}`
  return {
    ...ranges(at, { revenue: 'revenues', foundedYear: 'foundedYear', intentTopicCount: 'topicCountThreshold' }),
    ...lists(at, { technologies: 'technologies', intentTopic: 'intentTopics', sic: 'sicCodes', naics: 'naicsCodes' }),
    ...values(at, { technologiesOperator: 'technologiesCondition', intentOperator: 'intentTopicsOperator' }),
    ...numbers(at, { intentMinScore: 'intentMinScore', intentMaxScore: 'intentMaxScore' }),
    industry: {
      name: `${at}.mainIndustriesIds`,
      as: 'list',
      choices: listed('company-industries', 'main_industry_id', 'main_industry'),
    },
    subIndustry: { name: `${at}.subIndustriesIds`, as: 'number', template: ['{value}'] },
    businessModel: { name: `${at}.businessModel`, as: 'list', map: words('B2B', 'B2C', 'B2G') },
    companyType: {
      name: `${at}.companyType`,
      as: 'list',
      map: words('Government', 'Private Company', 'Public Company', 'Educational', 'Non Profit', 'Self Employed'),
    },
    ...lists(at, { companyLinkedinUrl: 'linkedinUrls', keyword: 'keywords', exactKeyword: 'exactKeywords' }),
    ...lists(at, { keywordField: 'keywordsSearchFields', speciality: 'specialities' }),
    ...lists(at, { exactSpeciality: 'exactSpecialities', previousCompanyDomain: 'previousCompanyDomains' }),
    ...lists(at, { previousCompany: 'previousCompanyNames' }),
  }
}

const coverage = { map: words('last_funding', 'any_round', 'total_funds', 'last_round') }
const rounds = words('pre_seed', 'seed', ...[...'abcdefgh'].map((letter) => `series_${letter}`), 'other')
const kinds = words('angel', 'venture', 'private_equity', 'crowdfunding', 'grant', 'debt_financing', 'other')

const funding = (at: string): Wires => ({
  isPublic: { name: `${at}.isIpo`, map: { yes: true, no: false }, single: true },
  ...parts(`${at}.ranges`, { fundingAmount: '' }, { template: ends }),
  ...parts(`${at}.ranges`, { fundingAmountCoverage: 'coverage' }, coverage),
  ...parts(`${at}.rounds`, { fundingRound: 'round' }, { map: rounds }),
  ...parts(`${at}.rounds`, { fundingRoundCoverage: 'coverage' }, coverage),
  ...parts(`${at}.names`, { fundingType: 'name' }, { map: kinds }),
  ...parts(`${at}.names`, { fundingTypeCoverage: 'coverage' }, coverage),
  ...values(at, { fundingSince: 'date.date' }),
  ...values(at, { fundingSinceCoverage: 'date.coverage' }, coverage),
})

const employers = (side: Side): Wires => {
  const at = `filters.companies.${side}`
  return {
    ...companies(side),
    ...lists(at, { company: 'names', companyDomain: 'domains', companyId: 'ids', industryLabel: 'industriesLabels' }),
    ...ranges(at, { companySize: 'sizes' }),
    ...places(
      `${at}.locations`,
      side,
      {
        companyState: 'state',
        companyCity: 'city',
        companyRegion: 'region',
        companyContinent: 'continent',
        companyCountryGroup: 'countryGrouping',
      },
      'companyCountry',
    ),
    ...near(`${at}.geographicDetails`, 'companyNearCountry', 'companyNearPostcode', 'companyNearMiles'),
    ...postcodes(`${at}.locationsZipcodes`, 'companyPostcodeCountry', 'companyPostcode'),
    ...postcodes(`${at}.headquarterZipcodes`, 'headquartersPostcodeCountry', 'headquartersPostcode'),
    ...funding(`${at}.funding`),
  }
}

const searchedCompanies = (side: Side): Wires => {
  const at = `filters.companies.${side}`
  return {
    ...companies(side),
    ...lists(at, { name: 'names', domain: 'domains', companyId: 'ids' }),
    ...values(at, { text: 'searchText' }),
    ...ranges(at, { size: 'sizes' }),
    ...places(
      `${at}.locations`,
      side,
      { state: 'state', city: 'city', region: 'region', continent: 'continent', countryGroup: 'countryGrouping' },
      'country',
    ),
    ...near(`${at}.geographicDetails`, 'nearCountry', 'nearPostcode', 'nearMiles'),
    ...postcodes(`${at}.locationsZipcodes`, 'postcodeCountry', 'postcode'),
    ...postcodes(`${at}.headquarterZipcodes`, 'headquartersPostcodeCountry', 'headquartersPostcode'),
    signal: { name: `${at}.signals.types`, as: 'list', map: signalsOfCompanies },
    ...values(at, { signalSince: 'signals.startDate' }),
    ...parts(`${at}.signals.filterByLocation`, { signalCountry: 'country' }, countryName),
    ...parts(`${at}.signals.filterByLocation`, { signalState: 'state' }),
    ...parts(`${at}.signals.filterByDepartment`, { signalDepartment: 'department' }),
    ...lists(at, { signalIntentCategory: 'signals.filterByIntentCategory' }),
  }
}

/** What a search of companies can say of their people. */
const theirPeople = (side: Side): Wires => {
  const at = `filters.contacts.${side}`
  return {
    ...lists(at, { contactJobTitle: 'jobTitles', contactSkill: 'skills' }),
    contactSeniority: { name: `${at}.seniorityIds`, as: 'list', choices: seniority },
    contactDepartment: { name: `${at}.departments`, as: 'list', choices: department },
    contactHas: { name: `${at}.existingDataPoints`, as: 'list', choices: dataPoint },
    ...places(
      `${at}.locations`,
      side,
      {
        contactState: 'state',
        contactCity: 'city',
        contactRegion: 'region',
        contactContinent: 'continent',
        contactCountryGroup: 'countryGrouping',
      },
      'contactCountry',
    ),
  }
}

const bothSides = (...of: ((side: Side) => Wires)[]): Wires => ({
  ...Object.assign({}, ...of.map((wires) => wires('include'))),
  ...Object.fromEntries(
    of.flatMap((wires) => Object.entries(wires('exclude')).map(([ours, wire]) => [excluded(ours), wire])),
  ),
})

const partialProfiles: FieldWire = {
  name: 'options.includePartialProfiles',
  map: { yes: true, no: false },
  single: true,
}

export const contactSearchFields = (): { [ours: string]: FieldWire } => ({
  ...bothSides(contacts, employers),
  [excluded('doNotCall')]: { name: 'options.excludeDnc', map: { yes: true }, single: true },
  partialProfiles,
})
export const companySearchFields = (): { [ours: string]: FieldWire } => ({
  ...bothSides(searchedCompanies, theirPeople),
  partialProfiles,
})

export const filtersAssumed = {
  'endpoints.search-contacts.price':
    'That each signal a result has is charged in addition is documented, without the amount: 1 credit is that of signals elsewhere. The charge that the answer reports counts.',
  'endpoints.search-companies.price': 'As for contacts.',
  'endpoints.search-contacts.fields.nearCountry':
    'Whether places around a postcode take codes or names of countries is not documented; English names are sent.',
  'endpoints.search-companies.fields.nearCountry': 'As for contacts.',
  'endpoints.search-companies.fields.signalCountry': 'As for places around a postcode.',
  'endpoints.search-contacts.fields.companyCountry':
    'Codes of countries were seen to be refused in the search of companies; English names are sent here too.',
  'endpoints.search-contacts.fields.has':
    'The list of values is taken as a list of texts. "work_phone" is documented but was seen to be refused.',
  'endpoints.search-contacts.fields.excludeState':
    'Results are excluded by each place in the list: several rows of places are sent one by one.',
  'endpoints.search-companies.fields.excludeState': 'As for contacts.',
  'endpoints.search-contacts.fields':
    'Investors and "types" of funding are left out: the provider takes them and does not apply them. The description shows no limit on contacts of one company.',
}
