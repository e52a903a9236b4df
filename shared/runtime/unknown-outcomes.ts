import { LRUCache } from 'lru-cache'
import { fail } from '#kit'
import { createPerTenant } from './admin/per-tenant.ts'
import type { Caller, Clock } from './ports/index.ts'

/** After an unknown outcome, an identical create without a key is refused for this long. */
const suspectMs = 10 * 60_000
const maxSuspectsPerTenant = 10_000

/**
 * Hashes of requests with an unknown outcome. Bounded by `maxSize` because a cache bounded by `max` allocates room for
 * all entries at once.
 */
export const createUnknownOutcomes = (clock: Clock) => {
  const suspects = createPerTenant(
    () =>
      new LRUCache<string, true>({
        maxSize: maxSuspectsPerTenant,
        sizeCalculation: () => 1,
        ttl: suspectMs,
        perf: { now: () => clock.monotonic() },
      }),
  )
  return {
    note: (tenant: string, requestHash: string): void => void suspects.of(tenant).set(requestHash, true),
    /** `requestHashes`, the hashes the request may be recorded under, is called only when there is a suspect. */
    requireNone({ tenant }: Pick<Caller, 'tenant'>, requestHashes: () => string[]): void {
      const noted = suspects.find(tenant)
      if (noted === undefined || noted.size === 0 || !requestHashes().some((hash) => noted.has(hash))) return
      throw fail(
        'conflict',
        'The same request ended minutes ago with an unknown outcome, so repeating it could do it twice. Check at the provider; if it is not there, run again with "force".',
        { mayHaveHappened: true },
      )
    },
  }
}
