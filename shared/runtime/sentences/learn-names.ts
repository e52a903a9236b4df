import { describeDefect, isFailure, nextTurn } from '#kit'
import type { Event, NamedRef } from '#kit'
import type { ConnectionName } from '../../api/resources/connection-name.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { Clock, Log, Store, StoredName, Vault } from '../ports/index.ts'
import type { Privacy } from '../privacy/guard.ts'
import { guarded } from './describe.ts'
import { nameKey } from './name-caches.ts'
import type { NameCaches } from './name-caches.ts'
import { cleanName, sealName } from './sealed-names.ts'

/** A connection and its integration. */
export type NamingConnection = { tenant: string; integration: string; connection: string }

/** Something that was seen and may name things: an event, or the names themselves. */
type Seen = NamingConnection & { event?: Event; names?: NamedRef[] }

/** A name in a batch, and when it was used. */
type Sighting = { seen: Seen; named: ConnectionName; seenAt: number }

/** Rows within this time share a commit. */
const flushIntervalMs = 1_000
/** Events that arrive while this many wait are not read for names; the next event names the same things. */
const maxWaiting = 2_000
/** How many names one event, run or list of choices may teach. */
const maxNamesAtOnce = 500
/** About how many names of runs are read between two writes: with many runs, reading all would cost as much as the runs. */
const maxNamesOfRuns = 1_000
const perTurn = 200

export type LearnNamesDependencies = {
  registry: Pick<Registry, 'integration'>
  store: Pick<Store, 'names' | 'connections'>
  vault: Pick<Vault, 'seal' | 'open' | 'keyId'>
  privacy: Pick<Privacy, 'suppressed'>
  clock: Clock
  log: Log
}

/** Stores the names that were seen, in batches and in the background. */
export const createLearnNames = (
  { registry, store, vault, privacy, clock, log }: LearnNamesDependencies,
  caches: NameCaches,
) => {
  let waiting: Seen[] = []
  let namesOfRuns = 0
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const namesIn = ({ integration, event, names }: Seen): ConnectionName[] => {
    const read = () => event && registry.integration(integration).integration.words?.namesIn?.(event)
    const named = names ?? guarded(log, { integration, eventId: event?.id ?? '' }, read) ?? []
    return named.slice(0, maxNamesAtOnce).flatMap((each) => cleanName(each) ?? [])
  }

  /** The names in a batch that were not stored lately, each once. */
  const newNames = async (batch: readonly Seen[]) => {
    const unstored = new Map<string, Sighting>()
    for (const [index, seen] of batch.entries()) {
      if (index % perTurn === perTurn - 1) await nextTurn()
      const now = clock.now()
      const seenAt = seen.event ? Math.min(now, Date.parse(seen.event.at) || now) : now
      for (const named of namesIn(seen)) {
        const key = nameKey(seen.tenant, seen.connection, named.kind, named.id)
        const stored = caches.stored().get(key)
        const last = unstored.get(key) ?? stored
        if (last && last.seenAt > seenAt) continue
        if (stored?.name === named.name) unstored.delete(key)
        else unstored.set(key, { seen, named, seenAt })
      }
    }
    return unstored
  }

  /** Those of one tenant that are not about a suppressed person. */
  const permitted = async (tenant: string, entries: [string, Sighting][]) => {
    const isHidden = await privacy.suppressed(
      tenant,
      entries.map(([, { seen, named }]) => [named, seen.event?.raw ?? null]),
    )
    return entries.filter((_, index) => !isHidden[index])
  }

  const write = async (batch: readonly Seen[]) => {
    const byTenant = Map.groupBy(await newNames(batch), ([, { seen }]) => seen.tenant)
    for (const [tenant, entries] of byTenant) {
      const rows: StoredName[] = []
      const sightings = await permitted(tenant, entries)
      for (const [, { seen, named, seenAt }] of sightings) {
        rows.push(sealName(vault, { ...seen, seenAt }, named))
        if (rows.length % perTurn === 0) await nextTurn()
      }
      if (rows.length === 0) continue
      await store.names.put(rows)
      for (const [key, { named, seenAt }] of sightings) {
        caches.stored().set(key, { name: named.name, seenAt })
        caches.read().set(key, { name: named })
      }
      // A connection that was removed meanwhile has taken its names with it, save these.
      for (const connection of new Set(rows.map((row) => row.connection)))
        if (!(await store.connections.get(tenant, connection))) await store.names.removeOf(tenant, connection)
    }
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting
    waiting = []
    namesOfRuns = 0
    if (batch.length > 0)
      writing = writing
        .then(() => write(batch))
        .catch((error: unknown) =>
          log('warn', 'names.not_stored', isFailure(error) ? { reason: error.message } : describeDefect(error)),
        )
    return writing
  }

  /** Notes names of choices. */
  const note = (of: NamingConnection, names: NamedRef[]): void => {
    if (names.length === 0) return
    if (waiting.length < maxWaiting) waiting.push({ ...of, names })
    timer ??= setTimeout(flush, flushIntervalMs).unref()
  }

  return {
    /** Notes the things that an event names. */
    noteEvent({ tenant, integration, connection }: NamingConnection, event: Event): void {
      if (waiting.length < maxWaiting) waiting.push({ tenant, integration, connection, event })
      timer ??= setTimeout(flush, flushIntervalMs).unref()
    },
    note,
    /** Notes the names of a run, unless `maxNamesOfRuns` is reached; a later run names the same things. */
    noteRun(of: NamingConnection, read: () => NamedRef[]): void {
      if (namesOfRuns >= maxNamesOfRuns) return
      const names = read()
      namesOfRuns += names.length
      note(of, names)
    },
    /** Drops what waits of a tenant or of one connection. */
    drop(tenant: string, connection?: string): void {
      waiting = waiting.filter(
        (seen) => seen.tenant !== tenant || (connection !== undefined && seen.connection !== connection),
      )
    },
    /** Stores what was noted so far. */
    flush,
  }
}
