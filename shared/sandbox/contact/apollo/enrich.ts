/** Apollo's enrichment: people by query, up to ten people in a body, and organizations. */
import { createHash } from 'node:crypto'
import { hostOfUrl, slugOfUrl } from '../../lookups/check.ts'
import type { CheckedValue, Values } from '../../lookups/check.ts'
import {
  companyByDomain,
  companyByName,
  companyBySlug,
  noCredits,
  personByEmail,
  personByName,
  personBySlug,
} from '../../lookups/find.ts'
import type { Handled } from '../../lookups/find.ts'
import type { Call } from '../../lookups/server.ts'
import { charge } from '../../lookups/world.ts'
import type { World } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { checkKinds, invalid, readQuery } from './inputs.ts'
import type { Kind } from './inputs.ts'
import { organizationRecord, personId, personRecord } from './records.ts'

const details: Record<string, Kind> = {
  first_name: 'text',
  last_name: 'text',
  name: 'text',
  email: 'text',
  hashed_email: 'text',
  organization_name: 'text',
  domain: 'text',
  id: 'text',
  linkedin_url: 'text',
}
const reveals: Record<string, Kind> = {
  reveal_personal_emails: 'flag',
  reveal_phone_number: 'flag',
  webhook_url: 'text',
}

const hashes = (email: string | undefined): string[] =>
  email === undefined ? [] : ['md5', 'sha256'].map((kind) => createHash(kind).update(email.toLowerCase()).digest('hex'))

const nameOf = ({ first_name: first, last_name: last, name }: Record<string, string>): [string, string] | undefined => {
  if (first !== undefined && last !== undefined) return [first, last]
  const [firstName, ...family] = name?.trim().split(/\s+/) ?? []
  return firstName === undefined || family.length === 0 ? undefined : [firstName, family.join(' ')]
}

/** A name alone is too general to identify a person. */
const findPerson = (world: World, values: Values): Person | undefined => {
  const identifiers = values as Record<string, string>
  if (identifiers.id !== undefined) return world.people.find((person) => personId(person) === identifiers.id)
  if (identifiers.email !== undefined) return personByEmail(world, identifiers.email)
  if (identifiers.hashed_email !== undefined) {
    const hash = identifiers.hashed_email.toLowerCase()
    return world.people.find(({ workEmail, personalEmail }) =>
      [...hashes(workEmail), ...hashes(personalEmail)].includes(hash),
    )
  }
  if (identifiers.linkedin_url !== undefined)
    return personBySlug(world, slugOfUrl(identifiers.linkedin_url, 'in') ?? '')
  const name = nameOf(identifiers)
  const employer = identifiers.domain ?? identifiers.organization_name
  return name === undefined || employer === undefined ? undefined : personByName(world, ...name, employer)
}

const lookUp = (world: World, values: Values): Person | undefined => {
  const person = findPerson(world, values)
  if (person === undefined) world.counters.misses += 1
  else if (person.suppressed) world.counters.suppressed += 1
  else {
    world.counters.matches += 1
    return person
  }
  return undefined
}

/** Phone numbers are sent to a webhook later and are never part of an answer. */
const checkWebhook = (values: Values): CheckedValue<Values> => {
  if (String(values.reveal_phone_number) !== 'true') return { ok: true, value: values }
  if (String(values.webhook_url).startsWith('https://')) return { ok: true, value: values }
  const message = "Please add a valid 'webhook_url' parameter when using 'reveal_phone_number'"
  return { ok: false, problem: { status: 400, code: 'INVALID', message, field: 'webhook_url' } }
}

const requestId = (world: World) => 1_039_995_589_705_000 + world.counters.requests

export const matchPerson = (call: Call): Handled => {
  const { world } = call
  const read = readQuery(call, { ...details, ...reveals })
  const values = read.ok ? checkWebhook(read.value) : read
  if (!values.ok) return values
  const person = lookUp(world, values.value)
  if (person === undefined)
    return { ok: true, answer: { status: 200, body: { person: null, request_id: requestId(world) } }, credits: 0 }
  if (world.credits.remaining < 1) {
    world.counters.matches -= 1
    return { ok: false, problem: noCredits(world, 1) }
  }
  charge(world, 1)
  const record = personRecord(person, String(values.value.reveal_personal_emails) === 'true')
  return { ok: true, answer: { status: 200, body: { person: record, request_id: requestId(world) } }, credits: 1 }
}

