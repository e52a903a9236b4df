import type { Arrival, Start } from '../../../shared/runtime/ports/index.ts'
import { overlay } from '../world.ts'
import type { Bug } from './world.ts'

const minute = 60_000

/** Six mistakes that such systems make. Each must be found; none of them has a switch in shipped code. */
export const bugs: Bug[] = [
  {
    name: 'acknowledged before it is committed',
    store: (store, { onTick, onDeath }) => {
      let waiting: Arrival[] = []
      onTick(async () => {
        for (const arrival of waiting.splice(0)) await store.ingest(arrival)
      })
      onDeath(() => void (waiting = []))
      return overlay(store, {
        ingest: async (arrival) => {
          if (!arrival.events?.some(({ via }) => via === 'webhook')) return store.ingest(arrival)
          waiting.push(arrival)
          return { events: arrival.events.map(({ id }) => id), starts: (arrival.starts ?? []).map(({ id }) => id) }
        },
      })
    },
  },
  {
    name: 'known again by the event alone',
    store: (store) =>
      overlay(store, {
        ingest: (arrival) => {
          const seen = new Set<string>()
          const first = (start: Start) => !seen.has(start.event) && !!seen.add(start.event)
          return store.ingest({ ...arrival, starts: (arrival.starts ?? []).filter(first) })
        },
      }),
  },
  {
    name: 'a delivery moves the cursor of the history',
    store: (store) =>
      overlay(store, {
        ingest: (arrival) => {
          const deliveredEvent = arrival.events?.find(({ via, container }) => via === 'webhook' && container !== null)
          if (!deliveredEvent) return store.ingest(arrival)
          const cursor = {
            tenant: deliveredEvent.tenant,
            connection: deliveredEvent.connection,
            model: `board:${deliveredEvent.container!}`,
            position: deliveredEvent.id,
            historyPosition: null,
            at: deliveredEvent.at,
            listedAt: deliveredEvent.receivedAt,
          }
          return store.ingest({ ...arrival, cursor })
        },
      }),
  },
  {
    name: 'a lease that is not renewed',
    store: (store) => overlay(store, { starts: overlay(store.starts, { renew: async () => true }) }),
  },
  {
    name: 'known for five minutes only',
    store: (store, { now }) => {
      const seen = new Map<string, number>()
      const forget = (start: Start): Start => {
        const at = seen.get(start.id)
        if (at === undefined) seen.set(start.id, now())
        return at !== undefined && now() - at > 5 * minute ? { ...start, id: `${start.id}-${now()}` } : start
      }
      return overlay(store, {
        ingest: (arrival) => store.ingest({ ...arrival, starts: (arrival.starts ?? []).map(forget) }),
      })
    },
  },
  { name: 'only the first page of a history is read', page: 3 },
]
