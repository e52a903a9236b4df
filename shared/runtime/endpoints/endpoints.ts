import { failField } from '#kit'
import type { EndpointProfile, Found, Lookup } from '#kit'
import { exchangeWith, noMatchIn, notUnderstood, requireAnswer } from './answers.ts'
import { endpointIn } from './proven-endpoints.ts'
import type { EndpointKey } from '../gate/pass.ts'
import type { Session } from '../session/session.ts'
import { counted, countCredits } from '../gate/charge.ts'
import { planLookup, priceRange, quote } from './quote.ts'
import type { PlannedUse } from './quote.ts'
import { endpointOf, endpointRequest, singleFields, usableSets } from './endpoint-request.ts'
import type { Values } from './field-values.ts'
import { requestOnce, settleValues } from './provider-values.ts'
import type { ResolvedValues, ValueSource } from './provider-values.ts'
import { valueCost } from '../catalogue/price.ts'
import { unboundedField } from '../catalogue/unbounded.ts'
import type { FoundFor } from '../catalogue/price.ts'
import { foundRecord, takeRecord, withJoins } from './records.ts'
import type { LoadedIntegration } from '../catalogue/registry.ts'

/** Requests values that only the provider knows. */
export const providerValues = (session: Session): ValueSource => ({
  session,
  // Lists are free.
  requestList: (_key, endpoint) => askEndpoint({ ...session, cost: undefined }, endpoint, {}),
  requestValue: (key, { endpoint, field, take }, value) =>
    requestOnce(session, key, take, () => {
      // The request that needs the value may be free, but this one is not.
      const paying: Session = { ...session, cost: valueCost(session.loaded, endpoint) ?? session.cost }
      return lookupOne(paying, endpoint, [{ [field]: value }])
    }),
})

/** The no match of a lookup by a value that the provider does not know. */
export const noMatchBy = ({ reason, unsure }: Extract<ResolvedValues, { missed: string }>): Lookup =>
  unsure ? { matched: false, reason, unsure } : { matched: false, reason }

/** The values of a single request, with those resolved that only the provider knows. */
export const settle = (source: ValueSource, name: string, values: Values): Promise<ResolvedValues> => {
  const { loaded } = source.session.loaded
  return settleValues(source, singleFields(loaded, name), values, (given) => endpointRequest(loaded, name, given))
}

/** The resolved values; throws when the provider does not know one of them, which the caller must correct. */
export const settleAll = async (source: ValueSource, name: string, values: Values): Promise<Values> => {
  const settled = await settle(source, name, values)
  if ('missed' in settled) throw failField(settled.missed, settled.reason)
  return settled.values
}

/** Sends one endpoint call and returns the parsed body of the reply. */
export const askEndpoint = async (session: Session, name: string, values: Values): Promise<unknown> => {
  const settled = await settleAll(providerValues(session), name, values)
  const reply = await exchangeWith(session, name, endpointRequest(session.loaded.loaded, name, settled))
  await requireAnswer(session, name, endpointOf(session.loaded.loaded, name), reply)
  return reply.body
}

export const aliasesOf = ({ aliases, kind = '' }: EndpointProfile) => aliases ?? kind

/** How records of an endpoint are read. */
export const readingOf = (loaded: LoadedIntegration, endpoint: EndpointProfile) => ({
  kind: endpoint.kind,
  aliases: loaded.wire.records?.[aliasesOf(endpoint)] ?? {},
})

/**
 * Where the single record of an answer is. `whole`: the whole body, which contains the parts that records are joined
 * with.
 */
type Place = { paths: string[]; whole: unknown }

/** Whether the profile recognises anything in a record: an object from another server has none of its names. */
export const isUnderstood = ({ record }: Found, { aliases }: { aliases: object }) =>
  Object.keys(record).length > 0 || Object.keys(aliases).length === 0

/**
 * Reads the single record of an answer, and remembers that the endpoint has returned a match. @throws Failure
 * `bad_reply` when the answer cannot be read
 */
export const lookupIn = (
  session: Session,
  key: EndpointKey,
  body: unknown,
  { paths, whole }: Place,
  matchedBy: string,
): Lookup => {
  const { loaded } = session.loaded
  const name = endpointIn(key)
  const part = key === name ? `endpoints.${name}.record` : `endpoints.${key}.itemRecord`
  const endpoint = endpointOf(loaded, name)
  const taken = takeRecord(body, paths, endpoint.recordIs)
  if ('none' in taken) return { matched: false }
  if ('unclear' in taken) throw notUnderstood(session, key, taken.unclear, part, body)
  const reading = readingOf(loaded, endpoint)
  const from = { provider: loaded.integration.id, endpoint: name, at: session.clock.now(), matchedBy }
  const parsedRecord = foundRecord(withJoins(endpoint, taken.record, whole), reading, from)
  if (!isUnderstood(parsedRecord, reading)) {
    const why = `The provider answered with nothing that "${loaded.setting}.records.${aliasesOf(endpoint)}" knows.`
    throw notUnderstood(session, key, why, part, body)
  }
  session.provenEndpoints?.note(session, key)
  return parsedRecord
}

