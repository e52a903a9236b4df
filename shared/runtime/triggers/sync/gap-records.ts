import { gapNotices } from '../../notices.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import type { Backfill } from './backfill.ts'
import { newGap, settlingMs, unlistedKinds } from './gaps.ts'
import { sharedModel } from './hook-addresses.ts'
import { groupsOf } from './hook-batches.ts'
import type { HookCache } from './hook-cache.ts'
import type { MissedDeliveries } from './missed-deliveries.ts'
import type { RepairedHook } from './repair-hooks.ts'

type GapRecordsDependencies = Pick<TriggerParts, 'registry' | 'store'> & {
  now(): number
  index: MatchIndex
  cache: HookCache
  backfill: Pick<Backfill, 'hasHistory'>
  missedDeliveries: MissedDeliveries
}

/** How many hooks of a connection have gaps of their own, when they miss deliveries for one reason. */
const maxApart = 25

export type GapRecords = ReturnType<typeof createGapRecords>

/**
 * Records what may have been missed and no history lists: types that only webhooks deliver, for as long as their
 * deliveries could not reach us.
 */
export const createGapRecords = ({
  registry,
  store,
  now,
  index,
  cache,
  backfill,
  missedDeliveries,
}: GapRecordsDependencies) => {
  const sourceOf = (integration: string) => registry.integration(integration).integration.webhooks!

  const record = async (
    ref: ConnectionRef,
    model: string,
    span: { from: number; to: number },
    reason: string,
  ): Promise<void> => {
    const all =
      model === sharedModel
        ? index.ofConnection(ref.tenant, ref.connection)
        : index.watching(ref.tenant, ref.connection, model)
    const watching = all.filter(({ subscription }) => subscription.state !== 'paused')
    if (watching.length === 0) return
    const from = Math.max(span.from, Math.min(...watching.map(({ subscription }) => subscription.startMark)))
    if (from >= span.to) return
    const kinds = unlistedKinds(sourceOf(ref.integration), watching, await backfill.hasHistory(ref, model))
    const { whyWebhookOnly = {} } = sourceOf(ref.integration)
    const gaps = kinds.map((kind) => {
      const why = whyWebhookOnly[kind]
      return newGap(ref, model, { from, to: span.to }, kind, why === undefined ? reason : `${reason} ${why}`, now())
    })
    if (gaps.length > 0)
      await store.ingest({ gaps, notices: gapNotices(gaps, await store.connections.get(ref.tenant, ref.connection)) })
  }

  /** Records what the provider's log says was missed, or the whole span where there is no log. */
  const recordSpan = async (
    ref: ConnectionRef,
    model: string,
    span: { from: number; to: number },
    reason: string,
    recorded: ReadonlySet<string> = new Set(),
  ): Promise<void> => {
    const missed = model === sharedModel ? await missedDeliveries(ref, span.from) : undefined
    if (!missed) return record(ref, model, span, reason)
    for (const { model: lost, from, to, count, reason: why } of missed) {
      if (recorded.has(lost)) continue
      const text = `${reason} The provider gave up ${count} ${count === 1 ? 'delivery' : 'deliveries'}: ${why}.`
      await record(ref, lost, { from, to: Math.max(to, from + 1) }, text)
    }
  }

  return {
    record: recordSpan,
    /** Records gaps for repaired hooks, from the time when each may have missed deliveries. */
    async recordRepaired(ref: ConnectionRef, repaired: RepairedHook[]): Promise<void> {
      const missing = repaired.flatMap(({ hook, why }) =>
        hook.suspectSince === null ? [] : [{ hook, why, from: hook.suspectSince }],
      )
      // If a clock was set back, `now()` may be too early.
      const recordSince = (model: string, from: number, why: string) =>
        record(ref, model, { from, to: Math.max(now(), from + settlingMs(sourceOf(ref.integration))) }, why)
      for (const [why, hooks] of Map.groupBy(missing, (each) => each.why)) {
        // Very many are one gap of their account.
        if (hooks.length > maxApart && cache.live(ref.tenant, ref.connection, sharedModel))
          await recordSince(sharedModel, Math.min(...hooks.map(({ from }) => from)), why)
        else for (const { hook, from } of hooks) await recordSince(hook.model, from, why)
        for (const group of groupsOf(hooks, maxApart))
          await Promise.all(group.map(({ hook }) => cache.change(hook, { suspectSince: null })))
      }
    },
  }
}
