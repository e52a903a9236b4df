import { AsyncLocalStorage } from 'node:async_hooks'
import { fail, isConflict } from '#kit'
import type { Clock, Cluster, Fence, Lease } from './ports/index.ts'

/**
 * Work that only one process may do at a time, named by what it is about. Where the store belongs to one process, it is
 * simply done. What the work writes carries `fence()`, and before it sends anything it calls `require()`.
 */
export type Leases = {
  /** Waits while another process does the same. Throws Failure `unavailable` when that takes too long. */
  hold<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Leaves it to another process that is at it; gives whether it was done. */
  tryHold(name: string, work: () => Promise<unknown>): Promise<boolean>
  /**
   * Whether it is this process that does work of that name in this period. Others do not do it before the period ends.
   */
  claim(name: string, periodMs: number): Promise<boolean>
  /** Of the work in progress. */
  fence(): Fence | undefined
  /** Throws Failure `conflict` when another process may have taken the work over. */
  require(): void
}

const leaseMs = 30_000
const renewMs = 8_000
/** Longer than any work of one name takes. */
const maxWaitMs = 6 * 60_000
const lookMs = 250

export const isLost = (thrown: unknown): boolean => isConflict(thrown)

const alone: Leases = {
  hold: (_, work) => work(),
  tryHold: async (_, work) => {
    await work()
    return true
  },
  claim: async () => true,
  fence: () => undefined,
  require: () => {},
}

export const createLeases = (cluster: Cluster | undefined, clock: Pick<Clock, 'monotonic' | 'sleep'>): Leases => {
  if (!cluster) return alone
  const present = new AsyncLocalStorage<Lease>()

  const under = async <T>(lease: Lease, work: () => Promise<T>): Promise<T> => {
    const done = new AbortController()
    const renewing = async () => {
      for (;;) {
        await clock.sleep(renewMs, done.signal)
        await lease.renew(leaseMs).catch(() => false)
      }
    }
    // Ends when the work does.
    void renewing().catch(() => undefined)
    try {
      return await present.run(lease, work)
    } finally {
      done.abort()
      await lease.release().catch(() => undefined)
    }
  }

  return {
    async hold(name, work) {
      const until = clock.monotonic() + maxWaitMs
      for (;;) {
        const lease = await cluster.lease(name, leaseMs)
        if (lease) return under(lease, work)
        if (clock.monotonic() > until)
          throw fail(
            'unavailable',
            'Another process of this installation is working on the same; try again in a moment.',
          )
        await clock.sleep(lookMs)
      }
    },
    async tryHold(name, work) {
      const lease = await cluster.lease(name, leaseMs)
      if (lease) await under(lease, work)
      return lease !== undefined
    },
    claim: async (name, periodMs) => (await cluster.lease(name, periodMs)) !== undefined,
    fence: () => {
      const lease = present.getStore()
      return lease && { lease: lease.lease, epoch: lease.epoch }
    },
    require() {
      if (present.getStore()?.isHeld() === false) throw fail('conflict', 'Another process has taken over this work.')
    },
  }
}
