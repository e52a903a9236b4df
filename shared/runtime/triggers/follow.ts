import type { Change } from '../ports/index.ts'
import type { ConnectionCache } from './connection-cache.ts'
import type { MatchIndex } from './match-index.ts'
import type { SubscriptionRegistry } from './subscriptions/registry.ts'
import type { HookCache } from './sync/hook-cache.ts'
import type { Polling } from './sync/polling.ts'

type FollowDependencies = {
  index: MatchIndex
  subscriptions: SubscriptionRegistry
  polling: Pick<Polling, 'put' | 'drop'>
  hooks: Pick<HookCache, 'reread' | 'load'>
  connections: Pick<ConnectionCache, 'refresh' | 'load'>
}

/** How many changed rows are read concurrently. */
const atOnce = 50

/** Updates the cached subscriptions, hooks and connections of this process after other processes changed them. */
export const createFollow = ({ index, subscriptions, polling, hooks, connections }: FollowDependencies) => {
  const subscription = async (tenant: string, id: string): Promise<void> => {
    await subscriptions.reload(tenant, id)
    const active = index.get(tenant, id)
    if (active) polling.put(active, true)
    else polling.drop(tenant, id)
  }

  const applyChange = async ({ kind, tenant, id }: Change): Promise<void> => {
    if (kind === 'subscription') await subscription(tenant, id)
    else if (kind === 'hook') await hooks.reread(tenant, id)
    else if (kind === 'connection') await connections.refresh(tenant, id)
  }

  const everything = async (): Promise<void> => {
    await connections.load()
    await hooks.load()
    const knownSubscriptions = [...index.all()].map(({ subscription: { tenant, id } }) => ({ tenant, id }))
    await subscriptions.load()
    // Removed subscriptions are in no list, so each is read by its id.
    for (const { tenant, id } of knownSubscriptions) await subscription(tenant, id)
    for (const active of index.all()) polling.put(active, true)
  }

  return async (changes: readonly Change[]): Promise<void> => {
    if (changes.some(({ kind }) => kind === 'everything')) return everything()
    const rows = [
      ...new Map(changes.map((change) => [`${change.kind}\n${change.tenant}\n${change.id}`, change])).values(),
    ]
    for (let from = 0; from < rows.length; from += atOnce)
      await Promise.all(rows.slice(from, from + atOnce).map(applyChange))
  }
}
