/** The three operations of Firmable. The header of index.ts says what is documented and what is chosen. */
import { badRequest, checkFormat, formats, hostOfUrl, slugOfUrl } from '../../lookups/check.ts'
import type { CheckedValue, Values } from '../../lookups/check.ts'
import {
  companyByAbn,
  companyByDomain,
  companyBySlug,
  noCredits,
  personByEmail,
  personBySlug,
} from '../../lookups/find.ts'
import type { Handled } from '../../lookups/find.ts'
import type { Call } from '../../lookups/server.ts'
import { charge } from '../../lookups/world.ts'
import type { World } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { companyId, companyRecord, personId, personRecord, searchRow } from './records.ts'
import { countries, departmentOf, seniorityOf } from './words.ts'

type Way<T> = { format?: (typeof formats)['email']; find(world: World, text: string): T | undefined }

const idFormat = (start: string) => ({
  wants: `an id such as ${start}000000000001`,
  fits: (text: string) => new RegExp(`^${start}\\d{6,12}$`).test(text),
})

const companyWays: Record<string, Way<Company>> = {
  id: { format: idFormat('f'), find: (world, text) => world.companies.find((company) => companyId(company) === text) },
  ln_slug: { format: formats.slug, find: companyBySlug },
  ln_url: { format: formats.companyUrl, find: (world, text) => companyBySlug(world, slugOfUrl(text, 'company') ?? '') },
  fqdn: { format: formats.domain, find: companyByDomain },
  abn: { format: formats.abn, find: companyByAbn },
  website: { format: formats.website, find: (world, text) => companyByDomain(world, hostOfUrl(text) ?? '') },
}

const personWays: Record<string, Way<Person>> = {
  id: { format: idFormat('fp'), find: (world, text) => world.people.find((person) => personId(person) === text) },
  ln_slug: { format: formats.slug, find: personBySlug },
  ln_url: { format: formats.personUrl, find: (world, text) => personBySlug(world, slugOfUrl(text, 'in') ?? '') },
  // Each kind of address finds a person only through the parameter of its kind.
  work_email: {
    format: formats.email,
    find: (world, text) => {
      const person = personByEmail(world, text)
      return person?.workEmail?.toLowerCase() === text.toLowerCase() ? person : undefined
    },
  },
  personal_email: {
    format: formats.email,
    find: (world, text) => {
      const person = personByEmail(world, text)
      return person?.personalEmail?.toLowerCase() === text.toLowerCase() ? person : undefined
    },
  },
}

const countryOf = (value: unknown, name: string): CheckedValue<string> => {
  if (value === undefined) return { ok: true, value: 'AU' }
  if (countries.includes(String(value))) return { ok: true, value: String(value) }
  return badRequest(`"${name}" has to be one of ${countries.join(', ')}.`, name)
}

type IdentifierQuery<T> = { way: Way<T>; text: string; country: string }

/** Reads exactly one identifier, and a country if the query has one. */
const readQuery = <T>(query: URLSearchParams, ways: Record<string, Way<T>>): CheckedValue<IdentifierQuery<T>> => {
  const knownNames = [...Object.keys(ways), 'country']
  const names = [...query.keys()]
  const unknown = names.find((name) => !knownNames.includes(name))
  if (unknown !== undefined)
    return badRequest(`Unknown parameter "${unknown}". Known: ${knownNames.join(', ')}.`, unknown)
  const rule = `Give exactly one of ${Object.keys(ways).join(', ')}.`
  const [name, other] = names.filter((parameterName) => parameterName !== 'country')
  const way = name === undefined ? undefined : ways[name]
  if (name === undefined || way === undefined || other !== undefined) return badRequest(rule, other ?? 'id')
  const text = query.get(name) ?? ''
  const checked = checkFormat({ [name]: text }, [name], way.format === undefined ? {} : { [name]: way.format })
  if (!checked.ok) return checked
  const country = countryOf(query.get('country') ?? undefined, 'country')
  return country.ok ? { ok: true, value: { way, text, country: country.value } } : country
}

