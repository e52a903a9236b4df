/** People and companies in v2's form: in three spellings, like its specification and samples. */
import type { Company, Person } from '../../people/data-set.ts'
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

type Address = { value: string; kind: 'work' | 'private'; grade: string | undefined }

const addressesOf = ({ workEmail, personalEmail, confidence }: Person): Address[] => [
  ...(workEmail === undefined ? [] : [{ value: workEmail, kind: 'work' as const, grade: confidence }]),
  ...(personalEmail === undefined ? [] : [{ value: personalEmail, kind: 'private' as const, grade: undefined }]),
]

const graded = (person: Person, { grade }: Address) => ({
  ...(grade === undefined ? {} : { emailConfidence: grade }),
  updateDate: dayOf(person.updatedAt),
})

const emailParts: ((person: Person) => object)[] = [
  (person) => ({
    emailAddresses: addressesOf(person).map((address) => ({
      address: address.value,
      type: address.kind,
      ...graded(person, address),
    })),
  }),
  (person) => ({
    emails: addressesOf(person).map(({ value }) => value),
    emailAddresses: addressesOf(person).map((address) => ({
      email: address.value,
      emailType: address.kind,
      ...graded(person, address),
    })),
  }),
  (person) => {
    const addresses = addressesOf(person)
    return addresses.length === 0
      ? {}
      : {
          emailAddresses: addresses.map((address) => ({
            email: address.value,
            type: address.kind,
            ...graded(person, address),
          })),
        }
  },
]

const numbersOf = ({ phones, updatedAt }: Person, kinds: { mobile: string; office: string }) =>
  phones.map(({ number, kind, doNotCall }) => ({
    number: numberOf(number),
    phoneType: kinds[kind],
    ...(doNotCall === null ? {} : { doNotCall }),
    updateDate: dayOf(updatedAt),
  }))

const titled = { mobile: 'Mobile', office: 'Direct' }
const phoneParts: ((person: Person) => object)[] = [
  (person) => ({ phoneNumbers: numbersOf(person, titled) }),
  (person) => ({
    phones: person.phones.map(({ number }) => numberOf(number)),
    phoneNumbers: numbersOf(person, { mobile: 'mobile', office: 'direct' }),
  }),
  (person) => (person.phones.length === 0 ? {} : { phoneNumbers: numbersOf(person, titled) }),
]

const rawLocation = ({ place }: Company) => `${place.city}, ${stateCodeOf(place)}, ${place.country}`

const locationOf = ({ company }: Person, form: number) => {
  const { place } = company
  const shared = {
    country: place.countryName,
    continent: continentOf(place),
    city: place.city,
    state: place.regionName,
  }
  if (form === 0)
    return {
      ...shared,
      countryIso2: place.country,
      stateCode: stateCodeOf(place),
      rawLocation: rawLocation(company),
      isEuContact: isEu(place),
    }
  if (form === 1)
    return { ...shared, country_iso2: place.country, state_code: stateCodeOf(place), is_eu_contact: isEu(place) }
  return { ...shared, countryIso2: place.country, is_eu_contact: isEu(place) }
}

const socialOf = ({ linkedinSlug }: Person) =>
  linkedinSlug === undefined ? {} : { linkedin: linkedinOf('in', linkedinSlug) }

const revealed = (person: Person, { emails, phones }: RequestedData) => {
  const form = formOf(person, 3)
  return { ...(emails ? emailParts[form]?.(person) : {}), ...(phones ? phoneParts[form]?.(person) : {}) }
}

/** A contact without its company, which single answers contain inside the contact and bulk answers next to it. */
export const contactRecord = (person: Person, wantedData: RequestedData) => ({
  firstName: person.firstName,
  lastName: person.lastName,
  fullName: fullNameOf(person),
  personId: Number(contactId(person)),
  companyId: Number(companyId(person.company)),
  contactTags: [],
  ...revealed(person, wantedData),
  jobTitle: { title: person.title, seniority: seniorityOf(person).name, departments: [person.department.label] },
  location: locationOf(person, formOf(person, 3)),
  socialLinks: socialOf(person),
  previousJob: { company: {}, jobTitle: {} },
  updateDate: dayOf(person.updatedAt),
})

const rangeOf = ({ min, max }: { min: number; max: number }): [number, number] => [min, max]
const technologiesOf = (company: Company) => company.technologies.map((name) => ({ name }))
const subIndustryOf = (company: Company) => industryOf(company).sub_industries[0]?.value

