import { fail, isFailure, meets, toFailureJson, valueAt } from '#kit'
import type { EndpointProfile, ErrorRule, Failure, FailureCode, Json, LookupResult } from '#kit'
import type { Reply, Wire } from '../../wire/types.ts'
import { collect, DryRunEnd } from './exchange.ts'
import { exchangeEnded } from './pending.ts'
import type { Session, SessionRequest } from './session.ts'
import { counted, countCredits } from './credits.ts'
import { endpointOf, endpointRequest, unset, usableSets, wireValues } from './endpoint-request.ts'
import { foundFor, identifierOf, lookupIn, lookupOne, requireAnswer } from './endpoints.ts'
import { quote } from './dry-run.ts'
import type { Clock } from '../ports/index.ts'

type Values = Record<string, unknown>
type Bulk = NonNullable<EndpointProfile['bulk']>
/** What every part here needs. */
type Work = { wire: Wire; clock: Clock; session: Session; name: string }

/** Failures of the connection or of this process, not of a record: the rest would fail in the same way, so it is not sent. */
const endsAll = new Set<FailureCode>([
  'not_connected',
  'access_denied',
  'credits_exhausted',
  'cancelled',
  'not_allowed',
  'unavailable',
  'budget_exceeded',
  'rate_limited',
])
/** Failures that are about the one record that was sent. */
const aboutRecord = new Set<FailureCode>(['invalid_input', 'rejected', 'suppressed', 'not_found', 'conflict', 'too_large'])

const failed = (failure: Failure): LookupResult => ({ failed: toFailureJson(failure) })

/**
 * Sends the records in parts. A failed part fails its own records only; a failure of the connection ends it. Throws when no part was answered
 * and all failed with the same code, so that the caller sees the failure itself.
 */
const inParts = async (
  session: Session,
  records: unknown[],
  size: number,
  keepsFailures: boolean,
  send: (from: number, to: number) => Promise<LookupResult[]>,
): Promise<LookupResult[]> => {
  const results: LookupResult[] = []
  const failures: Failure[] = []
  let answered = false
  for (let from = 0; from < records.length; from += size) {
    const to = Math.min(from + size, records.length)
    try {
      results.push(...(await send(from, to)))
      answered = true
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      failures.push(thrown)
      const ends = endsAll.has(thrown.code)
      results.push(...Array.from({ length: (ends ? records.length : to) - from }, () => failed(thrown)))
      if (ends) break
    }
    session.progress?.(results.length, records.length)
  }
  const [first] = failures
  const isSameCode = failures.every(({ code }) => code === first?.code)
  if (first && !answered && isSameCode && !keepsFailures && (size > 1 || !aboutRecord.has(first.code))) throw first
  return results
}

const itemFailure = (rules: ErrorRule[], item: unknown): Failure | undefined => {
  const rule = rules.find((candidate) => meets(candidate, { body: item }))
  if (!rule) return undefined
  const words = ['error.message', 'message', 'error'].map((path) => valueAt(item, path)).find((text) => typeof text === 'string')
  return fail(
    rule.failure,
    rule.failure === 'suppressed' ? 'The provider says that this record opted out. Do not look for it elsewhere.' : 'The provider refused this record.',
    {
      providerMessage: typeof words === 'string' ? words.slice(0, 200) : undefined,
    },
  )
}

const listIn = (bulk: Bulk, reply: Reply): unknown => {
  const paths = typeof bulk.answers === 'string' ? [bulk.answers] : (bulk.answers ?? [''])
  return paths
    .map((path) => valueAt(reply.body, path))
    .find((value) => (bulk.answer === 'array' ? Array.isArray(value) : typeof value === 'object' && value !== null && !Array.isArray(value)))
}

/** The answers in the order of what was asked; undefined where one is missing. */
const answersOf = (bulk: Bulk, reply: Reply, count: number): unknown[] => {
  const list = listIn(bulk, reply)
  const all = Array.from({ length: count }, (_, index) => String(index))
  if (bulk.answer === 'byId' && list !== undefined) return all.map((id) => valueAt(list, id))
  if (Array.isArray(list) && bulk.itemId !== undefined) {
    const byId = new Map(list.map((item) => [String(valueAt(item, bulk.itemId!)), item as unknown] as const))
    return all.map((id) => byId.get(id))
  }
  if (Array.isArray(list) && list.length === count) return list as unknown[]
  throw fail(
    'bad_reply',
    `The provider answered a bulk request of ${count} records with something else than ${count} answers, so they cannot be assigned to records.`,
    {
      providerStatus: reply.status,
    },
  )
}

