import type { Model } from '#kit'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Intents } from '../idempotency.ts'
import { createLeases } from '../leases.ts'
import type { Leases } from '../leases.ts'
import type { Start } from '../ports/index.ts'
import { createAdmit } from './admit.ts'
import { createConnectionCache } from './connection-cache.ts'
import { createIntake } from './inbound/intake.ts'
import { createFetchFact } from './inbound/fetch-fact.ts'
import { createPending } from './inbound/pending.ts'
import { createPreview } from './inbound/preview.ts'
import { createRefusedDeliveries } from './inbound/refused-deliveries.ts'
import { createSigners } from './inbound/signing-secrets.ts'
import { fencedStore } from './fenced-store.ts'
import { createFollowUps } from './follow-ups.ts'
import { createExplainEvent } from './event-subscriptions.ts'
import { createFollow } from './follow.ts'
import { createInbox } from './inbox.ts'
import { createKeyedMutex } from './keyed-mutex.ts'
import { createMatchIndex, modelName } from './match-index.ts'
import { createMonotonicClock, createSharedClock } from './monotonic-clock.ts'
import type { TriggerParts } from './parts.ts'
import { createProviderSessions } from './provider-session.ts'
import type { ConnectionRef } from './provider-session.ts'
import { createAttempt } from './starts/attempt.ts'
import { createAgentCaller } from './starts/call-agent.ts'
import { createPlatformCaller } from './starts/call-platform.ts'
import { createDispatch } from './starts/dispatch.ts'
import { createAgentHealth } from './subscriptions/agent-health.ts'
import { createAgentTests } from './subscriptions/agent-tests.ts'
import { createAgents } from './subscriptions/agents.ts'
import { createAttachment } from './subscriptions/attach.ts'
import { createChanges } from './subscriptions/changes.ts'
import type { Changes } from './subscriptions/changes.ts'
import { createDetail } from './subscriptions/detail.ts'
import { createSubscriptionHealth } from './subscriptions/health.ts'
import { createListWatches } from './subscriptions/list-watches.ts'
import { createPreparation } from './subscriptions/prepare.ts'
import { createPrune } from './subscriptions/prune.ts'
import { createSubscriptionRegistry } from './subscriptions/registry.ts'
import { createDescribeEvent, createDescribeStarts } from '../sentences/describe.ts'
import { createWording } from '../sentences/worded.ts'
import type { Wording } from '../sentences/worded.ts'
import { createSamples } from './subscriptions/samples.ts'
import { createSubscriptions } from './subscriptions/subscriptions.ts'
import { createBackfill } from './sync/backfill.ts'
import { createHookCache } from './sync/hook-cache.ts'
import { createHookRegistration } from './sync/hook-registration.ts'
import { createHookSecrets } from './sync/hook-secrets.ts'
import { createHooks } from './sync/hooks.ts'
import { createMaintenance } from './sync/maintenance.ts'
import { createPolling } from './sync/polling.ts'
import { createPresence } from './sync/presence.ts'
import { createSharedAddresses } from './sync/shared-addresses.ts'
import type { TriggerTracing } from './tracing.ts'

export type TriggersOptions = TriggerParts & {
  intents: Intents
  /** A trigger's first example; undefined when it has none. */
  exampleOf: Catalogue['exampleOf']
  /** Base interval between polls, in ms; the default is one minute. */
  scanMs?: number | undefined
  tracing?: TriggerTracing | undefined
}

const minute = 60_000

/** State of this process that all parts of the trigger runtime share. */
const openState = (parts: TriggerParts, leases: Leases) => {
  const now = parts.store.cluster ? createSharedClock(parts.clock) : createMonotonicClock(parts.clock)
  return {
    leases,
    now,
    mutex: createKeyedMutex(leases),
    index: createMatchIndex(),
    hookCache: createHookCache(parts.store),
    hookSecrets: createHookSecrets(parts.vault, now),
    connections: createConnectionCache(parts.store),
    sessions: createProviderSessions({ ...parts, leases }),
    followUps: createFollowUps(parts.log),
  }
}
type State = ReturnType<typeof openState>

