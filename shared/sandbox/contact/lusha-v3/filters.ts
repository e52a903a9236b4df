/** Every filter of v3's prospecting. The fictional records have no values for many: those match nobody. */
import { slugOfUrl } from '../../lookups/check.ts'
import { all, flag, formed, integer, list, object, oneOf, text } from '../../lookups/shape.ts'
import type { Shape } from '../../lookups/shape.ts'
import type { Company, Person } from '../../people/data-set.ts'
import {
  any,
  company,
  companyShared,
  contactShared,
  has,
  hasDataPoint,
  itself,
  locations,
  overlaps,
  placeNames,
  range,
  same,
  seniority,
  single,
  texts,
  unheld,
  usesTechnology,
} from '../lusha/filters.ts'
import type { Filter, Filters } from '../lusha/filters.ts'
import { companyId, contactId } from '../lusha/find.ts'
import type { Range } from '../lusha/values.ts'
import { fullNameOf } from '../lusha/values.ts'

// Country codes of places and work phones are documented, but the service refuses them.
const refused: Shape = (_, at) => ({ at, message: `property ${at} should not exist` })
const places = { ...texts([...placeNames, 'region', 'countryGrouping']), countryIso2: refused }
const dataPoint: Shape = all(text, (value, at) => (value === 'work_phone' ? refused(value, at) : undefined))

const day = formed('a date', (value) => /^\d{4}-\d\d-\d\d$/.test(value), 400)
const whole = integer(0, 1_000_000_000)
const score = integer(0, 100)
const intentScore = integer(1, 100)
const words = formed('at most 200 characters', (value) => value.length <= 200, 400)
const either = oneOf('or', 'and')

const modifier = <T>(shape: Shape): Filter<T> => ({ shape })
const nobody = <T>(shape: Shape): Filter<T> => single(shape, () => false)
const unheldTexts = <T>(...names: string[]): Filters<T> =>
  Object.fromEntries(names.map((name) => [name, unheld<T>(text)]))

const around = { country: text, zipcode: text, distance: whole }
const zipcode = { countryIso2: text, zipcode: text }

export const contactFiltersV3: Filters<Person> = {
  ...contactShared,
  searchText: { ...contactShared.searchText!, shape: words },
  jobTitlesExactMatch: any(text, (person, title) => same(person.title, title)),
  normalizedJobTitles: any(text, (person, title) => same(person.title, title)),
  seniorityIds: seniority,
  existingDataPoints: {
    shape: list(dataPoint),
    fits: (person, value, { existingDataPointsCondition }) => {
      const found = (value as string[]).map((name) => hasDataPoint(person, name))
      return existingDataPointsCondition === 'and' ? found.every(Boolean) : found.some(Boolean)
    },
  },
  existingDataPointsCondition: modifier(either),
  locations: locations(places, company),
  countries: any(text, (person, code) => same(person.company.place.country, code)),
  names: any(text, (person, name) => has(fullNameOf(person), name)),
  ids: any(text, (person, wantedId) => contactId(person) === wantedId),
  emails: any(text, (person, email) =>
    [person.workEmail, person.personalEmail].some((own) => own !== undefined && same(own, email)),
  ),
  ...unheldTexts('previousEmails', 'previousJobTitle', 'skills', 'certifications', 'awards'),
  signals: nobody(object({ types: list(oneOf('allSignals', 'promotion', 'companyChange')), startDate: day })),
  geographicDetails: unheld(object(around)),
  jobChangedAfterDate: nobody(day),
  jobChangedLastViewDate: nobody(day),
  education: nobody(
    object({
      degrees: list(text),
      fieldsOfStudy: list(text),
      schools: list(text),
      startYearGte: whole,
      graduationYearLte: whole,
    }),
  ),
  score: nobody(object({ minScore: score, maxScore: score })),
}
/** Filters of contacts that only refine others. */
export const refinements = ['jobChangedAfterDate', 'jobChangedLastViewDate', 'education', 'score']

const bothSearches: Filters<Company> = {
  ...companyShared,
  locations: locations(places, itself),
  technologies: {
    shape: list(text),
    fits: (record, value, { technologiesCondition }) => {
      const used = (value as string[]).map((name) => usesTechnology(record, name))
      return technologiesCondition === 'and' ? used.every(Boolean) : used.some(Boolean)
    },
  },
  technologiesCondition: modifier(either),
  intentTopicsCondition: modifier(either),
  intentTopicsOperator: modifier(oneOf('or', 'and', 'any', 'all')),
  intentMinScore: nobody(intentScore),
  intentMaxScore: nobody(intentScore),
  topicCountThreshold: unheld(range),
  foundedYear: any(range, (record, years: Partial<Range>) =>
    overlaps({ min: record.founded, max: record.founded }, years),
  ),
  businessModel: unheld(oneOf('B2B', 'B2C', 'B2G')),
  companyType: any(
    oneOf('Government', 'Private Company', 'Public Company', 'Educational', 'Non Profit', 'Self Employed'),
    (_, type) => type === 'Private Company',
  ),
  linkedinUrls: any(text, (record, url: string) => slugOfUrl(url, 'company') === record.linkedinSlug),
  ids: any(text, (record, wantedId) => companyId(record) === wantedId),
  ...unheldTexts('keywords', 'specialities', 'exactSpecialities', 'exactKeywords', 'previousCompanyDomains'),
  ...unheldTexts('previousCompanyNames'),
  keywordsSearchFields: modifier(list(text)),
  geographicDetails: unheld(object(around)),
  locationsZipcodes: unheld(object(zipcode)),
  headquarterZipcodes: unheld(object(zipcode)),
}

const coverage = oneOf('last_funding', 'any_round', 'total_funds', 'last_round')
const series = [...'abcdefgh'].map((letter) => `series_${letter}`)
const funding = object({
  isIpo: flag,
  ranges: list(object({ coverage, min: whole, max: whole })),
  date: object({ coverage, date: day }),
  rounds: list(object({ coverage, round: oneOf('pre_seed', 'seed', ...series, 'other') })),
  names: list(
    object({
      coverage,
      name: oneOf('angel', 'venture', 'private_equity', 'crowdfunding', 'grant', 'debt_financing', 'other'),
    }),
  ),
  investors: list(text),
  types: list(text),
})

const { searchText, ...withoutText } = bothSearches

/** Filters of the employers of contacts. */
export const employerFiltersV3: Filters<Company> = {
  ...withoutText,
  industriesLabels: any(text, (record, label) => same(record.industry, label)),
  funding: nobody(funding),
}

const signals = object({
  types: list(text),
  startDate: day,
  filterByLocation: list(object({ country: text, state: text, startDate: day })),
  filterByDepartment: list(object({ department: text, startDate: day }, { required: ['department'] })),
  filterByIntentCategory: list(text),
})

/** Filters of searched companies. */
export const companyFiltersV3: Filters<Company> = {
  ...bothSearches,
  searchText: { ...searchText!, shape: words },
  signals: nobody(signals),
}

const { jobTitles, departments, seniorityIds, skills, existingDataPoints } = contactFiltersV3
/** Filters of the people of searched companies. */
export const theirContactFiltersV3: Filters<Person> = {
  jobTitles: jobTitles!,
  departments: departments!,
  seniorityIds: seniorityIds!,
  skills: skills!,
  locations: locations(places, company),
  existingDataPoints: existingDataPoints!,
}
/** Filters of companies that the service refuses together with filters of their people. */
export const notWithContacts = ['searchText', 'signals', 'intentTopics', 'technologies']
