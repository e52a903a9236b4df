import { isFailure } from '#kit'
import { isLive } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'
import type { Hooks } from './hooks.ts'
import type { Repaired } from './reconcile-hooks.ts'
import { createDowntime } from './downtime.ts'
import { putHeartbeat, readHeartbeat } from './heartbeat.ts'
import { newGap, settlingMs, unlistedKinds } from './gaps.ts'
import type { Intake } from '../inbound/intake.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { Hook } from '../../ports/index.ts'
import type { ConnectionRef } from '../provider-session.ts'
import type { Backfill } from './backfill.ts'
import type { RefusedDeliveries } from '../inbound/refused-deliveries.ts'
import type { SubscriptionHealth } from '../subscriptions/health.ts'

type Parts = Pick<TriggerParts, 'registry' | 'store' | 'clock' | 'random' | 'log'> & {
  now(): number
  index: MatchIndex
  book: HookCache
  hooks: Hooks
  recovery: Backfill
  intake: Intake
  refusals: RefusedDeliveries
  standing: SubscriptionHealth
}

const minute = 60_000
export const reconcileMs = 5 * minute
export const sweepMs = 15 * minute

const nameOf = ({ tenant, connection }: ConnectionRef, model = '') => `${tenant}\n${connection}\n${model}`

