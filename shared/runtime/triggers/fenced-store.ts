import type { Leases } from '../leases.ts'
import type { Store } from '../ports/index.ts'

/** The same store, where each write made under a lease carries the fence of that lease. */
export const fencedStore = (store: Store, { fence }: Pick<Leases, 'fence'>): Store => {
  if (!store.cluster) return store
  const { cursors, polls, timers, hooks } = store
  return {
    ...store,
    ingest: (arrival) => store.ingest({ ...arrival, fence: fence() }),
    cursors: { ...cursors, put: (cursor) => cursors.put(cursor, fence()) },
    polls: { ...polls, put: (poll) => polls.put(poll, fence()) },
    timers: {
      ...timers,
      put: (newTimers) => timers.put(newTimers, fence()),
      drop: (tenant, subscription, keys) => timers.drop(tenant, subscription, keys, fence()),
    },
    hooks: { ...hooks, patch: (tenant, id, changes) => hooks.patch(tenant, id, changes, fence()) },
  }
}
