/** Hunter's searches: the addresses of a domain, and companies. */
import { badRequest, formats } from '../../lookups/check.ts'
import type { CheckedValue, Values } from '../../lookups/check.ts'
import { companyByDomain, companyByName, noCredits } from '../../lookups/find.ts'
import type { Handled } from '../../lookups/find.ts'
import type { Call } from '../../lookups/server.ts'
import { charge } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { meta, readQuery } from './find.ts'
import { addressRow, departmentOf, domainRecord, headcountOf, headcounts, seniorityOf } from './records.ts'

const seniorities = ['junior', 'senior', 'executive']
const departments =
  'executive it finance management sales legal support hr marketing communication education design health operations'.split(
    ' ',
  )
const fields = ['full_name', 'position', 'phone_number']

const words = (text: string | undefined, name: string, knownWords: string[]): CheckedValue<string[] | undefined> => {
  const requestedWords = text?.split(',').map((word) => word.trim())
  const wrong = requestedWords?.find((word) => !knownWords.includes(word))
  return wrong === undefined
    ? { ok: true, value: requestedWords }
    : badRequest(`"${wrong}" in "${name}" is none of ${knownWords.join(', ')}.`, name)
}

const isCount = (text: string, least: number, most: number) =>
  /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most

/** Costs 1 credit for every 10 addresses or part of them. */
const costOf = (rows: Person[]) => Math.ceil(rows.length / 10)

const domainParameters = {
  domain: formats.domain,
  company: undefined,
  limit: undefined,
  offset: undefined,
  type: undefined,
  seniority: undefined,
  department: undefined,
  required_field: undefined,
}

type DomainSearch = { company: Company | undefined; fits(person: Person): boolean; limit: number; offset: number }

const readDomainSearch = (call: Call): CheckedValue<DomainSearch & { values: Record<string, string> }> => {
  const read = readQuery(call, domainParameters)
  if (!read.ok) return read
  const values = read.value
  const { domain, company: name, limit = '10', offset = '0', type } = values
  if (domain === undefined && name === undefined) return badRequest('You are missing the domain parameter', 'domain')
  if (!isCount(limit, 1, 100)) return badRequest('"limit" has to be from 1 to 100.', 'limit')
  if (!isCount(offset, 0, 10_000)) return badRequest('"offset" has to be a count.', 'offset')
  if (type !== undefined && type !== 'personal' && type !== 'generic')
    return badRequest('"type" has to be personal or generic.', 'type')
  const seniority = words(values.seniority, 'seniority', seniorities)
  if (!seniority.ok) return seniority
  const department = words(values.department, 'department', departments)
  if (!department.ok) return department
  const required = words(values.required_field, 'required_field', fields)
  if (!required.ok) return required
  const fits = (person: Person) =>
    type !== 'generic' &&
    (seniority.value?.includes(seniorityOf(person)) ?? true) &&
    (department.value?.includes(departmentOf(person)) ?? true) &&
    (required.value?.includes('phone_number') !== true || person.phones.length > 0)
  const company = domain === undefined ? companyByName(call.world, name ?? '') : companyByDomain(call.world, domain)
  return { ok: true, value: { company, fits, limit: Number(limit), offset: Number(offset), values } }
}

