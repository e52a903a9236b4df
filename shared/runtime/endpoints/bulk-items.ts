import { endsBatch, isAboutRecord, isFailure, isInvalidInput, isUnset } from '#kit'
import type { Failure, LookupResult } from '#kit'
import type { LoadedIntegration } from '../catalogue/registry.ts'
import { itemOf } from './bulk-request.ts'
import type { Bulk, Item } from './bulk-request.ts'
import { bulkFields, usableSets } from './endpoint-request.ts'
import { noMatchBy } from './endpoints.ts'
import type { Values } from './field-values.ts'
import { settleValues } from './provider-values.ts'
import type { ValueSource } from './provider-values.ts'

/** Returns what `make` returns, or the failure that prevents this record from being sent. */
export const attempt = <T>(make: () => T): T | Failure => {
  try {
    return make()
  } catch (thrown) {
    if (isInvalidInput(thrown) || isUnset(thrown)) return thrown
    throw thrown
  }
}

/**
 * A record that can be sent; otherwise its result: a failure, or a no match for a value that the provider does not
 * know.
 */
type Prepared = Item | Failure | LookupResult

export const prepare = async (source: ValueSource, name: string, bulk: Bulk, sets: Values[]): Promise<Prepared> => {
  const { loaded } = source.session.loaded
  const values = Object.assign({}, ...sets) as Values
  const itemFor = (itemValues: Values): Item => ({ ...itemOf(loaded, name, bulk, sets, itemValues), values })
  try {
    const settled = await settleValues(source, bulkFields(loaded, name), values, itemFor)
    return 'missed' in settled ? noMatchBy(settled) : itemFor(settled.values)
  } catch (thrown) {
    if (isFailure(thrown)) return thrown
    throw thrown
  }
}

/**
 * Prepares all records. A failure that ends the batch, while values are resolved, is also the result of all later
 * records.
 */
export const prepareAll = async (
  source: ValueSource,
  name: string,
  bulk: Bulk,
  records: (Values[] | Failure)[],
): Promise<Prepared[]> => {
  const prepared: Prepared[] = []
  let ended: Failure | undefined
  for (const sets of records) {
    const preparedItem = isFailure(sets) ? sets : (ended ?? (await prepare(source, name, bulk, sets)))
    if (isFailure(preparedItem) && endsBatch(preparedItem)) ended = preparedItem
    prepared.push(preparedItem)
  }
  return prepared
}

export const isItem = (preparedItem: Prepared): preparedItem is Item => 'body' in preparedItem

/** The identifier sets of each record that a bulk request has names for, or the failure that there are none. */
export const usableRecords = (loaded: LoadedIntegration, name: string, records: Values[][]): (Values[] | Failure)[] =>
  records.map((sets) => attempt(() => usableSets(loaded, name, sets, bulkFields(loaded, name))))

/** @throws Failure of the first record when no record can be sent, and not because of the records themselves */
export const requireSendable = (prepared: Prepared[]) => {
  const [first] = prepared
  if (prepared.every(isFailure) && isFailure(first) && !isAboutRecord(first)) throw first
}

/** Groups items that can go in one request: at most `max`, with equal values beside the list. */
export const partsOf = (items: Item[], max: number): Item[][] => {
  const groups = Map.groupBy(items, ({ group }) => group)
  return [...groups.values()].flatMap((alike) =>
    Array.from({ length: Math.ceil(alike.length / max) }, (_, at) => alike.slice(at * max, (at + 1) * max)),
  )
}