const readAnswer = ({ session, name, clock }: Work, bulk: Bulk, reply: Reply, answer: unknown, set: Values[]): LookupResult => {
  if (answer === undefined) return { matched: false, reason: 'The provider gave no answer for this record.' }
  if (answer === null || (bulk.itemNoMatch ?? []).some((rule) => meets(rule, { body: answer }))) return { matched: false }
  const failure = itemFailure(bulk.itemErrors ?? [], answer)
  if (failure) return failed(failure)
  const place = { paths: bulk.itemRecord ?? [''], whole: reply.body }
  return lookupIn(session.loaded.loaded, name, answer, place, clock.now(), set.map(identifierOf).join(', '))
}

type Item = { sets: Values[]; wire: { [name: string]: Json } }

/** What `make` gives, or why this record cannot be sent. */
const attempt = <T>(make: () => T): T | Failure => {
  try {
    return make()
  } catch (thrown) {
    if (isFailure(thrown) && (thrown.code === 'invalid_input' || thrown.code === 'wire_unset')) return thrown
    throw thrown
  }
}

const requestFor = (bulk: Bulk, items: Item[]): SessionRequest => {
  const bodies = items.map(({ wire }, index) => ({ ...wire, ...(bulk.itemId === undefined ? {} : { [bulk.itemId]: String(index) }) }))
  return { method: 'POST', path: bulk.path!, body: bulk.envelope === '' ? bodies : { [bulk.envelope]: bodies } }
}

/** One bulk request: a result for every item, in order. Throws when the whole request failed. */
const sendChunk = async (work: Work, bulk: Bulk, items: Item[]): Promise<LookupResult[]> => {
  const { wire, session } = work
  const endpoint = endpointOf(session.loaded.loaded, work.name)
  const values = items.map(({ sets }) => Object.assign({}, ...sets) as Values)
  return counted(session, endpoint, { values, max: items.length, many: true }, async () => {
    const reply = await exchangeEnded(wire, work.clock, session, work.name, requestFor(bulk, items))
    requireAnswer(wire, session, work.name, 'POST', reply)
    const answers = answersOf(bulk, reply, items.length)
    const results = answers.map((answer, index) => readAnswer(work, bulk, reply, answer, items[index]!.sets))
    const all = results.map((result, index) => ('failed' in result ? undefined : foundFor(values[index]!, result)))
    const found = all.filter((one) => one !== undefined)
    countCredits(session, endpoint, reply, {
      usage: { calls: 1, asked: items.length, found },
      charged: bulk.charge === 'record' ? items.length : found.length,
      answers: answers.map((answer, index) => ({ answer, found: all[index] })),
    })
    return results
  })
}

/** As `sendChunk`; where the provider refuses the whole because of one record, each is sent alone. A refusal is not charged. */
const sendChunkOrEach = async (work: Work, bulk: Bulk, items: Item[]): Promise<LookupResult[]> => {
  try {
    return await sendChunk(work, bulk, items)
  } catch (thrown) {
    if (items.length < 2 || !isFailure(thrown) || (thrown.code !== 'rejected' && thrown.code !== 'suppressed')) throw thrown
    return oneByOne(
      { ...work, session: { ...work.session, progress: undefined } },
      items.map(({ sets }) => sets),
    )
  }
}

type Round = { max: number; /** Failures of whole requests stay with their records, because others were answered before. */ keepsFailures: boolean }

/** All records once, in bulk requests of at most `max`. A record that cannot be sent fails alone. */
const bulkRound = async (work: Work, bulk: Bulk, { max, keepsFailures }: Round, records: (Values[] | Failure)[]): Promise<LookupResult[]> => {
  const { session, wire, name } = work
  const prepared = records.map((sets) =>
    isFailure(sets) ? sets : attempt((): Item => ({ sets, wire: wireValues(session.loaded.loaded, name, Object.assign({}, ...sets) as Values) })),
  )
  const items = prepared.filter((item): item is Item => !isFailure(item))
  const [first] = prepared
  if (items.length === 0 && isFailure(first) && first.code === 'wire_unset' && !keepsFailures) throw first
  if (session.dry) {
    for (let from = 0; from < items.length; from += max) collect(wire, session, requestFor(bulk, items.slice(from, from + max)))
    throw new DryRunEnd()
  }
  const sent = await inParts(session, items, max, keepsFailures, (from, to) => sendChunkOrEach(work, bulk, items.slice(from, to)))
  let next = 0
  return prepared.map((item) => (isFailure(item) ? failed(item) : sent[next++]!))
}

