import type { Event } from '#kit'
import type { Hook, UnclaimedName } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import type { IntakeCounts } from './delivery.ts'
import { maxUnclaimed, sealUnclaimed } from './unclaimed.ts'

type KeepUnclaimedDependencies = Pick<TriggerParts, 'store' | 'vault' | 'log'> & { now(): number; counts: IntakeCounts }

/** Rows added or dropped in one commit. */
const atOnce = 100

export type KeepUnclaimed = ReturnType<typeof createKeepUnclaimed>

/** Stores events of accounts that no connection has yet, and drops them when they are too old or too many. */
export const createKeepUnclaimed = ({ store, vault, log, now, counts }: KeepUnclaimedDependencies) => {
  const noteDropped = (dropped: UnclaimedName[], why: 'expired' | 'displaced') => {
    counts[why] += dropped.length
    for (const { tenant, integration, account, event } of dropped) {
      const app = tenant === '' ? 'operator' : tenant
      log('warn', 'event.unclaimed_dropped', { why, integration, app, account, eventId: event })
    }
  }

  return {
    /**
     * Resolves after the commit. Each event must name its account. `owner`: the tenant whose app it is, '' for the
     * operator's.
     */
    async keep(hook: Hook, owner: string, events: Event[], correlation: string | undefined): Promise<void> {
      const at = now()
      const all = events.map((event) => ({
        tenant: owner,
        integration: hook.integration,
        account: event.account!,
        hook: hook.id,
        event,
        correlation,
      }))
      // More than that would only displace each other.
      const surplus = all.slice(0, -maxUnclaimed).map(({ event, ...row }) => ({ ...row, event: event.id }))
      noteDropped(surplus, 'displaced')
      for (let from = Math.max(0, all.length - maxUnclaimed); from < all.length; from += atOnce) {
        const rows = all.slice(from, from + atOnce).map((each) => sealUnclaimed(vault, each, at))
        const { added, displaced } = await store.unclaimed.add(rows, maxUnclaimed)
        counts.unclaimed += added
        counts.repeated += rows.length - added
        noteDropped(displaced, 'displaced')
      }
    },
    /** Drops events that have waited too long. */
    async expire(): Promise<void> {
      for (;;) {
        const expired = await store.unclaimed.expire(now(), atOnce)
        noteDropped(expired, 'expired')
        if (expired.length < atOnce) return
      }
    },
  }
}
