import { namedBy } from '#kit'
import type { Store } from '../../ports/index.ts'
import { readModel } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { isLive } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'

type SuppressedWatchesDependencies = Pick<TriggerParts, 'log' | 'suppressed'> & {
  store: Pick<Store, 'hooks'>
  now(): number
  cache: HookCache
}

/** Keeps people on the suppression list from being watched at the provider. */
export const createSuppressedWatches = ({ store, log, now, cache, suppressed }: SuppressedWatchesDependencies) => {
  const areHidden = (tenant: string, models: readonly string[]) =>
    suppressed(
      tenant,
      models.map((model) => namedBy(readModel(model))),
    )

  return {
    /** The models that may be watched. */
    async withoutSuppressed(tenant: string, models: readonly string[]): Promise<string[]> {
      const hidden = await areHidden(tenant, models)
      return models.filter((_, n) => !hidden[n])
    },
    async releaseSuppressed({ tenant, connection }: ConnectionRef): Promise<number> {
      const live = cache.ofConnection(tenant, connection).filter(isLive)
      const hidden = await areHidden(
        tenant,
        live.map(({ model }) => model),
      )
      const ending = live.filter((_, n) => hidden[n])
      for (const { id, model } of ending)
        for (const subscription of await store.hooks.subscriptions(tenant, id))
          for (const ended of await store.hooks.detach(tenant, subscription, now(), model)) cache.keep(ended)
      if (ending.length > 0) log('info', 'hooks.suppressed', { connection, hooks: ending.length })
      return ending.length
    },
  }
}
