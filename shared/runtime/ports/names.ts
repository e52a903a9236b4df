import type { SealedSecrets } from './vault.ts'

/** What a thing at the provider is called. The name and its link are sealed: they may be those of a person. */
export type StoredName = {
  tenant: string
  connection: string
  kind: string
  id: string
  secrets: SealedSecrets
  /** Id of the master key. */
  sealedUnder: string
  /** When it was last seen. */
  seenAt: number
}

export type NameStore = {
  names: {
    /** Inserts or replaces names, and removes the oldest of a connection that would have more than 10,000. */
    put(names: StoredName[]): Promise<void>
    find(tenant: string, connection: string, kind: string, ids: readonly string[]): Promise<StoredName[]>
    /** Newest first, starting after `after`; `kind`: only things of that kind. */
    list(
      tenant: string,
      connection: string,
      limit: number,
      where?: { kind?: string | undefined; after?: Pick<StoredName, 'seenAt' | 'kind' | 'id'> | undefined },
    ): Promise<StoredName[]>
    /** Removes all names of a connection. */
    removeOf(tenant: string, connection: string): Promise<void>
  }
}
