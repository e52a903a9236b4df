/** Filters of prospecting: their names, their form, and which records match. */
import { hasCompanyName } from '../../lookups/find.ts'
import { hostOfUrl, slugOfUrl } from '../../lookups/check.ts'
import { all, integer, list, number, object, text } from '../../lookups/shape.ts'
import type { Shape } from '../../lookups/shape.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { continentOf, fullNameOf, groupingOf, industryOf, revenueOf, seniorityOf } from './values.ts'
import type { Range } from './values.ts'

/** Without `fits` it only changes how another filter is read. `side`: the other filters of the same side. */
export type Filter<T> = { shape: Shape; fits?(record: T, value: unknown, side: Criteria): boolean }
export type Filters<T> = Record<string, Filter<T>>
export type Criteria = Record<string, unknown>
export type Sides = { include?: Criteria; exclude?: Criteria }

const lower = (value: unknown) => String(value).toLowerCase()
export const same = (value: string, other: unknown) => value.toLowerCase() === lower(other)
export const has = (whole: string, part: unknown) => whole.toLowerCase().includes(lower(part))

/** A list of values, one of which must match. */
export const any = <T, V>(item: Shape, fits: (record: T, value: V) => boolean): Filter<T> => ({
  shape: list(item),
  fits: (record, value) => (value as V[]).some((choice) => fits(record, choice)),
})

export const single = <T>(shape: Shape, fits: (record: T, value: unknown) => boolean): Filter<T> => ({ shape, fits })

/** A filter for which the fictional records have no values: any value matches nobody. */
export const unheld = <T>(item: Shape): Filter<T> => any(item, () => false)

export const id = integer(1, 100_000)
export const range: Shape = all(object({ min: number, max: number }), (value, at) =>
  Object.keys(value as object).length > 0 ? undefined : { at, message: `${at} must have min or max` },
)
export const overlaps = (actualRange: Range, { min = 0, max = Number.POSITIVE_INFINITY }: Partial<Range>) =>
  actualRange.min <= max && actualRange.max >= min

const locationOf = ({ place }: Company): Record<string, string> => ({
  continent: continentOf(place),
  country: place.countryName,
  state: place.regionName,
  region: place.regionName,
  city: place.city,
  country_grouping: groupingOf(place),
  countryGrouping: groupingOf(place),
})

export const texts = (names: string[]): Record<string, Shape> => Object.fromEntries(names.map((name) => [name, text]))

export const locations = <T>(fields: Record<string, Shape>, companyOf: (record: T) => Company): Filter<T> => {
  return any(object(fields, { unknown: 422 }), (record, wantedPlace: Record<string, string>) => {
    const place = locationOf(companyOf(record))
    const wantedFields = Object.entries(wantedPlace)
    return wantedFields.length > 0 && wantedFields.every(([name, value]) => same(place[name] ?? '', value))
  })
}

export const hasDataPoint = (person: Person, name: string): boolean => {
  const dataPoints: Record<string, boolean> = {
    phone: person.phones.length > 0,
    mobile_phone: person.phones.some(({ kind }) => kind === 'mobile'),
    direct_phone: person.phones.some(({ kind }) => kind === 'office'),
    work_email: person.workEmail !== undefined,
  }
  return dataPoints[name] ?? false
}

export const company = ({ company: employer }: Person) => employer
export const itself = (record: Company) => record

export const contactShared: Filters<Person> = {
  departments: any(text, (person, label) => same(person.department.label, label)),
  jobTitles: any(text, (person, title) => has(person.title, title)),
  linkedinUrls: any(
    text,
    (person, url: string) =>
      person.linkedinSlug !== undefined && slugOfUrl(url, 'in') === person.linkedinSlug.toLowerCase(),
  ),
  searchText: single(text, (person, words) =>
    has(`${fullNameOf(person)} ${person.title} ${person.company.name}`, words),
  ),
}
export const seniority: Filter<Person> = any(id, (person, wantedId) => seniorityOf(person).id === wantedId)
const existing: Filter<Person> = any(text, hasDataPoint)

export const companyShared: Filters<Company> = {
  names: any(text, (record, name: string) => hasCompanyName(record, name) || has(record.name, name)),
  domains: any(text, (record, domain: string) =>
    same(record.domain, (hostOfUrl(domain) ?? domain).replace(/^www\./i, '')),
  ),
  sizes: any(range, (record, wantedRange: Partial<Range>) =>
    overlaps({ min: record.employees, max: record.employees }, wantedRange),
  ),
  revenues: any(range, (record, wantedRange: Partial<Range>) => overlaps(revenueOf(record), wantedRange)),
  mainIndustriesIds: any(id, (record, wantedId) => industryOf(record).main_industry_id === wantedId),
  subIndustriesIds: any(id, (record, wantedId) => industryOf(record).sub_industries[0]?.id === wantedId),
  sicCodes: unheld(text),
  naicsCodes: unheld(text),
  intentTopics: unheld(text),
  searchText: single(text, (record, words) =>
    has(`${record.name} ${record.industry} ${record.place.countryName}`, words),
  ),
}
export const usesTechnology = (record: Company, name: unknown) =>
  record.technologies.some((technology) => same(technology, name))

export const placeNames = ['continent', 'country', 'state', 'city']

export const contactFiltersV2: Filters<Person> = {
  ...contactShared,
  seniority,
  existing_data_points: existing,
  locations: locations(texts([...placeNames, 'country_grouping']), company),
}
export const companyFiltersV2: Filters<Company> = {
  ...companyShared,
  locations: locations(texts(placeNames), itself),
  technologies: any(object({ name: text }, { required: ['name'] }), (record, { name }: { name: string }) =>
    usesTechnology(record, name),
  ),
}

export const criteriaShape = <T>(filters: Filters<T>): Shape =>
  object(Object.fromEntries(Object.entries(filters).map(([name, { shape }]) => [name, shape])), { unknown: 422 })
type AnyFilters = Filters<Person> | Filters<Company>
export const sidesShape = (filters: AnyFilters, required: string[]): Shape => {
  const shape = criteriaShape(filters as Filters<Person>)
  return object({ include: shape, exclude: shape }, { required })
}

/**
 * The shape of `filters`, with a part for each kind of record that can be filtered; at least one criterion is required.
 * `required`: sides that each part must have.
 */
export const filtersShape = (parts: Record<string, AnyFilters>, required: string[] = []): Shape => {
  const shapes = Object.entries(parts).map(([name, filters]) => [name, sidesShape(filters, required)] as const)
  return all(object(Object.fromEntries(shapes)), (value, at) => {
    const criteriaList = Object.values(value as Record<string, Sides>).flatMap((part) => Object.values(part))
    return criteriaList.some((side) => Object.keys(side).length > 0)
      ? undefined
      : { at, message: `${at} must have at least one filter` }
  })
}

/** Whether all filters to include match, and none of those to exclude. */
export const matches = <T>(record: T, filters: Filters<T>, { include = {}, exclude = {} }: Sides = {}): boolean =>
  Object.entries(include).every(([name, value]) => filters[name]?.fits?.(record, value, include) ?? true) &&
  !Object.entries(exclude).some(([name, value]) => filters[name]?.fits?.(record, value, exclude) ?? false)

/** Whether the person can be called: without a known number, or with a number that is not on a do-not-call list. */
export const isCallable = ({ phones }: Person): boolean =>
  phones.length === 0 || phones.some(({ doNotCall }) => doNotCall !== true)
