import { LRUCache } from 'lru-cache'
import { fail } from '#kit'
import type { Clock } from '../ports/index.ts'

const ofTenant = (perSecond: number) =>
  `This tenant may make ${perSecond} requests per second to this server. Repeat after retryAfterMs, or ask the operator to raise the limit "requestsPerSecond".`

/** A token bucket that limits the requests of one tenant, or the runs of one person. */
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
    admit(perSecond: number, burst: number, refusal = ofTenant(perSecond)) {
      const now = clock.monotonic()
      tokens = Math.min(burst, tokens + ((now - at) / 1000) * perSecond)
      at = now
      if (tokens < 1)
        throw fail('rate_limited', refusal, { retryAfterMs: Math.ceil(((1 - tokens) / perSecond) * 1000) })
      tokens -= 1
    },
  }
}
export type RequestRate = ReturnType<typeof createRequestRate>

/** Of how many people, those that ran something last, the runs are counted. */
const maxPeople = 10_000

/** Limits how many runs a minute each person of a tenant may have. */
export const createPersonRates = (clock: Pick<Clock, 'monotonic'>) => {
  const rates = new LRUCache<string, RequestRate>({
    // Not `max`, for which the cache would allocate all its room at once, for each tenant.
    maxSize: maxPeople,
    sizeCalculation: () => 1,
  })
  return {
    /**
     * Counts one run.
     * @throws Failure `rate_limited` with the time to wait
     */
    admit(person: string, perMinute: number) {
      const rate = rates.get(person) ?? createRequestRate(clock)
      rates.set(person, rate)
      rate.admit(
        perMinute / 60,
        perMinute,
        `This person may run ${perMinute} steps a minute. Repeat after retryAfterMs, or ask the operator to raise the limit "personRunsPerMinute".`,
      )
    },
  }
}
export type PersonRates = ReturnType<typeof createPersonRates>
