import { describeDefect, isFailure } from '#kit'
import { createEventCharges } from '../runtime/credits/event-charges.ts'
import { labelled, overQuota } from '../runtime/admin/quotas.ts'
import { mayCall } from '../runtime/bounds.ts'
import type { Apps, AppView } from '../runtime/connections/apps.ts'
import type { Connections } from '../runtime/connections/connections.ts'
import { createWatchLists } from '../runtime/people-lists/watch-lists.ts'
import { createNotificationTargets, createTriggers } from '../runtime/triggers/index.ts'
import type { Causation } from '../runtime/triggers/index.ts'
import type { Caller } from '../runtime/ports/index.ts'
import type { PackOptions } from '../pack-types.ts'
import type { OpenedConnections } from './connections.ts'
import type { Foundation } from './foundation.ts'
import { noting } from './note-people.ts'
import type { OpenedSteps } from './steps.ts'

/** How long the removal of a connection waits for the provider to remove its hooks, in ms. */
const leavingMs = 5_000

/** Says where deliveries of a whole app come to. Only who set the app enters that address at the provider. */
const addressAdder = (
  registry: Foundation['registry'],
  { addressOfApp }: Pick<ReturnType<typeof createTriggers>, 'addressOfApp'>,
) => {
  const isOfApp = new Set(
    registry.all.flatMap(({ integration: { id, webhooks } }) => (webhooks?.registration === 'app' ? [id] : [])),
  )
  return async (caller: Caller, view: AppView): Promise<AppView> => {
    if (view.key === null || !isOfApp.has(view.integration)) return view
    if (view.owner === 'operator' && !mayCall(caller, { access: ['admin'] })) return view
    const deliveriesTo = (await addressOfApp(caller.tenant, view.integration)) ?? null
    return { ...view, deliveriesTo }
  }
}

/** Opens the trigger runtime. `publicUrl`: where providers deliver to this process; undefined while they cannot. */
export const openTriggers = (
  {
    clock,
    log,
    random,
    store,
    vault,
    gate,
    wire,
    unauthenticated,
    registry,
    catalogue,
    limits,
    people,
    names,
    privacy,
    tracing,
  }: Foundation,
  { openConnections, apps, health, states, verbs }: OpenedConnections,
  { intents }: OpenedSteps,
  own: Causation,
  options: PackOptions,
  publicUrl: () => string | undefined,
) => {
  const triggers = createTriggers({
    registry,
    openConnections,
    apps,
    gate,
    charges: createEventCharges({ store, clock, log }),
    wire,
    unauthenticated,
    store,
    vault,
    health,
    own,
    suppressed: privacy.suppressed,
    watchLists: createWatchLists({ store, vault, clock, suppressed: privacy.suppressed }),
    names,
    clock,
    log,
    intents,
    random,
    publicUrl,
    onStart: options.onStart,
    onNotification: options.onNotification,
    async admitSubscription(tenant) {
      const { subscriptions: max } = limits.of(tenant)
      if ((await store.subscriptions.count(tenant)) >= max) throw overQuota(max, 'subscriptions', 'subscriptions')
    },
    agentAnswers: options.agentAnswers,
    scanMs: options.scanMs,
    keepIdsMs: options.retention?.ages?.ids,
    exampleOf: catalogue.exampleOf,
    tracing: tracing?.triggers,
  })
  let isAlone = options.store === undefined
  // Otherwise a process that never starts its triggers would remember each write for subscriptions that do not exist.
  if (!isAlone && !store.cluster)
    store.subscriptions.any().then(
      (any) => (isAlone = !any),
      () => {},
    )
  own.onlyWhile(() => triggers.mayWatch(isAlone))
  states.on((tenant, id, state, reason) => {
    // Otherwise the first connection would open the database of triggers that nobody uses.
    if (!triggers.mayExist(isAlone)) return
    triggers
      .connectionChanged(tenant, id, { state, stateReason: reason })
      .catch((error: unknown) =>
        log('error', 'triggers.connection_not_followed', { connection: id, ...describeDefect(error) }),
      )
  })

  const remove: Connections['remove'] = async (caller, id) => {
    await verbs.get(caller, id)
    const patience = new AbortController()
    await Promise.race([triggers.connectionLeaving(caller.tenant, id), clock.sleep(leavingMs, patience.signal)]).catch(
      (error: unknown) =>
        // The connection is removed all the same.
        log('warn', 'triggers.not_left', {
          connection: id,
          error: isFailure(error) ? error.code : describeDefect(error).message,
        }),
    )
    patience.abort()
    await verbs.remove(caller, id)
    await names.forgetConnection(caller.tenant, id)
    await triggers.connectionChanged(caller.tenant, id)
  }

  const withAddress = addressAdder(registry, triggers)
  const getApp: Apps['get'] = async (caller, integration) => withAddress(caller, await apps.get(caller, integration))

  const putApp: Apps['put'] = async (caller, integration, app) => {
    const view = await apps.put(caller, integration, app)
    const tenant = app.owner === 'operator' ? '' : caller.tenant
    openConnections.appChanged(tenant, integration)
    triggers.appChanged(tenant, integration)
    return withAddress(caller, view)
  }

  return {
    triggers,
    notifications: createNotificationTargets({ store, vault, wire, clock, onNotification: options.onNotification }),
    subscriptions: {
      ...triggers.subscriptions,
      create: labelled(limits, noting(people, triggers.subscriptions.create)),
      patch: labelled(limits, triggers.subscriptions.patch),
    },
    /**
     * Removes a connection. Its hooks are removed first, while the provider still accepts the credential; this is
     * bounded in time, since a removal must not hang on it.
     */
    remove,
    getApp,
    /** Changes an app; its hooks are then verified with the new secrets. */
    putApp,
  }
}
