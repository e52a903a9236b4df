import type { Cost, Effect } from '#kit'
import { partsOf, priceOf, quoteOf, valuesPrice } from '../catalogue/price.ts'
import type { Price } from '../catalogue/price.ts'
import { endpointOf } from './endpoint-request.ts'
import type { Session } from '../session/session.ts'

/**
 * What a dry run gives: the requests as they would be sent, secrets masked. `complete: false` when later ones depend on
 * replies.
 */
export type DryRun = { requests: unknown[]; price?: Price; complete: boolean }

/**
 * What a call may ask for: `values` of each record that may be found, and the least and most requests and records asked
 * for that takes. `many`: in bulk requests; `either`: it may turn out that way, or in single ones.
 */
type Quoted = {
  values: Record<string, unknown>[]
  calls: [number, number]
  recordCount: [number, number]
  many?: boolean | 'either'
}

/** How often the price of a step may be charged. */
const timesOf = ({ per }: Cost, { values, calls, many }: Quoted) =>
  per !== 'call' ? values.length : many ? Math.max(calls[1], values.length) : calls[1]

/** Least and most in one form. `forValues`: what values cost beside it, which `most` holds too. */
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
 * What a call may cost in all: by the price of the profile where it states one for the endpoint, else by that of the
 * step and of its values.
 */
const allEnds = (session: Session, name: string, usage: Quoted): Ends => {
  const { many = false } = usage
  if (many !== 'either') return endsOf(session, name, usage, many)
  const [single, bulk] = [endsOf(session, name, usage, false), endsOf(session, name, usage, true)]
  const [least, most] = [Math.min(single.least, bulk.least), Math.max(single.most, bulk.most)]
  const dearer = bulk.most > single.most ? bulk : single
  return { ...dearer, least, most, ...(dearer.price ? { price: { ...dearer.price, total: [least, most] } } : {}) }
}

/** The most that a call may cost. */
export const mostOf = (session: Session, name: string, usage: Quoted): number => allEnds(session, name, usage).most

/** Says what a call may cost: a dry run shows it; otherwise it is reserved. */
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

/** `ended`: the handler came to its end, so that nothing follows what was collected. */
export const finishDryRun = (session: Session, effect: Effect, ended: boolean): DryRun => {
  const { requests, effects, partial } = session.dry!
  const last = effects.at(-1)
  const hasReachedEffect = last !== undefined && (last === effect || (effect === 'read' && last === 'create'))
  return { requests, ...priceOfStep(session), complete: ended || (!partial && hasReachedEffect) }
}
