/**
 * Single and bulk lookups of the contact-data sandbox. The header of index.ts says what is documented and what is
 * chosen.
 */
import { badRequest, checkFormat, formats, readFields, readOneSet, slugOfUrl } from '../../lookups/check.ts'
import type { CheckedValue, Problem } from '../../lookups/check.ts'
import {
  companyByDomain,
  companyByName,
  lookUp,
  noCredits,
  noMatchAnswer,
  noMatchForm,
  optedOut,
  personByEmail,
  personByName,
  personBySlug,
  personCost,
} from '../../lookups/find.ts'
import type { Handled } from '../../lookups/find.ts'
import type { Answer } from '../../lookups/faults.ts'
import type { Call } from '../../lookups/server.ts'
import { charge } from '../../lookups/world.ts'
import type { World } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { companyRecord, personRecord } from './records.ts'

export const bulkMax = 100

export const errorOf = ({ code, message, field }: Problem) => ({
  code,
  message,
  ...(field === undefined ? {} : { field }),
})

type Subject<T> = {
  what: string
  sets: string[][]
  formats: Record<string, (typeof formats)['email']>
  find(world: World, values: Record<string, string>): T | undefined
  cost(record: T): number
  render(record: T): unknown
}

const personSubject: Subject<Person> = {
  what: 'Person',
  sets: [['email'], ['linkedInUrl'], ['firstName', 'lastName', 'company']],
  formats: { email: formats.email, linkedInUrl: formats.personUrl },
  find: (world, { email, linkedInUrl, firstName = '', lastName = '', company = '' }) => {
    if (email !== undefined) return personByEmail(world, email)
    if (linkedInUrl !== undefined) return personBySlug(world, slugOfUrl(linkedInUrl, 'in') ?? '')
    return personByName(world, firstName, lastName, company)
  },
  cost: personCost,
  render: personRecord,
}

const companySubject: Subject<Company> = {
  what: 'Company',
  sets: [['domain'], ['name']],
  formats: { domain: formats.domain },
  find: (world, { domain, name = '' }) =>
    domain === undefined ? companyByName(world, name) : companyByDomain(world, domain),
  cost: () => 1,
  render: companyRecord,
}

const read = <T>(subject: Subject<T>, body: unknown): CheckedValue<Record<string, string>> => {
  const fields = readFields(body, Object.fromEntries(subject.sets.flat().map((name) => [name, 'string' as const])))
  if (!fields.ok) return fields
  const set = readOneSet(fields.value, subject.sets)
  if (!set.ok) return set
  const checked = checkFormat(fields.value, set.value, subject.formats)
  return checked.ok ? { ok: true, value: checked.value as Record<string, string> } : checked
}

const miss = <T>(world: World, subject: Subject<T>, values: Record<string, string>): Answer => {
  const message = `${subject.what} not found`
  return noMatchAnswer(noMatchForm(world, Object.values(values)), message, { code: 'NOT_FOUND', message })
}

const single =
  <T extends Person | Company>(subject: Subject<T>) =>
  ({ world, body }: Call): Handled => {
    const values = read(subject, body)
    if (!values.ok) return values
    return lookUp(world, {
      record: subject.find(world, values.value),
      cost: subject.cost,
      render: (record) => ({ data: subject.render(record) }),
      miss: () => miss(world, subject, values.value),
    })
  }

/** The answer for one record of a batch. Misses have the same forms as single ones, without the status. */
const bulkItem = <T extends Person | Company>(world: World, subject: Subject<T>, item: unknown): unknown => {
  const values = read(subject, item)
  if (!values.ok) return { error: errorOf(values.problem) }
  const record = subject.find(world, values.value)
  if (record === undefined) {
    world.counters.misses += 1
    return miss(world, subject, values.value).body
  }
  if ('suppressed' in record && record.suppressed) {
    world.counters.suppressed += 1
    return { error: errorOf(optedOut) }
  }
  world.counters.matches += 1
  return { data: subject.render(record) }
}

/**
 * Costs 1 credit for every record of the batch, whether it matches or not. A batch is refused as a whole when the
 * credits do not cover it.
 */
const bulk =
  <T extends Person | Company>(subject: Subject<T>) =>
  ({ world, body }: Call): Handled => {
    if (!Array.isArray(body)) return badRequest('The body has to be a bare JSON array of objects.')
    if (body.length === 0) return badRequest('The array is empty.')
    if (body.length > bulkMax)
      return badRequest(`The array has ${body.length} records; at most ${bulkMax} are allowed.`)
    if (body.length > world.credits.remaining) return { ok: false, problem: noCredits(world, body.length) }
    charge(world, body.length)
    world.counters.records += body.length
    return {
      ok: true,
      answer: { status: 200, body: body.map((item) => bulkItem(world, subject, item)) },
      credits: body.length,
    }
  }

export const onePerson = single(personSubject)
export const oneCompany = single(companySubject)
export const manyPeople = bulk(personSubject)
export const manyCompanies = bulk(companySubject)
