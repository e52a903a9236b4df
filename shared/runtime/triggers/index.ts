import { fail } from '#kit'
import { namingFields } from '../catalogue/name-fields.ts'
import { findTrigger } from '../catalogue/find-trigger.ts'
import type { Caller, Change } from '../ports/index.ts'
import { assemble } from './assemble.ts'
import type { TriggersOptions } from './assemble.ts'
import type { Delivery, Receipt } from './inbound/intake.ts'
import { createLifecycle } from './lifecycle.ts'

import { shownState } from './views.ts'
export { viewHook } from './views.ts'
export type { AgentStart } from './starts/agent-call.ts'
export type { Delivery, IntakeCounts, Receipt } from './inbound/intake.ts'
export type { OnStart } from './parts.ts'
export type { OnNotification, PlatformNotification } from './starts/notification.ts'
export { createNotificationTargets } from './starts/notification-targets.ts'
export type {
  NewNotificationTarget,
  NotificationTargets,
  NotificationTargetView,
} from './starts/notification-targets.ts'
export type { Rotation } from './starts/rotate-secret.ts'
export { createCausation } from './inbound/causation.ts'
export type { Causation } from './inbound/causation.ts'
export type { NewSubscription, SubscriptionChanges } from './subscriptions/input.ts'
export type { AgentFilter } from './subscriptions/agents.ts'
export type { AgentTested, NewAgentTest } from './subscriptions/agent-tests.ts'
export type { TriggersOptions } from './assemble.ts'
export type { AskedDelivery, DeliveryPreview } from './inbound/preview.ts'
export type * from './views.ts'
import { mayUse } from '../people/act-for.ts'

export type Triggers = ReturnType<typeof createTriggers>

/** Opens the trigger runtime when it is first needed: a process that only runs steps never does. */
const openTriggers = (parts: TriggersOptions) => {
  const assembled = assemble(parts)
  const lifecycle = createLifecycle({ store: parts.store, clock: parts.clock, log: parts.log }, assembled)
  const { index, hooks, pending, maintenance, intake, listWatches } = assembled

  const reconcile = async (caller: Caller, connection: string): Promise<{ repaired: number }> => {
    const row = await parts.store.connections.get(caller.tenant, connection)
    if (!row || !mayUse(caller, row)) throw fail('not_found', `There is no connection "${connection}".`)
    const ref = { tenant: row.tenant, connection, integration: row.integration }
    await listWatches.refresh(ref)
    return { repaired: (await maintenance.reconcile(ref)).length }
  }

  const leave = async (tenant: string, connection: string): Promise<void> => {
    for (const { subscription } of index.ofConnection(tenant, connection)) await hooks.release(tenant, subscription.id)
    await hooks.endDeleting({ tenant, connection })
  }

  /** Runs until nothing is pending and nothing can be claimed: work that ends may make room for more. */
  const settlePending = async () => {
    await intake.claim()
    do {
      await lifecycle.pendingAll()
      await pending.idle()
    } while ((await pending.tick()) > 0)
  }
  return { ...assembled, lifecycle, reconcile, leave, settlePending }
}
type OpenedTriggers = ReturnType<typeof openTriggers>

const countStates = (states: Iterable<string>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const state of states) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

const countsOf = async ({ store, clock }: TriggersOptions, { intake, index, dispatch, hookCache }: OpenedTriggers) => {
  const { cluster } = store
  const nodes = (await cluster?.members())?.filter(({ isAlive }) => isAlive).length ?? 1
  const { oldestStartDueAt, ...load } = await store.load()
  return {
    ...intake.counts(),
    ...load,
    oldestStartLateMs: oldestStartDueAt === null ? 0 : Math.max(0, clock.now() - oldestStartDueAt),
    subscriptions: index.size(),
    running: dispatch.running(),
    nodes,
    clockAheadMs: cluster?.clockAheadMs() ?? 0,
    store: store.vitals(),
    /** How many rows are in which state. */
    tally: {
      ...(await store.tally(clock.now())),
      hooks: countStates(hookCache.all().map(shownState)),
      subscriptions: countStates([...index.all()].map(({ subscription }) => subscription.state)),
    },
  }
}

