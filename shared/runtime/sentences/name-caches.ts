import { LRUCache } from 'lru-cache'
import type { ConnectionName } from '../../api/resources/connection-name.ts'
import type { Clock } from '../ports/index.ts'

/** A name that was stored within this time is not stored again. */
const repeatMs = 6 * 3_600_000
/** How long a name is used that another process may have changed. */
const readMs = 60_000
const maxCached = 20_000

/** The key of a thing; `kind` and `id` may be left out for what all things of a connection or tenant begin with. */
export const nameKey = (...parts: [tenant: string, connection?: string, kind?: string, id?: string]) => parts.join('\n')

/** What is used of a cache: the package's declarations need no other package. */
type NameCache<V> = {
  get(key: string): V | undefined
  has(key: string): boolean
  /** `ttl`: ms, in place of the usual time. */
  set(key: string, value: V, options?: { ttl: number }): unknown
  delete(key: string): boolean
  keys(): Iterable<string>
}

/** Caches are created when they are first needed: each allocates room for all its entries at once. */
export const createNameCaches = (clock: Clock) => {
  const lazy = <V extends {}>(ttl: number): (() => NameCache<V>) => {
    let cache: LRUCache<string, V> | undefined
    return () => (cache ??= new LRUCache<string, V>({ max: maxCached, ttl, perf: { now: () => clock.monotonic() } }))
  }
  /** What was read or learned lately; without `name`, nobody has named the thing. */
  const read = lazy<{ name?: ConnectionName }>(readMs)
  /** The name under which a thing was stored lately, and when it was used. */
  const stored = lazy<{ name: string; seenAt: number }>(repeatMs)
  return {
    read,
    stored,
    forget(prefix: string) {
      for (const cache of [read(), stored()])
        for (const key of cache.keys()) if (key.startsWith(`${prefix}\n`)) cache.delete(key)
    },
  }
}
export type NameCaches = ReturnType<typeof createNameCaches>
