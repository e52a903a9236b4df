import type { Listed, Page } from './paging.ts'
import type { SealedSecrets } from './vault.ts'

/**
 * A file without its content. `writing`: the content is still being uploaded, and the file is hidden. `removed`: the
 * content is being deleted.
 */
export type StoredFile = {
  id: string
  tenant: string
  /** A plain name without directories. */
  name: string
  mediaType: string
  size: number
  /** SHA-256 of the content, hex; '' until the content is complete. */
  sha256: string
  state: 'writing' | 'ready' | 'removed'
  source: 'upload' | 'address' | 'step' | 'job'
  /** Id of the run that created the file. */
  runId: string | null
  /**
   * Connections the file belongs to: that of the step that created it, or those that the uploader's token is bound to.
   * null: none.
   */
  connections: string[] | null
  /** The token that created the file; null: none, or the file is older than this column. */
  token: string | null
  /** The person it was made for; null: nobody. */
  person?: string | null
  /** Keyed digest of the idempotency key the file was created with. */
  key: string | null
  /** The sealed key that encrypts the content. */
  secrets: SealedSecrets
  createdAt: number
  expiresAt: number
}

export type FileStore = {
  files: {
    /**
     * Adds a file in the state `writing`; false when the tenant already has `most` files. Refused when the disk is
     * nearly full.
     */
    add(file: StoredFile, most?: number): Promise<boolean>
    /**
     * Appends an encrypted chunk that holds `size` bytes of the content. False when the file is no longer being
     * written, or the tenant's files would exceed `mostBytes`.
     */
    append(
      tenant: string,
      id: string,
      number: number,
      chunk: Uint8Array,
      size: number,
      mostBytes?: number,
    ): Promise<boolean>
    /** Makes the file `ready`. False when a ready file has the same key, or this one is no longer being written. */
    finish(
      tenant: string,
      id: string,
      fileFacts: Pick<StoredFile, 'mediaType' | 'sha256' | 'expiresAt'>,
    ): Promise<boolean>
    /** Finds the file in any state. */
    get(tenant: string, id: string): Promise<StoredFile | undefined>
    /** The ready file that was created with this idempotency key (digest). */
    byKey(tenant: string, key: string): Promise<StoredFile | undefined>
    chunk(tenant: string, id: string, number: number): Promise<Uint8Array | undefined>
    /** Ready files that have not expired, newest first. */
    list(tenant: string, page: Page, now: number, person?: string): Promise<Listed<StoredFile>>
    /** What the tenant's files occupy, including those being written and those that retention has yet to remove. */
    usage(tenant: string): Promise<{ files: number; bytes: number }>
    /** Removes the file and, in small commits, its content. False when there is no such file. */
    remove(tenant: string, id: string): Promise<boolean>
  }
}