/** How events come in, and how hooks and histories are synchronised with the provider. */
const openInbound = (parts: TriggersOptions, state: State) => {
  const { registry, store, clock, log, own, names, publicUrl, tracing } = parts
  const { leases, now, mutex, index, hookCache, hookSecrets, connections, sessions, followUps } = state
  const registered = createSubscriptionRegistry({ registry, store, index, log, now })
  const onStarts = (starts: Start[]) => {
    for (const start of starts) own.noteStart(start)
    followUps.add({ kind: 'task-due', task: 'dispatch' })
  }
  const onPending = () => followUps.add({ kind: 'task-due', task: 'pending' })
  const onAvailability = (ref: ConnectionRef, { model, open }: { model: Model; open: boolean }) =>
    followUps.add({ kind: 'availability-changed', ref, model: modelName(model), isOpen: open })

  const plainAdmit = createAdmit({
    registry,
    store: tracing ? { ...store, ingest: tracing.commit(store.ingest) } : store,
    own,
    names,
    log,
    now,
    keepIdsMs: parts.keepIdsMs,
    index,
    connections,
    onStarts,
    onPending,
    onAvailability,
  })
  const admit = tracing ? tracing.admit(plainAdmit) : plainAdmit
  const registration = createHookRegistration({
    registry,
    publicUrl,
    now,
    index,
    connections,
    cache: hookCache,
    secrets: hookSecrets,
    sessions,
  })
  const hookParts = { ...parts, now, index, cache: hookCache, registration, secrets: hookSecrets, sessions, mutex }
  const hooks = createHooks({ ...hookParts, addresses: createSharedAddresses(hookParts) })
  const fetchFact = createFetchFact({ registry, store, connections, sessions })
  const pending = createPending({
    registry,
    store,
    log,
    now,
    keepIdsMs: parts.keepIdsMs,
    index,
    fetchFact,
    onStarts,
    onRoom: onPending,
  })
  const backfill = createBackfill({ registry, store, log, now, index, admit, sessions, mutex })
  const polling = createPolling(
    parts,
    { now, index, sessions, leases },
    { admit, backfill, everyMs: parts.scanMs ?? minute },
  )
  const health = createSubscriptionHealth({
    index,
    subscriptions: registered,
    hooks: hookCache,
    connections,
    mutex,
    log,
    onBack: (ref) => followUps.add({ kind: 'reconnected', ref }),
  })
  const maintenance = createMaintenance(
    parts,
    { now, index, cache: hookCache, leases },
    { hooks, backfill, health, sessions },
  )
  const refusals = createRefusedDeliveries({
    now,
    hooks: hookCache,
    log,
    onShown: ({ tenant, connection }) => health.refresh(tenant, connection),
    lookFor: maintenance.lookFor,
    renewSecret: hooks.renewSecret,
    inBackground: followUps.run,
  })
  const signers = createSigners({ apps: parts.apps, clock, connections, hookSecrets })
  const intake = createIntake({
    ...parts,
    now,
    hooks: hookCache,
    connections,
    sessions,
    admit,
    onCharged: (ref) => followUps.add({ kind: 'charged', ref }),
    onSuppressed: (ref) => followUps.add({ kind: 'suppressed', ref }),
    refusals,
    signers,
    settle: pending.settle,
    traceVerify: tracing?.verify,
  })
  const presence = createPresence({
    store,
    clock,
    log,
    now,
    cache: hookCache,
    leases,
    inbound: { intake, refusals },
    maintenance,
  })
  return {
    registered,
    onStarts,
    hooks,
    fetchFact,
    pending,
    backfill,
    signers,
    intake,
    polling,
    health,
    maintenance,
    presence,
  }
}

