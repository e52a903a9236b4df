import type { ActiveSubscription, MatchIndex } from '../match-index.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { historyModels, sharedModel } from './hook-addresses.ts'
import { isLive, noConnection } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'

export type Rounds = ReturnType<typeof createRounds>

/** The connections with hooks, and the models that each of them watches. */
export const createRounds = (
  cache: Pick<HookCache, 'all' | 'ofConnection'>,
  index: MatchIndex,
  isOfApp: (integration: string) => boolean,
) => {
  /** Subscriptions served by the hook of an app. It belongs to no connection, so they say what is watched. */
  const served = (actives: Iterable<ActiveSubscription>) =>
    [...actives].filter(({ subscription }) => subscription.delivery === 'webhook' && isOfApp(subscription.integration))

  const refs = (): ConnectionRef[] => {
    const refsByName = new Map<string, ConnectionRef>()
    const note = ({ tenant, connection, integration }: ConnectionRef) =>
      void refsByName.set(`${tenant}\n${connection}`, { tenant, connection, integration })
    for (const hook of cache.all()) if (hook.connection !== noConnection) note(hook)
    for (const { subscription } of served(index.all())) note(subscription)
    return [...refsByName.values()]
  }

  return {
    refs,
    modelsOf: ({ tenant, connection }: ConnectionRef): string[] => {
      const hooks = cache.ofConnection(tenant, connection).filter(isLive)
      const models = [
        ...hooks.map(({ model }) => model),
        ...served(index.ofConnection(tenant, connection)).flatMap((active) => active.models),
      ]
      return [...new Set(historyModels(models.includes(sharedModel), models))]
    },
    /**
     * Processes the connections of a tenant one after another, and the tenants concurrently: a provider that does not
     * answer one tenant must not delay the others. Tenants still `busy` from an earlier round are skipped.
     */
    async eachTenant(work: (ref: ConnectionRef) => Promise<void>, busy = new Set<string>()): Promise<void> {
      const inTurn = async (tenant: string, mine: ConnectionRef[]) => {
        busy.add(tenant)
        try {
          for (const ref of mine) await work(ref)
        } finally {
          busy.delete(tenant)
        }
      }
      const byTenant = Map.groupBy(refs(), ({ tenant }) => tenant)
      await Promise.all([...byTenant].flatMap(([tenant, mine]) => (busy.has(tenant) ? [] : [inTurn(tenant, mine)])))
    },
  }
}
