import type { SealedSecrets } from './vault.ts'

/** A result of a lookup that is used again while it is fresh. */
export type LookupEntry = {
  tenant: string
  id: string
  connection: string
  integration: string
  endpoint: string
  /** False: the provider said that it has no such record. */
  matched: boolean
  /** When the provider answered, ms since epoch. */
  at: number
  expiresAt: number
  /** The result, sealed. */
  content: Uint8Array
}

/** What entries are removed: those that meet all that is given. */
export type LookupFilter = { connection?: string; connections?: string[]; integration?: string; persons?: string[] }

export type LookupStore = {
  lookups: {
    /** Entries by the keys that name them. Keys are keyed hashes, see runtime/lookups/identity.ts. */
    find(tenant: string, keys: string[]): Promise<{ key: string; entry: LookupEntry }[]>
    /**
     * Entries with the keys and persons that name them, in place of those that had one of the keys. All of them or
     * none.
     */
    put(entries: { entry: LookupEntry; keys: string[]; persons: string[] }[]): Promise<void>
    /** Gives how many there were. */
    remove(tenant: string, filter: LookupFilter): Promise<number>
    /** Removes the oldest ones, so that `most` are left. */
    trim(tenant: string, most: number): Promise<number>
  }
  /** A random key of each tenant, sealed; it stays the same when the master key changes. */
  tenantKeys: {
    get(tenant: string): Promise<SealedSecrets | undefined>
    /** Gives the one that is there, which may have been quicker. */
    add(tenant: string, secrets: SealedSecrets): Promise<SealedSecrets>
  }
}
