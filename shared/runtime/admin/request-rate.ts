import { fail } from '#kit'
import type { Clock } from '../ports/index.ts'

/** A token bucket that limits the requests of one tenant. */
export const createRequestRate = (clock: Pick<Clock, 'monotonic'>) => {
  let tokens = Number.POSITIVE_INFINITY
  let at = clock.monotonic()
  return {
    /** Refills the bucket. */
    reset() {
      tokens = Number.POSITIVE_INFINITY
    },
    /**
     * Counts one request.
     * @throws Failure `rate_limited` with the time to wait
     */
    admit(perSecond: number, burst: number) {
      const now = clock.monotonic()
      tokens = Math.min(burst, tokens + ((now - at) / 1000) * perSecond)
      at = now
      if (tokens < 1) {
        throw fail(
          'rate_limited',
          `This tenant may make ${perSecond} requests per second to this server. Repeat after retryAfterMs, or ask the operator to raise the limit "requestsPerSecond".`,
          { retryAfterMs: Math.ceil(((1 - tokens) / perSecond) * 1000) },
        )
      }
      tokens -= 1
    },
  }
}
export type RequestRate = ReturnType<typeof createRequestRate>
