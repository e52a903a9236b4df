import { costReader } from '../../wire/rate-limit/points.ts'
import type { RawContext } from '../catalogue/api-call-step.ts'
import type { Session } from './session.ts'

/** The share of the account's rate limit that one long run may use. */
const share = 1 / 2

type RawRequest = Parameters<RawContext['send']>[0]

/**
 * Returns a function for the interval in ms after a request, at which a run uses `share` of the tightest limit. Limits
 * of single routes and values are left out: they hold back only the requests to which they apply.
 */
const intervals = ({ loaded }: Session): ((request: RawRequest) => number) => {
  const { pace } = loaded.loaded.wire
  const limits = pace.limits.filter(({ per }) => per !== 'route' && per !== 'field')
  const costOf = costReader(pace)
  return ({ method, path, effect = method === 'GET' ? 'read' : 'update', points }) => {
    const cost = costOf === undefined ? 1 : costOf({ path, effect, points })
    return limits.reduce(
      (widest, { max, windowMs, counts }) =>
        Math.max(widest, (windowMs / max / share) * (counts === 'points' ? cost : 1)),
      0,
    )
  }
}

/**
 * Spaces the requests of a very long run evenly: a burst would use up a whole rate window and leave nothing to others.
 */
export const atEvenPace = (context: RawContext, session: Session): RawContext => {
  const intervalAfter = intervals(session)
  let nextAt = 0
  return {
    ...context,
    async send(request) {
      const now = session.clock.monotonic()
      const at = Math.max(now, nextAt)
      nextAt = at + intervalAfter(request)
      if (at > now) await session.clock.sleep(at - now, session.signal)
      return context.send(request)
    },
  }
}