const onlyStrongest = 'Only the strongest identifier was sent, since every record of a bulk request is charged. Send this record alone to try the others.'

/** The strongest identifiers first; where misses are free, the next ones for what was not found. */
const inBulk = async (work: Work, bulk: Bulk, given: Values[][]): Promise<LookupResult[]> => {
  const { session, name } = work
  const { loaded } = session.loaded
  const { max } = bulk
  if (max === null) throw unset(loaded, 'endpoints', name, 'bulk', 'max')
  const records = given.map((sets) => attempt(() => usableSets(loaded, name, sets)))
  if (endpointOf(loaded, name).identifiers === 'all') return bulkRound(work, bulk, { max, keepsFailures: false }, records)
  const othersOf = (index: number, round: number) => {
    const sets = records[index]
    return sets === undefined || isFailure(sets) ? undefined : sets[round]
  }
  if (session.dry && bulk.charge === 'match' && records.some((_, index) => othersOf(index, 1))) session.dry.partial = true
  const results = await bulkRound(
    work,
    bulk,
    { max, keepsFailures: false },
    records.map((sets) => (isFailure(sets) ? sets : sets.slice(0, 1))),
  )
  for (let round = 1; ; round += 1) {
    const missed = results.flatMap((result, index) =>
      'matched' in result && !result.matched && result.raw === undefined && othersOf(index, round) ? [index] : [],
    )
    if (missed.length === 0) return results
    if (bulk.charge === 'record') {
      for (const index of missed) results[index] = { matched: false, reason: onlyStrongest }
      return results
    }
    const found = await bulkRound(
      work,
      bulk,
      { max, keepsFailures: true },
      missed.map((index) => [othersOf(index, round)!]),
    )
    missed.forEach((index, at) => (results[index] = found[at]!))
  }
}

const oneByOne = async (work: Work, records: Values[][]): Promise<LookupResult[]> => {
  const { wire, clock, session, name } = work
  if (session.dry) {
    const { loaded } = session.loaded
    for (const given of records) {
      const sets = usableSets(loaded, name, given)
      const all = endpointOf(loaded, name).identifiers === 'all'
      if (!all && sets.length > 1) session.dry.partial = true
      collect(wire, session, endpointRequest(loaded, name, Object.assign({}, ...(all ? sets : sets.slice(0, 1))) as Values))
    }
    throw new DryRunEnd()
  }
  return inParts(session, records, 1, false, async (from) => [await lookupOne(wire, clock, session, name, records[from]!)])
}

/** Sets sent one after the other are each a request, or a place in one, of their own; all but the first only where those before found nothing. */
const quoteMany = (session: Session, name: string, records: Values[][], max: number, many: boolean) => {
  const endpoint = endpointOf(session.loaded.loaded, name)
  const isOnce = endpoint.identifiers === 'all' || (many && endpoint.bulk?.charge === 'record')
  const sets = isOnce ? records.length : records.reduce((sum, one) => sum + one.length, 0)
  const values = records.map((one) => Object.assign({}, ...one) as Values)
  quote(session, name, { values, calls: [Math.ceil(records.length / max), Math.ceil(sets / max)], asked: [records.length, sets], many })
}

/** Many lookups, results in input order; one bad record never fails the rest. The same record given twice is asked, and paid, once. */
export const lookupMany = async (wire: Wire, clock: Clock, session: Session, name: string, records: Values[][]): Promise<LookupResult[]> => {
  const { bulk } = endpointOf(session.loaded.loaded, name)
  const keys = records.map((sets) => JSON.stringify(sets))
  const distinct = new Map(keys.map((key, index) => [key, records[index]!] as const))
  const asked = [...distinct.values()]
  const many = asked.length > 1 && bulk !== undefined && bulk.path !== null
  if (session.dry) {
    session.dry.units = asked.length
    quoteMany(session, name, asked, many ? (bulk.max ?? 1) : 1, many)
  }
  const work: Work = { wire, clock, session, name }
  const results = many ? await inBulk(work, bulk, asked) : await oneByOne(work, asked)
  const byKey = new Map([...distinct.keys()].map((key, index) => [key, results[index]!] as const))
  return keys.map((key) => byKey.get(key)!)
}
