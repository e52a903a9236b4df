import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { createTimes } from './times.ts'

/** The share of a connection's rate limit that all its polls together may use. */
const share = 0.1
/** Unused share of up to this much time, in ms, may be used later. */
const savedMs = 5_000

/** Limits how much of a connection's rate limit polls use. */
export const createPollBudget = (registry: TriggerParts['registry'], now: () => number) => {
  /** When the budget of a connection allows its next poll. */
  const allowedAt = createTimes(now, savedMs)
  const nameOf = ({ tenant, connection }: ConnectionRef) => `${tenant}\n${connection}`

  const msPerCall = ({ integration }: ConnectionRef) => {
    const rates = registry
      .integration(integration)
      .wire.pace.limits.flatMap(({ per, max, windowMs }) => (per === 'connection' ? [max / windowMs] : []))
    return rates.length === 0 ? 0 : 1 / (Math.min(...rates) * share)
  }

  return {
    spend: (ref: ConnectionRef, calls: number) =>
      allowedAt.set(nameOf(ref), Math.max(now() - savedMs, allowedAt.get(nameOf(ref))) + calls * msPerCall(ref)),
    allows: (ref: ConnectionRef): boolean => allowedAt.get(nameOf(ref)) <= now(),
  }
}
