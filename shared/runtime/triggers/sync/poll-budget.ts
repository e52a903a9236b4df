import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { createTimes } from './times.ts'

/** Part of the provider's rate for a connection that all polls together may take. */
const share = 0.1
/** What was left unused for so long may be caught up with. */
const savedMs = 5_000

/** Bounds how much of a connection's rate limit polls take. */
export const createPollBudget = (registry: TriggerParts['registry'], now: () => number) => {
  /** When the share of the rate allows a connection's next poll. */
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
