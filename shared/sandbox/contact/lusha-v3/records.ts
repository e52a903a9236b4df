/**
 * People and companies in v3's form. Fields without a value are left out of some records, and null or empty in others.
 */
import type { Company, Person } from '../../people/data-set.ts'
import { isOwned, pointOfCompany, pointsOf } from '../lusha/billing.ts'
import type { RequestedData } from '../lusha/billing.ts'
import { companyId, contactId } from '../lusha/find.ts'
import {
  continentOf,
  dayOf,
  formOf,
  fullNameOf,
  hostOf,
  industryOf,
  isEu,
  linkedinOf,
  numberOf,
  revenueOf,
  seniorityOf,
  sizeOf,
  stateCodeOf,
} from '../lusha/values.ts'
import type { World } from '../../lookups/world.ts'

export const companyRef = (company: Company) => ({
  id: companyId(company),
  name: company.name,
  domain: hostOf(company),
})
const jobOf = (person: Person) => ({
  title: person.title,
  departments: [person.department.label],
  seniority: seniorityOf(person).name,
})
const socialOf = ({ linkedinSlug }: Person) =>
  linkedinSlug === undefined ? {} : { linkedin: linkedinOf('in', linkedinSlug) }

const emailsOf = ({ workEmail, personalEmail, confidence, updatedAt }: Person) => [
  ...(workEmail === undefined ? [] : [{ email: workEmail, type: 'work', confidence, updateDate: dayOf(updatedAt) }]),
  ...(personalEmail === undefined
    ? []
    : [{ email: personalEmail, type: 'private', confidence: null, updateDate: dayOf(updatedAt) }]),
]

const phonesOf = ({ phones, updatedAt }: Person) =>
  phones.map(({ number, kind, doNotCall }) => ({
    number: numberOf(number),
    type: kind === 'mobile' ? 'mobile' : 'direct',
    ...(doNotCall === null ? {} : { doNotCall }),
    updateDate: dayOf(updatedAt),
  }))

const none = <T>(person: Person, name: string, values: T[]) =>
  values.length === 0 && formOf(person, 2) === 1 ? {} : { [name]: values }

export const contactRecord = (person: Person, { emails, phones }: RequestedData) => {
  const { place } = person.company
  return {
    id: contactId(person),
    firstName: person.firstName,
    lastName: person.lastName,
    fullName: fullNameOf(person),
    jobTitle: jobOf(person),
    location: {
      country: place.countryName,
      countryIso2: place.country,
      state: place.regionName,
      city: place.city,
      continent: continentOf(place),
      isEuContact: isEu(place),
    },
    tags: [],
    ...(emails ? none(person, 'emails', emailsOf(person)) : {}),
    ...(phones ? none(person, 'phones', phonesOf(person)) : {}),
    company: { ...companyRef(person.company), industry: person.company.industry },
    socialLinks: socialOf(person),
    previousEmployment: [],
    updateDate: dayOf(person.updatedAt),
  }
}

/** A person whose address another provider has. */
export const recordFromElsewhere = (person: Person, wantedData: RequestedData) => {
  const { firstName, lastName, company, updatedAt } = person
  const email = `${firstName}.${lastName}@${company.domain}`.toLowerCase().replaceAll(/[^a-z.@-]/g, '')
  return {
    ...contactRecord(person, wantedData),
    emails: [{ email, type: 'work', confidence: 'B', updateDate: dayOf(updatedAt) }],
  }
}

const both: RequestedData = { emails: true, phones: true }
const fieldOf = {
  email: 'emails',
  phone: 'phones',
  company: 'company',
  companyField: 'companyField',
  waterfall: 'emails',
} as const

/** A search row: which details exist and what they would cost, without any e-mail address or number. */
export const contactPreview = (world: World, person: Person) => {
  const { place } = person.company
  const points = pointsOf(person, both)
  return {
    id: contactId(person),
    firstName: person.firstName,
    lastName: person.lastName,
    jobTitle: jobOf(person),
    company: companyRef(person.company),
    location: { country: place.countryName, state: place.regionName, city: place.city },
    socialLinks: socialOf(person),
    has: ['firstName', 'lastName', 'jobTitle', 'location', 'socialLinks', ...points.map(({ what }) => fieldOf[what])],
    canReveal: points.map((point) => ({
      field: fieldOf[point.what],
      credits: isOwned(world, point) ? 0 : point.credits,
    })),
  }
}

const locationOf = ({ place }: Company) => ({
  city: place.city,
  state: place.regionName,
  stateCode: stateCodeOf(place),
  country: place.countryName,
  countryIso2: place.country,
  continent: continentOf(place),
})

export const companyRecord = (company: Company) => ({
  id: companyId(company),
  name: company.name,
  alternativeName: company.name.toLowerCase(),
  domain: hostOf(company),
  alternativeDomains: [company.domain],
  companyType: 'Private Company',
  yearFounded: company.founded,
  employeeCount: { exact: company.employees, ...sizeOf(company) },
  industry: company.industry,
  subIndustry: industryOf(company).sub_industries[0]?.value,
  specialities: [],
  location: locationOf(company),
  socialLinks: { linkedin: linkedinOf('company', company.linkedinSlug) },
  revenueRange: revenueOf(company),
  technologies: company.technologies,
  ...(formOf(company, 3) === 0 ? {} : { phone: numberOf(company.phone) }),
})

export const companyPreview = (world: World, company: Company) => ({
  id: companyId(company),
  name: company.name,
  domain: hostOf(company),
  employeeCount: { exact: company.employees, ...sizeOf(company) },
  industry: company.industry,
  location: locationOf(company),
  socialLinks: { linkedin: linkedinOf('company', company.linkedinSlug) },
  has: ['yearFounded', 'subIndustry', 'revenueRange', 'technologies'],
  // The vendor's examples name a field that is revealed in addition.
  canReveal: [{ field: 'competitors', credits: isOwned(world, pointOfCompany(company)) ? 0 : 1 }],
})
