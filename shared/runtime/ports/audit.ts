import type { Listed, Page } from './paging.ts'

/** One row of the audit log. It holds no bodies, no secrets and, in `path`, no concrete ids. */
export type AuditEntry = {
  tenant: string
  at: number
  /** Token id, `library`, or `process` for the server itself. */
  actor: string
  /** The agent start this request belongs to: a start id of ours, or a keyed digest of the id that the caller sent. */
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
  /** What the policy decided, and why. */
  decision: string
  /** Id of the master key that sealed the secret used. */
  keyId: string | null
}
/**
 * `hash` covers the entry, its `seq` and `before`, the hash of the previous row. `seq` counts up per tenant, without
 * gaps.
 */
export type AuditRow = AuditEntry & { seq: number; before: string; hash: string }
/**
 * `keyedFrom`: `seq` of the first row written with a signing key. For older rows the check proves order and content,
 * but not who wrote them.
 */
export type AuditVerdict = { ok: true; rows: number; keyedFrom?: number } | { ok: false; seq: number; reason: string }
/** The newest row of a chain. A copy stored elsewhere later shows whether rows up to it were removed. */
export type AuditHead = { seq: number; hash: string }
/** Signs the ends of an audit chain; implemented by `Vault`. */
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
     * Like `append`, for stores that do not outlive the process: `entry` is called only when the log is read. `at` is
     * the time of the row, in ms.
     */
    appendLate?(tenant: string, at: number, entry: () => AuditEntry): void
    list(
      tenant: string,
      page: Page,
      filter?: { connection?: string; outcome?: string; actor?: string },
    ): Promise<Listed<AuditRow>>
    /**
     * Checks the whole chain and returns the `seq` at which it is broken. `head`: a previously exported head that must
     * still be part of the chain.
     */
    verify(tenant: string, head?: AuditHead): Promise<AuditVerdict>
    head(tenant: string): Promise<AuditHead>
    /**
     * Signs the ends of all chains, existing ones at once and new ones from now on. Called again after a change of the
     * master key.
     */
    signWith(signer: Signer): Promise<void>
  }
}
