import type { Store } from '../../ports/index.ts'
import type { MatchIndex } from '../match-index.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { missingTypes, unionOfTypes } from './event-types.ts'
import { isLive } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'
import type { HookRegistration } from './hook-registration.ts'

type NarrowTypesDependencies = {
  store: Pick<Store, 'hooks'>
  cache: HookCache
  registration: Pick<HookRegistration, 'isCharged'>
  index: Pick<MatchIndex, 'watching'>
}

/**
 * Takes types that no subscription needs any more from hooks whose deliveries cost credits. A subscription that is being
 * attached is not in the index yet, so its hooks keep all types.
 */
export const createNarrowTypes =
  ({ store, cache, registration, index }: NarrowTypesDependencies) =>
  async ({ tenant, connection, integration }: ConnectionRef): Promise<void> => {
    if (!registration.isCharged(integration)) return
    for (const hook of cache.ofConnection(tenant, connection).filter(isLive)) {
      const watching = index.watching(tenant, connection, hook.model)
      const needed = unionOfTypes(...watching.map(({ types }) => types))
      if (watching.length === 0 || missingTypes(needed, hook.types).length === 0) continue
      const known = new Set(watching.map(({ subscription }) => subscription.id))
      const uses = await store.hooks.subscriptions(tenant, hook.id)
      if (uses.every((id) => known.has(id))) await cache.change(hook, { types: needed })
    }
  }
export type NarrowTypes = ReturnType<typeof createNarrowTypes>
