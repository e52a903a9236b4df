/** Records and search rows as Firmable's specification shows them. */
import type { Company, Person } from '../../people/data-set.ts'
import { departmentOf, departments, seniorities, seniorityOf } from './words.ts'

const numbered = (id: string) => id.replace(/\D/g, '').padStart(12, '0')
export const companyId = ({ id }: Company): string => `f${numbered(id)}`
export const personId = ({ id }: Person): string => `fp${numbered(id)}`

/** A number in its national form: "+61 491 570 006" is "0491 570 006". */
const national = (number: string): string => number.replace(/^\+\d+ /, '0')

/** A size band in the specification's form, such as "11 - 50" or "1000+". */
const sizeOf = ({ sizeBand }: Company): string => sizeBand.replace('-', ' - ')

const mailsOf = (address: string | undefined, deliverability: string) =>
  address === undefined ? [] : [{ value: address, deliverability }]

/** The specification describes a handle but shows an address, so half of the people have one, half the other. */
const linkedinOf = ({ id, linkedinSlug }: Person): string | null => {
  if (linkedinSlug === undefined) return null
  return Number(numbered(id)) % 2 === 0
    ? linkedinSlug
    : `https://www.linkedin.com/in/${encodeURIComponent(linkedinSlug)}`
}

export const personRecord = (person: Person) => {
  const { company } = person
  const joined = new Date(person.updatedAt)
  return {
    id: personId(person),
    name: `${person.firstName} ${person.lastName}`,
    first_name: person.firstName,
    last_name: person.lastName,
    middle_name: null,
    headline: `${person.title} at ${company.name}`,
    description: null,
    position: person.title,
    current_company: {
      id: companyId(company),
      name: company.name,
      size: sizeOf(company),
      website: `https://www.${company.domain}`,
      industry: [company.industry],
      linkedin: company.linkedinSlug,
      main_phones: [national(company.phone)],
      other_phones: null,
      mobile_phones: null,
    },
    time_in_current_role: `${joined.toLocaleString('en-US', { month: 'short', timeZone: 'UTC' })} '${String(joined.getUTCFullYear()).slice(2)} - Present`,
    month_joined: joined.getUTCMonth() + 1,
    year_joined: joined.getUTCFullYear(),
    emails: {
      work: mailsOf(person.workEmail, person.confidence.startsWith('A') ? 'Deliverable' : 'Risky'),
      personal: mailsOf(person.personalEmail, 'Unknown'),
    },
    phones: person.phones.map(({ number, doNotCall }) => ({ value: national(number), is_dnd: doNotCall })),
    linkedin: linkedinOf(person),
    social_media: {
      linkedin:
        person.linkedinSlug === undefined
          ? null
          : { handle: person.linkedinSlug, connections: 500, followers: 120, stars: null },
    },
    location: [company.place.city, company.place.regionName, company.place.countryName],
    department: departments.get(departmentOf(person)),
    seniority: seniorities.get(seniorityOf(person)),
    gender: null,
    skills: null,
    education: {},
    keywords: null,
    secondary_position: null,
  }
}

/** Industry codes of the requested country; the specification says that those of other countries are left out. */
const codesOf = (company: Company, country: string) => ({
  sic: null,
  duns: null,
  naics: null,
  anzsic: null,
  ...(country === 'AU' ? { abn: company.abn ?? null, acn: company.acn ?? null } : {}),
  ...(country === 'NZ' ? { nzbn: company.nzbn ?? null } : {}),
})

export const companyRecord = (company: Company, country: string) => {
  const { place } = company
  return {
    id: companyId(company),
    name: company.name,
    website: `https://www.${company.domain}`,
    fqdn: company.domain,
    description: `${company.legalName}, ${place.city}`,
    tagline: null,
    linkedin: company.linkedinSlug,
    employee_count: place.country === country ? company.employees : null,
    year_founded: company.founded,
    hq_location: place.city,
    hq_country: place.countryName,
    company_size: sizeOf(company),
    company_type: 'Privately held',
    abn_operation_status: company.abn === undefined ? null : 'active',
    locations: [place.city],
    industries: [company.industry],
    revenue: `$${company.revenue}`,
    phones: [national(company.phone)],
    emails: [`hello@${company.domain}`],
    social_media: { twitter: null, youtube: null, facebook: null, linkedin: company.linkedinSlug, instagram: null },
    industry_codes: codesOf(company, country),
    keywords: [company.industry],
    org_registers: {},
    states: place.country === 'AU' ? [place.region.slice(3)] : [],
    nextGen: {
      technographics: { 'Software Development': company.technologies },
      website: `https://www.${company.domain}`,
      web_traffic: null,
      reviews_rating: null,
    },
  }
}

/** A search row says whether there is an e-mail address or number, but not which; it contains no name either. */
export const searchRow = (person: Person) => ({
  person_id: personId(person),
  position: person.title,
  company_name: person.company.name,
  linkedin: person.linkedinSlug ?? null,
  has_email: person.workEmail !== undefined,
  has_personal_email: person.personalEmail !== undefined,
  has_phone: person.phones.length > 0,
  has_mobile: person.phones.some(({ kind }) => kind === 'mobile'),
  has_dnd_phone: person.phones.some(({ doNotCall }) => doNotCall === true),
})
