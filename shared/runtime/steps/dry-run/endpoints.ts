import { isFailure } from '#kit'
import type { Lookup } from '#kit'
import { withSettings } from '../../endpoints/answers.ts'
import { isItem, partsOf, prepareAll, requireSendable, usableRecords } from '../../endpoints/bulk-items.ts'
import { bulkRequest, hasBulk } from '../../endpoints/bulk-request.ts'
import type { Bulk } from '../../endpoints/bulk-request.ts'
import { endpointOf, endpointRequest, unset, usableSets } from '../../endpoints/endpoint-request.ts'
import { noMatchBy, settle, settleAll } from '../../endpoints/endpoints.ts'
import type { Values } from '../../endpoints/field-values.ts'
import type { ValueSource } from '../../endpoints/provider-values.ts'
import { planLookup, planLookups } from '../../endpoints/quote.ts'
import { planSearch } from '../../endpoints/search.ts'
import type { PageQuery } from '../../endpoints/search.ts'
import type { OutgoingRequest } from '../../gate/pass.ts'
import { DryRunEnd, endWith, recordQuote, recordRequest } from './dry-run.ts'
import type { Recording } from './dry-run.ts'

/** Records the requests for values that only the provider knows, each once: what follows depends on their replies. */
const valuesIn = (recording: Recording): ValueSource => {
  const { session, requestedValues } = recording
  const { loaded } = session.loaded
  const recordOnce = async (key: string, request: OutgoingRequest, asking = session) => {
    recording.isPartial = true
    if (requestedValues.has(key)) return undefined
    requestedValues.add(key)
    await recordRequest(recording, { ...request, isQuoted: true }, asking)
    return undefined
  }
  const source: ValueSource = {
    session,
    // Lists are free.
    requestList: (key, endpoint) =>
      recordOnce(key, endpointRequest(loaded, endpoint, {}), { ...session, cost: undefined }),
    async requestValue(key, { endpoint, field }, value) {
      const settled = await settle(source, endpoint, { [field]: value })
      if ('missed' in settled) return { none: true }
      return recordOnce(key, endpointRequest(loaded, endpoint, settled.values))
    },
  }
  return source
}

/** Its failures name the settings that may be wrong, as those of the exchange do. */
const endAt = (recording: Recording, name: string, request: OutgoingRequest) =>
  withSettings(recording.session, name, () => endWith(recording, request))

export const recordAsk = async (recording: Recording, name: string, values: Values): Promise<never> => {
  const settled = await settleAll(valuesIn(recording), name, values)
  return endAt(recording, name, endpointRequest(recording.session.loaded.loaded, name, settled))
}

/**
 * Records the request for the strongest set of identifiers. A set with a value that the provider is known to lack is no
 * match, so the next one follows.
 */
export const recordLookup = async (recording: Recording, name: string, givenSets: Values[]): Promise<Lookup> => {
  const { session } = recording
  const { loaded } = session.loaded
  const sets = usableSets(loaded, name, givenSets)
  const isTogether = endpointOf(loaded, name).identifiers === 'all'
  const use = planLookup(session, name, sets)
  recordQuote(recording, name, session.merging?.hasOwnPrice(session, name) ? { ...use, many: 'either' } : use)
  if (!isTogether && sets.length > 1) recording.isPartial = true
  let last: Lookup = { matched: false }
  let unsure: Lookup | undefined
  for (const set of isTogether ? use.values : sets) {
    const settled = await settle(valuesIn(recording), name, set)
    if ('values' in settled)
      return endAt(recording, name, { ...endpointRequest(loaded, name, settled.values), isQuoted: true })
    last = noMatchBy(settled)
    if (settled.unsure) unsure = last
  }
  return unsure ?? last
}

const recordBulk = async (recording: Recording, name: string, bulk: Bulk, records: Values[][]) => {
  const { loaded } = recording.session.loaded
  if (bulk.max === null) throw unset(loaded, 'endpoints', name, 'bulk', 'max')
  const isTogether = endpointOf(loaded, name).identifiers === 'all'
  const usable = usableRecords(loaded, name, records)
  if (!isTogether && bulk.charge === 'match' && usable.some((sets) => !isFailure(sets) && sets.length > 1))
    recording.isPartial = true
  const sent = usable.map((sets) => (isFailure(sets) || isTogether ? sets : sets.slice(0, 1)))
  const prepared = await prepareAll(valuesIn(recording), name, bulk, sent)
  requireSendable(prepared)
  for (const part of partsOf(prepared.filter(isItem), bulk.max))
    await recordRequest(recording, { ...bulkRequest(loaded, name, bulk, part), isQuoted: true })
}

const recordEach = async (recording: Recording, name: string, records: Values[][]) => {
  const { loaded } = recording.session.loaded
  const isTogether = endpointOf(loaded, name).identifiers === 'all'
  for (const givenSets of records) {
    const sets = usableSets(loaded, name, givenSets)
    if (!isTogether && sets.length > 1) recording.isPartial = true
    const values = Object.assign({}, ...(isTogether ? sets : sets.slice(0, 1))) as Values
    const settled = await settle(valuesIn(recording), name, values)
    if ('values' in settled)
      await recordRequest(recording, { ...endpointRequest(loaded, name, settled.values), isQuoted: true })
  }
}

/** Records the requests of many lookups: bulk requests where the profile has them. */
export const recordLookups = async (recording: Recording, name: string, records: Values[][]): Promise<never> => {
  const { session } = recording
  const { bulk } = endpointOf(session.loaded.loaded, name)
  const distinct = [...new Map(records.map((sets) => [JSON.stringify(sets), sets])).values()]
  recording.units = distinct.length
  recordQuote(recording, name, planLookups(session, name, distinct))
  if (distinct.length > 1 && hasBulk(bulk)) await recordBulk(recording, name, bulk, distinct)
  else await recordEach(recording, name, distinct)
  throw new DryRunEnd()
}

export const recordSearch = async (
  recording: Recording,
  name: string,
  values: Values,
  paging: PageQuery,
): Promise<never> => {
  const { size, use, maxCharges, requestFor } = planSearch(recording.session, name, values, paging)
  if (Number.isFinite(size)) recordQuote(recording, name, use, paging.followedBy)
  recording.isPartial ||= paging.followedBy !== undefined
  const request = requestFor(await settleAll(valuesIn(recording), name, values))
  recording.units = maxCharges
  return endWith(recording, request)
}
