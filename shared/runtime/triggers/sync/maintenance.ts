import type { Leases } from '../../leases.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { SubscriptionHealth } from '../subscriptions/health.ts'
import type { Backfill } from './backfill.ts'
import { createCatchUp } from './catch-up.ts'
import { createDowntime } from './downtime.ts'
import { createDueTimes } from './due-times.ts'
import { createGapRecords } from './gap-records.ts'
import type { HookCache } from './hook-cache.ts'
import type { Hooks } from './hooks.ts'
import type { ProviderSessions } from '../provider-session.ts'
import { createMissedDeliveries } from './missed-deliveries.ts'
import { createRounds } from './rounds.ts'

type State = { now(): number; index: MatchIndex; cache: HookCache; leases: Leases }
type Sync = { hooks: Hooks; backfill: Backfill; health: SubscriptionHealth; sessions: ProviderSessions }

const minute = 60_000
export const reconcileMs = 5 * minute
export const sweepMs = 15 * minute

/** The background work that prevents events from being missed: repairs hooks, lists histories, and records gaps. */
export const createMaintenance = (
  { registry, store, random, log }: Pick<TriggerParts, 'registry' | 'store' | 'random' | 'log'>,
  { now, index, cache, leases }: State,
  { hooks, backfill, health, sessions }: Sync,
) => {
  const rounds = createRounds(
    cache,
    index,
    (integration) => registry.integration(integration).integration.webhooks?.registration === 'app',
  )
  const times = { now, random, leases }
  const due = {
    reconcile: createDueTimes(times, 'reconcile', reconcileMs),
    sweep: createDueTimes(times, 'sweep', sweepMs),
  }
  const missedDeliveries = createMissedDeliveries({ registry, log, store, cache, sessions })
  const gapRecords = createGapRecords({ registry, store, now, index, cache, backfill, missedDeliveries })
  const catchUp = createCatchUp({ log, hooks, backfill, gapRecords, health, rounds, due })
  const downtime = createDowntime(store)

  /** The span in which each integration's deliveries may be lost; undefined when none can be. */
  const lostIn = async (from: number, until: number) => {
    const lost = new Map<string, { from: number; to: number } | undefined>()
    for (const { integration } of registry.all)
      if (integration.webhooks)
        lost.set(integration.id, await downtime.note(integration.id, integration.webhooks, from, until))
    return lost
  }

  /** Repairs hooks, admits what was missed while no delivery could be received, and records gaps for the rest. */
  const fillDowntime = async (from: number, until: number, reason: string): Promise<void> => {
    const lost = await lostIn(from, until)
    await rounds.eachTenant(async (ref) => {
      const span = lost.get(ref.integration)
      const repaired = await catchUp.reconcile(ref)
      const recorded = new Set(repaired.map(({ hook }) => hook.model))
      for (const model of rounds.modelsOf(ref)) {
        const mine = repaired.find(({ hook }) => hook.model === model)
        if (!mine) await catchUp.sweep(ref, model)
        const isRecorded = span && (mine?.hook.suspectSince ?? Infinity) <= span.from
        if (span && !isRecorded) await gapRecords.record(ref, model, span, reason, recorded)
      }
    })
  }

  /** Postpones the regular rounds of all connections, which `fillDowntime` processes now. */
  const postponeAll = () => {
    for (const ref of rounds.refs()) {
      due.reconcile.postpone(ref)
      for (const model of rounds.modelsOf(ref)) due.sweep.postpone(ref, model)
    }
  }

  return { ...catchUp, fillDowntime, postponeAll }
}
export type Maintenance = ReturnType<typeof createMaintenance>
