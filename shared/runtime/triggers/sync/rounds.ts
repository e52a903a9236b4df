import type { ActiveSubscription, MatchIndex } from '../match-index.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { isLive, noConnection } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'

export type Rounds = ReturnType<typeof createRounds>

/** The connections that have hooks, and what each of them watches. */
export const createRounds = (
  cache: Pick<HookCache, 'all' | 'ofConnection'>,
  index: MatchIndex,
  isOfApp: (integration: string) => boolean,
) => {
  /** Their hook belongs to no connection, so subscriptions say what is watched. */
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
      return [
        ...new Set([
          ...hooks.map(({ model }) => model),
          ...served(index.ofConnection(tenant, connection)).flatMap(({ models }) => models),
        ]),
      ]
    },
    /**
     * The connections of a tenant one after the other, tenants beside each other: nobody waits for a provider that does
     * not answer another one. Tenants that are `busy` from an earlier round are left alone.
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
