/**
 * The values that filters accept, as the vendor lists them, and the parts of records that are the same in both
 * versions.
 */
import { departments as departmentRows, seniorities as seniorityRows, sizeBands } from '../../people/data-set.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { companyRows, places, technologies as technologyNames } from '../../people/names.ts'
import type { Place } from '../../people/names.ts'

const seniorityNames: Record<string, string> = { owner: 'Founder' }

/** The vendor shows the ids 10, 9, 8 and 4; the others are filled in between. */
export const seniorities = seniorityRows.map(([key, label], index) => ({
  key,
  id: 10 - index,
  name: seniorityNames[key] ?? label,
}))
export const seniorityOf = ({ seniority }: Person) => {
  const entry = seniorities.find(({ key }) => key === seniority.key)
  if (entry === undefined) throw new Error(`no seniority is named ${seniority.key}`)
  return entry
}

export const departments = departmentRows.map(([, label]) => label)
export const dataPoints = ['phone', 'work_email', 'mobile_phone', 'direct_phone']
export const technologies = [...technologyNames]

export type Range = { min: number; max: number }
const open = 10_000_000

const bandRange = (band: string): Range => {
  const [min = 0, max = open] = band.replace('+', '').split('-').map(Number)
  return { min, max }
}
export const sizes = sizeBands.map(bandRange)
export const sizeOf = ({ sizeBand }: Company): Range => bandRange(sizeBand)

const amount = (text: string) => Number(text.slice(0, -1)) * (text.endsWith('B') ? 1_000_000_000 : 1_000_000)
const revenueRange = (text: string): Range => {
  const [min = '', max = ''] = text.split('-')
  return { min: amount(min), max: amount(max) }
}
export const revenueOf = ({ revenue }: Company): Range => revenueRange(revenue)
export const revenues = ['1M-10M', '10M-50M', '50M-500M', '500M-1B'].map(revenueRange)

/** The fictional companies' industries have no sub-industries; each is its own only one. */
export const industries = [...new Set(companyRows.map(([, , , industry]) => industry))]
  .toSorted()
  .map((name, index) => ({
    main_industry: name,
    main_industry_id: index + 1,
    sub_industries: [{ value: name, id: 101 + index }],
  }))
export const industryOf = ({ industry }: Company) => {
  const entry = industries.find(({ main_industry: name }) => name === industry)
  if (entry === undefined) throw new Error(`no industry is named ${industry}`)
  return entry
}

/** Codes and topics that filters take; no fictional company has them. */
export const sicCodes = [
  { code: 4213, description: 'Trucking, except local' },
  { code: 5045, description: 'Computers, peripherals and software' },
  { code: 7371, description: 'Custom computer programming services' },
]
export const naicsCodes = [
  { code: 484121, description: 'General freight trucking, long-distance' },
  { code: 541511, description: 'Custom computer programming services' },
]
export const intentTopics = ['Cloud Security', 'Freight Management', 'Payroll Software', 'Sales Automation']

const continents: Record<string, string> = {
  AU: 'Oceania',
  NZ: 'Oceania',
  US: 'North America',
  CA: 'North America',
  SG: 'Asia',
}
const groupings: Record<string, string> = { AU: 'apac', NZ: 'apac', SG: 'apac', US: 'na', CA: 'na' }
const inUnion = ['DE', 'IE']

export const continentOf = ({ country }: Place): string => continents[country] ?? 'Europe'
export const groupingOf = ({ country }: Place): string => groupings[country] ?? 'emea'
export const isEu = ({ country }: Place): boolean => inUnion.includes(country)
/** A state's code in the vendor's form: without the country. */
export const stateCodeOf = ({ region }: Place): string => region.slice(3)

export const countries = [
  ...new Map(
    Object.values(places).map(({ country, countryName }) => [country, { name: countryName, code: country }]),
  ).values(),
]

/** Locations that a text search finds, in the form that filters accept. */
export const locationsLike = (text: string) =>
  Object.values(places)
    .filter(({ city, regionName, countryName }) =>
      [city, regionName, countryName].some((name) => name.toLowerCase().includes(text.toLowerCase())),
    )
    .map((place) => ({
      continent: continentOf(place),
      country: place.countryName,
      state: place.regionName,
      city: place.city,
    }))

export const technologiesLike = (text: string) =>
  technologies.filter((name) => name.toLowerCase().includes(text.toLowerCase()))

export const linkedinOf = (kind: 'in' | 'company', slug: string) =>
  `https://www.linkedin.com/${kind}/${encodeURIComponent(slug)}`
export const dayOf = (time: string) => time.slice(0, 10)
export const fullNameOf = ({ firstName, lastName }: Person) => `${firstName} ${lastName}`
/** A phone number in E.164, the vendor's form. */
export const numberOf = (number: string) => number.replaceAll(' ', '')

/** Records of one kind differ in form. Which of `count` forms a record has depends on nothing but its id. */
export const formOf = ({ id }: Person | Company, count: number): number => ((Number(id.slice(3)) * 7919) >> 4) % count
/** A company's host name; half of them have www. */
export const hostOf = (company: Company): string =>
  formOf(company, 2) === 0 ? `www.${company.domain}` : company.domain
