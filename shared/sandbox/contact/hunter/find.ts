/** Hunter's enrichment: a person by address or handle, a company by domain, or both. */
import { badRequest, checkFormat, formats } from '../../lookups/check.ts'
import type { CheckedValue } from '../../lookups/check.ts'
import { companyByDomain, noCredits, optedOut, personByEmail, personBySlug } from '../../lookups/find.ts'
import type { Handled } from '../../lookups/find.ts'
import type { Call } from '../../lookups/server.ts'
import { charge } from '../../lookups/world.ts'
import type { World } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { errorBody } from './errors.ts'
import { companyRecord, personRecord } from './records.ts'

type Format = (typeof formats)['email']

/** Reads the query without the key: accepts only known names, each with its format. */
export const readQuery = (
  { query, body }: Call,
  knownParameters: Record<string, Format | undefined>,
): CheckedValue<Record<string, string>> => {
  if (body !== undefined) return badRequest('Parameters go into the query, not into a body.')
  const { api_key: _key, ...values } = Object.fromEntries(query)
  for (const [name, value] of Object.entries(values)) {
    if (!Object.hasOwn(knownParameters, name))
      return badRequest(`Unknown parameter "${name}". Known: ${Object.keys(knownParameters).join(', ')}.`, name)
    if (value.trim() === '') return badRequest(`"${name}" is empty.`, name)
  }
  const format = Object.fromEntries(
    Object.entries(knownParameters).flatMap(([name, form]) =>
      form === undefined || values[name] === undefined ? [] : [[name, form]],
    ),
  )
  const checked = checkFormat(values, Object.keys(format), format)
  return checked.ok ? { ok: true, value: values } : checked
}

export const meta = (values: Record<string, string>) => ({ meta: { params: values } })

type HunterMatch = {
  person?: Person | undefined
  company?: Company | undefined
  email?: string | null
  data: (match: HunterMatch) => unknown
  credits: number
}

const answerOf = (world: World, values: Record<string, string>, match: HunterMatch | undefined): Handled => {
  if (match === undefined) {
    world.counters.misses += 1
    return { ok: true, answer: { status: 404, body: errorBody(404) }, credits: 0 }
  }
  if (match.person?.suppressed) {
    world.counters.suppressed += 1
    return { ok: false, problem: optedOut }
  }
  if (match.credits > world.credits.remaining) return { ok: false, problem: noCredits(world, match.credits) }
  world.counters.matches += 1
  charge(world, match.credits)
  return {
    ok: true,
    answer: { status: 200, body: { data: match.data(match), ...meta(values) } },
    credits: match.credits,
  }
}

const shownPerson = ({ person, email }: HunterMatch) => person && personRecord(person, email ?? null)
const shownCompany = ({ company }: HunterMatch) => company && companyRecord(company)

const foundPerson = (
  world: World,
  { email, linkedin_handle: slug = '' }: Record<string, string>,
): HunterMatch | undefined => {
  const person = email === undefined ? personBySlug(world, slug) : personByEmail(world, email)
  if (person === undefined) return undefined
  return {
    person,
    company: person.company,
    email: email?.toLowerCase() ?? person.workEmail ?? person.personalEmail ?? null,
    data: shownPerson,
    credits: 1,
  }
}

export const findPerson = (call: Call): Handled => {
  const query = readQuery(call, { email: formats.email, linkedin_handle: formats.slug })
  if (!query.ok) return query
  const names = Object.keys(query.value)
  if (names.length !== 1)
    return badRequest('Give either the email or the linkedin_handle parameter.', names[1] ?? 'email')
  return answerOf(call.world, query.value, foundPerson(call.world, query.value))
}

export const findCompany = (call: Call): Handled => {
  const query = readQuery(call, { domain: formats.domain })
  if (!query.ok) return query
  if (query.value.domain === undefined) return badRequest('You are missing the domain parameter', 'domain')
  const company = companyByDomain(call.world, query.value.domain)
  return answerOf(call.world, query.value, company && { company, data: shownCompany, credits: 1 })
}

export const findBoth = (call: Call): Handled => {
  const query = readQuery(call, { email: formats.email })
  if (!query.ok) return query
  if (query.value.email === undefined) return badRequest('You are missing the email parameter', 'email')
  const match = foundPerson(call.world, query.value)
  return answerOf(
    call.world,
    query.value,
    match && { ...match, credits: 2, data: (both) => ({ person: shownPerson(both), company: shownCompany(both) }) },
  )
}