/** What goes on in the background so that nothing is missed: hooks set right, histories listed, and gaps written down. */
export const createMaintenance = ({ registry, store, clock, random, log, now, index, book, hooks, recovery, intake, refusals, standing }: Parts) => {
  const reconcileAt = new Map<string, number>()
  const sweepAt = new Map<string, number>()
  const downtime = createDowntime(store)
  const sourceOf = (integration: string) => registry.integration(integration).integration.webhooks!
  /** Tenants whose accounts a round is looking after. */
  const tended = new Set<string>()
  let returning: Promise<void> | undefined
  let hasReturned = false
  const spread = (ms: number) => Math.round(ms * (0.8 + 0.4 * random()))

  const accountsWithHooks = (): ConnectionRef[] => {
    const found = new Map<string, ConnectionRef>()
    for (const { tenant, connection, integration } of book.all()) found.set(nameOf({ tenant, connection, integration }), { tenant, connection, integration })
    return [...found.values()]
  }
  const modelsOf = ({ tenant, connection }: ConnectionRef) =>
    book
      .ofConnection(tenant, connection)
      .filter(isLive)
      .map(({ model }) => model)

  /**
   * The accounts of a tenant one after the other, tenants beside each other: nobody waits for a provider that does not answer another one.
   * Tenants that are `busy` from an earlier round are left alone.
   */
  const eachTenant = async (work: (at: ConnectionRef) => Promise<void>, busy = new Set<string>()): Promise<void> => {
    const inTurn = async (tenant: string, accounts: ConnectionRef[]) => {
      busy.add(tenant)
      try {
        for (const at of accounts) await work(at)
      } finally {
        busy.delete(tenant)
      }
    }
    const byTenant = Map.groupBy(accountsWithHooks(), ({ tenant }) => tenant)
    await Promise.all([...byTenant].flatMap(([tenant, accounts]) => (busy.has(tenant) ? [] : [inTurn(tenant, accounts)])))
  }

  /** Says that an account could not be worked with. What the account itself is to blame for shows in its subscriptions. */
  const stumble = async (at: ConnectionRef, what: string, thrown: unknown): Promise<void> => {
    if (!isFailure(thrown)) throw thrown
    log('warn', what, { connection: at.connection, reason: thrown.code })
    if (thrown.code === 'not_connected') await standing.refresh(at.tenant, at.connection)
  }

  /** Writes down what no history tells: kinds that only webhooks carry, for as long as they could not reach us. */
  const writeGaps = async (at: ConnectionRef, model: string, span: { from: number; to: number }, reason: string): Promise<number> => {
    const watchers = index.watching(at.tenant, at.connection, model).filter(({ subscription }) => subscription.state !== 'paused')
    if (watchers.length === 0) return 0
    const source = sourceOf(at.integration)
    const from = Math.max(span.from, Math.min(...watchers.map(({ subscription }) => subscription.startMark)))
    if (from >= span.to) return 0
    const kinds = unlistedKinds(source, watchers, await recovery.hasHistory(at, model))
    await store.ingest({ gaps: kinds.map((kind) => newGap(at, model, { from, to: span.to }, kind, reason, now())) })
    return kinds.length
  }

  const sweep = async (at: ConnectionRef, model: string): Promise<void> => {
    sweepAt.set(nameOf(at, model), now() + spread(sweepMs))
    try {
      await recovery.recover(at, model)
    } catch (thrown) {
      await stumble(at, 'history.not_listed', thrown)
    }
  }

  const noteRepaired = async (at: ConnectionRef, repaired: Repaired[]): Promise<void> => {
    for (const { hook, why } of repaired) {
      const from = hook.suspectSince
      if (from === null) continue
      // A clock that was set back may say that it is not yet so late.
      await writeGaps(at, hook.model, { from, to: Math.max(now(), from + settlingMs(sourceOf(at.integration))) }, why)
      await book.change(hook, { suspectSince: null })
    }
  }

  /** Sets an account's hooks right and fills in what was missed meanwhile. */
  const reconcile = async (at: ConnectionRef): Promise<Repaired[]> => {
    reconcileAt.set(nameOf(at), now() + spread(reconcileMs))
    try {
      const { repaired, broken } = await hooks.reconcile(at)
      await noteRepaired(at, repaired)
      if (repaired.length + broken.length > 0) await standing.refresh(at.tenant, at.connection)
      for (const { hook } of repaired) await sweep(at, hook.model)
      return repaired
    } catch (thrown) {
      await stumble(at, 'hooks.not_reconciled', thrown)
      return []
    }
  }

  /** After a time in which no delivery could be taken, from `from` to `until`. */
  const fillAbsence = async (from: number, until: number, reason: string): Promise<void> => {
    const lostOf = new Map<string, { from: number; to: number } | undefined>()
    for (const { integration } of registry.all)
      if (integration.webhooks) lostOf.set(integration.id, await downtime.note(integration.id, integration.webhooks, from, until))
    await eachTenant(async (at) => {
      const lost = lostOf.get(at.integration)
      const repaired = await reconcile(at)
      for (const model of modelsOf(at)) {
        const mended = repaired.find(({ hook }) => hook.model === model)
        if (!mended) await sweep(at, model)
        const isWritten = lost && (mended?.hook.suspectSince ?? Infinity) <= lost.from
        if (lost && !isWritten) await writeGaps(at, model, lost, reason)
      }
    })
  }

  const heal = async (): Promise<void> => {
    const since = intake.unhealthySince()
    if (since === undefined) return
    await store.check()
    const until = now()
    await fillAbsence(since, until, 'Deliveries could not be stored.')
    intake.healed(until)
    log('info', 'intake.healed', { forMs: until - since })
  }

  /** After the process was away: what happened meanwhile is listed, and what cannot be is written down. Once; tried again until it is done. */
  const returnFrom = (): Promise<void> => {
    returning ??= comeUp().catch((thrown: unknown) => {
      returning = undefined
      throw thrown
    })
    return returning
  }

  const comeUp = async (): Promise<void> => {
    const { time, awayMs } = (await readHeartbeat(store, clock)) ?? { time: now(), awayMs: 0 }
    // Each account is looked after in turn here, so the rounds that come by themselves leave them alone meanwhile.
    for (const at of accountsWithHooks()) {
      reconcileAt.set(nameOf(at), now() + spread(reconcileMs))
      for (const model of modelsOf(at)) sweepAt.set(nameOf(at, model), now() + spread(sweepMs))
    }
    await fillAbsence(time, time + awayMs, 'This server was down.')
    // Last: were the process to die before, it would still be known since when it was away.
    await putHeartbeat(store, clock, now())
    hasReturned = true
  }

  /** While deliveries cannot be stored the process counts as away, should it die before that is looked after. */
  const stayAlive = async (): Promise<void> => {
    if (intake.unhealthySince() === undefined) await putHeartbeat(store, clock, now())
    await flushDeliveryTimes()
    await refusals.flush()
  }

  const flushDeliveryTimes = async (): Promise<void> => {
    for (const [id, at] of intake.takeDeliveryTimes()) {
      const hook = book.get(id)
      if (hook) await book.change(hook, { lastDeliveryAt: at })
    }
  }

  return {
    reconcile,
    sweep,
    /** What a hook may have missed in a span is listed, and what no history tells is written down. */
    async lookFor({ tenant, connection, integration, model }: Hook, span: { from: number; to: number }, reason: string): Promise<void> {
      const at = { tenant, connection, integration }
      await writeGaps(at, model, span, reason)
      await sweep(at, model)
    },
    returnFrom,
    /** An account was connected again. */
    async comeBack(at: ConnectionRef): Promise<void> {
      const repaired = new Set((await reconcile(at)).map(({ hook }) => hook.model))
      for (const model of modelsOf(at)) if (!repaired.has(model)) await sweep(at, model)
    },
    /** Remembers that the process is there, and what the hooks did. */
    async noteAlive(): Promise<void> {
      await returnFrom()
      await stayAlive()
    },
    /** The last that is remembered of it. */
    async leave(): Promise<void> {
      if (hasReturned) await stayAlive()
    },
    heal,
    /** Reconciles and sweeps what is due. May be called again before it has ended. */
    async tick(): Promise<void> {
      await eachTenant(async (at) => {
        if ((reconcileAt.get(nameOf(at)) ?? 0) <= now()) await reconcile(at)
        for (const model of modelsOf(at)) if ((sweepAt.get(nameOf(at, model)) ?? 0) <= now()) await sweep(at, model)
      }, tended)
    },
  }
}
export type Maintenance = ReturnType<typeof createMaintenance>
