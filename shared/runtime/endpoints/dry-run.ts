import type { Cost, Effect } from '#kit'
import { partsOf, priceOf, quoteOf, valuesPrice } from '../catalogue/price.ts'
import type { Price } from '../catalogue/price.ts'
import { endpointOf } from './endpoint-request.ts'
import type { Session } from '../session/session.ts'

/**
 * The result of a dry run: the requests as they would be sent, with secrets masked. `complete` is false when later
 * requests depend on replies.
 */
export type DryRun = { requests: unknown[]; price?: Price; complete: boolean }

/**
 * What a call may cause: `values` for each record that may be found, and the minimum and maximum number of requests and
 * of requested records. `many`: in bulk requests; `either`: in bulk or single ones, decided later.
 */
type Quoted = {
  values: Record<string, unknown>[]
  calls: [number, number]
  recordCount: [number, number]
  many?: boolean | 'either'
}

/** How often a step's price may be charged at most. */
const timesOf = ({ per }: Cost, { values, calls, many }: Quoted) =>
  per !== 'call' ? values.length : many ? Math.max(calls[1], values.length) : calls[1]

/** Minimum and maximum price in one form. `forValues`: the price of values resolved first, which `most` includes. */
type Ends = { least: number; most: number; forValues: number; price?: Price }

const endsOf = ({ loaded: loadedStep, cost }: Session, name: string, usage: Quoted, many: boolean): Ends => {
  const { values, calls, recordCount } = usage
  const { loaded } = loadedStep
  const endpoint = endpointOf(loaded, name)
  const forValues =
    Math.max(0, ...values.map((lookupValues) => valuesPrice(loadedStep, endpoint, lookupValues, many))) * recordCount[1]
  const parts = partsOf(endpoint, many)
  const price = parts && priceOf(loaded, name, values[0], many)
  if (!price)
    return {
      least: cost?.typical[0] ?? 0,
      most: cost ? cost.typical[1] * timesOf(cost, usage) + forValues : 0,
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
const allEnds = (session: Session, name: string, usage: Quoted): Ends => {
  const { many = false } = usage
  if (many !== 'either') return endsOf(session, name, usage, many)
  const [single, bulk] = [endsOf(session, name, usage, false), endsOf(session, name, usage, true)]
  const [least, most] = [Math.min(single.least, bulk.least), Math.max(single.most, bulk.most)]
  const dearer = bulk.most > single.most ? bulk : single
  return { ...dearer, least, most, ...(dearer.price ? { price: { ...dearer.price, total: [least, most] } } : {}) }
}

/** The maximum price of a call. */
export const mostOf = (session: Session, name: string, usage: Quoted): number => allEnds(session, name, usage).most

/** Shows what a call may cost in a dry run; otherwise reserves it. */
export const quote = (session: Session, name: string, usage: Quoted) => {
  const { dry, cost, spend } = session
  if (!dry && !cost) return
  const { least, most, forValues, price } = allEnds(session, name, usage)
  if (!dry) spend.reserve(most, least)
  else if (price) dry.price = price
  else dry.forValues = forValues
}

const priceOfStep = ({ cost, dry }: Session): { price?: Price } => {
  if (dry?.price) return { price: dry.price }
  const forValues = dry?.forValues ?? 0
  if (!cost)
    return forValues === 0
      ? {}
      : { price: { unit: 'credit', per: 'call', typical: [0, forValues], total: [0, forValues] } }
  const times = dry?.units ?? (cost.per === 'record' ? undefined : 1)
  return {
    price:
      times === undefined ? cost : { ...cost, total: [cost.typical[0] * times, cost.typical[1] * times + forValues] },
  }
}

/** `ended`: the handler finished, so no request follows those collected. */
export const finishDryRun = (session: Session, effect: Effect, ended: boolean): DryRun => {
  const { requests, effects, partial } = session.dry!
  const last = effects.at(-1)
  const hasReachedEffect = last !== undefined && (last === effect || (effect === 'read' && last === 'create'))
  return { requests, ...priceOfStep(session), complete: ended || (!partial && hasReachedEffect) }
}
