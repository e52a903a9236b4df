/** The shapes of this sandbox's records. The documents show none of these names; they are invented. */
import type { Company, Person } from '../../people/data-set.ts'

const linkedinUrl = (kind: 'in' | 'company', slug: string) =>
  `https://www.linkedin.com/${kind}/${encodeURIComponent(slug)}`

const locationOf = ({ place }: Company) => ({
  city: place.city,
  state: place.regionName,
  country: place.countryName,
  countryCode: place.country,
})

export const personRecord = (person: Person) => ({
  personId: person.id,
  firstName: person.firstName,
  lastName: person.lastName,
  fullName: `${person.firstName} ${person.lastName}`,
  jobTitle: { title: person.title, seniority: person.seniority.label, departments: [person.department.label] },
  company: { id: person.company.id, name: person.company.name, domain: person.company.domain },
  location: locationOf(person.company),
  emailAddresses: [
    ...(person.workEmail === undefined
      ? []
      : [{ email: person.workEmail, type: 'work', confidence: person.confidence }]),
    ...(person.personalEmail === undefined ? [] : [{ email: person.personalEmail, type: 'private', confidence: null }]),
  ],
  phoneNumbers: person.phones.map(({ number, kind, doNotCall }) => ({
    number: number.replaceAll(' ', ''),
    type: kind === 'mobile' ? 'mobile' : 'direct',
    doNotCall,
  })),
  socialLinks: person.linkedinSlug === undefined ? {} : { linkedin: linkedinUrl('in', person.linkedinSlug) },
  updateDate: person.updatedAt,
})

export const companyRecord = (company: Company) => ({
  companyId: company.id,
  name: company.name,
  legalName: company.legalName,
  domain: company.domain,
  website: `https://www.${company.domain}`,
  mainIndustry: company.industry,
  employees: { exact: company.employees, range: company.sizeBand },
  revenueRange: company.revenue,
  founded: company.founded,
  location: locationOf(company),
  technologies: company.technologies.map((name) => ({ name })),
  phone: company.phone.replaceAll(' ', ''),
  socialLinks: { linkedin: linkedinUrl('company', company.linkedinSlug) },
})

/** A row of a people search: which details can be revealed, without their values. */
export const personRow = (person: Person) => ({
  personId: person.id,
  fullName: `${person.firstName} ${person.lastName}`,
  jobTitle: { title: person.title, seniority: person.seniority.label, departments: [person.department.label] },
  company: { id: person.company.id, name: person.company.name, domain: person.company.domain },
  location: locationOf(person.company),
  socialLinks: person.linkedinSlug === undefined ? {} : { linkedin: linkedinUrl('in', person.linkedinSlug) },
  has: [
    ...(person.workEmail === undefined && person.personalEmail === undefined ? [] : ['emails']),
    ...(person.phones.length === 0 ? [] : ['phones']),
  ],
})
