/**
 * Searches of the contact-data sandbox. Paths, filters and paging are all invented, because the documents show none.
 */
import { createHash } from 'node:crypto'
import { badRequest, readFields } from '../../lookups/check.ts'
import type { Values } from '../../lookups/check.ts'
import { hasCompanyName } from '../../lookups/find.ts'
import type { Handled } from '../../lookups/find.ts'
import type { Call } from '../../lookups/server.ts'
import type { World } from '../../lookups/world.ts'
import { sizeBands } from '../../people/data-set.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { companyRecord, personRow } from './records.ts'

const personFilters = {
  jobTitle: 'string',
  company: 'string',
  location: 'string',
  industry: 'string',
  role: 'string',
} as const
const companyFilters = { industry: 'string', location: 'string', size: 'string', name: 'string' } as const
const paging = { limit: 'integer', cursor: 'string' } as const

const has = (text: string, part: unknown) =>
  part === undefined || text.toLowerCase().includes(String(part).toLowerCase())
const isOneOf = (words: string[], filterValue: unknown) =>
  filterValue === undefined || words.some((word) => word.toLowerCase() === String(filterValue).toLowerCase())

const fitsCompany = (company: Company, values: Values): boolean => {
  const { city, regionName, countryName, country, region } = company.place
  return (
    has(company.industry, values.industry) &&
    (isOneOf([country, region], values.location) || has(`${city}, ${regionName}, ${countryName}`, values.location)) &&
    isOneOf([company.sizeBand], values.size) &&
    has(company.legalName, values.name)
  )
}

const fitsPerson = (person: Person, values: Values): boolean =>
  !person.suppressed &&
  has(person.title, values.jobTitle) &&
  isOneOf([person.seniority.label, person.department.label], values.role) &&
  (values.company === undefined ||
    hasCompanyName(person.company, String(values.company)) ||
    has(person.company.name, values.company)) &&
  fitsCompany(person.company, { industry: values.industry, location: values.location })

/** A cursor is valid only with the filters it was made for. */
const cursorFor = (values: Values, at: number): string => {
  const filters = Object.entries(values)
    .filter(([name]) => !(name in paging))
    .sort()
  const mark = createHash('sha256').update(JSON.stringify(filters)).digest('base64url').slice(0, 12)
  return `${mark}.${at}`
}

const startOf = (values: Values): number | undefined => {
  if (values.cursor === undefined) return 0
  const at = Number(String(values.cursor).split('.')[1])
  return Number.isSafeInteger(at) && at > 0 && cursorFor(values, at) === values.cursor ? at : undefined
}

type Search<T> = {
  name: string
  filters: Record<string, 'string'>
  all(world: World): T[]
  fits(record: T, values: Values): boolean
  render(record: T): unknown
}

const search =
  <T>({ name, filters, all, fits, render }: Search<T>) =>
  ({ world, body }: Call): Handled => {
    const fields = readFields(body, { ...filters, ...paging })
    if (!fields.ok) return fields
    const values = fields.value
    const names = Object.keys(filters)
    if (!names.some((filter) => filter in values))
      return badRequest(`Give at least one filter: ${names.join(', ')}.`, names[0])
    if (values.size !== undefined && !sizeBands.includes(String(values.size))) {
      return badRequest(`"size" has to be one of ${sizeBands.join(', ')}.`, 'size')
    }
    const limit = Number(values.limit ?? 20)
    if (limit < 1 || limit > 100) return badRequest('"limit" has to be from 1 to 100.', 'limit')
    const start = startOf(values)
    if (start === undefined) return badRequest('"cursor" was not made for these filters.', 'cursor')
    const records = all(world).filter((record) => fits(record, values))
    const end = start + limit
    const next = end < records.length ? cursorFor(values, end) : null
    const answer = { [name]: records.slice(start, end).map(render), total: records.length, nextCursor: next }
    return { ok: true, answer: { status: 200, body: answer }, credits: 0 }
  }

export const searchPeople = search<Person>({
  name: 'people',
  filters: personFilters,
  all: (world) => world.people,
  fits: fitsPerson,
  render: personRow,
})

export const searchCompanies = search<Company>({
  name: 'companies',
  filters: companyFilters,
  all: (world) => world.companies,
  fits: fitsCompany,
  render: companyRecord,
})
