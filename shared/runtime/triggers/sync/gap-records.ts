import { gapNotices } from '../../notices.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import type { Backfill } from './backfill.ts'
import { newGap, settlingMs, unlistedKinds } from './gaps.ts'
import type { HookCache } from './hook-cache.ts'
import type { Repaired } from './reconcile-hooks.ts'

type GapRecordsDependencies = Pick<TriggerParts, 'registry' | 'store'> & {
  now(): number
  index: MatchIndex
  cache: HookCache
  backfill: Pick<Backfill, 'hasHistory'>
}

export type GapRecords = ReturnType<typeof createGapRecords>

/**
 * Records what may have been missed and no history lists: types that only webhooks deliver, for as long as their
 * deliveries could not reach us.
 */
export const createGapRecords = ({ registry, store, now, index, cache, backfill }: GapRecordsDependencies) => {
  const sourceOf = (integration: string) => registry.integration(integration).integration.webhooks!

  const record = async (
    ref: ConnectionRef,
    model: string,
    span: { from: number; to: number },
    reason: string,
  ): Promise<void> => {
    const watching = index
      .watching(ref.tenant, ref.connection, model)
      .filter(({ subscription }) => subscription.state !== 'paused')
    if (watching.length === 0) return
    const from = Math.max(span.from, Math.min(...watching.map(({ subscription }) => subscription.startMark)))
    if (from >= span.to) return
    const kinds = unlistedKinds(sourceOf(ref.integration), watching, await backfill.hasHistory(ref, model))
    const gaps = kinds.map((kind) => newGap(ref, model, { from, to: span.to }, kind, reason, now()))
    if (gaps.length > 0)
      await store.ingest({ gaps, notices: gapNotices(gaps, await store.connections.get(ref.tenant, ref.connection)) })
  }

  return {
    record,
    /** Records gaps for repaired hooks, from the time when each may have missed deliveries. */
    async recordRepaired(ref: ConnectionRef, repaired: Repaired[]): Promise<void> {
      for (const { hook, why } of repaired) {
        const from = hook.suspectSince
        if (from === null) continue
        // If a clock was set back, `now()` may be too early.
        await record(ref, hook.model, { from, to: Math.max(now(), from + settlingMs(sourceOf(ref.integration))) }, why)
        await cache.change(hook, { suspectSince: null })
      }
    },
  }
}
