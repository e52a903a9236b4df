import { fail } from '#kit'
import type { Clock, Cluster, Lease } from '../ports/index.ts'
import type { Session } from '../session/session.ts'
import type { Keys } from './identity.ts'

/** Interval at which to check whether another process has finished a lookup. */
const pollIntervalMs = 50
/** How long a claim outlasts the deadline of its run. */
const graceMs = 5000

type Claim = { release(): Promise<void> }

/**
 * Claims lookups for this process, so that no other process on the store sends them too. A claim expires shortly after
 * the deadline of its run.
 */
export const createClaims = (cluster: Pick<Cluster, 'lease'> | undefined, clock: Clock) => ({
  isShared: cluster !== undefined,
  /** Undefined when another process has claimed the lookup. */
  async take(tenant: string, { any }: Keys, { deadlineAt }: Pick<Session, 'deadlineAt'>): Promise<Claim | undefined> {
    const taken: Lease[] = []
    const release = async () => void (await Promise.all(taken.map((lease) => lease.release())))
    // In the same order everywhere, so that of two processes that share a key one gets all of its keys.
    for (const key of any.toSorted()) {
      const lease = await cluster!.lease(
        `lookup ${tenant} ${key}`,
        Math.max(0, deadlineAt - clock.monotonic()) + graceMs,
      )
      if (!lease) {
        await release()
        return undefined
      }
      taken.push(lease)
    }
    return { release }
  },
  /** Waits for a moment. @throws Failure once the call is cancelled or its deadline has passed */
  async pause({ signal, deadlineAt }: Pick<Session, 'signal' | 'deadlineAt'>): Promise<void> {
    await clock.sleep(pollIntervalMs, signal).catch(() => {})
    if (signal?.aborted)
      throw fail(
        'cancelled',
        'The call was cancelled while another server asked for the same. Nothing was sent for it.',
      )
    if (clock.monotonic() >= deadlineAt)
      throw fail(
        'unreachable',
        'The time for this call was used up while another server asked for the same. Nothing was sent for it; try again.',
      )
  },
})
export type Claims = ReturnType<typeof createClaims>
