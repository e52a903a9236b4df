/** Single and bulk enrichment of People Data Labs. */
import { badRequest } from '../../lookups/check.ts'
import type { Values } from '../../lookups/check.ts'
import { noCredits } from '../../lookups/find.ts'
import type { Handled } from '../../lookups/find.ts'
import type { Call } from '../../lookups/server.ts'
import { charge } from '../../lookups/world.ts'
import type { World } from '../../lookups/world.ts'
import { companySubject, personSubject, readParameters } from './find.ts'
import type { PdlMatch, Subject } from './find.ts'
import { inTitleCase, including } from './records.ts'
import type { PdlRecord } from './records.ts'

export const notFound = {
  status: 404,
  error: { type: 'not_found', message: 'No records were found matching your request' },
}

/**
 * The request's values: those of the body take precedence over the query. The key is not one of the endpoint's
 * parameters.
 */
export const readRequestValues = ({ query, body }: Call): Values | undefined => {
  const { api_key: _key, ...inQuery } = Object.fromEntries(query)
  if (body === undefined) return inQuery
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined
  const { api_key: _other, ...inBody } = body as Values
  return { ...inQuery, ...inBody }
}

/** The record, if one matches with sufficient likelihood and is not of a person who opted out. */
const lookUp = (world: World, subject: Subject, values: Values): PdlMatch | undefined => {
  const match = subject.find(world, values)
  if (match === undefined || match.likelihood < Number(values.min_likelihood ?? 0)) {
    world.counters.misses += 1
    return undefined
  }
  if (match.suppressed) {
    world.counters.suppressed += 1
    return undefined
  }
  world.counters.matches += 1
  return match
}

const shown = ({ record }: PdlMatch, values: Values): PdlRecord => {
  const part = typeof values.data_include === 'string' ? including(record, values.data_include) : record
  return String(values.titlecase) === 'true' ? (inTitleCase(part) as PdlRecord) : part
}

const single =
  (subject: Subject, type: string, render: (record: PdlRecord, likelihood: number) => unknown) =>
  (call: Call): Handled => {
    const requestValues = readRequestValues(call)
    if (requestValues === undefined) return badRequest('The body has to be a JSON object.')
    const values = readParameters(subject, requestValues)
    if (!values.ok) return values
    const match = lookUp(call.world, subject, values.value)
    const headers = { 'x-call-credits-type': type }
    if (match === undefined) return { ok: true, answer: { status: 404, headers, body: notFound }, credits: 0 }
    charge(call.world, 1)
    return {
      ok: true,
      answer: { status: 200, headers, body: render(shown(match, values.value), match.likelihood) },
      credits: 1,
    }
  }

export const enrichPerson = single(personSubject, 'enrich', (data, likelihood) => ({ status: 200, likelihood, data }))
/** A company's fields are at the top level, not under `data`. */
export const enrichCompany = single(companySubject, 'enrich_company', (record, likelihood) => ({
  status: 200,
  ...record,
  likelihood,
}))

const retrieved = ['titlecase', 'pretty']

const personById = (world: World, id: unknown, values: Values): PdlRecord | undefined => {
  const match = typeof id === 'string' ? lookUp(world, personSubject, { pdl_id: id }) : undefined
  return match && shown(match, values)
}

/** Retrieves a person by the id that enrichment and searches return. */
export const retrievePerson = (call: Call): Handled => {
  const values = readRequestValues(call) ?? {}
  const unknown = Object.keys(values).find((name) => !retrieved.includes(name))
  if (unknown !== undefined)
    return badRequest(`Unknown parameter "${unknown}". Known: ${retrieved.join(', ')}.`, unknown)
  const data = personById(call.world, call.params.personId, values)
  const headers = { 'x-call-credits-type': 'enrich' }
  if (data === undefined) return { ok: true, answer: { status: 404, headers, body: notFound }, credits: 0 }
  charge(call.world, 1)
  return { ok: true, answer: { status: 200, headers, body: { status: 200, data, billed: true } }, credits: 1 }
}

type Item = { answer: Record<string, unknown>; isMatch: boolean }

type Enrich = (world: World, item: Values, sharedValues: Values) => Item

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const wrong = (message: string): Item => ({
  answer: { status: 400, error: { type: 'invalid_request_error', message } },
  isMatch: false,
})

const byParams: Enrich = (world, { params }, sharedValues) => {
  if (!isObject(params)) return wrong('Each request needs an object "params".')
  const values = readParameters(personSubject, { ...sharedValues, ...params })
  if (!values.ok) return wrong(values.problem.message)
  const match = lookUp(world, personSubject, values.value)
  if (match === undefined) return { answer: notFound, isMatch: false }
  return { answer: { status: 200, likelihood: match.likelihood, data: shown(match, values.value) }, isMatch: true }
}

const byId: Enrich = (world, { id }, sharedValues) => {
  if (typeof id !== 'string' || id === '') return wrong('Each request needs an "id".')
  const data = personById(world, id, sharedValues)
  return data === undefined
    ? { answer: notFound, isMatch: false }
    : { answer: { status: 200, data, billed: true }, isMatch: true }
}

const bulkItem = (world: World, item: unknown, sharedValues: Values, enrich: Enrich): Item => {
  if (!isObject(item)) return wrong('Each request has to be an object.')
  const { answer, isMatch } = enrich(world, item, sharedValues)
  return { answer: { ...(item.metadata === undefined ? {} : { metadata: item.metadata }), ...answer }, isMatch }
}

export const bulkMax = 100

/** Costs 1 credit for each match. A batch is refused as a whole when the credits do not cover it. */
const bulk =
  (beside: string[], enrich: Enrich) =>
  (call: Call): Handled => {
    const { world, body } = call
    const requestValues = readRequestValues(call)
    if (requestValues === undefined || body === undefined) return badRequest('The body has to be a JSON object.')
    const { requests, ...sharedValues } = requestValues
    const unknown = Object.keys(sharedValues).find((name) => !beside.includes(name))
    if (unknown !== undefined) return badRequest(`Unknown parameter "${unknown}" beside "requests".`, unknown)
    if (!Array.isArray(requests) || requests.length < 1 || requests.length > bulkMax)
      return badRequest(`"requests" has to be a list of 1 to ${bulkMax}.`, 'requests')
    const { matches, misses, suppressed } = world.counters
    const items = requests.map((item) => bulkItem(world, item, sharedValues, enrich))
    const credits = items.filter(({ isMatch }) => isMatch).length
    if (credits > world.credits.remaining) {
      Object.assign(world.counters, { matches, misses, suppressed })
      return { ok: false, problem: noCredits(world, credits) }
    }
    world.counters.records += items.length
    charge(world, credits)
    return {
      ok: true,
      answer: { status: 200, headers: { 'x-call-credits-type': 'enrich' }, body: items.map(({ answer }) => answer) },
      credits,
    }
  }

export const bulkPeople = bulk(['min_likelihood', 'titlecase', 'data_include', 'pretty'], byParams)
export const retrievePeople = bulk(retrieved, byId)
