/** One envelope per field, see store/envelope.ts. */
export type SealedSecrets = { [field: string]: string }

/**
 * Seals and opens secrets. The additional authenticated data binds each value to its tenant, owner (connection or app)
 * and field.
 */
export type Vault = {
  seal(scope: VaultScope, plain: Record<string, string>): SealedSecrets
  /** @throws Failure `not_connected` when a value was changed or moved, or its master key is not available */
  open(scope: VaultScope, sealed: SealedSecrets): Record<string, string>
  /** True when a value is sealed under another key than the current one and should be re-sealed. */
  stale(sealed: SealedSecrets): boolean
  /** Id of the master key that sealed a row; null for an empty row. */
  sealedUnder(sealed: SealedSecrets): string | null
  /** Id of the current master key. */
  readonly keyId: string
  /** Ids of the former keys, which only open values. */
  previous(): string[]
  /** Seals under another master key from now on; the former one still opens values. Returns the new key's id. */
  use(masterKey: Buffer): string
  /** Stops using a former key. */
  drop(keyId: string): void
  /** HMAC of a text, with a key derived from the current master key. */
  sign(text: string): string
  /** Whether the signature is ours; undefined when its master key is not available. */
  verify(text: string, signature: string): boolean | undefined
  /** Id of the master key that a signature was made with. */
  signedUnder(signature: string): string
}
/**
 * Master keys, the current one first. Without `save`, only the operator can change them and this process cannot create
 * one. `inBackups`: the keys are in the store, so every backup contains its own keys and former ones need not be kept
 * elsewhere.
 */
export type Keyring = { keys: MasterKey[]; save?(keys: MasterKey[]): Promise<void>; inBackups?: boolean }
export type MasterKey = { id: string; key: Buffer }
export type VaultScope = { tenant: string; owner: string }

/** A row with sealed values, for re-sealing under another master key. */
export type SealedRow = {
  kind:
    | 'connection'
    | 'app'
    | 'subscription'
    | 'hook'
    | 'authorization'
    | 'file'
    | 'outcome'
    | 'run_contents'
    | 'notification'
    | 'sample'
    | 'unclaimed'
    | 'job'
    | 'people_list'
    | 'approval'
    | 'tenant_key'
    | 'name'
  tenant: string
  id: string
  sealed: SealedSecrets
}

/** Stored outcomes, contents of runs, and learned names. */
export type PagedKind = 'outcome' | 'run_contents' | 'name'

export type SealedStore = {
  sealed: {
    /** Every sealed row of every tenant, except those of the paged kinds. */
    all(): Promise<SealedRow[]>
    /**
     * Rows of a kind that may be large and many, which are sealed under another key than `notUnder`, starting after
     * `after`. `id`: the idempotency key of an outcome, the run of contents, or the key of a
     * name.
     */
    paged(
      kind: PagedKind,
      notUnder: string,
      limit: number,
      after?: Pick<SealedRow, 'tenant' | 'id'>,
    ): Promise<SealedRow[]>
    /** Replaces the values, unless they changed since the row was read. */
    replace(row: SealedRow, by: SealedSecrets): Promise<boolean>
  }
}
