import type { FieldSpec, FilterFields } from '#kit'
import {
  linkedinPersonUrl,
  normaliseCountry,
  normaliseDomain,
  normaliseEmail,
  normaliseRevenueBand,
  normaliseSizeBand,
  normalisedText,
  once,
  words,
  z,
} from '#kit'

/** How the values of a field are written. */
const kinds = {
  text: () => words('The value', 'A value.'),
  whole: () => z.string().regex(/^\d{1,9}$/, { error: 'Give a whole number.' }),
  day: () => z.iso.date({ error: 'Give a day as year-month-day, such as 2026-03-31.' }),
  range: () => z.string().regex(/^\d+ *(-|–|to) *\d+$|^\d+\+$/, { error: 'Give a range, such as "11-50" or "2015+".' }),
  choice: () => z.enum(['yes', 'no'], { error: 'Give "yes" or "no".' }),
  operator: () => z.enum(['or', 'and'], { error: 'Give "or" or "and".' }),
  country: () => normalisedText(normaliseCountry),
  domain: () => normalisedText(normaliseDomain),
  email: () => normalisedText(normaliseEmail),
  size: () => normalisedText(normaliseSizeBand),
  revenue: () => normalisedText(normaliseRevenueBand),
  profile: () => normalisedText(linkedinPersonUrl),
}
type Kind = keyof typeof kinds

/** Fields by the way their values are written. */
type Names = { [kind in Kind]?: string }

const ofCompanies: Names = {
  text:
    'technologies industry industryLabel subIndustry sic naics intentTopic businessModel companyType keyword ' +
    'exactKeyword keywordField speciality exactSpeciality previousCompany companyLinkedinUrl fundingRound ' +
    'fundingRoundCoverage fundingAmountCoverage fundingType fundingTypeCoverage fundingSinceCoverage',
  domain: 'previousCompanyDomain',
  range: 'foundedYear fundingAmount intentTopicCount',
  whole: 'intentMinScore intentMaxScore',
  operator: 'technologiesOperator intentOperator',
  day: 'fundingSince',
  choice: 'isPublic partialProfiles',
  revenue: 'revenue',
}

const ofContacts: Names = {
  text:
    'name jobTitle exactJobTitle normalizedJobTitle previousJobTitle role seniority department skill certification ' +
    'award text personId signal has degree fieldOfStudy school location state city region continent countryGroup ' +
    'nearPostcode company companyId companyState companyCity companyRegion companyContinent companyCountryGroup ' +
    'companyNearPostcode companyPostcode headquartersPostcode',
  day: 'signalSince jobChangedAfter jobChangeViewedAfter',
  operator: 'hasOperator',
  profile: 'linkedinUrl',
  email: 'email previousEmail',
  whole: 'studyStart graduationBy minScore maxScore nearMiles companyNearMiles',
  choice: 'doNotCall',
  country: 'country nearCountry companyCountry companyNearCountry companyPostcodeCountry headquartersPostcodeCountry',
  domain: 'companyDomain',
  size: 'companySize',
}

const ofSearchedCompanies: Names = {
  text:
    'name companyId text signal signalState signalDepartment signalIntentCategory location state city region ' +
    'continent countryGroup nearPostcode postcode headquartersPostcode contactJobTitle contactSeniority ' +
    'contactDepartment contactSkill contactHas contactState contactCity contactRegion contactContinent ' +
    'contactCountryGroup',
  domain: 'domain',
  size: 'size',
  day: 'signalSince',
  country: 'country signalCountry nearCountry postcodeCountry headquartersPostcodeCountry contactCountry',
  whole: 'nearMiles',
}

const kindsOf = (...all: Names[]): [name: string, kind: Kind][] =>
  all.flatMap((names) =>
    (Object.entries(names) as [Kind, string][]).flatMap(([kind, list]) =>
      list.split(' ').map((name): [string, Kind] => [name, kind]),
    ),
  )
const fieldsOf = (names: [string, Kind][]): FilterFields =>
  Object.fromEntries(names.map(([name, kind]) => [name, kinds[kind]()]))

const contactKinds = kindsOf(ofContacts, ofCompanies)
const companyKinds = kindsOf(ofSearchedCompanies, ofCompanies)

/** Fields that rows of Search Contacts may name; a profile offers those that its endpoint has a name for. */
export const contactFilterFields = once(() => fieldsOf(contactKinds))
/** Fields that rows of Search Companies may name. */
export const companyFilterFields = once(() => fieldsOf(companyKinds))

/** `companySize` → "Company size". */
const titleOf = (name: string) =>
  name.charAt(0).toUpperCase() + name.slice(1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** Form settings of rows. */
const rowsSpec = (names: [string, Kind][]): FieldSpec => ({
  filters: names.map(([name]) => name),
  row: {
    field: { labels: Object.fromEntries(names.map(([name]) => [name, titleOf(name)])) },
    match: { labels: { include: 'Include', exclude: 'Exclude' } },
    values: { placeholder: 'sales' },
  },
})
export const contactRows = rowsSpec(contactKinds)
export const companyRows = rowsSpec(companyKinds)
