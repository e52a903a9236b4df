import type { Cost, Effect } from '#kit'
import { partsOf, priceOf, quoteOf, valuesPrice } from '../catalogue/price.ts'
import type { Price } from '../catalogue/price.ts'
import { endpointOf } from './endpoint-request.ts'
import type { Session } from './session.ts'

/** What a dry run gives: the requests as they would be sent, secrets masked. `complete: false` when later ones depend on replies. */
export type DryRun = { requests: unknown[]; price?: Price; complete: boolean }

/** What a call may ask for: `values` of each record that may be found, and the least and most requests and records asked for that takes. */
type Quoted = { values: Record<string, unknown>[]; calls: [number, number]; asked: [number, number]; many?: boolean }

/** How often the price of a step may be charged. */
const timesOf = ({ per }: Cost, { values, calls, many }: Quoted) => (per !== 'call' ? values.length : many ? Math.max(calls[1], values.length) : calls[1])

/**
 * What a call may cost in all: by the price of the profile where it states one for the endpoint, else what values cost beside the price of the
 * step. A dry run shows it; otherwise it is reserved.
 */
export const quote = ({ loaded: found, dry, cost, spend }: Session, name: string, given: Quoted) => {
  if (!dry && !cost) return
  const { values, calls, asked, many = false } = given
  const { loaded } = found
  const endpoint = endpointOf(loaded, name)
  const forValues = Math.max(0, ...values.map((one) => valuesPrice(found, endpoint, one, many))) * asked[1]
  const parts = partsOf(endpoint, many)
  const price = parts && priceOf(loaded, name, values[0], many)
  if (!price) {
    if (dry) dry.forValues = forValues
    else if (cost) spend.reserve(cost.typical[1] * timesOf(cost, given) + forValues, cost.typical[0])
    return
  }
  const [least] = quoteOf(parts, { calls: calls[0], asked: asked[0], values })
  const [, most] = quoteOf(parts, { calls: calls[1], asked: asked[1], values })
  if (dry) dry.price = { ...price, total: [least, most + forValues] }
  else spend.reserve(most + forValues, least)
}

const priceOfStep = ({ cost, dry }: Session): { price?: Price } => {
  if (dry?.price) return { price: dry.price }
  const forValues = dry?.forValues ?? 0
  if (!cost) return forValues === 0 ? {} : { price: { unit: 'credit', per: 'call', typical: [0, forValues], total: [0, forValues] } }
  const times = dry?.units ?? (cost.per === 'record' ? undefined : 1)
  return { price: times === undefined ? cost : { ...cost, total: [cost.typical[0] * times, cost.typical[1] * times + forValues] } }
}

/** `ended`: the handler came to its end, so that nothing follows what was collected. */
export const finishDryRun = (session: Session, effect: Effect, ended: boolean): DryRun => {
  const { requests, effects, partial } = session.dry!
  const last = effects.at(-1)
  const asked = last !== undefined && (last === effect || (effect === 'read' && last === 'create'))
  return { requests, ...priceOfStep(session), complete: ended || (!partial && asked) }
}
