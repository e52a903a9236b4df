import type { Listed, Page, SealedSecrets } from './index.ts'

/** One browser connect under way. Single use, ten minutes, bound to the browser that opened our page. */
export type Authorization = {
  /** SHA-256 of the `state` text, hex; the text itself is in the browser only. */
  id: string
  tenant: string
  integration: string
  type: string
  /** The connection to be reconnected; null: a new one. */
  connection: string | null
  name: string | null
  /** SHA-256 of the browser's cookie; null until our page was opened. */
  browser: string | null
  returnTo: string | null
  externalId: string | null
  labels: Record<string, string>
  /** What the flow must remember (PKCE verifier, request token secret), sealed. */
  secrets: SealedSecrets
  token: string | null
  createdAt: number
  expiresAt: number
  usedAt: number | null
}

/** One line of the audit log. No bodies, no secrets, no concrete ids in `path`. */
export type AuditEntry = {
  tenant: string
  at: number
  /** Token id, `library`, or the process itself. */
  actor: string
  /** The agent start it was done for. */
  startId: string | null
  runId: string | null
  integration: string | null
  connection: string | null
  method: string
  /** Template, e.g. `/1/cards/{id}`. */
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
/** `keyedFrom`: rows before this one were written without a key, so only their order and hashes are known, not who wrote them. */
export type AuditVerdict = { ok: true; rows: number; keyedFrom?: number } | { ok: false; seq: number; reason: string }
/** The newest row. Kept elsewhere, it shows later whether rows up to it were taken away. */
export type AuditHead = { seq: number; hash: string }
/** What seals the ends of a chain; see `Vault`. */
export type Signer = {
  sign(text: string): string
  verify(text: string, signature: string): boolean | undefined
  signedUnder(signature: string): string
  readonly keyId: string
}

/** Where sealed values are, for re-sealing under another master key. */
export type SealedRow = { kind: 'connection' | 'app' | 'subscription' | 'authorization' | 'outcome'; tenant: string; id: string; sealed: SealedSecrets }

/**
 * Ages, as times: what is older goes. Each call does at most `limit` rows of a kind (of each tenant, where rows are found by tenant), and fewer
 * where so many would hold the process up.
 */
export type Retention = {
  now: number
  /** Raw payloads (30 days). The event's id stays. */
  payloads: number
  /** Data and answers of ended starts (90 days). The start's key stays. */
  starts: number
  /** Subscriptions deleted before this go, with the ids of their starts (30 days). Events go when no subscription of the connection is left. */
  deleted: number
  runs: number
  ownWrites: number
  /** One year. The chain goes on from the last one removed. */
  audit: number
  /** What could not be recovered, one year. */
  gaps: number
  limit: number
}
export type Pruned = {
  payloads: number
  starts: number
  subscriptions: number
  ids: number
  runs: number
  ownWrites: number
  audit: number
  gaps: number
  intents: number
  authorizations: number
  /** Call again soon. */ more: boolean
}

export type AccountStore = {
  authorizations: {
    add(authorization: Authorization): Promise<void>
    /** By the hash of `state`: it finds the tenant. Undefined when expired or used. */
    get(id: string, now: number): Promise<Authorization | undefined>
    /** Binds it to the first browser that opens our page; false for another browser, or when expired or used. */
    bind(id: string, browser: string, now: number): Promise<boolean>
    keep(id: string, secrets: SealedSecrets): Promise<void>
    /** The single use: gives the row once, to the bound browser only. */
    take(id: string, browser: string, now: number): Promise<Authorization | undefined>
  }
  audit: {
    /** Appends to the tenant's chain; resolves when durable. */
    append(entry: AuditEntry): Promise<void>
    list(tenant: string, page: Page, filter?: { connection?: string; outcome?: string; actor?: string }): Promise<Listed<AuditRow>>
    /** Walks the whole chain; says at which number it was broken. `head`: one that was exported, which must still be part of it. */
    verify(tenant: string, head?: AuditHead): Promise<AuditVerdict>
    head(tenant: string): Promise<AuditHead>
    /** The ends of all chains are signed from now on, those that are there already at once. Called again after the key has changed. */
    signWith(signer: Signer): Promise<void>
  }
  sealed: {
    /** Every sealed row of every tenant, save outcomes. */
    all(): Promise<SealedRow[]>
    /** Stored outcomes that are sealed under another key than this one, after that row; `id` is the idempotency key. They may be large and many. */
    outcomes(notUnder: string, limit: number, after?: Pick<SealedRow, 'tenant' | 'id'>): Promise<SealedRow[]>
    /** Exchanges a value, unless it was changed since it was read. */
    replace(row: SealedRow, by: SealedSecrets): Promise<boolean>
  }
  prune(retention: Retention): Promise<Pruned>
  /**
   * Copies the whole store into a new file (mode 600) while it goes on working. Secrets in it stay sealed; the master key is not in it.
   * @throws Failure `conflict` when the file exists, `invalid_input` for the in-memory store
   */
  backup(file: string): Promise<{ bytes: number }>
}
