import type { Listed, Page } from './paging.ts'
import type { SealedSecrets } from './vault.ts'

/** A stored list of people or companies. Its rows are stored apart from it. */
export type StoredPeopleList = {
  tenant: string
  id: string
  name: string
  /** Within one owner, names are unique: a person, a bound token, or the workspace (''). */
  owner: string
  kind: 'person' | 'company'
  /** `writing`: its rows are still being stored; `removed`: they are being deleted. Nobody sees either. */
  state: 'writing' | 'ready' | 'removed'
  source: 'rows' | 'file' | 'run' | 'step'
  columnNames: string[]
  /** Ids of the connections that it belongs to. */
  connections: string[] | null
  token: string | null
  person: string | null
  /** The sealed key that encrypts the rows. */
  secrets: SealedSecrets
  /** Digests of the idempotency key and of the request that made it; null where there was no key. */
  key: string | null
  requestHash: string | null
  /** How many of its rows were left out because they name somebody who is suppressed. */
  leftOut: number | null
  createdAt: number
  expiresAt: number
}

export type StoredListRow = {
  tenant: string
  list: string
  /** From 0. */
  at: number
  /** When a provider was last asked about it; null: never. */
  checkedAt: number | null
  /** Sealed values by column, as JSON. */
  content: Uint8Array
}

/** A row that takes the place of another. `former`: the content that it was made from. */
export type ReplacedListRow = StoredListRow & { former: Uint8Array }

/** Which rows of a list. `checkedBefore`: only those that were not checked since then. */
export type ListRowFilter = { after?: number | undefined; checkedBefore?: number | undefined }

export type PeopleListStore = {
  peopleLists: {
    /** Inserts a list that is `writing`. False when the tenant has `most` lists. Refused when the disk is nearly full. */
    add(list: StoredPeopleList, most: number): Promise<boolean>
    append(rows: StoredListRow[]): Promise<void>
    /** Makes a list `ready`. False when another one has its key, its owner has one of its name, or it was removed. */
    finish(tenant: string, id: string, now: number, finished: { expiresAt: number; leftOut: number }): Promise<boolean>
    /** The list, if it is `ready` and has not expired. */
    get(tenant: string, id: string, now: number): Promise<StoredPeopleList | undefined>
    byName(tenant: string, name: string, now: number): Promise<StoredPeopleList[]>
    /** The list that was made with the key, also if it has expired. */
    byKey(tenant: string, key: string): Promise<StoredPeopleList | undefined>
    /** Newest first. */
    list(tenant: string, page: Page, now: number, person?: string): Promise<Listed<StoredPeopleList>>
    count(tenant: string, list: string): Promise<number>
    /** At most `limit` rows, in order. */
    rows(tenant: string, list: string, limit: number, filter?: ListRowFilter): Promise<StoredListRow[]>
    /**
     * Replaces rows whose content is still the former one, and the columns of their list if those are still `from`.
     * Returns the rows that were not replaced.
     */
    update<Row extends ReplacedListRow>(
      tenant: string,
      list: string,
      columnNames: { from: string[]; to: string[] },
      rows: Row[],
    ): Promise<Row[]>
    /** Removes the list and, in small commits, its rows. False when there is no such list. */
    remove(tenant: string, id: string): Promise<boolean>
  }
}
