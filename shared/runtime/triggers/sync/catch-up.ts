import { isFailure, needsReconnect } from '#kit'
import type { Hook, Log } from '../../ports/index.ts'
import type { ConnectionRef } from '../provider-session.ts'
import type { SubscriptionHealth } from '../subscriptions/health.ts'
import type { Backfill } from './backfill.ts'
import type { DueTimes } from './due-times.ts'
import type { GapRecords } from './gap-records.ts'
import { historyModels } from './hook-addresses.ts'
import { noConnection } from './hook-cache.ts'
import { hookRefOf } from './hook-registration.ts'
import type { Hooks } from './hooks.ts'
import type { RepairedHook } from './repair-hooks.ts'
import type { Rounds } from './rounds.ts'

type CatchUpDependencies = {
  log: Log
  hooks: Pick<Hooks, 'isShared' | 'reconcile' | 'mustPause'>
  backfill: Pick<Backfill, 'recover'>
  gapRecords: GapRecords
  health: Pick<SubscriptionHealth, 'refresh'>
  rounds: Rounds
  due: { reconcile: DueTimes; sweep: DueTimes }
}

/** Repairs hooks and lists histories, at intervals and whenever something may have been missed. */
export const createCatchUp = ({ log, hooks, backfill, gapRecords, health, rounds, due }: CatchUpDependencies) => {
  /** Tenants whose connections a round is processing. */
  const busy = new Set<string>()

  /** Logs that a connection could not be used. When the connection itself is the reason, its subscriptions show it. */
  const noteFailure = async (ref: ConnectionRef, what: string, thrown: unknown): Promise<void> => {
    if (!isFailure(thrown)) throw thrown
    log('warn', what, { connection: ref.connection, reason: thrown.code })
    if (needsReconnect(thrown)) await health.refresh(ref.tenant, ref.connection)
  }

  const sweep = async (ref: ConnectionRef, model: string): Promise<void> => {
    due.sweep.postpone(ref, model)
    try {
      await backfill.recover(ref, model)
    } catch (thrown) {
      await noteFailure(ref, 'history.not_listed', thrown)
    }
  }

  const reconcile = async (ref: ConnectionRef): Promise<RepairedHook[]> => {
    due.reconcile.postpone(ref)
    try {
      const { repaired, broken } = await hooks.reconcile(ref)
      await gapRecords.recordRepaired(ref, repaired)
      if (repaired.length + broken.length > 0) await health.refresh(ref.tenant, ref.connection)
      const models = historyModels(
        hooks.isShared(ref),
        repaired.map(({ hook }) => hook.model),
      )
      for (const model of models) await sweep(ref, model)
      return repaired
    } catch (thrown) {
      await noteFailure(ref, 'hooks.not_reconciled', thrown)
      return []
    }
  }

  return {
    /** Repairs a connection's hooks and admits what was missed meanwhile. */
    reconcile,
    /** Pauses a connection's hooks where a budget has too few credits left for their deliveries. */
    async pauseWhereDue(ref: ConnectionRef): Promise<void> {
      if (await hooks.mustPause(ref)) await reconcile(ref)
    },
    /** Lists and admits what happened to a model since its history was last listed. */
    sweep,
    /** Admits what a hook may have missed, as far as a history lists it, and records gaps for the rest. */
    async lookFor(hook: Hook, span: { from: number; to: number }, reason: string): Promise<void> {
      const refs = rounds
        .refs()
        .filter(({ tenant, integration }) => tenant === hook.tenant && integration === hook.integration)
      const missed =
        hook.connection === noConnection
          ? refs.flatMap((ref) => rounds.modelsOf(ref).map((model) => ({ ref, model })))
          : [{ ref: hookRefOf(hook), model: hook.model }]
      for (const { ref, model } of missed) {
        await gapRecords.record(ref, model, span, reason)
        await sweep(ref, model)
      }
    },
    /** A connection can be used again. */
    async comeBack(ref: ConnectionRef): Promise<void> {
      const repaired = new Set((await reconcile(ref)).map(({ hook }) => hook.model))
      for (const model of rounds.modelsOf(ref)) if (!repaired.has(model)) await sweep(ref, model)
    },
    /** Reconciles and sweeps what is due. May be called again before it has ended. */
    async tick(): Promise<void> {
      await rounds.eachTenant(async (ref) => {
        if (await due.reconcile.claim(ref)) await reconcile(ref)
        for (const model of rounds.modelsOf(ref)) if (await due.sweep.claim(ref, model)) await sweep(ref, model)
      }, busy)
    },
  }
}
