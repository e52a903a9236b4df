import { describeDefect, fail, isFailure } from '#kit'
import type { Json, Model } from '#kit'
import type { Intents } from '../idempotency.ts'
import type { Caller, Start } from '../ports/index.ts'
import { createAdmit } from './admit.ts'
import { createConnectionCache } from './connection-cache.ts'
import { readHeartbeat } from './sync/heartbeat.ts'
import { createDispatch } from './starts/dispatch.ts'
import { createHookCache } from './sync/hook-cache.ts'
import { createHooks } from './sync/hooks.ts'
import { createInbox } from './inbox.ts'
import { createIntake } from './inbound/intake.ts'
import type { Delivery, Receipt } from './inbound/intake.ts'
import { createScheduler } from './scheduler.ts'
import { createMatchIndex, modelName } from './match-index.ts'
import type { TriggerParts } from './parts.ts'
import { createPending } from './inbound/pending.ts'
import { createProviderSessions } from './provider-session.ts'
import type { ConnectionRef } from './provider-session.ts'
import { createBackfill } from './sync/backfill.ts'
import { createRefusedDeliveries } from './inbound/refused-deliveries.ts'
import { createSubscriptionRegistry } from './subscriptions/registry.ts'
import { createSamples } from './subscriptions/samples.ts'
import { createPolling } from './sync/polling.ts'
import { createSigners } from './inbound/signing-secrets.ts'
import { createSubscriptionHealth } from './subscriptions/health.ts'
import { createMonotonicClock } from './monotonic-clock.ts'
import { findTrigger } from '../catalogue/find-trigger.ts'
import { namingFields } from '../catalogue/name-fields.ts'
import { createSubscriptions } from './subscriptions/subscriptions.ts'
import { createKeyedMutex } from './keyed-mutex.ts'
import { createMaintenance } from './sync/maintenance.ts'

export type { AgentStart } from './starts/agent-call.ts'
export type { Delivery, IntakeCounts, Receipt } from './inbound/intake.ts'
export type { OnStart } from './parts.ts'
export { createCausation } from './inbound/causation.ts'
export type { Causation } from './inbound/causation.ts'
export type { NewSubscription, SubscriptionChanges } from './subscriptions/input.ts'
export type * from './views.ts'

export type TriggersOptions = TriggerParts & {
  intents: Intents
  /** Data of a trigger's first example. */
  exampleOf(integration: string, trigger: string): Promise<Json | undefined>
  /** Base interval of scans in ms; default a minute. */
  scanMs?: number | undefined
}

/** Calls to agents still under way when the process stops are waited for. */
const drainMs = 25_000
const minute = 60_000

export type Triggers = ReturnType<typeof createTriggers>

