import { completeSets, linkedinPersonUrl, normaliseDomain, normalisedText, normaliseEmail, words } from '#kit'

export const email = () => normalisedText(normaliseEmail).meta({ title: 'E-mail', description: 'Work or private e-mail address of the person.' })
export const linkedinUrl = () =>
  normalisedText(linkedinPersonUrl).meta({
    title: 'LinkedIn address',
    description: "Address of the person's LinkedIn profile, in any usual form, such as https://www.linkedin.com/in/name-123.",
  })
export const firstName = () => words('First name', 'First name of the person; identifies only together with lastName and company.')
export const lastName = () => words('Last name', 'Last name of the person; identifies only together with firstName and company.')
export const company = () => words('Company', 'Name of the employer; identifies a person only together with firstName and lastName.')
export const domain = () =>
  normalisedText(normaliseDomain).meta({
    title: 'Domain',
    description: 'Web domain of the company, such as example.com; an address or e-mail address is reduced to its domain.',
  })
export const companyName = () => words('Name', 'Name of the company.')

export const personKeys = [['email'], ['linkedinUrl'], ['firstName', 'lastName', 'company']]
export const companyKeys = [['domain'], ['name']]

type Given = { [field: string]: string | undefined }

export const personSets = (given: Given) => completeSets(given, [['linkedinUrl'], ['email'], ['firstName', 'lastName', 'company']])
export const companySets = (given: Given) => completeSets(given, [['domain'], ['name']])
