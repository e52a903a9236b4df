/**
 * The fictional people and companies of both data-provider sandboxes: 60 companies and 200 people, the same at every
 * start. Each record says which of the two providers knows it, so that querying one after the other makes a difference.
 */
import { companyRows, fictionalMobiles, firstNames, lastNames, places, technologies } from './names.ts'
import type { Place } from './names.ts'
import { abnOf, acnOf, nzbnOf } from './numbers.ts'

export type Provider = 'anz' | 'contact'

export type Company = {
  id: string
  /** The name without its legal form. */
  name: string
  legalName: string
  domain: string
  linkedinSlug: string
  linkedinId: string
  place: Place
  industry: string
  employees: number
  sizeBand: string
  revenue: string
  founded: number
  technologies: string[]
  phone: string
  /** Australian companies only. */
  abn?: string
  acn?: string
  /** New Zealand companies only. */
  nzbn?: string
  knownTo: Provider[]
}

export type Phone = {
  number: string
  kind: 'mobile' | 'office'
  /** null when the provider does not know. */
  doNotCall: boolean | null
}

export type Person = {
  id: string
  firstName: string
  lastName: string
  title: string
  seniority: { key: string; label: string }
  department: { key: string; label: string }
  company: Company
  workEmail?: string
  personalEmail?: string
  /** Letter grade of the work address. */
  confidence: 'A+' | 'A' | 'B' | 'C'
  linkedinSlug?: string
  phones: Phone[]
  /** The person opted out: both providers answer 451 and leave the person out of searches. */
  suppressed: boolean
  updatedAt: string
  knownTo: Provider[]
}

export type DataSet = { companies: Company[]; people: Person[] }

export const sizeBands = ['1-10', '11-50', '51-200', '201-500', '501-1000', '1001-5000', '5001+']

export const seniorities: [key: string, label: string][] = [
  ['owner', 'Owner'],
  ['c_suite', 'C-Suite'],
  ['vp', 'Vice President'],
  ['director', 'Director'],
  ['head', 'Head'],
  ['manager', 'Manager'],
  ['senior', 'Senior'],
  ['entry', 'Entry'],
]

export const departments: [key: string, label: string, chief: string][] = [
  ['operations', 'Operations', 'Chief Operating Officer'],
  ['sales', 'Sales', 'Chief Revenue Officer'],
  ['engineering', 'Engineering', 'Chief Technology Officer'],
  ['finance', 'Finance', 'Chief Financial Officer'],
  ['marketing', 'Marketing', 'Chief Marketing Officer'],
  ['human_resources', 'Human Resources', 'Chief People Officer'],
  ['customer_service', 'Customer Service', 'Chief Customer Officer'],
  ['legal', 'Legal', 'General Counsel'],
  ['product', 'Product', 'Chief Product Officer'],
]

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T

/** Lower-case ASCII words joined by hyphens, for domains and e-mail names. */
const asciiName = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f’']/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

const bandOf = (employees: number): string => {
  const tops = [10, 50, 200, 500, 1000, 5000]
  return pick(sizeBands, tops.filter((top) => employees > top).length)
}

const revenueOf = (employees: number): string =>
  employees > 1000 ? '500M-1B' : employees > 200 ? '50M-500M' : employees > 50 ? '10M-50M' : '1M-10M'

const numbersOf = (country: string, index: number): Pick<Company, 'abn' | 'acn' | 'nzbn'> => {
  if (country === 'NZ') return { nzbn: nzbnOf(4000 + index * 137) }
  if (country !== 'AU') return {}
  const acn = acnOf(310_000 + index * 1009)
  return { acn, abn: abnOf(acn) }
}

const knowersOfCompany = (country: string, index: number): Provider[] => {
  if (country !== 'AU' && country !== 'NZ') return ['contact']
  return index % 8 === 6 ? ['anz'] : ['anz', 'contact']
}

const createCompany = (row: (typeof companyRows)[number], index: number): Company => {
  const [name, form, city, industry, employees, founded] = row
  const place = places[city]
  if (place === undefined) throw new Error(`no place is named ${city}`)
  const slug = asciiName(name)
  return {
    id: `co-${String(index + 1).padStart(3, '0')}`,
    name,
    legalName: `${name} ${form}`,
    domain: `${slug}.example`,
    linkedinSlug: slug,
    linkedinId: String(70_000_001 + index * 13),
    place,
    industry,
    employees,
    sizeBand: bandOf(employees),
    revenue: revenueOf(employees),
    founded,
    technologies: [0, 5, 9].map((step) => pick(technologies, index * 7 + step)),
    phone: numbered(place.office, 100 + index),
    ...numbersOf(place.country, index),
    knownTo: knowersOfCompany(place.country, index),
  }
}

