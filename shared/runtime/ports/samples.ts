import type { SealedSecrets } from './vault.ts'

/** A saved input and output of a step. */
export type StoredSample = {
  tenant: string
  /** Names the step, and the connections that the writer is bound to. */
  id: string
  /** The sealed key that encrypts the content. */
  secrets: SealedSecrets
  content: Uint8Array
  savedAt: number
  expiresAt: number
}

export type SampleStore = {
  samples: {
    /** Inserts the sample, or replaces the one with the same id. Refused when the disk is nearly full. */
    put(sample: StoredSample): Promise<void>
    get(tenant: string, id: string): Promise<StoredSample | undefined>
    /** False when there is no such sample. */
    remove(tenant: string, id: string): Promise<boolean>
  }
}
