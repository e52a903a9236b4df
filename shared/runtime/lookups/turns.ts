import type { Clock, Cluster, Lease } from '../ports/index.ts'
import { createSharedWork } from '../shared-work.ts'

/** Whoever asks later than this after a turn began waits for the next one. */
const openMs = 100
/** Nobody waits longer for a turn. */
const longestMs = 2000
const everyMs = 20
/** Longer than a request takes. After a crash, the others wait for no more than `longestMs` each. */
const leaseMs = 60_000

type Turn = { inside: number; openUntil: number; lease: Lease }

/**
 * Turns of the processes that share a store at lookups of one kind, which may be sent together: while one process
 * sends, the others gather, and then find most of what they want in what it stored. Otherwise each would send a part of
 * the same lookups.
 */
export const createTurns = (cluster: Pick<Cluster, 'lease'> | undefined, clock: Clock) => {
  const present = new Map<string, Turn>()
  const coming = createSharedWork<Turn | undefined>()

  const obtain = async (kind: string): Promise<Turn | undefined> => {
    for (const until = clock.monotonic() + longestMs; ; await clock.sleep(everyMs)) {
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
     * Takes part in the turn of this process, or waits for the next one, though not for ever. Gives what ends it for
     * this lookup.
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
