import type { Listed, Page } from './paging.ts'
import type { SealedSecrets } from './vault.ts'

/**
 * Somebody who is not to be looked up or shown. `hash`: keyed, of an identifier; the identifier itself is stored
 * nowhere.
 */
export type Suppression = {
  tenant: string
  hash: string
  kind: 'email' | 'linkedin' | 'phone'
  source: 'manual' | 'file' | 'webhook'
  createdAt: number
}

/** What may hold personal data. */
export type PersonalKind =
  | 'lookup'
  | 'outcome'
  | 'run'
  | 'sample'
  | 'event'
  | 'unclaimed'
  | 'undecodable'
  | 'start'
  | 'timer'
  | 'poll'
  | 'file'

/** An idempotency key as its caller wrote it; an earlier version stored these. */
export type PlainKey = { kind: 'file' | 'job'; tenant: string; key: string }

/**
 * A row that may hold personal data. `key`: its primary key without the tenant. `secrets`, `content`: sealed; `texts`:
 * as they are.
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
    /** Gives how many were new. Refused when the disk is nearly full. */
    add(rows: Suppression[]): Promise<number>
    remove(tenant: string, hashes: string[]): Promise<number>
    /** Those of the hashes that are in the list. */
    find(tenant: string, hashes: string[]): Promise<string[]>
    /** False: its list is empty. */
    any(tenant: string): Promise<boolean>
    /** Newest first. */
    list(tenant: string, page: Page): Promise<Listed<Suppression>>
  }
  personal: {
    /** Rows of a kind by their key, after that one. */
    rows(tenant: string, kind: PersonalKind, limit: number, after?: string[]): Promise<PersonalRow[]>
    /**
     * Removes a row, or what is personal in it where the row itself is needed to recognise repeats. False: it was gone.
     */
    erase(row: Pick<PersonalRow, 'kind' | 'tenant' | 'key'>): Promise<boolean>
    /** Keys that are no digests, by tenant and key, after that one; of all tenants unless one is named. */
    plainKeys(
      kind: PlainKey['kind'],
      limit: number,
      where?: { tenant?: string | undefined; after?: PlainKey | undefined },
    ): Promise<PlainKey[]>
    /** The digest in place of the key. Where another row has the digest by now, none. */
    replaceKey(row: PlainKey, digest: string): Promise<void>
    /** Removes what copies the store itself has made of removed rows. Gives how many files went. */
    purge(): Promise<number>
  }
}
