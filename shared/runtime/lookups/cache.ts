import { randomUUID } from 'node:crypto'
import { describeDefect } from '#kit'
import type { Lookup } from '#kit'
import { storedAges } from '../admin/retention.ts'
import type { TenantKey } from '../admin/tenant-keys.ts'
import type { Clock, Log, LookupEntry, Store } from '../ports/index.ts'
import type { Freshness } from '../session/session.ts'
import { keysFor, personsOf } from './identity.ts'
import type { LookupQuery, Keys } from './identity.ts'

export type LookupSettings = {
  /** How long a match and a no match may be reused, in ms. */
  matchMs: number
  noMatchMs: number
  /** Maximum number of entries of one tenant. */
  maxEntries: number
}
export const lookupDefaults: LookupSettings = {
  matchMs: storedAges.lookups,
  noMatchMs: storedAges.noMatches,
  maxEntries: 100_000,
}

/** How long an unsure no match may be reused, in ms. */
const unsureMs = 5 * 60_000
/** Results longer than this, in characters of JSON, are not stored. */
const maxLength = 2 ** 20
/** How many entries are stored before their number is checked again. */
const trimEvery = 500

/** A lookup with the hashes that identify it, and the key of its tenant. */
export type IdentifiedLookup = {
  tenant: string
  integration: string
  key: TenantKey
  query: LookupQuery
  keys: Keys
  /** The provider may still be working on it when a run has ended. */ isPending: boolean
  /** Repeating a lookup that the account was charged for costs nothing. */ isFreeAgain: boolean
  /** How long its result may be reused at most, in ms, where the profile says so. */ freshMs?: number | undefined
}
/** A stored result. `onlyStrongest`: a no match by the first set of identifiers, although there are others. */
export type Hit = {
  result: Lookup
  ageMs: number
  onlyStrongest: boolean
  /** The credits it was charged, where that is known. */ charged?: number | undefined
}
/** The part of an entry that is sealed. */
type Content = Lookup & { charged?: number | undefined }

type CacheDependencies = { store: Pick<Store, 'lookups'>; clock: Clock; log: Log; settings: LookupSettings }

export const createCache = ({ store, clock, log, settings }: CacheDependencies) => {
  const stored = new Map<string, number>()

  const isFresh = ({ at, matched, expiresAt }: LookupEntry, { maxAgeMs = Infinity }: Freshness) =>
    clock.now() < expiresAt && clock.now() - at <= Math.min(maxAgeMs, matched ? settings.matchMs : settings.noMatchMs)

  const ageOf = (result: Lookup) => {
    if (result.matched) return settings.matchMs
    return result.unsure ? Math.min(unsureMs, settings.noMatchMs) : settings.noMatchMs
  }

  const open = (key: TenantKey, entry: LookupEntry, onlyStrongest: boolean): Hit | undefined => {
    const text = key.open(placeOf(entry), entry.content)
    if (text === undefined) return undefined
    const { charged, ...result } = JSON.parse(text) as Content
    return { result: result as Lookup, ageMs: Math.max(0, clock.now() - entry.at), onlyStrongest, charged }
  }

  /** Removes the oldest entries now and then. Not awaited: the limit need not hold exactly. */
  const trim = (tenant: string, count: number) => {
    const now = (stored.get(tenant) ?? 0) + count
    stored.set(tenant, now % trimEvery)
    if (now < trimEvery) return
    store.lookups
      .trim(tenant, settings.maxEntries)
      .catch((error: unknown) => log('warn', 'lookups.not_trimmed', { tenant, ...describeDefect(error) }))
  }

  return {
    /** The newest result of each lookup that is fresh enough; undefined when there is none. */
    async find(
      tenant: string,
      lookups: IdentifiedLookup[],
      freshness: Freshness,
      orStrongest = false,
    ): Promise<(Hit | undefined)[]> {
      if (freshness.refresh || freshness.maxAgeMs === 0 || lookups.length === 0) return lookups.map(() => undefined)
      const entriesByKey = new Map<string, LookupEntry>()
      const namesOf = ({ any, none, strongest }: Keys) => [
        ...any,
        none,
        ...(orStrongest && strongest !== none ? [strongest] : []),
      ]
      const keyNames = [...new Set(lookups.flatMap(({ keys }) => namesOf(keys)))]
      for (const { key, entry } of await store.lookups.find(tenant, keyNames)) entriesByKey.set(key, entry)
      return lookups.map(({ key, keys }) => {
        const entries = namesOf(keys).flatMap((name) => {
          const entry = entriesByKey.get(name)
          return entry ? [{ name, entry }] : []
        })
        // When an entry has two of the names, the first is used.
        const newest = entries.toSorted((candidate, other) => other.entry.at - candidate.entry.at)[0]
        if (!newest || !isFresh(newest.entry, freshness)) return undefined
        return open(key, newest.entry, newest.name !== keys.none && newest.name === keys.strongest)
      })
    },
    /**
     * Resolves when the results are durable. False when they could not be stored: results that were paid for are
     * returned nevertheless.
     */
    async put(
      results: { lookup: IdentifiedLookup; result: Lookup; onlyStrongest?: boolean | undefined; charged?: number }[],
    ): Promise<boolean> {
      const entries = results.flatMap(({ lookup, result, onlyStrongest, charged }) => {
        const { tenant, integration, key, query, keys, freshMs = Infinity } = lookup
        const text = JSON.stringify({ ...result, charged } satisfies Content)
        if (text.length > maxLength) return []
        const at = clock.now()
        const place = { tenant, id: randomUUID(), connection: query.connection }
        const entry: LookupEntry = {
          ...place,
          integration,
          endpoint: query.endpoint,
          matched: result.matched,
          at,
          expiresAt: at + Math.min(ageOf(result), freshMs),
          content: key.seal(placeOf(place), text),
        }
        return [
          {
            entry,
            keys: keysFor(key, query, keys, result, onlyStrongest),
            persons: personsOf(key, query, result.matched ? result.record : {}),
          },
        ]
      })
      const [first] = entries
      if (!first) return true
      try {
        await store.lookups.put(entries)
        trim(first.entry.tenant, entries.length)
        return true
      } catch (error) {
        log('error', 'lookups.not_stored', {
          tenant: first.entry.tenant,
          entries: entries.length,
          ...describeDefect(error),
        })
        return false
      }
    },
  }
}
export type Cache = ReturnType<typeof createCache>

const placeOf = ({ tenant, id, connection }: Pick<LookupEntry, 'tenant' | 'id' | 'connection'>) =>
  JSON.stringify(['lookup', 'v1', tenant, connection, id])

/** The text of an entry, in which to search for people; undefined when it cannot be opened. */
export const openEntry = (
  key: TenantKey,
  entry: Pick<LookupEntry, 'tenant' | 'id' | 'connection' | 'content'>,
): string | undefined => key.open(placeOf(entry), entry.content)
