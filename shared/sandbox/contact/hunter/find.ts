/** Enrichment of Hunter: a person by address or handle, a company by domain, or both. */
import { badRequest, checkFormat, formats } from '../../lookups/check.ts'
import type { Checked } from '../../lookups/check.ts'
import { companyByDomain, noCredits, optedOut, personByEmail, personBySlug } from '../../lookups/find.ts'
import type { Handled } from '../../lookups/find.ts'
import type { Call } from '../../lookups/server.ts'
import { charge } from '../../lookups/world.ts'
import type { World } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { errorBody } from './errors.ts'
import { companyRecord, personRecord } from './records.ts'

type Format = (typeof formats)['email']

/** The query without the key: known names only, each of its form. */
export const readQuery = ({ query, body }: Call, known: Record<string, Format | undefined>): Checked<Record<string, string>> => {
  if (body !== undefined) return badRequest('Parameters go into the query, not into a body.')
  const { api_key: _key, ...asked } = Object.fromEntries(query)
  for (const [name, value] of Object.entries(asked)) {
    if (!Object.hasOwn(known, name)) return badRequest(`Unknown parameter "${name}". Known: ${Object.keys(known).join(', ')}.`, name)
    if (value.trim() === '') return badRequest(`"${name}" is empty.`, name)
  }
  const format = Object.fromEntries(Object.entries(known).flatMap(([name, form]) => (form === undefined || asked[name] === undefined ? [] : [[name, form]])))
  const checked = checkFormat(asked, Object.keys(format), format)
  return checked.ok ? { ok: true, value: asked } : checked
}

export const meta = (asked: Record<string, string>) => ({ meta: { params: asked } })

type Found = { person?: Person | undefined; company?: Company | undefined; email?: string | null; data: (found: Found) => unknown; credits: number }

const answerOf = (world: World, asked: Record<string, string>, found: Found | undefined): Handled => {
  if (found === undefined) {
    world.counters.misses += 1
    return { ok: true, answer: { status: 404, body: errorBody(404) }, credits: 0 }
  }
  if (found.person?.suppressed) {
    world.counters.suppressed += 1
    return { ok: false, problem: optedOut }
  }
  if (found.credits > world.credits.remaining) return { ok: false, problem: noCredits(world, found.credits) }
  world.counters.matches += 1
  charge(world, found.credits)
  return { ok: true, answer: { status: 200, body: { data: found.data(found), ...meta(asked) } }, credits: found.credits }
}

const shownPerson = ({ person, email }: Found) => person && personRecord(person, email ?? null)
const shownCompany = ({ company }: Found) => company && companyRecord(company)

const foundPerson = (world: World, { email, linkedin_handle: slug = '' }: Record<string, string>): Found | undefined => {
  const person = email === undefined ? personBySlug(world, slug) : personByEmail(world, email)
  if (person === undefined) return undefined
  return { person, company: person.company, email: email?.toLowerCase() ?? person.workEmail ?? person.personalEmail ?? null, data: shownPerson, credits: 1 }
}

export const findPerson = (call: Call): Handled => {
  const asked = readQuery(call, { email: formats.email, linkedin_handle: formats.slug })
  if (!asked.ok) return asked
  const given = Object.keys(asked.value)
  if (given.length !== 1) return badRequest('Give either the email or the linkedin_handle parameter.', given[1] ?? 'email')
  return answerOf(call.world, asked.value, foundPerson(call.world, asked.value))
}

export const findCompany = (call: Call): Handled => {
  const asked = readQuery(call, { domain: formats.domain })
  if (!asked.ok) return asked
  if (asked.value.domain === undefined) return badRequest('You are missing the domain parameter', 'domain')
  const company = companyByDomain(call.world, asked.value.domain)
  return answerOf(call.world, asked.value, company && { company, data: shownCompany, credits: 1 })
}

export const findBoth = (call: Call): Handled => {
  const asked = readQuery(call, { email: formats.email })
  if (!asked.ok) return asked
  if (asked.value.email === undefined) return badRequest('You are missing the email parameter', 'email')
  const found = foundPerson(call.world, asked.value)
  return answerOf(call.world, asked.value, found && { ...found, credits: 2, data: (both) => ({ person: shownPerson(both), company: shownCompany(both) }) })
}
