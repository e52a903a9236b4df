/** Searches of v3 by criteria, charged by result, and the values that their filters accept. */
import type { Handled } from '../../lookups/find.ts'
import type { Handler } from '../../lookups/server.ts'
import { all, flag, integer, object, readShape } from '../../lookups/shape.ts'
import type { Shape } from '../../lookups/shape.ts'
import type { World } from '../../lookups/world.ts'
import type { Problem } from '../../lookups/check.ts'
import { refusedFilter } from '../lusha/account.ts'
import { bill } from '../lusha/billing.ts'
import { criteriaShape, filtersShape, isCallable, matches, sidesShape } from '../lusha/filters.ts'
import type { Sides } from '../lusha/filters.ts'
import { requestId } from '../lusha/find.ts'
import {
  countries,
  dataPoints,
  departments,
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
import {
  companyFiltersV3,
  contactFiltersV3,
  employerFiltersV3,
  notWithContacts,
  refinements,
  theirContactFiltersV3,
} from './filters.ts'
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

const namesIn = (part: Sides | undefined) => [part?.include, part?.exclude].flatMap((side) => Object.keys(side ?? {}))

const refinesOthers: Shape = (value, at) => {
  const { contacts, companies } = value as ProspectingQuery['filters']
  const names = [...namesIn(contacts), ...namesIn(companies)]
  return names.every((name) => refinements.includes(name))
    ? { at: `${at}.contacts`, message: `${at}.contacts: ${names.join(', ')} must be combined with a base filter` }
    : undefined
}

const contactsShape = object(
  {
    pagination,
    filters: all(filtersShape({ contacts: contactFiltersV3, companies: employerFiltersV3 }), refinesOthers),
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
      matches(person.company, employerFiltersV3, filters.companies) &&
      (options?.excludeDnc !== true || isCallable(person)),
  )
  return answer(world, search.value, people, contactPreview)
}

const companiesPart = sidesShape(companyFiltersV3, ['include'])
const theirContacts = criteriaShape(theirContactFiltersV3)

const notCombined: Shape = (value, at) => {
  const { contacts, companies } = value as ProspectingQuery['filters']
  const names = [...namesIn(contacts), ...namesIn(companies)]
  if (names.length === 0) return { at, message: `${at} must have at least one filter` }
  const other = namesIn(companies).find((name) => notWithContacts.includes(name))
  return contacts !== undefined && other !== undefined
    ? { at: `${at}.contacts`, message: `filters.contacts cannot be combined with company ${other}` }
    : undefined
}

const companiesShape = object(
  {
    pagination,
    filters: all(
      object(
        {
          companies: companiesPart,
          contacts: object({ include: theirContacts, exclude: theirContacts }),
        },
        { required: ['companies'] },
      ),
      notCombined,
    ),
    options: object({ includePartialProfiles: flag }),
  },
  required,
)

export const prospectCompanies: Handler = ({ world, body }) => {
  const search = readShape<ProspectingQuery>(companiesShape, body)
  if (!search.ok) return search
  const { filters } = search.value
  const companies = world.companies.filter(
    (company) =>
      matches(company, companyFiltersV3, filters.companies) &&
      (filters.contacts === undefined ||
        world.people.some(
          (person) => person.company === company && matches(person, theirContactFiltersV3, filters.contacts),
        )),
  )
  return answer(world, search.value, companies, companyPreview)
}

export type ValueList = {
  queried: boolean
  /** Whether a search text is refused. */ whole?: true
  values(world: World, query: string): unknown[]
}
export const listed = (values: unknown[]): ValueList => ({ queried: false, values: () => values })
export const queried = (values: ValueList['values']): ValueList => ({ queried: true, values })

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
  sics: listed(sicCodes),
  naics: listed(naicsCodes),
  intentTopics: listed(intentTopics),
}

const wrong = (message: string, status = 400): { ok: false; problem: Problem } => ({
  ok: false,
  problem: { status, code: 'INVALID', message },
})

export const filterTypes =
  (lists: Record<string, ValueList>): Handler =>
  () => {
    const availableFilters = Object.entries(lists).map(([filterType, list]) => ({
      filterType,
      requiresQuery: list.queried,
    }))
    return { ok: true, answer: { status: 200, body: { availableFilters } }, credits: 0 }
  }

export const filterValues =
  (lists: Record<string, ValueList>): Handler =>
  ({ world, query, params: { filterType = '' } }) => {
    const list = Object.hasOwn(lists, filterType) ? lists[filterType] : undefined
    if (list === undefined) return wrong(`filterType must be one of: ${Object.keys(lists).join(', ')}`)
    const unknown = [...query.keys()].find((name) => name !== 'query')
    if (unknown !== undefined) return wrong(`property ${unknown} should not exist`)
    const words = query.get('query') ?? ''
    if (list.whole && words !== '') return wrong(`query is not supported for ${filterType}`)
    if (list.queried && (words.length < 2 || words.length > 256))
      return wrong('query must be between 2 and 256 characters')
    return { ok: true, answer: { status: 200, body: { values: list.values(world, words) } }, credits: 0 }
  }

export const contactFilterTypes = filterTypes(contactLists)
export const contactFilterValues = filterValues(contactLists)
export const companyFilterTypes = filterTypes(companyLists)
export const companyFilterValues = filterValues(companyLists)