/** Makes verbs that wait until the rows of triggers are loaded. */
const onceReady =
  (opened: () => OpenedTriggers) =>
  <A extends unknown[], R>(verbOf: (triggers: OpenedTriggers) => (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    await opened().lifecycle.ready()
    return verbOf(opened())(...args)
  }

/** One round of each kind of background work, for tests and for platforms with a scheduler of their own. */
const ticksOf = (opened: () => OpenedTriggers, after: ReturnType<typeof onceReady>) => ({
  ready: () => opened().lifecycle.ready(),
  dispatch: after(({ lifecycle }) => lifecycle.dispatchAll),
  dispatchOnce: after(({ dispatch }) => dispatch.tick),
  pending: after((triggers) => triggers.settlePending),
  scans: after(({ polling }) => polling.tick),
  timers: after(({ polling }) => polling.fireTimers),
  hooks: after(
    ({ hooks }) =>
      () =>
        hooks.endDeleting(),
  ),
  accounts: after(({ health }) => health.sync),
  heal: after(({ presence }) => presence.heal),
  upkeep: after(({ maintenance }) => maintenance.tick),
  alive: after(({ presence }) => presence.noteAlive),
  returnFrom: after(({ presence }) => presence.returnFrom),
  /** Resolves when the follow-ups in the background have ended. */
  aside: () => opened().followUps.idle(),
})

/**
 * The trigger runtime: deliveries, polls, the backfill, and the agent starts they lead to. Its background work runs
 * through `ticks`; `start` schedules them.
 */
export const createTriggers = (parts: TriggersOptions) => {
  let current: OpenedTriggers | undefined
  const opened = () => (current ??= openTriggers(parts))
  let isStopping = false
  const after = onceReady(opened)

  const create: OpenedTriggers['subscriptions']['create'] = (caller, newSubscription) =>
    opened()
      .subscriptions.create(caller, newSubscription)
      .catch((thrown: unknown) => {
        throw namingFields(thrown, {
          fields: findTrigger(parts.registry, newSubscription.integration, newSubscription.trigger).trigger.fields,
          input: newSubscription.config,
        })
      })

  return {
    /** Answers a request to a hook's address. */
    receive(delivery: Delivery): Promise<Receipt> {
      if (isStopping) return Promise.resolve({ status: 503, retryAfterS: 30 })
      const { lifecycle, intake } = opened()
      return lifecycle.isLoaded() ? intake.receive(delivery) : lifecycle.ready().then(() => intake.receive(delivery))
    },
    subscriptions: {
      list: after((triggers) => triggers.subscriptions.list),
      get: after(({ detail }) => detail),
      create: after(() => create),
      patch: after((triggers) => triggers.subscriptions.patch),
      pause: after((triggers) => triggers.subscriptions.pause),
      resume: after((triggers) => triggers.subscriptions.resume),
      rotateSecret: after((triggers) => triggers.subscriptions.rotateSecret),
      remove: after((triggers) => triggers.subscriptions.remove),
      recover: after((triggers) => triggers.subscriptions.recover),
      test: after(({ samples }) => samples.test),
      sample: after(({ samples }) => samples.sample),
    },
    agents: { list: after(({ listAgents }) => listAgents), test: after(({ testAgent }) => testAgent) },
    hooks: {
      list: after(({ inbox }) => inbox.hooks.list),
      prune: after((triggers) => triggers.prune),
      /** Reconciles the hooks of a connection now instead of in the next round. */
      reconcile: after((triggers) => triggers.reconcile),
    },
    events: {
      list: after(({ inbox }) => inbox.events.list),
      withStarts: after(({ inbox }) => inbox.events.withStarts),
      get: after(({ inbox }) => inbox.events.get),
      replay: after(({ inbox }) => inbox.events.replay),
      undecodable: after(({ inbox }) => inbox.events.undecodable),
    },
    starts: {
      list: after(({ inbox }) => inbox.starts.list),
      get: after(({ inbox }) => inbox.starts.get),
      replay: after(({ inbox }) => inbox.starts.replay),
      replayAll: after(({ inbox }) => inbox.starts.replayAll),
    },
    gaps: { list: after(({ inbox }) => inbox.gaps.list) },
    deliveries: { preview: after(({ preview }) => preview) },
    /**
     * Whether any subscription may be waiting for events. `isNew`: the store had no subscriptions when this process
     * began.
     */
    mayWatch: (isNew: boolean) =>
      current && (isNew || current.lifecycle.isLoaded()) ? current.index.size() > 0 : !isNew,
    /** Whether there may be any subscriptions, including paused ones. */
    mayExist: (isNew: boolean) => !isNew || current?.lifecycle.isLoaded() === true,
    /** Counts since the process began, and the current lengths of the queues. */
    counts: () => countsOf(parts, opened()),
    /** Call it after a connection was changed or removed; pass its new state when the row may not have it yet. */
    connectionChanged: after(({ health }) => health.refresh),
    /** Call it before a connection is removed, while the provider still accepts its credentials. */
    connectionLeaving: after((triggers) => triggers.leave),
    /** The address that deliveries of a tenant's whole app come to; see `Apps`. */
    addressOfApp: after((triggers) => triggers.hooks.addressOfApp),
    /** Call it after an app's secrets were changed. */
    appChanged: (tenant: string, integration: string) => current?.signers.forget(tenant, integration),
    /**
     * Call it with the changes that other processes made. Rows not loaded yet need nothing: they are read later anyway.
     */
    async follow(changes: readonly Change[]): Promise<void> {
      if (!current?.lifecycle.hasBegun()) return
      await current.lifecycle.ready()
      await current.follow(changes)
    },
    ticks: ticksOf(opened, after),
    start: () => opened().lifecycle.start(),
    /** Leaves starts and jobs to the other processes on the store; deliveries are still accepted. */
    leave: async () => current?.lifecycle.leave(),
    /** Accepts nothing more, ends the background work and waits a bounded time for calls in progress. */
    async stop(): Promise<void> {
      isStopping = true
      await current?.lifecycle.stop()
    },
  }
}
