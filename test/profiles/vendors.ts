import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import type { Company, Person } from '../../shared/sandbox/people/data-set.ts'
import type { Home, ProfileName } from './play.ts'

type Values = Record<string, unknown>

/** What the common suite has to know of a vendor that its profile does not say. */
export type Vendor = {
  home: Home
  profile: ProfileName
  person: string
  company: string
  /** Steps that look up one person and one company. */
  steps: { person: string; company: string }
  /** Sets of our fields that find a person there, by what they need of one. */
  ways: ((person: Person) => Values | undefined)[]
  companyWays: ((company: Company) => Values | undefined)[]
  /** Most records of one request; 1 where there is no bulk request. */
  bulk: { person: number; company: number }
  /** Of each search: filters, and whether a record fits them. */
  searches: { endpoint: string; filters: Values; fits(record: Values): boolean; least: number }[]
  /** What becomes of a person who opted out. */
  optedOut: 'suppressed' | 'no match'
  /** What of the sandbox admits fewer requests than the profile expects, and how it then refuses. */
  narrow: { limits?: { requests: number; windowMs: number }; windows?: Record<string, number> }
  refusal: number
  words: { badKey: RegExp; noCredits: RegExp }
}

const byEmail = ({ workEmail }: Person) => (workEmail === undefined ? undefined : { email: workEmail })
const byAddress = ({ linkedinSlug }: Person) =>
  linkedinSlug === undefined ? undefined : { linkedinUrl: `https://www.linkedin.com/in/${linkedinSlug}` }
const bySlug = ({ linkedinSlug }: Person) => (linkedinSlug === undefined ? undefined : { linkedinSlug })
const byName = ({ firstName, lastName, company }: Person) => ({ firstName, lastName, company: company.name })

const byDomain = ({ domain }: Company) => ({ domain })
const byCompanyName = ({ name }: Company) => ({ name })

const isManager = ({ jobTitle }: Values) => /manager/i.test(String(jobTitle))
const contact = {
  home: 'contact-data',
  person: 'person',
  company: 'company',
  steps: { person: 'find-contact', company: 'find-company' },
} as const

const all: Vendor[] = [
  {
    ...contact,
    profile: 'lusha-v3',
    ways: [byEmail, byAddress, byName],
    companyWays: [byDomain, byCompanyName],
    bulk: { person: 100, company: 100 },
    searches: [
      { endpoint: 'search-contacts', filters: { jobTitle: 'manager' }, fits: isManager, least: 10 },
      {
        endpoint: 'search-companies',
        filters: { size: '51-200' },
        fits: ({ employeeRange }) => employeeRange === '51-200',
        least: 10,
      },
    ],
    optedOut: 'suppressed',
    narrow: { windows: { minute: 8 } },
    refusal: 429,
    words: { badKey: /Lusha does not know this API key/, noCredits: /Lusha account has no credits/ },
  },
  {
    ...contact,
    profile: 'people-data-labs',
    ways: [byEmail, byAddress, byName],
    companyWays: [byDomain, byCompanyName],
    bulk: { person: 100, company: 1 },
    searches: [
      {
        endpoint: 'search-contacts',
        filters: { jobTitle: 'Manager', country: 'AU' },
        fits: (record) => isManager(record) && record.country === 'australia',
        least: 1,
      },
      {
        endpoint: 'search-companies',
        filters: { size: '51-200' },
        fits: ({ employeeRange }) => employeeRange === '51-200',
        least: 1,
      },
    ],
    optedOut: 'no match',
    narrow: { windows: { 'person-enrich': 8 } },
    refusal: 429,
    words: {
      badKey: /People Data Labs does not know this API key/,
      noCredits: /All matches of the People Data Labs account/,
    },
  },
  {
    ...contact,
    profile: 'lusha-v2',
    ways: [byEmail, byAddress, byName],
    companyWays: [byDomain, byCompanyName],
    bulk: { person: 100, company: 100 },
    searches: [
      { endpoint: 'search-contacts', filters: { jobTitle: 'manager' }, fits: isManager, least: 10 },
      { endpoint: 'search-companies', filters: { size: '51-200' }, fits: () => true, least: 10 },
    ],
    optedOut: 'suppressed',
    narrow: { windows: { minute: 8 } },
    refusal: 429,
    words: { badKey: /Lusha does not know this API key/, noCredits: /Lusha account has no credits/ },
  },
  {
    ...contact,
    profile: 'apollo',
    ways: [byEmail, byAddress, byName],
    companyWays: [byDomain, byCompanyName],
    bulk: { person: 10, company: 1 },
    searches: [
      { endpoint: 'search-contacts', filters: { jobTitle: 'manager' }, fits: isManager, least: 2 },
      { endpoint: 'search-companies', filters: { size: '51-200' }, fits: () => true, least: 2 },
    ],
    optedOut: 'no match',
    narrow: { limits: { requests: 8, windowMs: 60_000 } },
    refusal: 429,
    words: { badKey: /Apollo does not know this API key/, noCredits: /Apollo account has no credits/ },
  },
  {
    ...contact,
    profile: 'hunter',
    ways: [byEmail, byAddress],
    companyWays: [byDomain],
    bulk: { person: 1, company: 1 },
    searches: [
      {
        endpoint: 'search-contacts',
        filters: { company: 'Wattlebird Freight' },
        fits: ({ email }) => String(email).endsWith('@wattlebird-freight.example'),
        least: 1,
      },
      {
        endpoint: 'search-companies',
        filters: { size: '51-200' },
        fits: ({ employeeRange }) => employeeRange === '51-200',
        least: 3,
      },
    ],
    optedOut: 'suppressed',
    narrow: { limits: { requests: 8, windowMs: 1000 } },
    refusal: 403,
    words: { badKey: /Hunter does not know this API key/, noCredits: /month's usage of the Hunter account/ },
  },
  {
    home: 'anz-data',
    profile: 'firmable',
    person: 'enrich-person',
    company: 'enrich-company',
    steps: { person: 'people-enrichment', company: 'company-enrichment' },
    ways: [byEmail, byAddress, bySlug],
    companyWays: [
      byDomain,
      ({ abn }) => (abn === undefined ? undefined : { abn }),
      ({ linkedinSlug }) => ({ linkedin: `https://www.linkedin.com/company/${linkedinSlug}` }),
    ],
    bulk: { person: 1, company: 1 },
    searches: [],
    optedOut: 'no match',
    narrow: { limits: { requests: 8, windowMs: 1000 } },
    refusal: 429,
    words: { badKey: /Firmable does not know this API key/, noCredits: /Firmable account has no credits/ },
  },
]

export const vendors = all

const { people, companies } = createDataSet()
const provider = ({ home }: Vendor) => (home === 'anz-data' ? 'anz' : 'contact')

/** Whom the vendor knows and may give out; with a work address and a profile, so that every way finds them. */
export const knownPeople = (vendor: Vendor) =>
  people.filter(
    ({ knownTo, suppressed, workEmail, linkedinSlug }) =>
      knownTo.includes(provider(vendor)) && !suppressed && workEmail && linkedinSlug,
  )
export const knownCompanies = (vendor: Vendor) =>
  companies.filter(({ knownTo, abn }) => knownTo.includes(provider(vendor)) && (vendor.home !== 'anz-data' || abn))
export const optedOut = (vendor: Vendor) =>
  people.filter(({ knownTo, suppressed, workEmail }) => knownTo.includes(provider(vendor)) && suppressed && workEmail)
