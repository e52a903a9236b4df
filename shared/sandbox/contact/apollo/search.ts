/** Searches of Apollo: people for nothing, organizations for a credit a page. */
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

const list = (asked: Values, name: string) => asked[name] as string[] | undefined
const any = (asked: Values, name: string, fits: (wanted: string) => boolean) => list(asked, name)?.some(fits) ?? true
const has = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())

const isAt = ({ place }: Company, wanted: string) =>
  [place.city, place.regionName, place.countryName, `${place.city}, ${place.countryName}`].some((text) => text.toLowerCase() === wanted.toLowerCase())

/** "11,50" */
const isSized = ({ employees }: Company, range: string) => {
  const [least = 0, most = Infinity] = range.split(',').map((end) => (end === '' ? undefined : Number(end)))
  return employees >= least && employees <= most
}

const fitsCompany = (company: Company, asked: Values): boolean =>
  any(asked, 'q_organization_domains_list', (domain) => domain.toLowerCase() === company.domain) &&
  any(asked, 'organization_num_employees_ranges', (range) => isSized(company, range)) &&
  any(asked, 'organization_locations', (place) => isAt(company, place)) &&
  any(asked, 'organization_ids', (id) => id === organizationId(company)) &&
  any(asked, 'currently_using_any_of_technology_uids', (uid) => company.technologies.map(technologyUid).includes(uid)) &&
  revenueOf(company) >= Number(asked['revenue_range[min]'] ?? 0) &&
  revenueOf(company) <= Number(asked['revenue_range[max]'] ?? Infinity)

const fitsPerson = (person: Person, asked: Values): boolean =>
  !person.suppressed &&
  fitsCompany(person.company, asked) &&
  any(asked, 'person_titles', (title) => has(person.title, title)) &&
  any(asked, 'person_seniorities', (seniority) => person.seniority.key === seniority) &&
  any(asked, 'person_locations', (place) => isAt(person.company, place)) &&
  any(asked, 'contact_email_status', (status) => emailStatus(person) === status) &&
  (list(asked, 'currently_using_all_of_technology_uids') ?? []).every((uid) => person.company.technologies.map(technologyUid).includes(uid)) &&
  has(`${person.firstName} ${person.lastName} ${person.title} ${person.company.name} ${person.company.industry}`, String(asked.q_keywords ?? ''))

const fitsOrganization = (company: Company, asked: Values): boolean =>
  fitsCompany(company, asked) &&
  !(list(asked, 'organization_not_locations') ?? []).some((place) => isAt(company, place)) &&
  any(asked, 'q_organization_keyword_tags', (tag) => has(company.industry, tag)) &&
  has(company.name, String(asked.q_organization_name ?? ''))

type Page<T> = { rows: T[]; total: number; page: number; size: number }

/** At most 100 to a page, and 500 pages. */
const pageOf = <T>(found: T[], asked: Values): Page<T> | undefined => {
  const page = Number(asked.page ?? 1)
  const size = Number(asked.per_page ?? 10)
  if (page < 1 || page > 500 || size < 1 || size > 100) return undefined
  return { rows: found.slice((page - 1) * size, page * size), total: found.length, page, size }
}
const wrongPage = () => invalid('Invalid parameters: "page" has to be from 1 to 500, "per_page" from 1 to 100.', 'page')

export const searchPeople = (call: Call): Handled => {
  const { world, path } = call
  const refused = outOfScope(world, path)
  if (refused !== undefined) return refused
  const asked = readEither(call, { ...personFilters, ...paging })
  if (!asked.ok) return asked
  const found = pageOf(
    world.people.filter((person) => fitsPerson(person, asked.value)),
    asked.value,
  )
  if (found === undefined) return wrongPage()
  return { ok: true, answer: { status: 200, body: { total_entries: found.total, people: found.rows.map(personRow) } }, credits: 0 }
}

export const searchOrganizations = (call: Call): Handled => {
  const { world, path } = call
  const refused = outOfScope(world, path)
  if (refused !== undefined) return refused
  const asked = readEither(call, { ...organizationFilters, ...paging })
  if (!asked.ok) return asked
  const found = pageOf(
    world.companies.filter((company) => fitsOrganization(company, asked.value)),
    asked.value,
  )
  if (found === undefined) return wrongPage()
  const { rows, total, page, size } = found
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
