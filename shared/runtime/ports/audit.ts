import type { Listed, Page } from './paging.ts'

/** One line of the audit log. No bodies, no secrets, no concrete ids in `path`. */
export type AuditEntry = {
  tenant: string
  at: number
  /** Token id, `library`, or the process itself. */
  actor: string
  /** The agent start it was done for: the id of a start of ours, or a keyed digest of what the caller gave. */
  startId: string | null
  runId: string | null
  integration: string | null
  connection: string | null
  method: string
  /** Template, e.g. `/1/items/{id}`. */
  path: string
  /** `ok` or a failure code. */
  outcome: string
  providerStatus: number | null
  /** What the policy said and why. */
  decision: string
  /** Master key id under which the secret used was sealed. */
  keyId: string | null
}
/** `hash` covers the entry, its number and the hash before it; numbers count up per tenant without a hole. */
export type AuditRow = AuditEntry & { seq: number; before: string; hash: string }
/**
 * `keyedFrom`: rows before this one were written without a key, so only their order and hashes are known, not who wrote
 * them.
 */
export type AuditVerdict = { ok: true; rows: number; keyedFrom?: number } | { ok: false; seq: number; reason: string }
/** The newest row. Stored elsewhere, it shows later whether rows up to it were removed. */
export type AuditHead = { seq: number; hash: string }
/** What seals the ends of a chain; see `Vault`. */
export type Signer = {
  sign(text: string): string
  verify(text: string, signature: string): boolean | undefined
  signedUnder(signature: string): string
  readonly keyId: string
}

export type AuditStore = {
  audit: {
    /** Appends to the tenant's chain; resolves when durable. */
    append(entry: AuditEntry): Promise<void>
    /**
     * Present where nothing survives the process: as `append`, but the row is made when somebody reads. `at`: as in the
     * row.
     */
    appendLate?(tenant: string, at: number, entry: () => AuditEntry): void
    list(
      tenant: string,
      page: Page,
      filter?: { connection?: string; outcome?: string; actor?: string },
    ): Promise<Listed<AuditRow>>
    /**
     * Walks the whole chain; says at which number it was broken. `head`: one that was exported, which must still be
     * part of it.
     */
    verify(tenant: string, head?: AuditHead): Promise<AuditVerdict>
    head(tenant: string): Promise<AuditHead>
    /**
     * The ends of all chains are signed from now on, those that are there already at once. Called again after the key
     * has changed.
     */
    signWith(signer: Signer): Promise<void>
  }
}
