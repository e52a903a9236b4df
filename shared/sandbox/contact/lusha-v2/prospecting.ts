/** Searches of v2, which are free, the reveal of contacts that a search found, and the values that filters accept. */
import type { Problem } from '../../lookups/check.ts'
import type { Handler } from '../../lookups/server.ts'
import { flag, integer, list, object, readShape, text } from '../../lookups/shape.ts'
import type { World } from '../../lookups/world.ts'
import type { Person } from '../../people/data-set.ts'
import { refusedFilter } from '../lusha/account.ts'
import { bill, isOwned, pointOfCompany, pointsOf } from '../lusha/billing.ts'
import type { RequestedData } from '../lusha/billing.ts'
import { companyFiltersV2, contactFiltersV2, filtersShape, isCallable, matches } from '../lusha/filters.ts'
import type { Sides } from '../lusha/filters.ts'
import { companyId, requestId, uuidOf } from '../lusha/find.ts'
import {
  countries,
  dataPoints,
  departments,
  hostOf,
  industries,
  intentTopics,
  locationsLike,
  naicsCodes,
  revenues,
  seniorities,
  sicCodes,
  sizes,
  technologiesLike,
} from '../lusha/values.ts'
import { refusedReveal, wantedOf } from './person.ts'
import type { RevealFlags } from './person.ts'
import { companyRecord, companyRow, contactRow, revealedRecord } from './records.ts'

const lifeMs = 3_600_000
const everything: RequestedData = { emails: true, phones: true }

type ProspectingQuery = {
  pages?: { page?: number; size?: number }
  filters: { contacts?: Sides; companies?: Sides }
  excludeDnc?: boolean
}

const pages = object({ page: integer(0, 1000), size: integer(10, 50) })

const pageOf = <T>({ pages: { page = 0, size = 20 } = {} }: ProspectingQuery, records: T[]) => ({
  rows: records.slice(page * size, page * size + size),
  body: { currentPage: page, totalResults: records.length },
})

/** The person's id within one search. */
const idIn = (search: string, { id }: Person) => uuidOf(search, id)

const isShown = (world: World, person: Person) => pointsOf(person, everything).some((point) => isOwned(world, point))

const contactsShape = object(
  {
    pages,
    filters: filtersShape({ contacts: contactFiltersV2, companies: companyFiltersV2 }),
    includePartialContact: flag,
    excludeDnc: flag,
  },
  { required: ['filters'] },
)

export const searchContacts: Handler = ({ world, body }) => {
  const read = readShape<ProspectingQuery>(contactsShape, body)
  if (!read.ok) return read
  const { filters, excludeDnc } = read.value
  const refused = refusedFilter(world, excludeDnc)
  if (refused !== undefined) return { ok: false, problem: refused }
  const people = world.people.filter(
    (person) =>
      !person.suppressed &&
      matches(person, contactFiltersV2, filters.contacts) &&
      matches(person.company, companyFiltersV2, filters.companies) &&
      (excludeDnc !== true || isCallable(person)),
  )
  const page = pageOf(read.value, people)
  const search = requestId(world)
  world.searches.set(search, { ids: page.rows.map(({ id }) => id), at: world.now() })
  const rows = page.rows.map((person) => contactRow(person, idIn(search, person), isShown(world, person)))
  const named = world.switches.rows === 'data' ? { data: rows } : { contacts: rows }
  return {
    ok: true,
    answer: { status: 200, body: { requestId: search, ...page.body, pageLength: rows.length, ...named } },
    credits: 0,
  }
}

const companiesShape = object(
  { pages, filters: filtersShape({ companies: companyFiltersV2 }) },
  { required: ['filters'] },
)

export const searchCompanies: Handler = ({ world, body }) => {
  const read = readShape<ProspectingQuery>(companiesShape, body)
  if (!read.ok) return read
  const companies = world.companies.filter((company) =>
    matches(company, companyFiltersV2, read.value.filters.companies),
  )
  const page = pageOf(read.value, companies)
  const search = requestId(world)
  world.searches.set(search, { ids: page.rows.map(({ id }) => id), at: world.now() })
  const rows = page.rows.map(companyRow)
  const named = world.switches.rows === 'data' ? { data: rows } : { companies: rows }
  return {
    ok: true,
    answer: { status: 200, body: { requestId: search, ...page.body, pageLength: rows.length, ...named } },
    credits: 0,
  }
}

const revealShape = object(
  { requestId: text, contactIds: list(text, 1, 100), revealEmails: flag, revealPhones: flag },
  { required: ['requestId', 'contactIds'] },
)
const expired: Problem = {
  status: 410,
  code: 'GONE',
  message: 'The provided requestId is invalid or expired. Run the search again.',
}

const keptSearch = (world: World, search: string) => {
  const kept = world.searches.get(search)
  return kept === undefined || world.now() >= kept.at + lifeMs ? undefined : kept
}