/** A person who opted out is in no answer, so a lookup of that person is an ordinary miss. */
const isHidden = (record: Company | Person) => 'suppressed' in record && record.suppressed

/** Costs 1 credit for a record that this account does not own yet. A miss is a 500 and free. */
const lookUp = <T extends Company | Person>(
  world: World,
  what: string,
  { way, text, country }: IdentifierQuery<T>,
  idOf: (record: T) => string,
  render: (record: T, country: string) => unknown,
): Handled => {
  const record = way.find(world, text)
  if (record === undefined || isHidden(record)) {
    if (record === undefined) world.counters.misses += 1
    else world.counters.suppressed += 1
    return { ok: true, answer: { status: 500, body: { error: `${what} profile not found` } }, credits: 0 }
  }
  const id = idOf(record)
  const credits = world.owned.has(id) ? 0 : 1
  if (credits > world.credits.remaining) return { ok: false, problem: noCredits(world, credits) }
  world.counters.matches += 1
  world.owned.add(id)
  charge(world, credits)
  return { ok: true, answer: { status: 200, body: render(record, country) }, credits }
}

export const getCompany = ({ world, query }: Call): Handled => {
  const lookup = readQuery(query, companyWays)
  return lookup.ok ? lookUp(world, 'Company', lookup.value, companyId, companyRecord) : lookup
}

export const getPerson = ({ world, query }: Call): Handled => {
  const lookup = readQuery(query, personWays)
  return lookup.ok ? lookUp(world, 'People', lookup.value, personId, personRecord) : lookup
}

/** The path of the actual search; requests to the documented path are redirected there with their method and body. */
export const innerSearch = '/internal/search/people'

export const redirectSearch = ({ world }: Call): Handled => {
  // Only the redirected request counts against the limit.
  world.accepted.pop()
  return {
    ok: true,
    answer: { status: 307, headers: { location: innerSearch }, body: { location: innerSearch } },
    credits: 0,
  }
}

const filters = ['companyId', 'position', 'seniority', 'department', 'selectedCountry', 'from', 'size']

const isCount = (text: unknown, least: number, most: number) =>
  /^\d{1,5}$/.test(String(text)) && Number(text) >= least && Number(text) <= most

const readSearch = (body: unknown): CheckedValue<Values> => {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return badRequest('The body has to be a JSON object.')
  for (const [name, value] of Object.entries(body)) {
    if (!filters.includes(name)) return badRequest(`Unknown field "${name}". Known: ${filters.join(', ')}.`, name)
    if (typeof value !== 'string' || value === '') return badRequest(`"${name}" has to be a non-empty string.`, name)
  }
  const fields = body as Values
  if (fields.companyId === undefined) return badRequest('"companyId" is required.', 'companyId')
  if (!isCount(fields.from ?? '0', 0, 99_999)) return badRequest('"from" has to be a count, as a string.', 'from')
  if (!isCount(fields.size ?? '10', 1, 100)) return badRequest('"size" has to be from 1 to 100, as a string.', 'size')
  const country = countryOf(fields.selectedCountry, 'selectedCountry')
  return country.ok ? { ok: true, value: { ...fields, selectedCountry: country.value } } : country
}

export const searchPeople = ({ world, body }: Call): Handled => {
  const search = readSearch(body)
  if (!search.ok) return search
  const {
    companyId: wantedCompany,
    position,
    seniority,
    department,
    selectedCountry,
    from = '0',
    size = '10',
  } = search.value
  const people = world.people.filter(
    (person) =>
      !person.suppressed &&
      companyId(person.company) === wantedCompany &&
      person.company.place.country === selectedCountry &&
      (position === undefined || person.title.toLowerCase().includes(String(position).toLowerCase())) &&
      (seniority === undefined || seniorityOf(person) === seniority) &&
      (department === undefined || departmentOf(person) === department),
  )
  const rows = people.slice(Number(from), Number(from) + Number(size))
  return { ok: true, answer: { status: 200, body: { records: rows.map(searchRow), total: people.length } }, credits: 0 }
}
