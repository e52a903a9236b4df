import { fail, isFailure, meets, toFailureJson, valueAt } from '#kit'
import type { EndpointProfile, ErrorRule, Failure, Json, LookupResult } from '#kit'
import type { Reply, Wire } from '../wire/types.ts'
import { collect, DryRunEnd, exchange, requireFine } from './context.ts'
import type { Session, SessionRequest } from './context.ts'
import { endpointOf, unset, wireValues } from './endpoint-request.ts'
import { countCredits, lookupOne } from './endpoints.ts'
import type { Clock } from './ports.ts'
import { foundRecord } from './records.ts'

type Values = Record<string, unknown>
type Bulk = NonNullable<EndpointProfile['bulk']>

/** Failures of the account, not of a record: whatever comes after would fail the same way. */
const endsAll = new Set(['not_connected', 'access_denied', 'credits_exhausted', 'cancelled', 'wire_unset', 'not_allowed', 'unavailable', 'budget_exceeded'])

const failed = (failure: Failure): LookupResult => ({ failed: toFailureJson(failure) })

const bulkRequest = (bulk: Bulk, items: Json[]): SessionRequest => ({
  method: 'POST',
  path: bulk.path!,
  body: bulk.envelope === '' ? items : { [bulk.envelope]: items },
})

const itemFailure = (rules: ErrorRule[], item: unknown): Failure | undefined => {
  const rule = rules.find((candidate) => meets(candidate, { body: item }))
  if (!rule) return undefined
  const words = [valueAt(item, 'error.message'), valueAt(item, 'message'), valueAt(item, 'error')].find((text) => typeof text === 'string')
  return fail(rule.failure, 'The provider refused this record.', { providerMessage: words as string | undefined })
}

const answersOf = (bulk: Bulk, reply: Reply, count: number): unknown[] => {
  const at = valueAt(reply.body, bulk.answers ?? '')
  if (bulk.answer === 'byId') {
    if (typeof at === 'object' && at !== null) return Array.from({ length: count }, (_, index) => (at as Record<string, unknown>)[String(index)] ?? null)
  } else if (Array.isArray(at)) {
    if (bulk.itemId === undefined) {
      if (at.length === count) return at
    } else {
      const byId = new Map(at.map((item) => [String(valueAt(item, bulk.itemId!)), item] as const))
      return Array.from({ length: count }, (_, index) => byId.get(String(index)) ?? null)
    }
  }
  throw fail('bad_reply', `The provider answered a bulk request of ${count} records with something else than ${count} answers, so none can be told apart.`)
}

/** One bulk request: a result for every item, in order. Throws when the whole request failed. */
const sendChunk = async (wire: Wire, clock: Clock, session: Session, name: string, bulk: Bulk, sets: Values[][], items: Json[]): Promise<LookupResult[]> => {
  const { loaded } = session.loaded
  const endpoint = endpointOf(loaded, name)
  const reply = await exchange(wire, session, bulkRequest(bulk, items))
  requireFine(wire, session, 'POST', reply)
  const aliases = loaded.wire.records?.[endpoint.kind ?? '']
  const results = answersOf(bulk, reply, items.length).map((answer, index): LookupResult => {
    if ((bulk.itemNoMatch ?? [{ path: '', is: 'empty' as const }]).some((condition) => meets(condition, { body: answer }))) return { matched: false }
    const failure = itemFailure(bulk.itemErrors ?? [], answer)
    if (failure) return failed(failure)
    const raw = (bulk.itemRecord ?? ['']).map((path) => valueAt(answer, path)).find((value) => typeof value === 'object' && value !== null)
    if (raw === undefined) return { matched: false, reason: 'The provider answered without a record.' }
    const matchedBy = Object.keys(sets[index]?.[0] ?? {}).join('+')
    return foundRecord(raw, aliases, { provider: loaded.integration.id, endpoint: name, at: clock.now(), matchedBy })
  })
  const matches = results.filter((result) => 'matched' in result && result.matched).length
  countCredits(session, endpoint, reply, bulk.charge === 'record' ? items.length : matches)
  return results
}

const inBulk = async (wire: Wire, clock: Clock, session: Session, name: string, bulk: Bulk, records: Values[][]): Promise<LookupResult[]> => {
  const { loaded } = session.loaded
  const endpoint = endpointOf(loaded, name)
  if (bulk.max === null) throw unset(loaded, 'endpoints', name, 'bulk', 'max')
  const toItem = (sets: Values[], index: number): Json => ({
    ...wireValues(loaded, name, endpoint.identifiers === 'all' ? Object.assign({}, ...sets) : (sets[0] ?? {})),
    ...(bulk.itemId === undefined ? {} : { [bulk.itemId]: String(index) }),
  })
  const results: LookupResult[] = []
  for (let from = 0; from < records.length; from += bulk.max) {
    const chunk = records.slice(from, from + bulk.max)
    const items = chunk.map(toItem)
    if (session.dry) {
      collect(wire, session, bulkRequest(bulk, items))
      continue
    }
    try {
      results.push(...(await sendChunk(wire, clock, session, name, bulk, chunk, items)))
    } catch (thrown) {
      if (!isFailure(thrown) || (results.length === 0 && endsAll.has(thrown.code))) throw thrown
      const rest = endsAll.has(thrown.code) ? records.length - results.length : chunk.length
      results.push(...Array.from({ length: rest }, () => failed(thrown)))
      if (endsAll.has(thrown.code)) break
    }
    session.progress?.(results.length, records.length)
  }
  if (session.dry) throw new DryRunEnd()
  return results
}

const oneByOne = async (wire: Wire, clock: Clock, session: Session, name: string, records: Values[][]): Promise<LookupResult[]> => {
  const results: LookupResult[] = []
  for (const sets of records) {
    try {
      results.push(await lookupOne(wire, clock, session, name, sets))
    } catch (thrown) {
      if (!isFailure(thrown) || (results.length === 0 && endsAll.has(thrown.code))) throw thrown
      const rest = endsAll.has(thrown.code) ? records.length - results.length : 1
      results.push(...Array.from({ length: rest }, () => failed(thrown)))
      if (endsAll.has(thrown.code)) break
    }
    session.progress?.(results.length, records.length)
  }
  return results
}

/** Many lookups, results in input order; one bad record never fails the rest. */
export const lookupMany = (wire: Wire, clock: Clock, session: Session, name: string, records: Values[][]): Promise<LookupResult[]> => {
  const { bulk } = endpointOf(session.loaded.loaded, name)
  return records.length > 1 && bulk && bulk.path !== null ? inBulk(wire, clock, session, name, bulk, records) : oneByOne(wire, clock, session, name, records)
}
