import type { SealedSecrets } from './vault.ts'

/** Input and output of a run, sealed. */
export type StoredContents = {
  tenant: string
  /** Id of the run. */
  id: string
  /** Id of the master key that sealed it. */
  sealedUnder: string | null
  storedAt: number
  expiresAt: number
  secrets: SealedSecrets
}

export type RunContentsStore = {
  runContents: {
    /** Inserts the contents of a run, or replaces them. Refused when the disk is nearly full. */
    put(contents: StoredContents): Promise<void>
    get(tenant: string, id: string): Promise<StoredContents | undefined>
  }
}
