import { LRUCache } from 'lru-cache'
import { isConflict, isUnavailable } from '#kit'

/** Far above what is expected. */
const maxOwed = 10_000

/**
 * Final writes of runs that the store refused or may have lost. They are retried until they succeed: until then the
 * rows say that the run is going on, and no other process ends it while this one lives.
 */
export type UnwrittenEnds = {
  add(runId: string, write: () => Promise<unknown>): void
  has(runId: string): boolean
  /** Retries the owed writes; stops at the first one for which the store is unavailable. */
  settle(): Promise<void>
}

export const createUnwrittenEnds = (): UnwrittenEnds => {
  const owed = new LRUCache<string, () => Promise<unknown>>({ maxSize: maxOwed, sizeCalculation: () => 1 })
  return {
    add: (runId, write) => void owed.set(runId, write),
    has: (runId) => owed.has(runId),
    async settle() {
      for (const [runId, write] of [...owed.entries()].toReversed()) {
        try {
          await write()
        } catch (thrown) {
          if (isUnavailable(thrown)) return
          // After a conflict, another run owns the row.
          if (!isConflict(thrown)) continue
        }
        owed.delete(runId)
      }
    },
  }
}
