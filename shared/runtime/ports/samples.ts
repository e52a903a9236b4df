import type { SealedSecrets } from './vault.ts'

/** A saved input and output of a step. */
export type StoredSample = {
  tenant: string
  /** Which step, and which connections its writer is bound to. */
  id: string
  /** The key its content is encrypted with, sealed. */
  secrets: SealedSecrets
  content: Uint8Array
  savedAt: number
  expiresAt: number
}

export type SampleStore = {
  samples: {
    /** In place of the one with its id. Refused when the disk is nearly full. */
    put(sample: StoredSample): Promise<void>
    get(tenant: string, id: string): Promise<StoredSample | undefined>
    /** False when there is none. */
    remove(tenant: string, id: string): Promise<boolean>
  }
}