/** A company in the form used in answers about people. */
export const employerRecord = (company: Company) => ({
  name: company.name,
  description: `${company.legalName}, ${company.industry}`,
  domains: { homepage: `https://www.${company.domain}`, email: company.domain },
  homepageUrl: `https://www.${company.domain}`,
  fqdn: hostOf(company),
  location: {
    country: company.place.countryName,
    countryIso2: company.place.country,
    continent: continentOf(company.place),
    rawLocation: rawLocation(company),
    city: company.place.city,
    state: company.place.regionName,
  },
  companySize: rangeOf(sizeOf(company)),
  revenueRange: rangeOf(revenueOf(company)),
  social: { linkedin: linkedinOf('company', company.linkedinSlug) },
  technologies: technologiesOf(company),
  industry: { mainIndustry: company.industry, subIndustry: subIndustryOf(company) },
})

export const companyRecord = (company: Company) => {
  const { min, max } = sizeOf(company)
  const { place } = company
  return {
    id: Number(companyId(company)),
    name: company.name,
    domain: company.domain,
    fqdn: hostOf(company),
    description: `${company.legalName}, ${company.industry}`,
    employees: `${min} - ${max}`,
    companySize: { min, max, employeesInLinkedin: company.employees },
    revenueRange: rangeOf(revenueOf(company)),
    mainIndustry: company.industry,
    subIndustry: subIndustryOf(company),
    founded: String(company.founded),
    website: `https://www.${company.domain}`,
    location: {
      city: place.city,
      state: place.regionName,
      stateCode: stateCodeOf(place),
      country: place.countryName,
      countryIso2: place.country,
      rawLocation: rawLocation(company),
    },
    social: { linkedin: { url: linkedinOf('company', company.linkedinSlug) } },
    specialities: [],
    technologies: technologiesOf(company),
  }
}

export const bulkCompanyRecord = (company: Company) => {
  const { place } = company
  return {
    id: Number(companyId(company)),
    lushaCompanyId: companyId(company),
    name: company.name,
    emailDomain: company.domain,
    fqdn: hostOf(company),
    companySize: rangeOf(sizeOf(company)),
    employeesInLinkedin: company.employees,
    revenueRange: rangeOf(revenueOf(company)),
    mainIndustry: company.industry,
    subIndustry: subIndustryOf(company),
    founded: String(company.founded),
    linkedin: linkedinOf('company', company.linkedinSlug),
    city: place.city,
    state: place.regionName,
    country: place.countryName,
    countryIso2: place.country,
    continent: continentOf(place),
    rawLocation: rawLocation(company),
    specialities: [],
    technologies: technologiesOf(company),
  }
}

const companyFlags = {
  hasCompanyEmployeesCount: true,
  hasCompanyRevenue: true,
  hasCompanyMainIndustry: true,
  hasCompanySubIndustry: true,
  hasCompanyFunding: false,
  hasCompanyIntent: false,
  hasCompanyTechnologies: true,
  hasCompanyCity: true,
  hasCompanyCountry: true,
}

/** A row of a contact search, with the id that is valid only in this search. */
export const contactRow = (person: Person, id: string, isShown: boolean) => ({
  contactId: id,
  isShown,
  name: fullNameOf(person),
  jobTitle: person.title,
  companyId: Number(companyId(person.company)),
  companyName: person.company.name,
  fqdn: hostOf(person.company),
  ...companyFlags,
  hasDepartment: true,
  hasSeniority: true,
  hasContactLocation: true,
  hasSocialLink: person.linkedinSlug !== undefined,
  hasEmails: addressesOf(person).length > 0,
  hasWorkEmail: person.workEmail !== undefined,
  hasPrivateEmail: person.personalEmail !== undefined,
  hasPhones: person.phones.length > 0,
  hasMobilePhone: person.phones.some(({ kind }) => kind === 'mobile'),
  hasDirectPhone: person.phones.some(({ kind }) => kind === 'office'),
})

export const companyRow = (company: Company) => ({
  id: companyId(company),
  name: company.name,
  fqdn: hostOf(company),
  description: `${company.legalName}, ${company.industry}`,
  ...companyFlags,
})

/** A contact revealed after a search, which is flatter than one that was looked up. */
export const revealedRecord = (person: Person, wantedData: RequestedData, isShown: boolean) => ({
  firstName: person.firstName,
  lastName: person.lastName,
  fullName: fullNameOf(person),
  isShown,
  jobTitle: person.title,
  departments: [person.department.label],
  seniority: [seniorityOf(person)].map(({ id, name }) => ({ id, value: name.toLowerCase() })),
  location: locationOf(person, 1),
  ...revealed(person, wantedData),
  companyId: Number(companyId(person.company)),
  companyName: person.company.name,
  socialLinks: socialOf(person),
})
