/** Apollo's searches: people for free, organizations for 1 credit per page. */
import type { Values } from '../../lookups/check.ts'
import { noCredits } from '../../lookups/find.ts'
import type { Handled } from '../../lookups/find.ts'
import type { Call } from '../../lookups/server.ts'
import { charge } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { invalid, outOfScope, readEither } from './inputs.ts'
import type { Kind } from './inputs.ts'
import { emailStatus, organizationId, organizationRecord, personRow, revenueOf, technologyUid } from './records.ts'

const companyFilters: Record<string, Kind> = {
  q_organization_domains_list: 'list',
  organization_num_employees_ranges: 'list',
  organization_locations: 'list',
  'revenue_range[min]': 'number',
  'revenue_range[max]': 'number',
  currently_using_any_of_technology_uids: 'list',
  organization_ids: 'list',
}
const paging: Record<string, Kind> = { page: 'number', per_page: 'number' }
const personFilters: Record<string, Kind> = {
  ...companyFilters,
  person_titles: 'list',
  q_keywords: 'text',
  person_locations: 'list',
  person_seniorities: 'list',
  contact_email_status: 'list',
  currently_using_all_of_technology_uids: 'list',
}
const organizationFilters: Record<string, Kind> = {
  ...companyFilters,
  organization_not_locations: 'list',
  q_organization_keyword_tags: 'list',
  q_organization_name: 'text',
}

const list = (values: Values, name: string) => values[name] as string[] | undefined
const any = (values: Values, name: string, fits: (value: string) => boolean) => list(values, name)?.some(fits) ?? true
const has = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())

const isAt = ({ place }: Company, placeName: string) =>
  [place.city, place.regionName, place.countryName, `${place.city}, ${place.countryName}`].some(
    (text) => text.toLowerCase() === placeName.toLowerCase(),
  )

/** Whether a company's size is within a range such as "11,50". */
const isSized = ({ employees }: Company, range: string) => {
  const [least = 0, most = Infinity] = range.split(',').map((end) => (end === '' ? undefined : Number(end)))
  return employees >= least && employees <= most
}

const fitsCompany = (company: Company, values: Values): boolean =>
  any(values, 'q_organization_domains_list', (domain) => domain.toLowerCase() === company.domain) &&
  any(values, 'organization_num_employees_ranges', (range) => isSized(company, range)) &&
  any(values, 'organization_locations', (place) => isAt(company, place)) &&
  any(values, 'organization_ids', (id) => id === organizationId(company)) &&
  any(values, 'currently_using_any_of_technology_uids', (uid) =>
    company.technologies.map(technologyUid).includes(uid),
  ) &&
  revenueOf(company) >= Number(values['revenue_range[min]'] ?? 0) &&
  revenueOf(company) <= Number(values['revenue_range[max]'] ?? Infinity)

const fitsPerson = (person: Person, values: Values): boolean =>
  !person.suppressed &&
  fitsCompany(person.company, values) &&
  any(values, 'person_titles', (title) => has(person.title, title)) &&
  any(values, 'person_seniorities', (seniority) => person.seniority.key === seniority) &&
  any(values, 'person_locations', (place) => isAt(person.company, place)) &&
  any(values, 'contact_email_status', (status) => emailStatus(person) === status) &&
  (list(values, 'currently_using_all_of_technology_uids') ?? []).every((uid) =>
    person.company.technologies.map(technologyUid).includes(uid),
  ) &&
  has(
    `${person.firstName} ${person.lastName} ${person.title} ${person.company.name} ${person.company.industry}`,
    String(values.q_keywords ?? ''),
  )

const fitsOrganization = (company: Company, values: Values): boolean =>
  fitsCompany(company, values) &&
  !(list(values, 'organization_not_locations') ?? []).some((place) => isAt(company, place)) &&
  any(values, 'q_organization_keyword_tags', (tag) => has(company.industry, tag)) &&
  has(company.name, String(values.q_organization_name ?? ''))

type Page<T> = { rows: T[]; total: number; page: number; size: number }

/** At most 100 rows per page and 500 pages; undefined beyond that. */
const pageOf = <T>(records: T[], values: Values): Page<T> | undefined => {
  const page = Number(values.page ?? 1)
  const size = Number(values.per_page ?? 10)
  if (page < 1 || page > 500 || size < 1 || size > 100) return undefined
  return { rows: records.slice((page - 1) * size, page * size), total: records.length, page, size }
}
const wrongPage = () => invalid('Invalid parameters: "page" has to be from 1 to 500, "per_page" from 1 to 100.', 'page')

export const searchPeople = (call: Call): Handled => {
  const { world, path } = call
  const refused = outOfScope(world, path)
  if (refused !== undefined) return refused
  const query = readEither(call, { ...personFilters, ...paging })
  if (!query.ok) return query
  const resultPage = pageOf(
    world.people.filter((person) => fitsPerson(person, query.value)),
    query.value,
  )
  if (resultPage === undefined) return wrongPage()
  return {
    ok: true,
    answer: { status: 200, body: { total_entries: resultPage.total, people: resultPage.rows.map(personRow) } },
    credits: 0,
  }
}

export const searchOrganizations = (call: Call): Handled => {
  const { world, path } = call
  const refused = outOfScope(world, path)
  if (refused !== undefined) return refused
  const query = readEither(call, { ...organizationFilters, ...paging })
  if (!query.ok) return query
  const resultPage = pageOf(
    world.companies.filter((company) => fitsOrganization(company, query.value)),
    query.value,
  )
  if (resultPage === undefined) return wrongPage()
  const { rows, total, page, size } = resultPage
  if (world.credits.remaining < 1) return { ok: false, problem: noCredits(world, 1) }
  charge(world, 1)
  const body = {
    breadcrumbs: [],
    partial_results_only: false,
    partial_results_limit: 10_000,
    pagination: { page, per_page: size, total_entries: total, total_pages: Math.ceil(total / size) },
    accounts: [],
    organizations: rows.map(organizationRecord),
    model_ids: rows.map(organizationId),
  }
  return { ok: true, answer: { status: 200, body }, credits: 1 }
}
