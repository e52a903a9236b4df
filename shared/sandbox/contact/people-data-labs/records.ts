/**
 * Records in the form of People Data Labs' example records: lower-case, addresses without scheme, null for unknown
 * values.
 */
import type { Company, Person } from '../../people/data-set.ts'

export type PdlRecord = Record<string, unknown>

export const personId = ({ id }: Person): string => `sandbox${id.replace('-', '')}_0000`
export const companyId = ({ id }: Company): string => `sandbox${id.replace('-', '')}`

const levels: Record<string, string> = { c_suite: 'cxo', head: 'director' }
const roles: Record<string, string> = { customer_service: 'support' }
const sizes: Record<string, string> = { '5001+': '5001-10000' }
const revenues: Record<string, string> = {
  '500M-1B': '$500M-$1B',
  '50M-500M': '$50M-$100M',
  '10M-50M': '$10M-$25M',
  '1M-10M': '$1M-$10M',
}

const lower = (text: string): string => text.toLowerCase()
const sizeOf = ({ sizeBand }: Company): string => sizes[sizeBand] ?? sizeBand

const placeOf = ({ place }: Company) => ({
  name: lower(`${place.city}, ${place.regionName}, ${place.countryName}`),
  locality: lower(place.city),
  region: lower(place.regionName),
  country: lower(place.countryName),
})

export const personRecord = (person: Person): PdlRecord => {
  const { company, workEmail, personalEmail, phones } = person
  const place = placeOf(company)
  const numbers = phones.map(({ number }) => number.replaceAll(' ', ''))
  return {
    id: personId(person),
    full_name: lower(`${person.firstName} ${person.lastName}`),
    first_name: lower(person.firstName),
    middle_name: null,
    last_name: lower(person.lastName),
    sex: null,
    birth_year: null,
    linkedin_url: person.linkedinSlug === undefined ? null : `linkedin.com/in/${person.linkedinSlug}`,
    linkedin_username: person.linkedinSlug ?? null,
    linkedin_id: null,
    work_email: workEmail ?? null,
    personal_emails: personalEmail === undefined ? [] : [personalEmail],
    recommended_personal_email: personalEmail ?? null,
    mobile_phone: phones.find(({ kind }) => kind === 'mobile')?.number.replaceAll(' ', '') ?? null,
    phone_numbers: numbers,
    emails: [
      ...(workEmail === undefined ? [] : [{ address: workEmail, type: 'current_professional' }]),
      ...(personalEmail === undefined ? [] : [{ address: personalEmail, type: 'personal' }]),
    ],
    industry: lower(company.industry),
    job_title: lower(person.title),
    job_title_role: roles[person.department.key] ?? person.department.key,
    job_title_sub_role: null,
    job_title_levels: [levels[person.seniority.key] ?? person.seniority.key],
    job_company_id: companyId(company),
    job_company_name: lower(company.name),
    job_company_website: company.domain,
    job_company_size: sizeOf(company),
    job_company_industry: lower(company.industry),
    job_company_founded: company.founded,
    job_company_linkedin_url: `linkedin.com/company/${company.linkedinSlug}`,
    job_company_location_country: place.country,
    job_last_verified: person.updatedAt.slice(0, 10),
    location_name: place.name,
    location_locality: place.locality,
    location_region: place.region,
    location_country: place.country,
    experience: [],
    skills: [],
    dataset_version: '35.0',
  }
}

export const companyRecord = (company: Company): PdlRecord => ({
  id: companyId(company),
  name: lower(company.name),
  display_name: company.name,
  size: sizeOf(company),
  employee_count: company.employees,
  founded: company.founded,
  industry: lower(company.industry),
  location: placeOf(company),
  linkedin_id: company.linkedinId,
  linkedin_url: `linkedin.com/company/${company.linkedinSlug}`,
  linkedin_slug: company.linkedinSlug,
  website: company.domain,
  ticker: null,
  type: 'private',
  summary: null,
  tags: [lower(company.industry)],
  alternative_names: [lower(company.legalName)],
  inferred_revenue: revenues[company.revenue] ?? null,
  dataset_version: '35.0',
})

const titled = (text: string): string =>
  text.replace(/(^|[\s'’(-])(\p{L})/gu, (_all, before: string, letter: string) => before + letter.toUpperCase())
/** Fields that title case applies to: names, titles and places. Addresses, ids and canonical words stay unchanged. */
const named = /(^|_)(name|title|industry|locality|region|country)$/

export const inTitleCase = (value: unknown, key = ''): unknown => {
  if (typeof value === 'string') return named.test(key) ? titled(value) : value
  if (Array.isArray(value)) return value.map((item) => inTitleCase(item, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inTitleCase(item, name)]))
}

/** Selects fields: "a,b" keeps only these; "-a,b" keeps all others. */
export const including = (record: PdlRecord, fieldList: string): PdlRecord => {
  const isOut = fieldList.startsWith('-')
  const names = fieldList.replace(/^-/, '').split(',')
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name) !== isOut))
}
