import type { FieldSpec } from '#kit'
import {
  completeSets,
  linkedinPersonUrl,
  normaliseCountry,
  normaliseDomain,
  normalisedText,
  normaliseEmail,
  words,
  z,
} from '#kit'

export const email = () =>
  normalisedText(normaliseEmail).meta({ title: 'E-mail', description: 'Work or private e-mail address.' })
export const linkedinUrl = () =>
  normalisedText(linkedinPersonUrl).meta({
    title: 'LinkedIn address',
    description: 'Address of the LinkedIn profile.',
  })
export const firstName = () => words('First name', 'First name of the person.')
export const lastName = () => words('Last name', 'Last name of the person.')
export const company = () => words('Company', 'Name of the employer.')
export const companyDomain = () =>
  normalisedText(normaliseDomain).meta({
    title: 'Company domain',
    description: 'Web domain of the employer, such as example.com.',
  })
export const personId = () => words('Person id', 'Id of the person, from an earlier result.')
export const companyId = () => words('Company id', 'Id of the company, from an earlier result.')
export const domain = () =>
  normalisedText(normaliseDomain).meta({
    title: 'Domain',
    description: 'Web domain, such as example.com; taken from an address or e-mail address too.',
  })
export const companyName = () => words('Name', 'Name of the company.')
export const country = (description: string) =>
  normalisedText(normaliseCountry).meta({
    title: 'Country',
    description: `${description} Code such as NZ, or English name.`,
  })
export const reveal = () =>
  z
    .array(z.enum(['emails', 'phones']))
    .min(1)
    .max(2)
    .meta({ title: 'Reveal', description: 'What to reveal, as each may have its own price; all by default.' })
export const waterfallReveal = () =>
  z.boolean().meta({
    title: 'Ask other providers too',
    description:
      'Whether the provider may ask other providers that the account has enabled, at a price that is not known beforehand. Needs a limit on credits, all of which is reserved, and the consent of the operator.',
  })

/** Form settings of fields that several steps share. */
export const personSpecs = {
  email: { placeholder: 'ada@example.com' },
  linkedinUrl: { placeholder: 'https://www.linkedin.com/in/ada-example' },
  firstName: { placeholder: 'Ada' },
  lastName: { placeholder: 'Example' },
  company: { placeholder: 'Example Ltd' },
  companyDomain: { placeholder: 'example.com' },
  country: { placeholder: 'NZ' },
} satisfies Record<string, FieldSpec>
export const companySpecs = {
  domain: { placeholder: 'example.com' },
  name: { placeholder: 'Example Ltd' },
  country: { placeholder: 'NZ' },
} satisfies Record<string, FieldSpec>
export const revealSpec: FieldSpec = { labels: { emails: 'E-mail addresses', phones: 'Phone numbers' } }

export const personKeys = [
  ['email'],
  ['linkedinUrl'],
  ['personId'],
  ['firstName', 'lastName', 'company'],
  ['firstName', 'lastName', 'companyDomain'],
]
export const companyKeys = [['domain'], ['name'], ['companyId']]

type OptionalFields = { [field: string]: string | undefined }

/** The identifier sets that the given values complete, strongest first. */
export const personSets = ({
  email,
  linkedinUrl,
  personId,
  firstName,
  lastName,
  company,
  companyDomain,
}: OptionalFields) =>
  completeSets({ email, linkedinUrl, personId, firstName, lastName, company, companyDomain }, [
    ['personId'],
    ['linkedinUrl'],
    ['email'],
    ['firstName', 'lastName', 'company'],
    ['firstName', 'lastName', 'companyDomain'],
  ])
export const companySets = ({ companyId, domain, name }: OptionalFields) =>
  completeSets({ companyId, domain, name }, [['companyId'], ['domain'], ['name']])

/** Values that accompany a lookup and identify nobody, without the undefined ones. */
export const along = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
