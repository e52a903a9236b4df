import type { Cost, Effect } from '#kit'
import type { Session } from './session.ts'

/** `total`: least and most that this call may cost, where the number of records is known. */
export type Price = Cost & { total?: [number, number] }

/** What a dry run gives: the requests as they would be sent, secrets masked. `complete: false` when later ones depend on replies. */
export type DryRun = { requests: unknown[]; price?: Price; complete: boolean }

const priceOf = ({ cost, dry }: Session): { price?: Price } => {
  if (!cost) return {}
  const times = dry?.units ?? (cost.per === 'record' ? undefined : 1)
  return { price: times === undefined ? cost : { ...cost, total: [cost.typical[0] * times, cost.typical[1] * times] } }
}

/** `ended`: the handler came to its end, so that nothing follows what was collected. */
export const finishDryRun = (session: Session, effect: Effect, ended: boolean): DryRun => {
  const { requests, effects, partial } = session.dry!
  const last = effects.at(-1)
  const asked = last !== undefined && (last === effect || (effect === 'read' && last === 'create'))
  return { requests, ...priceOf(session), complete: ended || (!partial && asked) }
}
