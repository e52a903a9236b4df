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
  /** A random key per tenant, sealed; it stays the same when the master key changes. */
  tenantKeys: {
    get(tenant: string): Promise<SealedSecrets | undefined>
    /** Returns the stored key, which may be another one that a concurrent call has just added. */
    add(tenant: string, secrets: SealedSecrets): Promise<SealedSecrets>
  }
}