export const revealContacts: Handler = ({ world, body }) => {
  const read = readShape<RevealFlags & { requestId: string; contactIds: string[] }>(revealShape, body)
  if (!read.ok) return read
  const refused = refusedReveal(world, read.value)
  if (refused !== undefined) return { ok: false, problem: refused }
  const { requestId: search, contactIds } = read.value
  const kept = keptSearch(world, search)
  if (kept === undefined) return { ok: false, problem: expired }
  const wantedData = wantedOf(read.value)
  const shown = world.people.filter(({ id }) => kept.ids.includes(id))
  const items = contactIds.map((id) => ({ id, person: shown.find((person) => idIn(search, person) === id) }))
  const people = items.flatMap(({ person }) => (person === undefined ? [] : [person]))
  const before = new Set(people.filter((person) => isShown(world, person)))
  const billed = bill(
    world,
    people.flatMap((person) => pointsOf(person, wantedData)),
  )
  if (!billed.ok) return billed
  world.counters.records += items.length
  world.counters.matches += people.length
  world.counters.misses += items.length - people.length
  const contacts = items.map(({ id, person }) =>
    person === undefined
      ? { id, isSuccess: false }
      : { id, isSuccess: true, data: revealedRecord(person, wantedData, before.has(person)) },
  )
  return { ok: true, answer: { status: 200, body: { requestId: search, contacts } }, credits: billed.credits }
}

const revealCompaniesShape = object(
  { requestId: text, companiesIds: list(text, 1, 100) },
  { required: ['requestId', 'companiesIds'] },
)

export const revealCompanies: Handler = ({ world, body }) => {
  const read = readShape<{ requestId: string; companiesIds: string[] }>(revealCompaniesShape, body)
  if (!read.ok) return read
  const { requestId: search, companiesIds } = read.value
  const kept = keptSearch(world, search)
  if (kept === undefined) return { ok: false, problem: expired }
  const shown = world.companies.filter(({ id }) => kept.ids.includes(id))
  const items = companiesIds.map((id) => ({ id, company: shown.find((company) => companyId(company) === id) }))
  const foundCompanies = items.flatMap(({ company }) => (company === undefined ? [] : [company]))
  const billed = bill(world, foundCompanies.map(pointOfCompany))
  if (!billed.ok) return billed
  world.counters.records += items.length
  world.counters.matches += foundCompanies.length
  world.counters.misses += items.length - foundCompanies.length
  const companies = items.map(({ id, company }) =>
    company === undefined ? { id, isSuccess: false } : { id, isSuccess: true, data: companyRecord(company) },
  )
  return { ok: true, answer: { status: 200, body: { requestId: search, companies } }, credits: billed.credits }
}

const free = (body: unknown) => ({ ok: true as const, answer: { status: 200, body }, credits: 0 })

const listed =
  (values: unknown): Handler =>
  ({ query }) => {
    const [unknown] = query.keys()
    return unknown === undefined
      ? free(values)
      : { ok: false, problem: { status: 400, code: 'INVALID', message: `property ${unknown} should not exist` } }
  }

const textShape = object({ text }, { required: ['text'] })
const like =
  (values: (world: World, words: string) => unknown[]): Handler =>
  ({ world, body }) => {
    const read = readShape<{ text: string }>(textShape, body)
    return read.ok ? free(values(world, read.value.text)) : read
  }

const namesLike = (world: World, words: string) =>
  world.companies
    .filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()))
    .map((company) => ({ companyId: Number(companyId(company)), name: company.name, fqdn: hostOf(company) }))

export const valueLists: Record<string, Handler> = {
  'GET /prospecting/filters/contacts/departments': listed(departments),
  'GET /prospecting/filters/contacts/seniority': listed(
    seniorities.map(({ id, name }) => ({ id, name: name.toLowerCase() })),
  ),
  'GET /prospecting/filters/contacts/existing_data_points': listed(dataPoints),
  'GET /prospecting/filters/contacts/all_countries': listed(countries),
  'POST /prospecting/filters/contacts/locations': like((_world, words) => locationsLike(words)),
  'POST /prospecting/filters/companies/names': like(namesLike),
  'POST /prospecting/filters/companies/locations': like((_world, words) => locationsLike(words)),
  'POST /prospecting/filters/companies/technologies': like((_world, words) =>
    technologiesLike(words).map((name) => ({ name })),
  ),
  'GET /prospecting/filters/companies/industries_labels': listed(industries),
  'GET /prospecting/filters/companies/sizes': listed(sizes),
  'GET /prospecting/filters/companies/revenues': listed(revenues),
  'GET /prospecting/filters/companies/sics': listed(sicCodes),
  'GET /prospecting/filters/companies/naics': listed(naicsCodes),
  'GET /prospecting/filters/companies/intent_topics': listed(intentTopics),
}
