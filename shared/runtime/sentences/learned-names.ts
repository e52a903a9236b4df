import { nextTurn, oneLine } from '#kit'
import type { Event, NamedRef } from '#kit'
import type { ConnectionName } from '../../api/resources/connection-name.ts'
import type { StoredName } from '../ports/index.ts'
import { createLearnNames } from './learn-names.ts'
import type { LearnNamesDependencies, NamingConnection } from './learn-names.ts'
import { createNameCaches, nameKey } from './name-caches.ts'
import { openName } from './sealed-names.ts'
import type { ConnectionThing, FindNames } from './worded.ts'

export type LearnedNames = {
  /** Notes the things that an event names. They are read, sealed and stored in the background. */
  noteEvent(of: NamingConnection, event: Event): void
  /** Notes names of choices. */
  note(of: NamingConnection, names: NamedRef[]): void
  /** Notes the names of a run. `read` is not called when runs have named very many things within a second. */
  noteRun(of: NamingConnection, read: () => NamedRef[]): void
  find: FindNames
  /** Newest first; `query`: a part of the name. */
  search(
    of: { tenant: string; connection: string },
    query: { kind?: string | undefined; query?: string | undefined; limit: number },
  ): Promise<ConnectionName[]>
  /** Drops what this process holds in memory of a tenant. */
  forget(tenant: string): void
  /** Removes the names of a connection that was removed. */
  forgetConnection(tenant: string, connection: string): Promise<void>
  /** Stores what was noted so far. */
  flush(): Promise<void>
}

/** How long a thing counts as not named, while another process may learn its name. */
const unknownMs = 5_000
/** How many names are opened in one turn of the event loop. */
const rowsAtOnce = 500

const comparable = (text: string) => text.normalize('NFC').toLowerCase()

/** Learns what things of a connection are called, and finds their names again. */
export const createLearnedNames = (dependencies: LearnNamesDependencies): LearnedNames => {
  const { store, vault, clock } = dependencies
  const caches = createNameCaches(clock)
  const learn = createLearnNames(dependencies, caches)

  /** Reads names into the cache. */
  const load = async (tenant: string, things: readonly ConnectionThing[]) => {
    for (const group of Map.groupBy(things, ({ connection, kind }) => `${connection}\n${kind}`).values()) {
      const { connection, kind } = group[0]!
      const ids = [...new Set(group.map(({ id }) => id))]
      const rows = await store.names.find(tenant, connection, kind, ids)
      const openedNames = new Map(rows.map((row) => [row.id, openName(vault, row)]))
      for (const id of ids) {
        const name = openedNames.get(id)
        const key = nameKey(tenant, connection, kind, id)
        if (name) caches.read().set(key, { name })
        else caches.read().set(key, {}, { ttl: unknownMs })
      }
    }
  }

  return {
    noteEvent: learn.noteEvent,
    note: learn.note,
    noteRun: learn.noteRun,
    flush: learn.flush,
    async find(tenant, things) {
      const keyOf = ({ connection, kind, id }: ConnectionThing) => nameKey(tenant, connection, kind, id)
      // What was just seen may name them.
      if (things.some((thing) => caches.read().get(keyOf(thing))?.name === undefined)) await learn.flush()
      const missing = things.filter((thing) => !caches.read().has(keyOf(thing)))
      if (missing.length > 0) await load(tenant, missing)
      const names = new Map(things.map((thing) => [keyOf(thing), caches.read().get(keyOf(thing))?.name?.name]))
      return (thing) => names.get(keyOf(thing))
    },
    async search({ tenant, connection }, { kind, query = '', limit }) {
      await learn.flush()
      const part = comparable(oneLine(query).trim())
      const matching: ConnectionName[] = []
      for (let after: StoredName | undefined; ;) {
        const rows = await store.names.list(tenant, connection, rowsAtOnce, { kind, after })
        for (const row of rows) {
          const named = openName(vault, row)
          if (named && comparable(named.name).includes(part)) matching.push(named)
          if (matching.length === limit) return matching
        }
        if (rows.length < rowsAtOnce) return matching
        after = rows.at(-1)
        await nextTurn()
      }
    },
    forget(tenant) {
      learn.drop(tenant)
      caches.forget(nameKey(tenant))
    },
    async forgetConnection(tenant, connection) {
      learn.drop(tenant, connection)
      caches.forget(nameKey(tenant, connection))
      await store.names.removeOf(tenant, connection)
    },
  }
}
