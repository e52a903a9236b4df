/** Searches of v3 by criteria, charged by result, and the values that their filters accept. */
import type { Handled } from '../../lookups/find.ts'
import type { Handler } from '../../lookups/server.ts'
import { flag, integer, object, readShape } from '../../lookups/shape.ts'
import type { World } from '../../lookups/world.ts'
import type { Problem } from '../../lookups/check.ts'
import { refusedFilter } from '../lusha/account.ts'
import { bill } from '../lusha/billing.ts'
import { companyFiltersV3, contactFiltersV3, filtersShape, isCallable, matches } from '../lusha/filters.ts'
import type { Sides } from '../lusha/filters.ts'
import { requestId } from '../lusha/find.ts'
import {
  countries,
  dataPoints,
  departments,
  industries,
  locationsLike,
  revenues,
  seniorities,
  sizes,
  technologiesLike,
} from '../lusha/values.ts'
import { companyPreview, contactPreview } from './records.ts'

const pagination = object({ page: integer(0, 1000), size: integer(10, 100) }, { required: ['page', 'size'] })
const required = { required: ['pagination', 'filters'] }

type ProspectingQuery = {
  pagination: { page: number; size: number }
  filters: { contacts?: Sides; companies?: Sides }
  options?: { excludeDnc?: boolean }
}

const answer = <T>(
  world: World,
  { pagination: { page, size } }: ProspectingQuery,
  records: T[],
  render: (world: World, record: T) => object,
): Handled => {
  const rows = records.slice(page * size, page * size + size)
  const billed = bill(world, [], rows.length)
  if (!billed.ok) return billed
  const body = {
    requestId: requestId(world),
    results: rows.map((record) => render(world, record)),
    pagination: { page, size, total: records.length },
    billing: { creditsCharged: billed.credits, resultsReturned: rows.length },
  }
  return { ok: true, answer: { status: 200, body }, credits: billed.credits }
}

const contactsShape = object(
  {
    pagination,
    filters: filtersShape({ contacts: contactFiltersV3, companies: companyFiltersV3 }),
    options: object({ includePartialProfiles: flag, excludeDnc: flag }),
  },
  required,
)

export const prospectContacts: Handler = ({ world, body }) => {
  const search = readShape<ProspectingQuery>(contactsShape, body)
  if (!search.ok) return search
  const { filters, options } = search.value
  const refused = refusedFilter(world, options?.excludeDnc)
  if (refused !== undefined) return { ok: false, problem: refused }
  const people = world.people.filter(
    (person) =>
      !person.suppressed &&
      matches(person, contactFiltersV3, filters.contacts) &&
      matches(person.company, companyFiltersV3, filters.companies) &&
      (options?.excludeDnc !== true || isCallable(person)),
  )
  return answer(world, search.value, people, contactPreview)
}

const companiesShape = object(
  {
    pagination,
    filters: filtersShape({ companies: companyFiltersV3 }, ['include']),
    options: object({ includePartialProfiles: flag }),
  },
  required,
)

export const prospectCompanies: Handler = ({ world, body }) => {
  const search = readShape<ProspectingQuery>(companiesShape, body)
  if (!search.ok) return search
  const companies = world.companies.filter((company) =>
    matches(company, companyFiltersV3, search.value.filters.companies),
  )
  return answer(world, search.value, companies, companyPreview)
}

type ValueList = { queried: boolean; values(world: World, query: string): unknown[] }
const listed = (values: unknown[]): ValueList => ({ queried: false, values: () => values })
const queried = (values: ValueList['values']): ValueList => ({ queried: true, values })

const contactLists: Record<string, ValueList> = {
  departments: listed(departments),
  seniority: listed(seniorities.map(({ id, name }) => ({ id, name: name.toLowerCase() }))),
  existingDataPoints: listed(dataPoints),
  countries: listed(countries),
  locations: queried((_world, query) => locationsLike(query)),
}
const companyLists: Record<string, ValueList> = {
  names: queried((world, query) =>
    world.companies.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase())).map(({ name }) => name),
  ),
  sizes: listed(sizes),
  revenues: listed(revenues),
  industriesLabels: listed(industries),
  technologies: queried((_world, query) => technologiesLike(query)),
  locations: queried((_world, query) => locationsLike(query)),
  sics: listed([]),
  naics: listed([]),
  intentTopics: listed([]),
}

const wrong = (message: string, status = 400): { ok: false; problem: Problem } => ({
  ok: false,
  problem: { status, code: 'INVALID', message },
})

const filterTypes =
  (lists: Record<string, ValueList>): Handler =>
  () => {
    const availableFilters = Object.entries(lists).map(([filterType, list]) => ({
      filterType,
      requiresQuery: list.queried,
    }))
    return { ok: true, answer: { status: 200, body: { availableFilters } }, credits: 0 }
  }

const filterValues =
  (lists: Record<string, ValueList>): Handler =>
  ({ world, query, params: { filterType = '' } }) => {
    const list = Object.hasOwn(lists, filterType) ? lists[filterType] : undefined
    if (list === undefined) return wrong(`filterType must be one of: ${Object.keys(lists).join(', ')}`)
    const unknown = [...query.keys()].find((name) => name !== 'query')
    if (unknown !== undefined) return wrong(`property ${unknown} should not exist`)
    const words = query.get('query') ?? ''
    if (list.queried && (words.length < 2 || words.length > 256))
      return wrong('query must be between 2 and 256 characters')
    return { ok: true, answer: { status: 200, body: { values: list.values(world, words) } }, credits: 0 }
  }

export const contactFilterTypes = filterTypes(contactLists)
export const contactFilterValues = filterValues(contactLists)
export const companyFilterTypes = filterTypes(companyLists)
export const companyFilterValues = filterValues(companyLists)