export const bulkMax = 10

const readDetails = (body: unknown): CheckedValue<Values[]> => {
  const failed = (code: string, message: string): CheckedValue<never> => ({
    ok: false,
    problem: { status: 400, code, message },
  })
  const detailList = typeof body === 'object' && body !== null ? (body as Values).details : undefined
  if (!Array.isArray(detailList) || detailList.length === 0)
    return failed('INVALID_REQUEST', 'invalid request, missing details')
  const other = Object.keys(body as Values).find((name) => name !== 'details')
  if (other !== undefined) return invalid(`Invalid parameters: "${other}" is not known beside "details".`, other)
  if (detailList.length > bulkMax)
    return failed('RECORD_LIMIT_EXCEEDED', `cannot enrich more than ${bulkMax} in a single request`)
  for (const item of detailList) {
    if (typeof item !== 'object' || item === null)
      return failed('INVALID_REQUEST', 'invalid request, each of the details has to be an object')
    const checked = checkKinds(item as Values, details)
    if (!checked.ok) return checked
  }
  return { ok: true, value: detailList as Values[] }
}

/**
 * Costs 1 credit for each person found, however often that person is in the batch. Answers are in the order of the
 * request, with null for a miss.
 */
export const matchPeople = (call: Call): Handled => {
  const { world, query, body } = call
  const read = checkKinds(Object.fromEntries(query), reveals)
  const flags = read.ok ? checkWebhook(read.value) : read
  if (!flags.ok) return flags
  const requestedDetails = readDetails(body)
  if (!requestedDetails.ok) return requestedDetails
  const { matches: matchesBefore, misses, suppressed } = world.counters
  const people = requestedDetails.value.map((item) => lookUp(world, item))
  const unique = new Set(people.filter((person) => person !== undefined)).size
  if (unique > world.credits.remaining) {
    Object.assign(world.counters, { matches: matchesBefore, misses, suppressed })
    return { ok: false, problem: noCredits(world, unique) }
  }
  charge(world, unique)
  world.counters.records += people.length
  const withPersonalEmails = String(flags.value.reveal_personal_emails) === 'true'
  const answer = {
    status: 'success',
    error_code: null,
    error_message: null,
    total_requested_enrichments: people.length,
    unique_enriched_records: unique,
    missing_records: people.filter((person) => person === undefined).length,
    credits_consumed: unique,
    matches: people.map((person) => (person === undefined ? null : personRecord(person, withPersonalEmails))),
    request_id: requestId(world),
  }
  return { ok: true, answer: { status: 200, body: answer }, credits: unique }
}

const findOrganization = (world: World, values: Values): Company | undefined => {
  const { domain, website, linkedin_url: linkedin, name } = values as Record<string, string>
  // The documents require the domain without www; with it, nothing is found.
  if (domain !== undefined) return domain.startsWith('www.') ? undefined : companyByDomain(world, domain)
  if (website !== undefined) return companyByDomain(world, hostOfUrl(website) ?? '')
  if (linkedin !== undefined) return companyBySlug(world, slugOfUrl(linkedin, 'company') ?? '')
  return companyByName(world, name ?? '')
}

export const enrichOrganization = (call: Call): Handled => {
  const { world } = call
  const values = readQuery(call, { domain: 'text', website: 'text', linkedin_url: 'text', name: 'text' })
  if (!values.ok) return values
  if (Object.keys(values.value).length === 0) return invalid("Required parameter 'domain' missing", 'domain')
  const company = findOrganization(world, values.value)
  if (company === undefined) {
    world.counters.misses += 1
    return { ok: true, answer: { status: 200, body: { organization: null } }, credits: 0 }
  }
  if (world.credits.remaining < 1) return { ok: false, problem: noCredits(world, 1) }
  world.counters.matches += 1
  charge(world, 1)
  return { ok: true, answer: { status: 200, body: { organization: organizationRecord(company) } }, credits: 1 }
}
