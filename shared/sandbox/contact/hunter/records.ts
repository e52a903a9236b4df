/** Records and rows in the form of Hunter's specification. */
import type { Company, Person } from '../../people/data-set.ts'

/** Ids are UUIDs, derived here from the numbers of the data set. */
const uuid = (kind: string, id: string) => `${kind}0000000-0000-4000-8000-${id.replace(/\D/g, '').padStart(12, '0')}`

const seniorities: Record<string, string> = {
  owner: 'executive',
  c_suite: 'executive',
  vp: 'executive',
  director: 'senior',
  head: 'senior',
  manager: 'senior',
  senior: 'senior',
}
const departments: Record<string, string> = {
  human_resources: 'hr',
  customer_service: 'support',
  engineering: 'it',
  product: 'management',
}
const confidences = { 'A+': 99, A: 94, B: 81, C: 66 }

export const seniorityOf = ({ seniority }: Person): string => seniorities[seniority.key] ?? 'junior'
export const departmentOf = ({ seniority, department }: Person): string =>
  seniority.key === 'c_suite' ? 'executive' : (departments[department.key] ?? department.key)

export const headcounts = ['1-10', '11-50', '51-200', '201-500', '501-1000', '1001-5000', '5001-10000', '10001+']
export const headcountOf = ({ sizeBand }: Company): string => (sizeBand === '5001+' ? '5001-10000' : sizeBand)

const handle = (text: string | null) => ({ handle: text })
const geoOf = ({ place }: Company) => ({
  city: place.city,
  state: place.regionName,
  country: place.countryName,
  countryCode: place.country,
  lat: null,
  lng: null,
})
const locationOf = ({ place }: Company) => `${place.city}, ${place.regionName}, ${place.countryName}`
const plain = (number: string) => number.replaceAll(' ', '')

/**
 * `email`: the address of the lookup, which is repeated in the answer; after a lookup by handle, the work address comes
 * first.
 */
export const personRecord = (person: Person, email: string | null) => ({
  id: uuid('a', person.id),
  name: {
    fullName: `${person.firstName} ${person.lastName}`,
    givenName: person.firstName,
    familyName: person.lastName,
  },
  email,
  location: locationOf(person.company),
  timeZone: null,
  utcOffset: null,
  geo: geoOf(person.company),
  bio: null,
  site: null,
  avatar: null,
  employment: {
    domain: person.company.domain,
    name: person.company.name,
    title: person.title,
    role: departmentOf(person),
    subRole: null,
    seniority: seniorityOf(person),
  },
  facebook: handle(null),
  github: handle(null),
  twitter: handle(null),
  linkedin: handle(person.linkedinSlug ?? null),
  googleplus: handle(null),
  gravatar: { handle: null, urls: [], avatar: null },
  fuzzy: false,
  emailProvider: null,
  phone: person.phones[0] === undefined ? null : plain(person.phones[0].number),
  activeAt: person.updatedAt,
  inactiveAt: null,
})

export const companyRecord = (company: Company) => ({
  id: uuid('c', company.id),
  name: company.name,
  legalName: company.legalName,
  domain: company.domain,
  domainAliases: [],
  site: { phoneNumbers: [plain(company.phone)], emailAddresses: [`hello@${company.domain}`] },
  category: {
    sector: null,
    industryGroup: null,
    industry: company.industry,
    subIndustry: null,
    gicsCode: null,
    sicCode: null,
    naicsCode: null,
  },
  tags: [company.industry],
  description: null,
  foundedYear: company.founded,
  location: locationOf(company),
  timeZone: null,
  geo: geoOf(company),
  logo: null,
  facebook: handle(null),
  linkedin: handle(`company/${company.linkedinSlug}`),
  twitter: handle(null),
  crunchbase: handle(null),
  instagram: handle(null),
  emailProvider: null,
  type: 'private',
  company_type: 'privately_held',
  ticker: null,
  phone: plain(company.phone),
  metrics: {
    alexaUsRank: null,
    alexaGlobalRank: null,
    trafficRank: null,
    employees: headcountOf(company),
    marketCap: null,
    raised: null,
    annualRevenue: null,
  },
  tech: company.technologies.map((name) => name.toLowerCase().replaceAll(' ', '-')),
  techCategories: [],
  fundingRounds: null,
})

/** One address of a domain search, which never contains private addresses. */
export const addressRow = (person: Person) => ({
  value: person.workEmail,
  type: 'personal',
  confidence: confidences[person.confidence],
  sources: [],
  first_name: person.firstName,
  last_name: person.lastName,
  position: person.title,
  position_raw: person.title,
  seniority: seniorityOf(person),
  department: departmentOf(person),
  linkedin:
    person.linkedinSlug === undefined ? null : `https://www.linkedin.com/in/${encodeURIComponent(person.linkedinSlug)}`,
  twitter: null,
  phone_number: person.phones[0] === undefined ? null : plain(person.phones[0].number),
  verification: { date: person.updatedAt.slice(0, 10), status: person.confidence === 'C' ? 'accept_all' : 'valid' },
})

export const domainRecord = (company: Company) => ({
  domain: company.domain,
  disposable: false,
  webmail: false,
  accept_all: false,
  pattern: '{first}.{last}',
  organization: company.name,
  description: null,
  industry: company.industry,
  twitter: null,
  facebook: null,
  linkedin: `https://www.linkedin.com/company/${company.linkedinSlug}`,
  instagram: null,
  youtube: null,
  technologies: company.technologies.map((name) => name.toLowerCase().replaceAll(' ', '-')),
  country: company.place.country,
  state: company.place.regionName,
  city: company.place.city,
  postal_code: null,
  street: null,
  headcount: headcountOf(company),
  company_type: 'privately held',
})