export const searchDomain = (call: Call): Handled => {
  const search = readDomainSearch(call)
  if (!search.ok) return search
  const { world } = call
  const { company, fits, limit, offset, values } = search.value
  const people = world.people.filter(
    (person) => person.company === company && person.workEmail !== undefined && !person.suppressed && fits(person),
  )
  const rows = people.slice(offset, offset + limit)
  const credits = costOf(rows)
  if (credits > world.credits.remaining) return { ok: false, problem: noCredits(world, credits) }
  charge(world, credits)
  const domainDetails =
    company === undefined ? { domain: values.domain ?? null, organization: null, pattern: null } : domainRecord(company)
  const body = {
    data: { ...domainDetails, emails: rows.map(addressRow), linked_domains: [] },
    meta: { results: people.length, limit, offset, ...meta(values).meta },
  }
  return { ok: true, answer: { status: 200, body }, credits }
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string' && item !== '')

/**
 * The lists that each filter of `/discover` accepts; '' is the filter itself. Objects in a list of headquarters are
 * places.
 */
const listsOf: Record<string, string[]> = {
  organization: ['domain', 'name'],
  industry: ['include', 'exclude'],
  keywords: ['include', 'exclude', 'match'],
  technology: ['include', 'exclude', 'match'],
  headquarters_location: ['include', 'exclude'],
  year_founded: ['min', 'max'],
}

const checkPlaces = (places: unknown): boolean =>
  Array.isArray(places) &&
  places.every(
    (place) =>
      isObject(place) &&
      Object.entries(place).every(
        ([name, value]) => ['continent', 'country', 'state', 'city'].includes(name) && typeof value === 'string',
      ),
  )

const checkFilter = (name: string, value: unknown): string | undefined => {
  if (name === 'headcount')
    return isTexts(value) && value.every((size) => headcounts.includes(size))
      ? undefined
      : `has to be a list of ${headcounts.join(', ')}`
  const parts = listsOf[name]
  if (parts === undefined || !isObject(value)) return 'has to be an object'
  for (const [part, item] of Object.entries(value)) {
    if (!parts.includes(part)) return `does not know "${part}"`
    if (
      name === 'headquarters_location'
        ? !checkPlaces(item)
        : name === 'year_founded'
          ? !Number.isInteger(item)
          : part !== 'match' && !isTexts(item)
    )
      return `has a wrong "${part}"`
  }
  return undefined
}

const has = (texts: string[], wantedTexts: unknown): boolean =>
  (wantedTexts as string[]).some((wantedText) => texts.some((text) => text.toLowerCase() === wantedText.toLowerCase()))
const part = (values: Values, name: string, key: string): unknown => (values[name] as Values | undefined)?.[key]
const included = (values: Values, name: string, texts: string[], yes = 'include', no = 'exclude'): boolean => {
  const [wantedTexts, unwanted] = [part(values, name, yes), part(values, name, no)]
  return (wantedTexts === undefined || has(texts, wantedTexts)) && (unwanted === undefined || !has(texts, unwanted))
}

const isAt = ({ place }: Company, wantedPlace: Values): boolean =>
  Object.entries(wantedPlace).every(([name, text]) => {
    if (name === 'country') return has([place.country], [text])
    if (name === 'continent') return false
    return has([name === 'city' ? place.city : place.regionName], [text])
  })

const fitsCompany = (company: Company, values: Values): boolean => {
  const { include, exclude } = (values.headquarters_location ?? {}) as { include?: Values[]; exclude?: Values[] }
  const { min = 0, max = Infinity } = (values.year_founded ?? {}) as { min?: number; max?: number }
  return (
    included(values, 'organization', [company.domain], 'domain') &&
    included(values, 'organization', [company.name, company.legalName], 'name') &&
    included(values, 'industry', [company.industry]) &&
    included(values, 'keywords', [company.industry]) &&
    included(values, 'technology', company.technologies) &&
    (values.headcount === undefined || has([headcountOf(company)], values.headcount)) &&
    (include === undefined || include.some((place) => isAt(company, place))) &&
    (exclude === undefined || !exclude.some((place) => isAt(company, place))) &&
    company.founded >= min &&
    company.founded <= max
  )
}

const filters = [...Object.keys(listsOf), 'headcount']

/** Searching for companies is free. */
export const discover = ({ world, body, query }: Call): Handled => {
  const inQuery = [...query.keys()].find((name) => name !== 'api_key')
  if (inQuery !== undefined) return badRequest(`"${inQuery}" is in the query. Filters go into the JSON body.`, inQuery)
  if (!isObject(body)) return badRequest('The body has to be a JSON object.')
  const { limit = 100, offset = 0, ...values } = body
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > 100)
    return badRequest('"limit" has to be from 1 to 100.', 'limit')
  if (!Number.isInteger(offset) || Number(offset) < 0 || Number(offset) > 10_000)
    return badRequest('"offset" has to be from 0 to 10000.', 'offset')
  if (Object.keys(values).length === 0) return badRequest(`Give at least one filter: ${filters.join(', ')}.`)
  for (const [name, value] of Object.entries(values)) {
    if (!filters.includes(name)) return badRequest(`Unknown filter "${name}". Known: ${filters.join(', ')}.`, name)
    const wrong = checkFilter(name, value)
    if (wrong !== undefined) return badRequest(`"${name}" ${wrong}.`, name)
  }
  const companies = world.companies.filter((company) => fitsCompany(company, values))
  const rows = companies.slice(Number(offset), Number(offset) + Number(limit)).map((company) => {
    const personal = world.people.filter(
      (person) => person.company === company && person.workEmail !== undefined,
    ).length
    return {
      domain: company.domain,
      organization: company.name,
      industry: company.industry,
      headcount: headcountOf(company),
      country: company.place.country,
      emails_count: { personal, generic: 1, total: personal + 1 },
    }
  })
  return {
    ok: true,
    answer: { status: 200, body: { data: rows, meta: { results: companies.length, limit, offset, filters: values } } },
    credits: 0,
  }
}