/** Everything about triggers: what arrives, what it starts, and what keeps either from being missed. Works by `ticks`; `start` only calls them. */
export const createTriggers = (parts: TriggersOptions) => {
  const { registry, accounts, apps, store, wire, vault, clock, random, log, own, publicUrl, onStart } = parts
  const now = createMonotonicClock(clock)
  const turns = createKeyedMutex()
  const index = createMatchIndex()
  const book = createHookCache(store)
  const accountBook = createConnectionCache(store)
  const reach = createProviderSessions(parts)

  const signers = createSigners({ apps, clock, accounts: accountBook })

  const wakePending = () => loop.wake('pending')
  const onStarts = (starts: Start[]) => {
    for (const start of starts) own.noteStart(start)
    loop.wake('dispatch')
  }
  /** Work that nobody waits for; a defect in it is said in the log. */
  const aside = (what: string, work: Promise<unknown>) => {
    const running = work
      .catch((error: unknown) => log('error', what, isFailure(error) ? { error: error.message } : describeDefect(error)))
      .finally(() => asides.delete(running))
    asides.add(running)
  }
  const asides = new Set<Promise<unknown>>()
  const told = async (at: ConnectionRef, model: string, open: boolean) => {
    await standing.told(at, model, open)
    if (open) await upkeep.sweep(at, model)
  }

  const hooks = createHooks({ registry, store, publicUrl, log, now, index, hooks: book, reach, turns })
  const pending = createPending({ registry, store, log, now, index, accounts: accountBook, reach, onStarts, onRoom: wakePending })
  const onAvailability = (at: ConnectionRef, { model, open }: { model: Model; open: boolean }) => aside('standing.failed', told(at, modelName(model), open))
  const admit = createAdmit({ registry, store, own, log, now, index, connections: accountBook, onStarts, onPending: wakePending, onAvailability })
  const recovery = createBackfill({ registry, store, log, now, index, admit, reach, turns })
  const refusals = createRefusedDeliveries({
    now,
    hooks: book,
    log,
    onShown: ({ tenant, connection }) => standing.refresh(tenant, connection),
    lookFor: (hook, span, reason) => upkeep.lookFor(hook, span, reason),
    aside,
  })
  const intake = createIntake({
    registry,
    store,
    log,
    now,
    hooks: book,
    admit,
    refusals,
    secretsOf: signers.secretsOf,
    settle: pending.settle,
  })
  const roster = createSubscriptionRegistry({ registry, store, index, log, now })
  const standing = createSubscriptionHealth({
    index,
    roster,
    hooks: book,
    accounts: accountBook,
    log,
    onBack: (at) => {
      scans.hurry(at.tenant, at.connection)
      aside('account.not_recovered', upkeep.comeBack(at))
    },
  })
  const upkeep = createMaintenance({ registry, store, clock, random, log, now, index, book, hooks, recovery, intake, refusals, standing })
  const scans = createPolling({
    registry,
    store,
    admit,
    random,
    log,
    now,
    index,
    reach,
    recovery,
    everyMs: parts.scanMs ?? minute,
  })
  const subscriptions = createSubscriptions({
    registry,
    accounts,
    apps,
    wire,
    store,
    vault,
    log,
    publicUrl,
    onStart,
    admitSubscription: parts.admitSubscription,
    now,
    intents: parts.intents,
    index,
    roster,
    book,
    hooks,
    recovery,
    pending,
    scans,
    intake,
    upkeep,
    reach,
    onEnded: () => loop.wake('hooks'),
    onResumed: () => loop.wake('dispatch'),
  })
  const dispatch = createDispatch({
    registry,
    store,
    vault,
    wire,
    clock,
    random,
    log,
    onStart,
    agentAnswers: parts.agentAnswers,
    now,
    index,
    reach,
    onGone: subscriptions.stopAsking,
    onRoom: () => loop.wake('dispatch'),
  })
  const create: typeof subscriptions.create = (caller, given) =>
    subscriptions.create(caller, given).catch((thrown: unknown) => {
      throw namingFields(thrown, findTrigger(registry, given.integration, given.trigger).trigger.fields, given.config)
    })
  const inbox = createInbox({ registry, store, now, index, pending, subscriptions, onStarts })
  const samples = createSamples({ store, log, now, pending, recovery, subscriptions, exampleOf: parts.exampleOf, onStarts })

  const dispatchAll = async () => {
    for (;;) {
      const { claimed } = await dispatch.tick()
      if (claimed === 0) return
    }
  }
  const pendingAll = async () => {
    while ((await pending.tick()) > 0) continue
  }
  /** Not waited for by the loop: the next round leaves out whom this one is still busy with. */
  const besides = (what: string, work: () => Promise<unknown>) => async () => aside(what, work())

  const loop = createScheduler(
    [
      { name: 'dispatch', everyMs: 500, run: dispatchAll },
      { name: 'pending', everyMs: 1000, run: pendingAll },
      { name: 'timers', everyMs: 1000, run: scans.fireTimers },
      { name: 'scans', everyMs: 1000, run: besides('scans.failed', scans.tick) },
      { name: 'hooks', everyMs: 15_000, run: () => hooks.endDeleting() },
      { name: 'accounts', everyMs: 10_000, run: standing.sync },
      { name: 'heal', everyMs: 5_000, run: upkeep.heal },
      { name: 'upkeep', everyMs: 10_000, run: besides('upkeep.failed', upkeep.tick) },
      { name: 'alive', everyMs: 30_000, run: upkeep.noteAlive },
    ],
    { clock, log },
  )

  let isLoaded = false
  let loaded: Promise<void> | undefined
  const loadAll = async () => {
    now.resumeFrom((await readHeartbeat(store, clock))?.time)
    await accountBook.load()
    await book.load()
    const unfinished = await roster.load()
    for (const watcher of index.all()) scans.put(watcher)
    for (const row of unfinished) await subscriptions.undo(row)
    isLoaded = true
  }
  /** Reads what is kept, once, when it is first needed. */
  const ready = (): Promise<void> => {
    loaded ??= loadAll().catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
  const after =
    <A extends unknown[], R>(verb: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await ready()
      return verb(...args)
    }

  let returning: Promise<unknown> = Promise.resolve()
  let isStopping = false
  return {
    /** Answers a request on a hook's address. */
    receive(delivery: Delivery): Promise<Receipt> {
      if (isStopping) return Promise.resolve({ status: 503, retryAfterS: 30 })
      return isLoaded ? intake.receive(delivery) : ready().then(() => intake.receive(delivery))
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
      prune: after(subscriptions.prune),
      /** Sets the hooks of an account right now instead of in some minutes. */
      reconcile: after(async (caller: Caller, connection: string): Promise<{ repaired: number }> => {
        const row = await store.connections.get(caller.tenant, connection)
        if (!row || (caller.connections && !caller.connections.includes(connection))) throw fail('not_found', `There is no connection "${connection}".`)
        return { repaired: (await upkeep.reconcile({ tenant: row.tenant, connection, integration: row.integration })).length }
      }),
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
    mayWatch: (isNew: boolean) => (isLoaded || isNew ? index.size() > 0 : true),
    /** Whether there may be subscriptions at all, also paused ones. */
    mayExist: (isNew: boolean) => isLoaded || !isNew,
    /** Counts since the process began, and how deep the queues are. */
    counts: async () => ({ ...intake.counts(), ...(await store.load()), subscriptions: index.size(), running: dispatch.running() }),
    /** To be called after a connection was changed or removed; `told` where its row may not say so yet. */
    connectionChanged: after(standing.refresh),
    /** To be called before a connection is removed, while the provider can still be told. */
    connectionLeaving: after(async (tenant: string, connection: string): Promise<void> => {
      for (const { subscription } of index.ofConnection(tenant, connection)) await hooks.release(tenant, subscription.id)
      await hooks.endDeleting({ tenant, connection })
    }),
    /** To be called after an app's secrets were changed. */
    appChanged(tenant: string, integration: string) {
      signers.forget(tenant, integration)
    },
    /** One round of each kind of background work, for tests and for platforms with a loop of their own. */
    ticks: {
      ready,
      dispatch: after(dispatchAll),
      dispatchOnce: after(dispatch.tick),
      pending: after(async () => {
        // What has ended may leave room for more.
        do {
          await pendingAll()
          await pending.idle()
        } while ((await pending.tick()) > 0)
      }),
      scans: after(scans.tick),
      timers: after(scans.fireTimers),
      hooks: after(() => hooks.endDeleting()),
      accounts: after(standing.sync),
      heal: after(upkeep.heal),
      upkeep: after(upkeep.tick),
      alive: after(upkeep.noteAlive),
      returnFrom: after(upkeep.returnFrom),
      /** Resolves when what was set off on the side has ended. */
      async aside() {
        while (asides.size > 0) await Promise.all(asides)
      },
    },
    /** Begins the background work; what happened while the process was away is looked for first, beside it. */
    async start(): Promise<void> {
      await ready()
      returning = upkeep
        .returnFrom()
        .catch((error: unknown) => log('error', 'return.failed', isFailure(error) ? { error: error.message } : describeDefect(error)))
      loop.start()
    },
    /** Takes nothing more, ends the background work and waits for calls under way, within bounds. */
    async stop(): Promise<void> {
      isStopping = true
      dispatch.stop()
      const patience = new AbortController()
      // A round that goes on may begin further calls, so what is under way is known only after it.
      const done = Promise.all([loop.stop(), intake.settled(), returning]).then(() => Promise.all([dispatch.idle(), pending.idle(), ...asides]))
      await Promise.race([done, clock.sleep(drainMs, patience.signal).catch(() => undefined)])
      patience.abort()
      if (loaded)
        await upkeep.leave().catch((error: unknown) => log('warn', 'alive.not_noted', isFailure(error) ? { error: error.message } : describeDefect(error)))
    },
  }
}
