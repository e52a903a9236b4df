/** The parameters by which People Data Labs finds one record, and the likelihood of the match. */
import { badRequest, hostOfUrl, slugOfUrl } from '../../lookups/check.ts'
import type { CheckedValue, Values } from '../../lookups/check.ts'
import {
  companyByDomain,
  companyByName,
  companyBySlug,
  personByEmail,
  personByName,
  personBySlug,
} from '../../lookups/find.ts'
import type { World } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { companyId, companyRecord, personId, personRecord } from './records.ts'
import type { PdlRecord } from './records.ts'

export type PdlMatch = { record: PdlRecord; likelihood: number; suppressed: boolean }

export type Subject = {
  parameters: string[]
  /** Why the inputs as a whole are insufficient; undefined when they are not. */
  lacking(values: Values): string | undefined
  find(world: World, values: Values): PdlMatch | undefined
}

/** A value may be a list of alternatives. */
export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : value === undefined ? [] : [String(value)]

const firstOf = <T>(values: string[], find: (text: string) => T | undefined): T | undefined => {
  for (const text of values) {
    const match = find(text)
    if (match !== undefined) return match
  }
  return undefined
}

const withScheme = (text: string) => (/^https?:\/\//i.test(text) ? text : `https://${text}`)
const personSlug = (text: string) => slugOfUrl(withScheme(text), 'in')
const companySlug = (text: string) => slugOfUrl(withScheme(text), 'company')
const hostOf = (text: string) => hostOfUrl(withScheme(text))
const plain = (number: string) => number.replace(/[^\d+]/g, '')

/** Parameters of both subjects that change the answer, not the record it is about. */
const common = ['min_likelihood', 'titlecase', 'data_include', 'pretty']

const places = ['location', 'street_address', 'locality', 'region', 'country', 'postal_code']
const alone = ['pdl_id', 'profile', 'email', 'phone']

const companyOf = (world: World, text: string): string =>
  (
    companyByName(world, text) ??
    companyByDomain(world, hostOf(text) ?? '') ??
    companyBySlug(world, companySlug(text) ?? '')
  )?.name ?? text

const splitName = (values: Values): [first: string, last: string] | undefined => {
  const [first] = texts(values.first_name)
  const [last] = texts(values.last_name)
  if (first !== undefined && last !== undefined) return [first, last]
  const words = texts(values.name)[0]?.trim().split(/\s+/) ?? []
  const [firstName, ...family] = words
  return firstName === undefined || family.length === 0 ? undefined : [firstName, family.join(' ')]
}

const same = (left: string, right: string) => left.toLowerCase() === right.toLowerCase()

const byPlace = (world: World, [first, last]: [string, string], values: Values): Person | undefined => {
  const wantedPlaces = places.flatMap((name) => texts(values[name])).map((text) => text.toLowerCase())
  const fits = ({ company: { place } }: Person) =>
    wantedPlaces.every((text) =>
      `${place.city}, ${place.regionName}, ${place.countryName}, ${place.country}`.toLowerCase().includes(text),
    )
  return world.people.find((person) => same(person.firstName, first) && same(person.lastName, last) && fits(person))
}

const findPerson = (world: World, values: Values): { person: Person; likelihood: number } | undefined => {
  const [id] = texts(values.pdl_id)
  if (id !== undefined) {
    const person = world.people.find((candidate) => personId(candidate) === id)
    return person && { person, likelihood: 10 }
  }
  const sure =
    firstOf(texts(values.email), (email) => personByEmail(world, email)) ??
    firstOf(texts(values.profile), (profile) => personBySlug(world, personSlug(profile) ?? '')) ??
    firstOf(texts(values.phone), (phone) =>
      world.people.find(({ phones }) => phones.some(({ number }) => plain(number) === plain(phone))),
    )
  if (sure !== undefined) return { person: sure, likelihood: 9 }
  const name = splitName(values)
  if (name === undefined) return undefined
  const employed = firstOf(texts(values.company), (company) => personByName(world, ...name, companyOf(world, company)))
  if (employed !== undefined) return { person: employed, likelihood: 7 }
  if (values.company !== undefined) return undefined
  const placed = byPlace(world, name, values)
  return placed && { person: placed, likelihood: 3 }
}

export const personSubject: Subject = {
  parameters: [...alone, 'name', 'first_name', 'middle_name', 'last_name', 'company', ...places, ...common],
  lacking: (values) => {
    if (alone.some((name) => values[name] !== undefined)) return undefined
    if (splitName(values) !== undefined && ['company', ...places].some((name) => values[name] !== undefined))
      return undefined
    return 'The request needs a profile, email, phone or pdl_id, or a full name with a company or location.'
  },
  find: (world, values) => {
    const match = findPerson(world, values)
    return (
      match && { record: personRecord(match.person), likelihood: match.likelihood, suppressed: match.person.suppressed }
    )
  },
}

const findCompany = (world: World, values: Values): { company: Company; likelihood: number } | undefined => {
  const [id] = texts(values.pdl_id)
  const sure =
    id === undefined
      ? (firstOf(texts(values.website), (website) => companyByDomain(world, hostOf(website) ?? '')) ??
        firstOf(texts(values.profile), (profile) => companyBySlug(world, companySlug(profile) ?? '')))
      : world.companies.find((company) => companyId(company) === id)
  if (sure !== undefined) return { company: sure, likelihood: 10 }
  const named = firstOf(texts(values.name), (name) => companyByName(world, name))
  return named && { company: named, likelihood: 6 }
}

export const companySubject: Subject = {
  parameters: [
    'pdl_id',
    'name',
    'ticker',
    'website',
    'profile',
    'location',
    'locality',
    'region',
    'country',
    ...common,
  ],
  lacking: (values) =>
    ['pdl_id', 'name', 'ticker', 'website', 'profile'].some((name) => values[name] !== undefined)
      ? undefined
      : 'The request needs a pdl_id, name, ticker, website or profile.',
  find: (world, values) => {
    const match = findCompany(world, values)
    return match && { record: companyRecord(match.company), likelihood: match.likelihood, suppressed: false }
  },
}

const isFilled = (value: unknown) => typeof value === 'string' && value.trim() !== ''
const isFlag = (value: unknown) => ['true', 'false'].includes(String(value))

/** Accepts only known parameters, each of its type. */
export const readParameters = ({ parameters, lacking }: Subject, values: Values): CheckedValue<Values> => {
  for (const [name, value] of Object.entries(values)) {
    if (!parameters.includes(name))
      return badRequest(`Unknown parameter "${name}". Known: ${parameters.join(', ')}.`, name)
    if (name === 'titlecase' || name === 'pretty') {
      if (!isFlag(value)) return badRequest(`"${name}" has to be true or false.`, name)
    } else if (name === 'min_likelihood') {
      if (!/^\d+$/.test(String(value)) || Number(value) > 10)
        return badRequest('"min_likelihood" has to be from 0 to 10.', name)
    } else if (!(Array.isArray(value) ? value.length > 0 && value.every(isFilled) : isFilled(value))) {
      return badRequest(`"${name}" has to be a non-empty string, or a list of such.`, name)
    }
  }
  const wrong = lacking(values)
  return wrong === undefined ? { ok: true, value: values } : badRequest(wrong)
}
