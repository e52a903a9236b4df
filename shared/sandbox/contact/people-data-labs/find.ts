/** What People Data Labs takes to find one record, and how sure it is of it. */
import { badRequest, hostOfUrl, slugOfUrl } from '../../lookups/check.ts'
import type { Checked, Values } from '../../lookups/check.ts'
import { companyByDomain, companyByName, companyBySlug, personByEmail, personByName, personBySlug } from '../../lookups/find.ts'
import type { World } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { companyId, companyRecord, personId, personRecord } from './records.ts'
import type { PdlRecord } from './records.ts'

export type Found = { record: PdlRecord; likelihood: number; suppressed: boolean }

export type Subject = {
  parameters: string[]
  /** What is wrong with the inputs as a whole, if anything. */
  lacking(asked: Values): string | undefined
  find(world: World, asked: Values): Found | undefined
}

/** A value may be a list of which any can fit. */
export const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : value === undefined ? [] : [String(value)])

const firstOf = <T>(values: string[], find: (text: string) => T | undefined): T | undefined => {
  for (const text of values) {
    const found = find(text)
    if (found !== undefined) return found
  }
  return undefined
}

const withScheme = (text: string) => (/^https?:\/\//i.test(text) ? text : `https://${text}`)
const personSlug = (text: string) => slugOfUrl(withScheme(text), 'in')
const companySlug = (text: string) => slugOfUrl(withScheme(text), 'company')
const hostOf = (text: string) => hostOfUrl(withScheme(text))
const plain = (number: string) => number.replace(/[^\d+]/g, '')

/** Shared by both subjects: what changes the answer and not whom it is about. */
const common = ['min_likelihood', 'titlecase', 'data_include', 'pretty']

const places = ['location', 'street_address', 'locality', 'region', 'country', 'postal_code']
const alone = ['pdl_id', 'profile', 'email', 'phone']

const companyOf = (world: World, text: string): string =>
  (companyByName(world, text) ?? companyByDomain(world, hostOf(text) ?? '') ?? companyBySlug(world, companySlug(text) ?? ''))?.name ?? text

const splitName = (asked: Values): [first: string, last: string] | undefined => {
  const [first] = texts(asked.first_name)
  const [last] = texts(asked.last_name)
  if (first !== undefined && last !== undefined) return [first, last]
  const words = texts(asked.name)[0]?.trim().split(/\s+/) ?? []
  const [given, ...family] = words
  return given === undefined || family.length === 0 ? undefined : [given, family.join(' ')]
}

const same = (left: string, right: string) => left.toLowerCase() === right.toLowerCase()

const byPlace = (world: World, [first, last]: [string, string], asked: Values): Person | undefined => {
  const wanted = places.flatMap((name) => texts(asked[name])).map((text) => text.toLowerCase())
  const fits = ({ company: { place } }: Person) =>
    wanted.every((text) => `${place.city}, ${place.regionName}, ${place.countryName}, ${place.country}`.toLowerCase().includes(text))
  return world.people.find((person) => same(person.firstName, first) && same(person.lastName, last) && fits(person))
}

const findPerson = (world: World, asked: Values): { person: Person; likelihood: number } | undefined => {
  const [id] = texts(asked.pdl_id)
  if (id !== undefined) {
    const person = world.people.find((one) => personId(one) === id)
    return person && { person, likelihood: 10 }
  }
  const sure =
    firstOf(texts(asked.email), (email) => personByEmail(world, email)) ??
    firstOf(texts(asked.profile), (profile) => personBySlug(world, personSlug(profile) ?? '')) ??
    firstOf(texts(asked.phone), (phone) => world.people.find(({ phones }) => phones.some(({ number }) => plain(number) === plain(phone))))
  if (sure !== undefined) return { person: sure, likelihood: 9 }
  const name = splitName(asked)
  if (name === undefined) return undefined
  const employed = firstOf(texts(asked.company), (company) => personByName(world, ...name, companyOf(world, company)))
  if (employed !== undefined) return { person: employed, likelihood: 7 }
  if (asked.company !== undefined) return undefined
  const placed = byPlace(world, name, asked)
  return placed && { person: placed, likelihood: 3 }
}

export const personSubject: Subject = {
  parameters: [...alone, 'name', 'first_name', 'middle_name', 'last_name', 'company', ...places, ...common],
  lacking: (asked) => {
    if (alone.some((name) => asked[name] !== undefined)) return undefined
    if (splitName(asked) !== undefined && ['company', ...places].some((name) => asked[name] !== undefined)) return undefined
    return 'The request needs a profile, email, phone or pdl_id, or a full name with a company or location.'
  },
  find: (world, asked) => {
    const found = findPerson(world, asked)
    return found && { record: personRecord(found.person), likelihood: found.likelihood, suppressed: found.person.suppressed }
  },
}

const findCompany = (world: World, asked: Values): { company: Company; likelihood: number } | undefined => {
  const [id] = texts(asked.pdl_id)
  const sure =
    id === undefined
      ? (firstOf(texts(asked.website), (website) => companyByDomain(world, hostOf(website) ?? '')) ??
        firstOf(texts(asked.profile), (profile) => companyBySlug(world, companySlug(profile) ?? '')))
      : world.companies.find((company) => companyId(company) === id)
  if (sure !== undefined) return { company: sure, likelihood: 10 }
  const named = firstOf(texts(asked.name), (name) => companyByName(world, name))
  return named && { company: named, likelihood: 6 }
}

export const companySubject: Subject = {
  parameters: ['pdl_id', 'name', 'ticker', 'website', 'profile', 'location', 'locality', 'region', 'country', ...common],
  lacking: (asked) =>
    ['pdl_id', 'name', 'ticker', 'website', 'profile'].some((name) => asked[name] !== undefined)
      ? undefined
      : 'The request needs a pdl_id, name, ticker, website or profile.',
  find: (world, asked) => {
    const found = findCompany(world, asked)
    return found && { record: companyRecord(found.company), likelihood: found.likelihood, suppressed: false }
  },
}

const isFilled = (value: unknown) => typeof value === 'string' && value.trim() !== ''
const isFlag = (value: unknown) => ['true', 'false'].includes(String(value))

/** Known parameters only, each of its type. */
export const readParameters = ({ parameters, lacking }: Subject, asked: Values): Checked<Values> => {
  for (const [name, value] of Object.entries(asked)) {
    if (!parameters.includes(name)) return badRequest(`Unknown parameter "${name}". Known: ${parameters.join(', ')}.`, name)
    if (name === 'titlecase' || name === 'pretty') {
      if (!isFlag(value)) return badRequest(`"${name}" has to be true or false.`, name)
    } else if (name === 'min_likelihood') {
      if (!/^\d+$/.test(String(value)) || Number(value) > 10) return badRequest('"min_likelihood" has to be from 0 to 10.', name)
    } else if (!(Array.isArray(value) ? value.length > 0 && value.every(isFilled) : isFilled(value))) {
      return badRequest(`"${name}" has to be a non-empty string, or a list of such.`, name)
    }
  }
  const wrong = lacking(asked)
  return wrong === undefined ? { ok: true, value: asked } : badRequest(wrong)
}
