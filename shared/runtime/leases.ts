import { AsyncLocalStorage } from 'node:async_hooks'
import { fail, isConflict } from '#kit'
import type { Clock, Cluster, Fence, Lease } from './ports/index.ts'

/**
 * Work that only one process may do at a time, identified by name. Where the store belongs to one process, the work
 * simply runs. Everything that the work writes carries `fence()`, and it calls `require()` before sending anything.
 */
export type Leases = {
  /**
   * Waits while another process holds the name.
   * @throws Failure `unavailable` when that takes too long
   */
  hold<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Skips the work if another process holds the name; returns whether it was done. */
  tryHold(name: string, work: () => Promise<unknown>): Promise<boolean>
  /**
   * Whether this process does the work of that name in this period. No other process gets it before the period ends.
   */
  claim(name: string, periodMs: number): Promise<boolean>
  /** Fence of the lease that the current work runs under. */
  fence(): Fence | undefined
  /** @throws Failure `conflict` when another process may have taken over the work */
  require(): void
}

const leaseMs = 30_000
const renewMs = 8_000
/** Longer than any work under one name takes. */
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
    // The loop ends with the work: aborting rejects its sleep.
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
