import { LRUCache } from 'lru-cache'
import type { Clock, Start, Store } from '../../ports/index.ts'

/**
 * A start this recent about the same subject (without one, of the same connection) is assumed to be the cause of a
 * write that does not name its start.
 */
const chainMs = 10 * 60_000
/** How many events of a subject, and starts of an event, are searched for the last start. */
const maxEvents = 10
/**
 * An LRU cache with `max` allocates room for all entries at once, which takes 2 ms at start-up; with `maxSize` it
 * grows.
 */
const bounded = { maxSize: 20_000, sizeCalculation: () => 1 }

/** Finds which of our starts led to a run, and how many starts came before it. */
export const createStartChains = ({
  store,
  clock,
}: {
  store: Pick<Store, 'runs' | 'starts' | 'events' | 'cluster'>
  clock: Pick<Clock, 'monotonic' | 'now'>
}) => {
  const runs = new LRUCache<string, { tenant: string; startId: string | null }>(bounded)
  const chains = new LRUCache<string, { depth: number; at: number }>(bounded)
  const nameOf = (tenant: string, subject: string) => `${tenant}\n${subject}`

  const startOf = async (tenant: string, runId: string): Promise<string | null> => {
    const knownRun = runs.get(runId)
    if (knownRun) return knownRun.tenant === tenant ? knownRun.startId : null
    return (await store.runs.get(tenant, runId))?.startId ?? null
  }

  /** The last start about a subject, from the store, since any process may have made it. */
  const lastStart = async (tenant: string, connection: string, subject: string | null): Promise<Start | undefined> => {
    if (subject === null) return (await store.starts.list(tenant, { limit: 1 }, { connection })).items[0]
    const { items } = await store.events.list(tenant, { limit: maxEvents }, { connection, subject })
    const ofEvents = await Promise.all(
      items.map(
        async ({ id }) => (await store.starts.list(tenant, { limit: maxEvents }, { connection, event: id })).items,
      ),
    )
    return ofEvents
      .flat()
      .reduce<Start | undefined>(
        (last, start) => (last === undefined || start.createdAt > last.createdAt ? start : last),
        undefined,
      )
  }

  return {
    /** Notes which start a run belongs to; null for none. */
    began: (tenant: string, runId: string, startId: string | null) => void runs.set(runId, { tenant, startId }),

    /** Notes a start that may lead to writes about its subject; without a subject, about anything of the connection. */
    noteStart({ tenant, connection, subject, depth }: Pick<Start, 'tenant' | 'connection' | 'subject' | 'depth'>) {
      chains.set(nameOf(tenant, subject ?? connection), { depth, at: clock.monotonic() })
    },

    /** The depth of the start that the run belongs to, plus one; 0 when none is found. */
    async depthOf(tenant: string, connection: string, runId: string | null, subject: string | null): Promise<number> {
      const startId = runId === null ? null : await startOf(tenant, runId)
      const start = startId === null ? undefined : await store.starts.get(tenant, startId)
      if (start) return start.depth + 1
      const chain = chains.get(nameOf(tenant, subject ?? connection))
      if (chain && clock.monotonic() - chain.at <= chainMs) return chain.depth + 1
      const last = store.cluster && (await lastStart(tenant, connection, subject))
      return last && clock.now() - last.createdAt <= chainMs ? last.depth + 1 : 0
    },
  }
}
