import type { RawContext } from '../catalogue/api-call-step.ts'
import type { Session } from './session.ts'

/** Of what the account may send. */
const share = 1 / 2

/**
 * The time between two requests that takes `share` of the tightest limit. Limits of single routes are for the requests
 * that meet them.
 */
const spacing = ({ loaded }: Session): number =>
  loaded.loaded.wire.pace.limits.reduce(
    (widest, { per, max, windowMs }) => (per === 'route' ? widest : Math.max(widest, windowMs / max / share)),
    0,
  )

/**
 * The context of a run of very many requests, which go out evenly: a burst would leave nobody else anything of a whole
 * window.
 */
export const steadily = (context: RawContext, session: Session): RawContext => {
  const everyMs = spacing(session)
  let nextAt = 0
  return {
    ...context,
    async send(request) {
      const now = session.clock.monotonic()
      const at = Math.max(now, nextAt)
      nextAt = at + everyMs
      if (at > now) await session.clock.sleep(at - now, session.signal)
      return context.send(request)
    },
  }
}
