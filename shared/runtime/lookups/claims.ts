import { fail } from '#kit'
import type { Clock, Cluster, Lease } from '../ports/index.ts'
import type { Session } from '../session/session.ts'
import type { Keys } from './identity.ts'

/** How often it is asked whether another process has ended. */
const everyMs = 50
/** Of a claim, after the time of its run. */
const graceMs = 5000

type Claim = { release(): Promise<void> }

/**
 * Lookups that a process is at, so that none of those that share the store sends them too. They end with the time of
 * the run.
 */
export const createClaims = (cluster: Pick<Cluster, 'lease'> | undefined, clock: Clock) => ({
  isShared: cluster !== undefined,
  /** Undefined: another process is at it. */
  async take(tenant: string, { any }: Keys, { deadlineAt }: Pick<Session, 'deadlineAt'>): Promise<Claim | undefined> {
    const taken: Lease[] = []
    const release = async () => void (await Promise.all(taken.map((lease) => lease.release())))
    // In the same order everywhere, so that of two that share a key one gets both.
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
  /** A while. @throws Failure once the call is cancelled or its time is over */
  async pause({ signal, deadlineAt }: Pick<Session, 'signal' | 'deadlineAt'>): Promise<void> {
    await clock.sleep(everyMs, signal).catch(() => {})
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
