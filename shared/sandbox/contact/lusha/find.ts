/** Finds people and companies by the vendor's identifiers, and derives the ids that the vendor gives them. */
import { createHash } from 'node:crypto'
import { companyByDomain, companyByName, personByEmail, personByName, personBySlug } from '../../lookups/find.ts'
import { formats, slugOfUrl } from '../../lookups/check.ts'
import { formed, text } from '../../lookups/shape.ts'
import type { World } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'

export const contactId = ({ id }: Person): string => String(4_389_064_000 + Number(id.slice(3)))
export const companyId = ({ id }: Company): string => String(16_303_000 + Number(id.slice(3)))

export type Identifiers = {
  id?: string
  linkedinUrl?: string
  email?: string
  firstName?: string
  lastName?: string
  companyName?: string
  companyDomain?: string
}

export const email = formed('an email', formats.email.fits, 422)
export const linkedinUrl = formed('a LinkedIn profile URL', formats.personUrl.fits, 422)
export const identifierShapes = {
  linkedinUrl,
  email,
  firstName: text,
  lastName: text,
  companyName: text,
  companyDomain: text,
}

/** Whether at least one way to identify a person is complete. */
export const identifies = ({
  id,
  linkedinUrl: url,
  email: address,
  firstName,
  lastName,
  companyName,
  companyDomain,
}: Identifiers): boolean =>
  [id, url, address].some((identifier) => identifier !== undefined) ||
  (firstName !== undefined && lastName !== undefined && (companyName !== undefined || companyDomain !== undefined))

const named = (world: World, first: string, last: string, companies: string[]): Person | undefined => {
  for (const company of companies) {
    const person = personByName(world, first, last, company.replace(/^www\./i, ''))
    if (person !== undefined) return person
  }
  return undefined
}

/** The person found by the first identifier that matches, strongest first. */
export const findPerson = (world: World, identifiers: Identifiers): Person | undefined => {
  const { id, linkedinUrl: url, email: address, firstName, lastName, companyName, companyDomain } = identifiers
  const companies = [companyName, companyDomain].filter((company) => company !== undefined)
  return (
    (id === undefined ? undefined : world.people.find((person) => contactId(person) === id)) ??
    (url === undefined ? undefined : personBySlug(world, slugOfUrl(url, 'in') ?? '')) ??
    (address === undefined ? undefined : personByEmail(world, address)) ??
    (firstName === undefined || lastName === undefined ? undefined : named(world, firstName, lastName, companies))
  )
}

export const findCompany = (
  world: World,
  identifiers: { id?: string; name?: string; domain?: string },
): Company | undefined =>
  (identifiers.id === undefined
    ? undefined
    : world.companies.find((company) => companyId(company) === identifiers.id)) ??
  (identifiers.domain === undefined ? undefined : companyByDomain(world, identifiers.domain)) ??
  (identifiers.name === undefined ? undefined : companyByName(world, identifiers.name))

/** An id that looks random but is the same in every run. */
export const uuidOf = (...parts: string[]): string => {
  const hex = createHash('sha256').update(parts.join('\n')).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

export const requestId = (world: World): string =>
  uuidOf('request', String(world.counters.requests), String(world.now()))