/** How starts are sent to agents and platforms. */
const openStarts = (
  parts: TriggersOptions & { wording: Wording },
  { now, index, sessions, followUps }: State,
  changes: Changes,
) => {
  const { store, clock, random, log, tracing, wire } = parts
  const agentWire = tracing ? { ...wire, deliver: tracing.deliver(wire.deliver) } : wire
  const attempt = createAttempt({
    store,
    clock,
    random,
    log,
    now,
    callAgent: createAgentCaller({ ...parts, wire: agentWire, sessions }),
    callPlatform: createPlatformCaller(parts),
    wording: parts.wording,
    // The agent is not called again until somebody resumes the subscription.
    onGone: async (row) => void (await changes.pause(row, 'The agent answered 410 Gone.', true)),
    onAnswered: createAgentHealth({ store, now, index, changes }),
  })
  return createDispatch({
    store,
    random,
    log,
    now,
    index,
    attempt: tracing ? tracing.attempt(attempt) : attempt,
    followUps,
  })
}

/**
 * Assembles the trigger runtime, each part before the parts that use it. Nothing runs until its tasks are run
 * (`lifecycle.ts`).
 */
export const assemble = (options: TriggersOptions) => {
  const leases = createLeases(options.store.cluster, options.clock)
  const parts = { ...options, store: fencedStore(options.store, leases) }
  const { registry, openConnections, store, vault, log } = parts
  const state = openState(parts, leases)
  const { now, index, sessions, followUps } = state
  const inbound = openInbound(parts, state)
  const { hooks, backfill, polling, maintenance, fetchFact, pending, intake, onStarts } = inbound
  const onHooksEnded = () => followUps.add({ kind: 'task-due', task: 'hooks' })
  const attachment = createAttachment({
    registry,
    store,
    now,
    subscriptions: inbound.registered,
    inbound: { intake, pending },
    sync: { hooks, backfill, polling },
    onHooksEnded,
    onHooksLeft: (ref) => followUps.add({ kind: 'hooks-left', ref }),
  })
  const preparation = createPreparation({ ...parts, now, sessions })
  const changes = createChanges({
    registry,
    openConnections,
    store,
    vault,
    now,
    index,
    subscriptions: inbound.registered,
    health: inbound.health,
    sync: { hooks, maintenance, polling },
    attachment,
    preparation,
    onHooksEnded,
    onResumed: () => followUps.add({ kind: 'task-due', task: 'dispatch' }),
  })
  const listWatches = createListWatches({
    ...parts,
    ...state,
    subscriptions: inbound.registered,
    hooks,
    attachment,
    changes,
    onHooksEnded,
  })
  const wording = createWording({ registry, findNames: parts.names.find, log })
  const subscriptions = createSubscriptions({
    registry,
    openConnections,
    store,
    log,
    admitSubscription: parts.admitSubscription,
    intents: parts.intents,
    index,
    sync: { hooks, backfill, polling },
    attachment,
    changes,
    preparation,
    wording,
  })
  const dispatch = openStarts({ ...parts, wording }, state, changes)
  const explainEvent = createExplainEvent({ ...parts, index, connections: state.connections, fetchFact })
  const inbox = createInbox({ registry, explainEvent, store, now, index, pending, subscriptions, wording, onStarts })
  const samples = createSamples({
    registry,
    store,
    log,
    now,
    fetchFact,
    backfill,
    subscriptions,
    exampleOf: parts.exampleOf,
    describe: createDescribeEvent({ registry, log }),
    describeStarts: createDescribeStarts({ registry, log }),
    wording,
    onStarts,
  })
  const testAgent = createAgentTests({ ...parts, subscriptions })
  const listAgents = createAgents({ store, now, subscriptions })
  const prune = createPrune({ registry, store, log, index, hooks, changes })
  const detail = createDetail({ store, hooks: state.hookCache, subscriptions })
  const follow = createFollow({
    index,
    subscriptions: inbound.registered,
    polling,
    hooks: state.hookCache,
    connections: state.connections,
  })
  const preview = createPreview({
    registry,
    openConnections,
    store,
    own: parts.own,
    index,
    connections: state.connections,
    fetchFact,
    describe: createDescribeEvent({ registry, log }),
    wording,
  })
  return {
    ...state,
    ...inbound,
    attachment,
    listWatches,
    subscriptions,
    dispatch,
    inbox,
    samples,
    testAgent,
    listAgents,
    prune,
    detail,
    preview,
    follow,
  }
}
export type Assembled = ReturnType<typeof assemble>
