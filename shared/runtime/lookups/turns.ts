import type { Clock, Cluster, Lease } from '../ports/index.ts'
import { createSharedWork } from '../shared-work.ts'

/** How long after its start a turn accepts lookups; later ones wait for the next turn. */
const openMs = 100
/** Maximum time a lookup waits for a turn. */
const longestMs = 2000
const pollIntervalMs = 20
/** Longer than a request takes. After a crash, each of the others still waits at most `longestMs`. */
const leaseMs = 60_000

type Turn = { inside: number; openUntil: number; lease: Lease }

/**
 * Lets the processes that share a store take turns with lookups of one kind, which may be sent together: while one
 * process sends, the others collect, and then find most of their results in the store. Otherwise each would send a part
 * of the same lookups.
 */
export const createTurns = (cluster: Pick<Cluster, 'lease'> | undefined, clock: Clock) => {
  const present = new Map<string, Turn>()
  const coming = createSharedWork<Turn | undefined>()

  const obtain = async (kind: string): Promise<Turn | undefined> => {
    for (const until = clock.monotonic() + longestMs; ; await clock.sleep(pollIntervalMs)) {
      const lease = present.has(kind) ? undefined : await cluster!.lease(`lookups ${kind}`, leaseMs)
      if (lease) {
        const turn: Turn = { inside: 0, openUntil: clock.monotonic() + openMs, lease }
        present.set(kind, turn)
        return turn
      }
      if (clock.monotonic() >= until) return undefined
    }
  }

  const next = (kind: string): Promise<Turn | undefined> => coming.find(kind) ?? coming.start(kind, () => obtain(kind))

  return {
    /**
     * Joins the current turn of this process, or waits for the next one, at most `longestMs`. The returned function
     * leaves the turn.
     */
    async enter(kind: string): Promise<() => Promise<void>> {
      const now = present.get(kind)
      const turn = now && clock.monotonic() < now.openUntil ? now : await next(kind)
      if (!turn) return async () => {}
      turn.inside += 1
      return async () => {
        turn.inside -= 1
        if (turn.inside > 0) return
        present.delete(kind)
        await turn.lease.release()
      }
    },
  }
}
export type Turns = ReturnType<typeof createTurns>
