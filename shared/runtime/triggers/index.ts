import { fail } from '#kit'
import { namingFields } from '../catalogue/name-fields.ts'
import { findTrigger } from '../catalogue/find-trigger.ts'
import type { Caller } from '../ports/index.ts'
import { assemble } from './assemble.ts'
import type { TriggersOptions, Wake } from './assemble.ts'
import type { Delivery, Receipt } from './inbound/intake.ts'
import { createLifecycle } from './lifecycle.ts'

export type { AgentStart } from './starts/agent-call.ts'
export type { Delivery, IntakeCounts, Receipt } from './inbound/intake.ts'
export type { OnStart } from './parts.ts'
export { createCausation } from './inbound/causation.ts'
export type { Causation } from './inbound/causation.ts'
export type { NewSubscription, SubscriptionChanges } from './subscriptions/input.ts'
export type { TriggersOptions } from './assemble.ts'
export type * from './views.ts'

export type Triggers = ReturnType<typeof createTriggers>

/** The trigger runtime: deliveries, polls and backfill, and the agent starts they lead to. It works by `ticks`; `start` only schedules them. */
export const createTriggers = (parts: TriggersOptions) => {
  const { registry, store, log } = parts
  const wake: Wake = (task) => lifecycle.scheduler.wake(task)
  const assembled = assemble(parts, wake)
  const { index, subscriptions, inbox, samples, hooks, pending, polling, health, maintenance, dispatch, intake, asides } = assembled
  const lifecycle = createLifecycle({ store, clock: parts.clock, log }, assembled)
  const { ready, isLoaded } = lifecycle

  const after =
    <A extends unknown[], R>(verb: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await ready()
      return verb(...args)
    }

  const create: typeof subscriptions.create = (caller, given) =>
    subscriptions.create(caller, given).catch((thrown: unknown) => {
      throw namingFields(thrown, findTrigger(registry, given.integration, given.trigger).trigger.fields, given.config)
    })

  const reconcile = async (caller: Caller, connection: string): Promise<{ repaired: number }> => {
    const row = await store.connections.get(caller.tenant, connection)
    if (!row || (caller.connections && !caller.connections.includes(connection))) throw fail('not_found', `There is no connection "${connection}".`)
    return { repaired: (await maintenance.reconcile({ tenant: row.tenant, connection, integration: row.integration })).length }
  }

  const leave = async (tenant: string, connection: string): Promise<void> => {
    for (const { subscription } of index.ofConnection(tenant, connection)) await hooks.release(tenant, subscription.id)
    await hooks.endDeleting({ tenant, connection })
  }

  /** Until nothing is pending: whatever ends may make room for more. */
  const settlePending = async () => {
    do {
      await lifecycle.pendingAll()
      await pending.idle()
    } while ((await pending.tick()) > 0)
  }

  return {
    /** Answers a request on a hook's address. */
    receive(delivery: Delivery): Promise<Receipt> {
      if (lifecycle.isStopping()) return Promise.resolve({ status: 503, retryAfterS: 30 })
      return isLoaded() ? intake.receive(delivery) : ready().then(() => intake.receive(delivery))
    },
    subscriptions: {
      list: after(subscriptions.list),
      get: after(subscriptions.get),
      create: after(create),
      patch: after(subscriptions.patch),
      pause: after(subscriptions.pause),
      resume: after(subscriptions.resume),
      remove: after(subscriptions.remove),
      recover: after(subscriptions.recover),
      test: after(samples.test),
      sample: after(samples.sample),
    },
    hooks: {
      list: after(inbox.hooks.list),
      prune: after(assembled.prune),
      /** Reconciles the hooks of a connection now instead of at the next round. */
      reconcile: after(reconcile),
    },
    events: {
      aliases: inbox.events.aliases,
      list: after(inbox.events.list),
      get: after(inbox.events.get),
      replay: after(inbox.events.replay),
      undecodable: after(inbox.events.undecodable),
    },
    starts: { list: after(inbox.starts.list), get: after(inbox.starts.get), replay: after(inbox.starts.replay), replayAll: after(inbox.starts.replayAll) },
    gaps: { list: after(inbox.gaps.list) },
    /** Whether any subscription may be waiting for events. `isNew`: the store began empty with this process. */
    mayWatch: (isNew: boolean) => (isLoaded() || isNew ? index.size() > 0 : true),
    /** Whether there may be subscriptions at all, also paused ones. */
    mayExist: (isNew: boolean) => isLoaded() || !isNew,
    /** Counts since the process began, and how long the queues are. */
    counts: async () => ({ ...intake.counts(), ...(await store.load()), subscriptions: index.size(), running: dispatch.running() }),
    /** To be called after a connection was changed or removed; with its new state where its row may not hold it yet. */
    connectionChanged: after(health.refresh),
    /** To be called before a connection is removed, while the provider still accepts it. */
    connectionLeaving: after(leave),
    /** To be called after an app's secrets were changed. */
    appChanged: (tenant: string, integration: string) => assembled.signers.forget(tenant, integration),
    /** One round of each kind of background work, for tests and for platforms with a scheduler of their own. */
    ticks: {
      ready,
      dispatch: after(lifecycle.dispatchAll),
      dispatchOnce: after(dispatch.tick),
      pending: after(settlePending),
      scans: after(polling.tick),
      timers: after(polling.fireTimers),
      hooks: after(() => hooks.endDeleting()),
      accounts: after(health.sync),
      heal: after(maintenance.heal),
      upkeep: after(maintenance.tick),
      alive: after(maintenance.noteAlive),
      returnFrom: after(maintenance.returnFrom),
      /** Resolves when all background work has ended. */
      aside: () => asides.idle(),
    },
    start: lifecycle.start,
    stop: lifecycle.stop,
  }
}
