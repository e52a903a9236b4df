import type { SealedSecrets } from './vault.ts'

/** A cached result of a lookup, reused while it is fresh. */
export type LookupEntry = {
  tenant: string
  id: string
  connection: string
  integration: string
  endpoint: string
  /** False: the provider answered that it has no such record. */
  matched: boolean
  /** When the provider answered, ms since epoch. */
  at: number
  expiresAt: number
  /** The result, sealed. */
  content: Uint8Array
}

/** Which entries to remove: those that meet every condition present. */
export type LookupFilter = { connection?: string; connections?: string[]; integration?: string; persons?: string[] }

/**
 * What lookups at several providers gave so far, as counts. Recent ones weigh more: counts are halved when they grow, so
 * they are no integers.
 */
export type LookupRate = {
  tenant: string
  kind: string
  /** Lookups of a country and seniority, as `segmentsOf` in runtime/lookups/waterfall/segments.ts names them; '' is all. */
  segment: string
  /** Integration and profile. */
  provider: string
  /** Whether it was asked first, or after others that left something missing. */
  turn: 'first' | 'later'
  /** A wanted field; '' is the record itself, which alone has credits and ages. */
  field: string
  asked: number
  filled: number
  credits: number
  /** Total age of the matches that state a date, and how many those are. */
  ageDays: number
  aged: number
  /** When the last lookup was counted, ms since epoch. */
  countedAt: number
}

export type LookupStore = {
  lookups: {
    /** Entries with any of these keys. Keys are keyed hashes, see runtime/lookups/identity.ts. */
    find(tenant: string, keys: string[]): Promise<{ key: string; entry: LookupEntry }[]>
    /** Stores entries with their keys and persons, replacing entries that had one of the keys. All or nothing. */
    put(entries: { entry: LookupEntry; keys: string[]; persons: string[] }[]): Promise<void>
    /** Returns the number of entries removed. */
    remove(tenant: string, filter: LookupFilter): Promise<number>
    /** Removes the oldest entries until `most` are left. Returns the number removed. */
    trim(tenant: string, most: number): Promise<number>
  }
  lookupRates: {
    find(tenant: string, kind: string, segments: string[]): Promise<LookupRate[]>
    /** Adds counts to those that are stored. */
    add(rates: LookupRate[]): Promise<void>
  }
  /** A random key per tenant, sealed; it stays the same when the master key changes. */
  tenantKeys: {
    get(tenant: string): Promise<SealedSecrets | undefined>
    /** Returns the stored key, which may be another one that a concurrent call has just added. */
    add(tenant: string, secrets: SealedSecrets): Promise<SealedSecrets>
  }
}
