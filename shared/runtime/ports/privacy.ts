import type { Listed, Page } from './paging.ts'
import type { SealedSecrets } from './vault.ts'

/**
 * Somebody who must not be looked up or shown. `hash` is a keyed hash of an identifier; the identifier itself is not
 * stored.
 */
export type Suppression = {
  tenant: string
  hash: string
  kind: 'email' | 'linkedin' | 'phone' | 'recordId'
  source: 'manual' | 'file' | 'webhook'
  createdAt: number
}

/** Kinds of rows that may hold personal data. */
export type PersonalKind =
  | 'lookup'
  | 'outcome'
  | 'approval'
  | 'run'
  | 'run_contents'
  | 'sample'
  | 'people_list'
  | 'people_list_row'
  | 'event'
  | 'unclaimed'
  | 'undecodable'
  | 'start'
  | 'timer'
  | 'poll'
  | 'file'
  | 'name'

/** An idempotency key in plain text, as an earlier version stored it. */
export type PlainKey = { kind: 'file' | 'job'; tenant: string; key: string }

/**
 * A row that may hold personal data. `key`: its primary key without the tenant. `secrets` and `content` are sealed;
 * `texts` are plain.
 */
export type PersonalRow = {
  kind: PersonalKind
  tenant: string
  key: string[]
  at: number | null
  texts: string[]
  content: Uint8Array | null
  secrets: SealedSecrets | null
}

export type PrivacyStore = {
  suppressions: {
    /** Returns how many were new. Refused when the disk is nearly full. */
    add(rows: Suppression[]): Promise<number>
    remove(tenant: string, hashes: string[]): Promise<number>
    /** The hashes that are on the tenant's list. */
    find(tenant: string, hashes: string[]): Promise<string[]>
    /** Whether the tenant's list has any entry. */
    any(tenant: string): Promise<boolean>
    /** Newest first. */
    list(tenant: string, page: Page): Promise<Listed<Suppression>>
  }
  personal: {
    /** Rows of one kind, ordered by key, starting after `after`. */
    rows(tenant: string, kind: PersonalKind, limit: number, after?: string[]): Promise<PersonalRow[]>
    /**
     * Removes a row. Where the row itself is needed to recognise repeats, only its personal parts. False when it was
     * already gone.
     */
    erase(row: Pick<PersonalRow, 'kind' | 'tenant' | 'key'>): Promise<boolean>
    /**
     * Keys that are still in plain text, ordered by tenant and key, starting after `after`; of all tenants unless one
     * is named.
     */
    plainKeys(
      kind: PlainKey['kind'],
      limit: number,
      where?: { tenant?: string | undefined; after?: PlainKey | undefined },
    ): Promise<PlainKey[]>
    /** Replaces the key by its digest; by nothing when another row already has the digest. */
    replaceKey(row: PlainKey, digest: string): Promise<void>
    /** Deletes copies of removed rows that the store itself made. Returns the number of files deleted. */
    purge(): Promise<number>
  }
}
