import type { Caller, Hook, Subscription } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import { sharedModel } from '../sync/hook-addresses.ts'
import { isLive, noConnection } from '../sync/hook-cache.ts'
import type { HookCache } from '../sync/hook-cache.ts'
import { viewHook } from '../views.ts'
import type { SubscriptionDetail } from '../views.ts'
import type { Subscriptions } from './subscriptions.ts'

type DetailDependencies = Pick<TriggerParts, 'store'> & { hooks: HookCache; subscriptions: Subscriptions }

/** Maximum number of gaps that are counted. */
const maxGaps = 100
/** Maximum number of hooks that are shown. */
const maxHooks = 100

/** One subscription with how its events arrive; too expensive for a list. */
export const createDetail = ({ store, hooks, subscriptions }: DetailDependencies) => {
  const hooksOf = ({ tenant, connection, integration, delivery }: Subscription, models: readonly string[]) => {
    if (delivery !== 'webhook') return []
    const watched = new Set([...models, sharedModel])
    const own = hooks.ofConnection(tenant, connection).filter(({ model }) => watched.has(model))
    const ofApp = hooks.ofConnection(tenant, noConnection).filter((hook) => hook.integration === integration)
    const live = [...own, ...ofApp].filter(isLive)
    // If there are too many to show, those that do not work come first.
    const isWorking = ({ state }: Hook) => state === 'active'
    return (live.length > maxHooks ? live.toSorted((a, b) => Number(isWorking(a)) - Number(isWorking(b))) : live)
      .slice(0, maxHooks)
      .map(viewHook)
  }

  return async (caller: Caller, id: string): Promise<SubscriptionDetail> => {
    const row = await subscriptions.mustGet(caller, id)
    const { tenant, connection } = row
    const { models } = subscriptions.activeOf(row)
    const [events, starts, gaps] = await Promise.all([
      store.events.list(tenant, { limit: 1 }, { connection }),
      store.starts.list(tenant, { limit: 1 }, { subscription: id }),
      store.gaps.list(tenant, { limit: maxGaps }, { connection }),
    ])
    const atOf = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
    return {
      ...(await subscriptions.get(caller, id)),
      hooks: hooksOf(row, models),
      lastEventAt: atOf(events.items[0]?.receivedAt),
      lastStartAt: atOf(starts.items[0]?.createdAt),
      gaps: gaps.items.filter(
        ({ model, toAt }) => (model === sharedModel || models.includes(model)) && toAt >= row.startMark,
      ).length,
    }
  }
}