/** The names of a set joined by "+", without those in `along`, which identify nobody. */
export const identifierOf = (set: Values, along: readonly string[] = []) =>
  Object.keys(set)
    .filter((ours) => !along.includes(ours))
    .join('+')

/** What a lookup found, to compute its price; undefined when it found nothing. */
const foundFor = (values: Values, result: Lookup): FoundFor | undefined =>
  result.matched ? { values, record: result.record } : undefined

/** What lookups of unknown price count as charged when no reply says it: all that the run may still cost. */
export const mostIfUnreported = ({ spend }: Session, endpoint: EndpointProfile, all: Values[]): number | undefined =>
  unboundedField(endpoint, all) === undefined ? undefined : spend.rest()

const lookupSet = async (
  session: Session,
  name: string,
  values: Values,
  along: readonly string[],
  matchedBy: string,
): Promise<Lookup> => {
  const { loaded } = session.loaded
  const endpoint = endpointOf(loaded, name)
  const settled = await settle(providerValues(session), name, values)
  if ('missed' in settled) return noMatchBy(settled)
  const most = mostIfUnreported(session, endpoint, [values])
  // An unknown price cannot be divided among the runs that share a request.
  const merged = most === undefined ? await session.merging?.send(session, name, values, along) : undefined
  if (merged) return merged
  // The reservation for sending it with others may have been refused, so the single request is quoted anew.
  if (session.merge === false) quote(session, name, { values: [values], calls: [1, 1], recordCount: [1, 1] })
  return counted(session, endpoint, { values: [values], max: 1, most }, async () => {
    const reply = await exchangeWith(session, name, {
      ...endpointRequest(loaded, name, settled.values),
      isQuoted: true,
    })
    const missed = await noMatchIn(session, name, reply)
    if (!missed) await requireAnswer(session, name, endpoint, reply)
    const place = { paths: endpoint.record ?? [''], whole: reply.body }
    const result = missed ?? lookupIn(session, name, reply.body, place, matchedBy)
    const matchedRecord = foundFor(values, result)
    countCredits(session, endpoint, reply, {
      usage: { calls: 1, recordCount: 1, foundRecords: matchedRecord ? [matchedRecord] : [] },
      charged: matchedRecord || session.cost?.per === 'call' ? 1 : 0,
      most,
    })
    return result
  })
}

/**
 * Quotes a lookup in the forms in which it may be sent. When a place in a bulk request may cost more than the budget
 * has left, and the caller has not asked for one, it is sent alone.
 */
const quoteLookup = async (session: Session, name: string, use: PlannedUse) => {
  if (!session.merging?.hasOwnPrice(session, name)) return quote(session, name, use)
  const either = { ...use, many: 'either' as const }
  const { most } = priceRange(session, name, either)
  if (session.merge === undefined && !(await session.spend.hasRoom(most))) {
    session.merge = false
    return quote(session, name, use)
  }
  quote(session, name, either)
}

/**
 * Tries identifier sets, strongest first; the next one only after a definite no match. A failure, or an answer that
 * cannot be read, ends the lookup.
 */
export const lookupSets = async (
  session: Session,
  name: string,
  sets: Values[],
  along: readonly string[],
): Promise<Lookup> => {
  const { loaded } = session.loaded
  const all = Object.assign({}, ...sets) as Values
  const isTogether = endpointOf(loaded, name).identifiers === 'all'
  await quoteLookup(session, name, planLookup(session, name, sets))
  if (isTogether) return lookupSet(session, name, all, along, sets.map((set) => identifierOf(set, along)).join(', '))
  let last: Lookup = { matched: false }
  let unsure: Lookup | undefined
  for (const set of sets) {
    last = await lookupSet(session, name, set, along, identifierOf(set, along))
    if (last.matched) return last
    if (last.unsure) unsure = last
  }
  // One unsure no match makes the whole result unsure.
  return unsure ?? last
}

/** One lookup. Sets that the provider has no names for are skipped when another one can be used. */
export const lookupOne = async (
  session: Session,
  name: string,
  given: Values[],
  along: readonly string[] = [],
): Promise<Lookup> => {
  const sets = usableSets(session.loaded.loaded, name, given)
  const send = () => lookupSets(session, name, sets, along)
  return session.lookups ? session.lookups.lookUpOne(session, name, sets, along, send) : send()
}
