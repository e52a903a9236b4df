import type { RawContext } from '../catalogue/api-call-step.ts'
import type { Session } from './session.ts'

/** The share of the account's rate limit that one long run may use. */
const share = 1 / 2

/**
 * The interval in ms between requests that uses `share` of the tightest limit. Limits of single routes are left to the
 * requests to which they apply.
 */
const intervalFor = ({ loaded }: Session): number =>
  loaded.loaded.wire.pace.limits.reduce(
    (widest, { per, max, windowMs }) => (per === 'route' ? widest : Math.max(widest, windowMs / max / share)),
    0,
  )

/**
 * Spaces the requests of a very long run evenly: a burst would use up a whole rate window and leave nothing to others.
 */
export const atEvenPace = (context: RawContext, session: Session): RawContext => {
  const intervalMs = intervalFor(session)
  let nextAt = 0
  return {
    ...context,
    async send(request) {
      const now = session.clock.monotonic()
      const at = Math.max(now, nextAt)
      nextAt = at + intervalMs
      if (at > now) await session.clock.sleep(at - now, session.signal)
      return context.send(request)
    },
  }
}
