import type { Cost } from '#kit'
import { partsOf, priceOf, quoteOf, valuesPrice } from '../catalogue/price.ts'
import type { Price } from '../catalogue/price.ts'
import { hasBulk } from './bulk-request.ts'
import { endpointOf } from './endpoint-request.ts'
import type { Values } from './field-values.ts'
import type { Session } from '../session/session.ts'

/**
 * What a call may cause: `values` for each record that may be found, and the minimum and maximum number of requests and
 * of requested records. `many`: in bulk requests; `either`: in bulk or single ones, decided later.
 */
export type PlannedUse = {
  values: Values[]
  calls: [number, number]
  recordCount: [number, number]
  many?: boolean | 'either'
}

const valuesOf = (sets: Values[]) => Object.assign({}, ...sets) as Values

/** What one lookup may cause: the next set of identifiers is sent only when those before found nothing. */
export const planLookup = (session: Session, name: string, sets: Values[]): PlannedUse => {
  const most = endpointOf(session.loaded.loaded, name).identifiers === 'all' ? 1 : sets.length
  return { values: [valuesOf(sets)], calls: [1, most], recordCount: [1, most] }
}

/**
 * What many lookups may cause. Each set of identifiers is sent in its own request, or in its own place in one; sets
 * after the first are sent only when those before found nothing.
 */
export const planLookups = (session: Session, name: string, records: Values[][]): PlannedUse => {
  const { bulk, identifiers } = endpointOf(session.loaded.loaded, name)
  const isBulk = records.length > 1 && hasBulk(bulk)
  // A single record may be sent together with those of other calls.
  const many = records.length === 1 && session.merging?.hasOwnPrice(session, name) ? 'either' : isBulk
  const max = isBulk ? (bulk.max ?? 1) : 1
  const isOnce = identifiers === 'all' || (many === true && bulk?.charge === 'record')
  const setCount = isOnce ? records.length : records.reduce((sum, sets) => sum + sets.length, 0)
  return {
    values: records.map(valuesOf),
    calls: [Math.ceil(records.length / max), Math.ceil(setCount / max)],
    recordCount: [records.length, setCount],
    many,
  }
}

/** How often a step's price may be charged at most. */
const timesOf = ({ per }: Cost, { values, calls, many }: PlannedUse) =>
  per !== 'call' ? values.length : many ? Math.max(calls[1], values.length) : calls[1]

/** Minimum and maximum price in one form. `forValues`: the price of values resolved first, which `most` includes. */
export type PriceRange = { least: number; most: number; forValues: number; price?: Price }

const rangeIn = ({ loaded: loadedStep, cost }: Session, name: string, use: PlannedUse, many: boolean): PriceRange => {
  const { values, calls, recordCount } = use
  const { loaded } = loadedStep
  const endpoint = endpointOf(loaded, name)
  const forValues =
    Math.max(0, ...values.map((lookupValues) => valuesPrice(loadedStep, endpoint, lookupValues, many))) * recordCount[1]
  const parts = partsOf(endpoint, many)
  const price = parts && priceOf(loaded, name, values[0], many)
  if (!price)
    return {
      least: cost?.typical[0] ?? 0,
      most: cost ? cost.typical[1] * timesOf(cost, use) + forValues : 0,
      forValues,
    }
  const [least] = quoteOf(parts, { calls: calls[0], recordCount: recordCount[0], values })
  const most = quoteOf(parts, { calls: calls[1], recordCount: recordCount[1], values })[1] + forValues
  return { least, most, forValues, price: { ...price, total: [least, most] } }
}

/**
 * The total price range of a call: by the endpoint's price in the profile if it has one, otherwise by that of the step
 * and its values.
 */
export const priceRange = (session: Session, name: string, use: PlannedUse): PriceRange => {
  const { many = false } = use
  if (many !== 'either') return rangeIn(session, name, use, many)
  const [single, bulk] = [rangeIn(session, name, use, false), rangeIn(session, name, use, true)]
  const [least, most] = [Math.min(single.least, bulk.least), Math.max(single.most, bulk.most)]
  const dearer = bulk.most > single.most ? bulk : single
  return { ...dearer, least, most, ...(dearer.price ? { price: { ...dearer.price, total: [least, most] } } : {}) }
}

/** Reserves what a call may cost. */
export const quote = (session: Session, name: string, use: PlannedUse) => {
  if (!session.cost) return
  const { least, most } = priceRange(session, name, use)
  session.spend.reserve(most, least)
}
