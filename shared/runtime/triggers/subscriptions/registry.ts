import { isFailure } from '#kit'
import type { Log, Store, Subscription } from '../../ports/index.ts'
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
  const change = async (row: Subscription, changes: Partial<Omit<Subscription, 'tenant' | 'id' | 'createdAt'>>): Promise<ActiveSubscription> => {
    const next = { ...row, ...changes, updatedAt: now() }
    const active = toActive(registry, next)
    await store.subscriptions.patch(row.tenant, row.id, { ...changes, updatedAt: next.updatedAt })
    index.put(active)
    return active
  }

  return {
    change,
    setState: (row: Subscription, state: Subscription['state'], stateReason: string | null) =>
      change(row, { state, stateReason, ...(state === row.state ? {} : { stateAt: now() }) }),
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
          await store.subscriptions.patch(row.tenant, row.id, { state: 'paused', stateReason: why, stateAt: now() })
        }
      }
      return unfinished
    },
  }
}
