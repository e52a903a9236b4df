/** The endpoints of the anz-data sandbox. The header of index.ts says what is documented and what is chosen. */
import { badRequest, checkFormat, formats, hostOfUrl, readFields, readOneSet, slugOfUrl } from '../../lookups/check.ts'
import type { Values } from '../../lookups/check.ts'
import {
  companyByAbn,
  companyByDomain,
  companyBySlug,
  hasCompanyName,
  lookUp,
  noCredits,
  noMatchAnswer,
  noMatchForm,
  personByEmail,
  personBySlug,
  personCost,
} from '../../lookups/find.ts'
import type { Handled } from '../../lookups/find.ts'
import type { Call } from '../../lookups/server.ts'
import { charge } from '../../lookups/world.ts'
import type { World } from '../../lookups/world.ts'
import { sizeBands } from '../../people/data-set.ts'
import type { Person } from '../../people/data-set.ts'
import { places } from '../../people/names.ts'
import { companyRecord, personRecord, searchRow } from './records.ts'

const personFormats = { linkedin_url: formats.personUrl, email: formats.email, linkedin_slug: formats.slug }
const companyFormats = {
  domain: formats.domain,
  linkedin_url: formats.companyUrl,
  abn: formats.abn,
  website: formats.website,
}

/** The single identifier in the body, or what is wrong with the body. */
const readIdentifier = (body: unknown, formatOf: Record<string, (typeof formats)['email']>) => {
  const names = Object.keys(formatOf)
  const fields = readFields(body, Object.fromEntries(names.map((name) => [name, 'string' as const])))
  if (!fields.ok) return fields
  const set = readOneSet(
    fields.value,
    names.map((name) => [name]),
  )
  if (!set.ok) return set
  const checked = checkFormat(fields.value, set.value, formatOf)
  const name = String(set.value[0])
  return checked.ok ? { ok: true as const, name, text: String(fields.value[name]) } : checked
}

const miss = (world: World, what: string, text: string) => () => {
  const message = `${what} profile not found`
  return noMatchAnswer(noMatchForm(world, [text]), message, message)
}

const findPerson = (world: World, name: string, text: string) => {
  if (name === 'email') return personByEmail(world, text)
  return personBySlug(world, name === 'linkedin_url' ? (slugOfUrl(text, 'in') ?? '') : text)
}

const findCompany = (world: World, name: string, text: string) => {
  if (name === 'abn') return companyByAbn(world, text)
  if (name === 'linkedin_url') return companyBySlug(world, slugOfUrl(text, 'company') ?? '')
  return companyByDomain(world, name === 'website' ? (hostOfUrl(text) ?? '') : text)
}

export const enrichPerson = ({ world, body }: Call): Handled => {
  const identifier = readIdentifier(body, personFormats)
  if (!identifier.ok) return identifier
  return lookUp(world, {
    record: findPerson(world, identifier.name, identifier.text),
    cost: personCost,
    render: (person, cost) => ({ person: personRecord(person), credits_charged: cost }),
    miss: miss(world, 'Person', identifier.text),
  })
}

export const enrichCompany = ({ world, body }: Call): Handled => {
  const identifier = readIdentifier(body, companyFormats)
  if (!identifier.ok) return identifier
  return lookUp(world, {
    record: findCompany(world, identifier.name, identifier.text),
    cost: () => 1,
    render: (company, cost) => ({ company: companyRecord(company), credits_charged: cost }),
    miss: miss(world, 'Company', identifier.text),
  })
}

const filters = {
  company: 'string',
  position: 'string',
  seniority: 'string',
  department: 'string',
  states: 'strings',
  company_size: 'string',
} as const

const allRegions = Object.values(places).map(({ region }) => region)
const regions = new Set(allRegions.filter((region) => /^(AU|NZ)-/.test(region)))

const has = (text: string, part: unknown) =>
  part === undefined || text.toLowerCase().includes(String(part).toLowerCase())
const is = (text: string, filterValue: unknown) =>
  filterValue === undefined || text.toLowerCase() === String(filterValue).toLowerCase()

const fitsFilters = (person: Person, values: Values): boolean =>
  (values.company === undefined ||
    hasCompanyName(person.company, String(values.company)) ||
    has(person.company.name, values.company)) &&
  has(person.title, values.position) &&
  is(person.seniority.key, values.seniority) &&
  is(person.department.key, values.department) &&
  (values.states === undefined || (values.states as string[]).includes(person.company.place.region)) &&
  is(person.company.sizeBand, values.company_size)

/** What is wrong with the filters' values or the page, if anything. */
const checkSearch = (values: Values) => {
  if (!Object.keys(filters).some((name) => name in values)) {
    return badRequest(`Give at least one filter: ${Object.keys(filters).join(', ')}.`, 'company')
  }
  const unknown = (values.states as string[] | undefined)?.find((state) => !regions.has(state))
  if (unknown !== undefined) {
    return badRequest(
      `"${unknown}" in "states" is not a region. Regions are ISO 3166-2 codes such as AU-NSW.`,
      'states',
    )
  }
  if (values.company_size !== undefined && !sizeBands.includes(String(values.company_size))) {
    return badRequest(`"company_size" has to be one of ${sizeBands.join(', ')}.`, 'company_size')
  }
  if (Number(values.page ?? 1) < 1) return badRequest('"page" begins with 1.', 'page')
  const size = Number(values.page_size ?? 25)
  return size < 1 || size > 50 ? badRequest('"page_size" has to be from 1 to 50.', 'page_size') : undefined
}

/** Costs 1 credit for every 10 rows or part of them; an empty page is free. */
export const searchPeople = ({ world, body }: Call): Handled => {
  const fields = readFields(body, { ...filters, page: 'integer', page_size: 'integer' })
  if (!fields.ok) return fields
  const wrong = checkSearch(fields.value)
  if (wrong !== undefined) return wrong
  const page = Number(fields.value.page ?? 1)
  const size = Number(fields.value.page_size ?? 25)
  const people = world.people.filter((person) => !person.suppressed && fitsFilters(person, fields.value))
  const rows = people.slice((page - 1) * size, page * size)
  const credits = Math.ceil(rows.length / 10)
  if (credits > world.credits.remaining) return { ok: false, problem: noCredits(world, credits) }
  charge(world, credits)
  const answer = { results: rows.map(searchRow), total: people.length, page, page_size: size, credits_charged: credits }
  return { ok: true, answer: { status: 200, body: answer }, credits }
}

export const accountUsage = ({ world }: Call): Handled => ({
  ok: true,
  answer: { status: 200, body: { plan: 'sandbox', credits: { ...world.credits } } },
  credits: 0,
})
