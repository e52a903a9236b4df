import { LRUCache } from 'lru-cache'
import type { RunMeta } from '#kit'

/** The whole output behind a truncated result, so that the remainder can be read without sending or paying again. */
export type CachedResult = { output: unknown; run: RunMeta }
export type ResultCache = {
  get(tenant: string, key: string): CachedResult | undefined
  set(tenant: string, key: string, result: CachedResult, bytes: number): void
}

const ttl = 10 * 60_000
const maxBytes = { all: 64 * 1024 * 1024, perTenant: 32 * 1024 * 1024 }

/**
 * Results are kept in memory for 10 minutes, up to 32 MB per tenant; beyond 64 MB in total, the tenant with the most
 * loses its oldest. `now`: monotonic time in ms.
 */
export const createResultCache = (now: () => number): ResultCache => {
  const tenants = new Map<string, LRUCache<string, CachedResult>>()

  const cacheOf = (tenant: string) => {
    const cache =
      tenants.get(tenant) ??
      new LRUCache<string, CachedResult>({ maxSize: maxBytes.perTenant, ttl, ttlResolution: 0, perf: { now } })
    tenants.set(tenant, cache)
    return cache
  }
  const purge = () => {
    for (const [tenant, cache] of tenants) {
      cache.purgeStale()
      if (cache.size === 0) tenants.delete(tenant)
    }
  }
  const total = () => [...tenants.values()].reduce((sum, { calculatedSize }) => sum + calculatedSize, 0)
  const largest = () =>
    [...tenants.values()].reduce((largestSoFar, cache) =>
      cache.calculatedSize > largestSoFar.calculatedSize ? cache : largestSoFar,
    )

  return {
    get: (tenant, key) => tenants.get(tenant)?.get(key),
    set(tenant, key, result, bytes) {
      cacheOf(tenant).set(key, result, { size: bytes })
      purge()
      while (total() > maxBytes.all) largest().pop()
    },
  }
}
