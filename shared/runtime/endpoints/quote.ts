import type { Cost, NextLookups } from '#kit'
import { partsOf, priceOf, quoteOf, valuesPrice } from '../catalogue/price.ts'
import type { Price } from '../catalogue/price.ts'
import { unboundedField } from '../catalogue/unbounded.ts'
import { restOf } from '../gate/price.ts'
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

/**
 * Minimum and maximum price in one form. `forValues`: the price of values resolved first, which `most` includes.
 * `known`: the maximum by the stated price, if `most` is all that the run may cost.
 */
export type PriceRange = { least: number; most: number; forValues: number; known?: number; price?: Price }

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

/** Widens the range if a field of the request makes its price unknown. */
const unboundedRange = (session: Session, name: string, use: PlannedUse, range: PriceRange): PriceRange => {
  const endpoint = endpointOf(session.loaded.loaded, name)
  const field = unboundedField(endpoint, use.values)
  if (field === undefined) return range
  const { method, path, bulk } = endpoint
  const sent = use.many && hasBulk(bulk) ? { method: bulk.method ?? 'POST', path: bulk.path } : { method, path }
  const known = range.most
  const most = restOf(session, { method: sent.method, path: sent.path ?? '' }, field, known)
  const text = `${range.price?.text ?? ''}, and with ${field} anything up to the limit of the run`
  const { price } = range
  return { ...range, most, known, ...(price ? { price: { ...price, text, total: [range.least, most] } } : {}) }
}

/** The range of a lookup that may be sent alone or with others, which is decided later. */
const eitherRange = (session: Session, name: string, use: PlannedUse): PriceRange => {
  const [single, bulk] = [rangeIn(session, name, use, false), rangeIn(session, name, use, true)]
  const total: [number, number] = [Math.min(single.least, bulk.least), Math.max(single.most, bulk.most)]
  const dearer = bulk.most > single.most ? bulk : single
  const [least, most] = total
  return { ...dearer, least, most, ...(dearer.price ? { price: { ...dearer.price, total } } : {}) }
}

/**
 * The total price range of a call: by the endpoint's price in the profile if it has one, otherwise by that of the step
 * and its values.
 * @throws Failure `budget_exceeded` for a call of unknown price that may not be sent
 */
export const priceRange = (session: Session, name: string, use: PlannedUse): PriceRange => {
  const { many = false } = use
  const range = many === 'either' ? eitherRange(session, name, use) : rangeIn(session, name, use, many)
  return unboundedRange(session, name, use, range)
}

const withNext = (session: Session, range: PriceRange, { endpoint, most: count, along = {} }: NextLookups) => {
  const next = priceRange(
    session,
    endpoint,
    planLookups(
      session,
      endpoint,
      Array.from({ length: count }, () => [along]),
    ),
  )
  // The search may find nothing; then no lookup follows.
  const [least, most] = [range.least, Math.max(range.most + (next.known ?? next.most), next.most)]
  const text = [range.price?.text, next.price?.text].filter((part) => part !== undefined).join('; then ')
  const price: Price = {
    unit: 'credit',
    per: 'call',
    typical: [least, most],
    ...(text === '' ? {} : { text }),
    total: [least, most],
  }
  return { least, most, forValues: range.forValues, price }
}

/** The price of a search for up to `size` records, with that of the lookups that follow. */
export const searchRange = (session: Session, name: string, use: PlannedUse, followedBy?: NextLookups): PriceRange => {
  const range = priceRange(session, name, use)
  return followedBy === undefined ? range : withNext(session, range, followedBy)
}

/** Reserves what a call may cost. */
export const quote = (session: Session, name: string, use: PlannedUse, followedBy?: NextLookups) => {
  if (!session.cost) return
  const { least, most } = searchRange(session, name, use, followedBy)
  session.spend.reserve(most, least)
}
