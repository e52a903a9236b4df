import type { Effect } from '#kit'
import { partsOf, priceOf, quoteOf, resolvePrice } from '../catalogue/price.ts'
import type { Price } from '../catalogue/price.ts'
import { endpointOf } from './endpoint-request.ts'
import type { Session } from './session.ts'

/** What a dry run gives: the requests as they would be sent, secrets masked. `complete: false` when later ones depend on replies. */
export type DryRun = { requests: unknown[]; price?: Price; complete: boolean }

/** What a call may ask for: `values` of each record that may be found, and the least and most requests and records asked for that takes. */
type Quoted = { values: Record<string, unknown>[]; calls: [number, number]; asked: [number, number]; many?: boolean }

/** Sets what a call may cost in all, where the profile states a price for the endpoint. */
export const quote = ({ loaded: { loaded }, dry }: Session, name: string, { values, calls, asked, many = false }: Quoted) => {
  const endpoint = endpointOf(loaded, name)
  const parts = dry && partsOf(endpoint, many)
  const price = parts && priceOf(loaded, name, values[0], many)
  if (!price) return
  const [least] = quoteOf(parts, { calls: calls[0], asked: asked[0], values })
  const [, most] = quoteOf(parts, { calls: calls[1], asked: asked[1], values })
  dry.price = { ...price, total: [least, most + resolvePrice(loaded, endpoint, values[0]) * asked[1]] }
}

const priceOfStep = ({ cost, dry }: Session): { price?: Price } => {
  if (dry?.price) return { price: dry.price }
  if (!cost) return {}
  const times = dry?.units ?? (cost.per === 'record' ? undefined : 1)
  return { price: times === undefined ? cost : { ...cost, total: [cost.typical[0] * times, cost.typical[1] * times] } }
}

/** `ended`: the handler came to its end, so that nothing follows what was collected. */
export const finishDryRun = (session: Session, effect: Effect, ended: boolean): DryRun => {
  const { requests, effects, partial } = session.dry!
  const last = effects.at(-1)
  const asked = last !== undefined && (last === effect || (effect === 'read' && last === 'create'))
  return { requests, ...priceOfStep(session), complete: ended || (!partial && asked) }
}
