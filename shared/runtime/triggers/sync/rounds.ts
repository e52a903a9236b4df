import type { ConnectionRef } from '../provider-session.ts'
import { isLive } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'

export type Rounds = ReturnType<typeof createRounds>

/** The connections that have hooks, and what each of them watches. */
export const createRounds = (cache: Pick<HookCache, 'all' | 'ofConnection'>) => {
  const refs = (): ConnectionRef[] => {
    const found = new Map<string, ConnectionRef>()
    for (const { tenant, connection, integration } of cache.all()) found.set(`${tenant}\n${connection}`, { tenant, connection, integration })
    return [...found.values()]
  }

  return {
    refs,
    modelsOf: ({ tenant, connection }: ConnectionRef): string[] =>
      cache
        .ofConnection(tenant, connection)
        .filter(isLive)
        .map(({ model }) => model),
    /**
     * The connections of a tenant one after the other, tenants beside each other: nobody waits for a provider that does not answer another one.
     * Tenants that are `busy` from an earlier round are left alone.
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
