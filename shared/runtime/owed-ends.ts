import { LRUCache } from 'lru-cache'
import { isConflict, isUnavailable } from '#kit'

/** Far more are not expected. */
const maxOwed = 10_000

/**
 * Ends of runs that the store did not take, or may not have taken: they are written again until it does. Until then
 * their rows say that the run goes on, and no other process would end it while this one lives.
 */
export type OwedEnds = {
  add(runId: string, write: () => Promise<unknown>): void
  has(runId: string): boolean
  /** Writes again what is owed; ends with the first that the store does not take. */
  settle(): Promise<void>
}

export const createOwedEnds = (): OwedEnds => {
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
          // With a conflict, another run has the row by now.
          if (!isConflict(thrown)) continue
        }
        owed.delete(runId)
      }
    },
  }
}
