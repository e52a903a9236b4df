/** The shapes of this sandbox's records. The documents show none of these names; they are invented. */
import type { Company, Person } from '../../people/data-set.ts'

const locationOf = ({ place }: Company) => ({
  city: place.city,
  state: place.region,
  state_name: place.regionName,
  country: place.country,
})

const emailsOf = ({ workEmail, personalEmail, confidence }: Person) => [
  ...(workEmail === undefined
    ? []
    : [{ address: workEmail, kind: 'work', deliverability: confidence.startsWith('A') ? 'valid' : 'risky' }]),
  ...(personalEmail === undefined ? [] : [{ address: personalEmail, kind: 'personal', deliverability: null }]),
]

export const personRecord = (person: Person) => ({
  id: person.id,
  full_name: `${person.firstName} ${person.lastName}`,
  first_name: person.firstName,
  last_name: person.lastName,
  position: person.title,
  seniority: person.seniority.key,
  department: person.department.key,
  company: {
    id: person.company.id,
    name: person.company.name,
    domain: person.company.domain,
    abn: person.company.abn ?? null,
  },
  location: locationOf(person.company),
  linkedin_slug: person.linkedinSlug ?? null,
  emails: emailsOf(person),
  phones: person.phones.map(({ number, kind, doNotCall }) => ({ number, kind, do_not_call: doNotCall })),
  updated_at: person.updatedAt,
})

export const companyRecord = (company: Company) => ({
  id: company.id,
  name: company.name,
  legal_name: company.legalName,
  abn: company.abn ?? null,
  acn: company.acn ?? null,
  nzbn: company.nzbn ?? null,
  domain: company.domain,
  website: `https://www.${company.domain}`,
  linkedin_slug: company.linkedinSlug,
  industry: company.industry,
  company_size: company.sizeBand,
  employee_count: company.employees,
  year_founded: company.founded,
  location: locationOf(company),
  phone: company.phone,
  technologies: company.technologies,
})

/** A search row says whether there is an e-mail address or phone number, but not which. */
export const searchRow = (person: Person) => ({
  person_id: person.id,
  full_name: `${person.firstName} ${person.lastName}`,
  position: person.title,
  seniority: person.seniority.key,
  department: person.department.key,
  company_name: person.company.name,
  company_domain: person.company.domain,
  company_size: person.company.sizeBand,
  state: person.company.place.region,
  linkedin_slug: person.linkedinSlug ?? null,
  has_email: person.workEmail !== undefined || person.personalEmail !== undefined,
  has_phone: person.phones.length > 0,
  has_do_not_call: person.phones.some(({ doNotCall }) => doNotCall === true),
})