const titleOf = (seniority: string, department: (typeof departments)[number]): string => {
  const [, label, chief] = department
  const titles: { [seniority: string]: string } = {
    owner: 'Founder',
    c_suite: chief,
    vp: `Vice President, ${label}`,
    director: `Director of ${label}`,
    head: `Head of ${label}`,
    manager: `${label} Manager`,
    senior: `Senior ${label} Specialist`,
    entry: `${label} Coordinator`,
  }
  return titles[seniority] ?? label
}

/** Replaces each # of a pattern by the last digits of a number. */
const numbered = (pattern: string, value: number): string => {
  const count = pattern.split('#').length - 1
  return pattern.replace(/#+/, String(value).padStart(count, '0').slice(-count))
}

const mobilePatterns: { [country: string]: readonly string[] } = {
  AU: fictionalMobiles,
  NZ: ['+64 20 555 0###'],
  GB: ['+44 7700 900###'],
}

const phonesOf = ({ place }: Company, index: number): Phone[] => {
  if (index % 6 === 4) return []
  // The list is as long as that of Australian mobiles, so that a number shared by several people has the same flag
  // everywhere.
  const doNotCall = pick([false, true, null, false, false, null, false, true], index)
  const mobiles = mobilePatterns[place.country]
  const office: Phone = { number: numbered(place.office, 400 + index), kind: 'office', doNotCall: null }
  if (mobiles === undefined) return [office]
  return [
    { number: numbered(pick(mobiles, index), index), kind: 'mobile', doNotCall },
    ...(index % 2 === 0 ? [office] : []),
  ]
}

const knowersOfPerson = (company: Company, index: number): Provider[] => {
  if (company.knownTo.length === 1) return company.knownTo
  if (index % 11 === 5) return ['contact']
  return index % 13 === 8 ? ['anz'] : ['anz', 'contact']
}

const createPerson = (company: Company, index: number): Person => {
  const firstName = pick(firstNames, index)
  const lastName = pick(lastNames, index * 3 + Math.floor(index / 37))
  const [seniorityKey, seniorityLabel] = pick(seniorities, 4 + index * 5 + Math.floor(index / 8))
  const department = pick(departments, index * 2 + Math.floor(index / 9))
  const ascii = `${asciiName(firstName)}.${asciiName(lastName)}`
  // Names with other than ASCII characters keep them in the slug, like older real profiles; all other slugs are ASCII
  // with a suffix, like newer ones.
  const slug = /[^\x20-\x7e]/.test(firstName)
    ? `${firstName}-${lastName}`
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '-')
        .normalize('NFC')
    : `${asciiName(`${firstName} ${lastName}`)}-${(index * 7919 + 4096).toString(36)}`
  return {
    id: `pe-${String(index + 1).padStart(3, '0')}`,
    firstName,
    lastName,
    title: titleOf(seniorityKey, department),
    seniority: { key: seniorityKey, label: seniorityLabel },
    department: { key: department[0], label: department[1] },
    company,
    ...(index % 19 === 7 ? {} : { workEmail: `${ascii}@${company.domain}` }),
    ...(index % 19 === 7 || index % 5 === 2 ? { personalEmail: `${ascii}@letterbox.example` } : {}),
    confidence: pick(['A+', 'A', 'B', 'A+', 'C'] as const, index),
    ...(index % 17 === 9 ? {} : { linkedinSlug: slug }),
    phones: phonesOf(company, index),
    suppressed: index % 25 === 13,
    updatedAt: new Date(Date.UTC(2025, index % 12, 1 + (index % 28))).toISOString(),
    knownTo: knowersOfPerson(company, index),
  }
}

export const createDataSet = (): DataSet => {
  const companies = companyRows.map(createCompany)
  // The first company gets three people in addition to an even distribution.
  const people = Array.from({ length: 200 }, (_, index) =>
    createPerson(pick(companies, index < 3 ? 0 : index - 3), index),
  )
  return { companies, people }
}
