import { isFailure } from '#kit'
import type { Log, Notice, Store, Subscription } from '../../ports/index.ts'
import { subscriptionUnhealthy } from '../../notices.ts'
import type { Registry } from '../../catalogue/registry.ts'
import { findTrigger } from '../../catalogue/find-trigger.ts'
import { modelName } from '../match-index.ts'
import type { MatchIndex, ActiveSubscription, LiveSubscription, WholeSubscription } from '../match-index.ts'
import type { ConnectionRef } from '../provider-session.ts'

export const connectionRefOf = ({ tenant, connection, integration }: LiveSubscription): ConnectionRef => ({
  tenant,
  connection,
  integration,
})

/** A subscription with everything derived from its row. @throws Failure when its trigger or config is not valid */
export const toActive = (registry: Registry, row: Subscription): WholeSubscription => {
  const { trigger } = findTrigger(registry, row.integration, row.trigger)
  const config = trigger.config.parse(row.config)
  // A trigger with its own poll watches no model when it is polled.
  const watches = trigger.webhook && (row.delivery === 'webhook' || !trigger.poll)
  return {
    subscription: row,
    trigger,
    config,
    models: watches ? [...new Set(row.watched ?? trigger.webhook!.watch(config).map(modelName))] : [],
    types: trigger.webhook?.types(config) ?? [],
  }
}

export type SubscriptionRegistry = ReturnType<typeof createSubscriptionRegistry>

/** The active subscriptions of this process: changes the stored rows and the match index together. */
export const createSubscriptionRegistry = ({
  registry,
  store,
  index,
  log,
  now,
}: {
  registry: Registry
  store: Pick<Store, 'subscriptions'>
  index: MatchIndex
  log: Log
  now(): number
}) => {
  /** How often this process changed the index itself: a row read before a change may be outdated. */
  let changes = 0
  const put = (active: ActiveSubscription) => {
    changes += 1
    index.put(active)
  }
  const drop = (tenant: string, id: string) => {
    changes += 1
    index.drop(tenant, id)
  }
  const read = (row: Subscription): ActiveSubscription | undefined => {
    try {
      return toActive(registry, row)
    } catch {
      // Whoever changed the row, or loads it next, reports what is wrong with it.
      return undefined
    }
  }

  const change = async (
    row: Subscription,
    requestedChanges: Partial<Omit<Subscription, 'tenant' | 'id' | 'createdAt'>>,
    notices: Notice[] = [],
  ): Promise<WholeSubscription> => {
    const next = { ...row, ...requestedChanges, updatedAt: now() }
    const active = toActive(registry, next)
    await store.subscriptions.patch(row.tenant, row.id, { ...requestedChanges, updatedAt: next.updatedAt }, notices)
    put(active)
    return active
  }

  return {
    change,
    /** The whole row as it is now; undefined when it was removed meanwhile. */
    row: ({ tenant, id }: LiveSubscription): Promise<Subscription | undefined> => store.subscriptions.get(tenant, id),
    /**
     * Removes a subscription from the index. Call it before and after its row is changed, since the row may be read
     * again in between.
     */
    drop,
    /** Reads a subscription again after another process changed it. */
    async reload(tenant: string, id: string): Promise<void> {
      for (;;) {
        const before = changes
        const row = await store.subscriptions.get(tenant, id)
        if (before !== changes) continue
        const active = row && row.state !== 'pending' ? read(row) : undefined
        if (active) index.put(active)
        else index.drop(tenant, id)
        return
      }
    },
    /** `isTold` false: no notification, since its owner made the change or is notified about the connection. */
    setState: (row: Subscription, state: Subscription['state'], stateReason: string | null, isTold = false) =>
      change(
        row,
        { state, stateReason, ...(state === row.state ? {} : { stateAt: now() }) },
        isTold ? subscriptionUnhealthy(row, { state, stateReason }, now()) : [],
      ),
    /** Loads all subscriptions. Returns those whose creation was interrupted: no caller knows that they exist. */
    async load(): Promise<Subscription[]> {
      const unfinished: Subscription[] = []
      for (const row of await store.subscriptions.all()) {
        if (row.state === 'pending') {
          unfinished.push(row)
          continue
        }
        try {
          index.put(toActive(registry, row))
        } catch (error) {
          const why = isFailure(error)
            ? error.message
            : 'Its settings do not fit this version of the trigger. Change them, then resume it.'
          log('error', 'subscription.unusable', { subscription: row.id, trigger: row.trigger })
          const paused = { state: 'paused', stateReason: why } as const
          await store.subscriptions.patch(
            row.tenant,
            row.id,
            { ...paused, stateAt: now() },
            row.state === 'paused' ? [] : subscriptionUnhealthy(row, paused, now()),
          )
        }
      }
      return unfinished
    },
  }
}
