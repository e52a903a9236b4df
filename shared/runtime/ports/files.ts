import type { Listed, Page } from './paging.ts'
import type { SealedSecrets } from './vault.ts'

/**
 * A file without its content. `writing`: its content is still coming in, so that nobody sees it; `removed`: its content
 * is being removed.
 */
export type StoredFile = {
  id: string
  tenant: string
  /** A plain name without path parts. */
  name: string
  mediaType: string
  size: number
  /** Of the content, hex; '' until it is whole. */
  sha256: string
  state: 'writing' | 'ready' | 'removed'
  source: 'upload' | 'address' | 'step' | 'job'
  /** The run that made it. */
  runId: string | null
  /**
   * Connections it belongs to: that of the step that made it, or those that its uploader's token is bound to. null:
   * none.
   */
  connections: string[] | null
  /** The token that made it. null: none, or it was made before this was noted. */
  token: string | null
  /** Keyed digest of the idempotency key it was made with. */
  key: string | null
  /** The key its content is encrypted with, sealed. */
  secrets: SealedSecrets
  createdAt: number
  expiresAt: number
}

export type FileStore = {
  files: {
    /** A file in the state `writing`; false when the tenant has `most` files. Refused when the disk is nearly full. */
    add(file: StoredFile, most?: number): Promise<boolean>
    /**
     * Appends an encrypted chunk, `size` bytes of the content. False when the file is no longer being written, or the
     * tenant's files would have more than `mostBytes`.
     */
    append(
      tenant: string,
      id: string,
      number: number,
      chunk: Uint8Array,
      size: number,
      mostBytes?: number,
    ): Promise<boolean>
    /** Makes it `ready`. False when there is a ready file with its key, or it is no longer being written. */
    finish(
      tenant: string,
      id: string,
      fileFacts: Pick<StoredFile, 'mediaType' | 'sha256' | 'expiresAt'>,
    ): Promise<boolean>
    /** In any state. */
    get(tenant: string, id: string): Promise<StoredFile | undefined>
    /** The ready file that was made with an idempotency key. */
    byKey(tenant: string, key: string): Promise<StoredFile | undefined>
    chunk(tenant: string, id: string, number: number): Promise<Uint8Array | undefined>
    /** Ready and not expired, newest first. */
    list(tenant: string, page: Page, now: number): Promise<Listed<StoredFile>>
    /** What the tenant's files take, those being written and those that retention has yet to remove included. */
    usage(tenant: string): Promise<{ files: number; bytes: number }>
    /** Removes the file and, in small commits, its content. False when there is none. */
    remove(tenant: string, id: string): Promise<boolean>
  }
}
