/** Envelope per field, see store/envelope.ts. */
export type SealedSecrets = { [field: string]: string }

/** Seals and opens secrets. AAD binds a value to tenant, owner (connection or app) and field. */
export type Vault = {
  seal(scope: VaultScope, plain: Record<string, string>): SealedSecrets
  /** @throws Failure `not_connected` when a value was changed, moved or sealed under a key that is not here */
  open(scope: VaultScope, sealed: SealedSecrets): Record<string, string>
  /** True when a value is sealed under another key than the present one and should be re-sealed. */
  stale(sealed: SealedSecrets): boolean
  /** Id of the master key a row is sealed under; null for an empty one. */
  sealedUnder(sealed: SealedSecrets): string | null
  /** Id of the present master key. */
  readonly keyId: string
  /** Ids of the keys that are still read but no longer written with. */
  previous(): string[]
  /** Seals under another master key from now on; the present one is still read. Gives its id. */
  use(masterKey: Buffer): string
  /** Stops reading a former key. */
  drop(keyId: string): void
  /** An HMAC over a text, by a key derived from the present master key. */
  sign(text: string): string
  /** Whether a text was signed here; undefined when that was under a master key that is not here. */
  verify(text: string, signature: string): boolean | undefined
  /** Id of the master key of a signature. */
  signedUnder(signature: string): string
}
/**
 * Master keys, the present one first. Without `save` they are the operator's to change, and this process cannot make a
 * new one. `inBackups`: the keys are in the store, so every backup contains its own and former ones need not be stored.
 */
export type Keyring = { keys: MasterKey[]; save?(keys: MasterKey[]): Promise<void>; inBackups?: boolean }
export type MasterKey = { id: string; key: Buffer }
export type VaultScope = { tenant: string; owner: string }

/** Where sealed values are, for re-sealing under another master key. */
export type SealedRow = {
  kind:
    | 'connection'
    | 'app'
    | 'subscription'
    | 'hook'
    | 'authorization'
    | 'file'
    | 'outcome'
    | 'notification'
    | 'sample'
    | 'unclaimed'
    | 'job'
    | 'tenant_key'
  tenant: string
  id: string
  sealed: SealedSecrets
}

/** Re-sealing under another master key. */
export type SealedStore = {
  sealed: {
    /** Every sealed row of every tenant, save outcomes. */
    all(): Promise<SealedRow[]>
    /**
     * Stored outcomes that are sealed under another key than this one, after that row; `id` is the idempotency key.
     * They may be large and many.
     */
    outcomes(notUnder: string, limit: number, after?: Pick<SealedRow, 'tenant' | 'id'>): Promise<SealedRow[]>
    /** Exchanges a value, unless it was changed since it was read. */
    replace(row: SealedRow, by: SealedSecrets): Promise<boolean>
  }
}
