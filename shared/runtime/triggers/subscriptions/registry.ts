import { isFailure } from '#kit'
import type { Log, Notice, Store, Subscription } from '../../ports/index.ts'
import { subscriptionUnhealthy } from '../../notices.ts'
import type { Registry } from '../../catalogue/registry.ts'
import { findTrigger } from '../../catalogue/find-trigger.ts'
import { modelName } from '../match-index.ts'
import type { MatchIndex, ActiveSubscription } from '../match-index.ts'
import type { ConnectionRef } from '../provider-session.ts'

export const connectionRefOf = ({ tenant, connection, integration }: Subscription): ConnectionRef => ({ tenant, connection, integration })

/** A subscription with everything derived from its row. Throws a Failure when its trigger or config is not valid. */
export const toActive = (registry: Registry, row: Subscription): ActiveSubscription => {
  const { trigger } = findTrigger(registry, row.integration, row.trigger)
  const config = trigger.config.parse(row.config)
  // A trigger with its own poll watches no model when it is polled.
  const watches = trigger.webhook && (row.delivery === 'webhook' || !trigger.poll)
  return {
    subscription: row,
    trigger,
    config,
    models: watches ? [...new Set(trigger.webhook!.watch(config).map(modelName))] : [],
    types: trigger.webhook?.types(config) ?? [],
  }
}

export type SubscriptionRegistry = ReturnType<typeof createSubscriptionRegistry>

/** The live subscriptions of the process: the store's rows and the match index are changed together. */
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
  const change = async (
    row: Subscription,
    changes: Partial<Omit<Subscription, 'tenant' | 'id' | 'createdAt'>>,
    notices: Notice[] = [],
  ): Promise<ActiveSubscription> => {
    const next = { ...row, ...changes, updatedAt: now() }
    const active = toActive(registry, next)
    await store.subscriptions.patch(row.tenant, row.id, { ...changes, updatedAt: next.updatedAt }, notices)
    index.put(active)
    return active
  }

  return {
    change,
    /** `isTold` false: its owner did it, or is notified of the connection. */
    setState: (row: Subscription, state: Subscription['state'], stateReason: string | null, isTold = false) =>
      change(
        row,
        { state, stateReason, ...(state === row.state ? {} : { stateAt: now() }) },
        isTold ? subscriptionUnhealthy(row, { state, stateReason }, now()) : [],
      ),
    /** Gives subscriptions whose creation was interrupted: no caller knows that they exist. */
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
          const why = isFailure(error) ? error.message : 'Its settings do not fit this version of the trigger. Change them, then resume it.'
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
