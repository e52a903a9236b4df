import type { Effect, FailureJson, Json } from '#kit'
import type { AccountStore } from './connections.ts'
import type { TenantLimits } from '../admin/tenant-limits.ts'
import type { TriggerStore } from './triggers.ts'

export type * from './connections.ts'
export type * from './triggers.ts'
export type { TenantLimits } from '../admin/tenant-limits.ts'

/** Who asks. Every verb and every store call is scoped by `tenant`. */
export type Caller = {
  tenant: string
  /** Id of the token used (for audit and limits); absent in library use. */
  token?: string
  /** The agent start this call belongs to. */
  startId?: string
  /** Absent: everything (library use). */
  scopes?: Scope[]
  /** `integration/step` ids and connection ids a token is bound to; absent: all of the tenant. */
  steps?: string[]
  connections?: string[]
}
export type Scope = 'run' | 'connections' | 'subscriptions' | 'read' | 'metrics' | 'admin'

export type Tenant = { id: string; name: string; createdAt: number; policy?: TenantPolicy | null }
/** What the operator sets for a tenant. Absent parts are the server's own. */
export type TenantPolicy = {
  limits?: TenantLimits
  /** By integration: patterns of the manifest's `apiCall.deny` that this tenant may use all the same. */
  apiCallAllow?: { [integration: string]: string[] }
}
export type Token = {
  id: string
  tenant: string
  name: string
  /** SHA-256 of the token text, hex; the text itself is shown once and never stored. */
  hash: string
  last4: string
  scopes: Scope[]
  steps: string[] | null
  connections: string[] | null
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  /** Where the server itself made it: of the setting, or at the first start. `superseded`: one of those that another replaced. */
  origin?: 'environment' | 'first-start' | 'superseded' | null
}
/**
 * Our registration as an application at a provider. Secrets are sealed. `tenant` is '' for the operator's own app.
 * `clientId`: where OAuth 2.0 names the app otherwise than `key` does; its secret is the field `clientSecret`.
 */
export type App = {
  tenant: string
  integration: string
  key: string
  clientId?: string | null
  secrets: SealedSecrets
  hints: Record<string, string>
  createdAt: number
  updatedAt: number
}

/** Envelope per field, see store/envelope.ts. */
export type SealedSecrets = { [field: string]: string }

export type ConnectionState = 'connected' | 'unverified' | 'needs_reconnect' | 'revoked' | 'disabled'
export type Connection = {
  id: string
  tenant: string
  integration: string
  type: string
  name: string
  state: ConnectionState
  stateReason: string | null
  stateAt: number
  accountId: string | null
  accountName: string | null
  secrets: SealedSecrets
  /** Last four characters per secret field. */
  hints: Record<string, string>
  policy: ConnectionPolicy | null
  externalId: string | null
  labels: Record<string, string>
  isDefault: boolean
  createdAt: number
  updatedAt: number
  lastUsedAt: number | null
  /** How it was connected; null where not by OAuth. */
  oauthVersion?: '1.0a' | '2.0' | null
  /** When the access token ends; null: it does not, or that is not known. */
  expiresAt?: number | null
}
/** Narrows what may be done with an account; never widens the integration's own policy. */
export type ConnectionPolicy = { methods?: string[]; paths?: string[]; boards?: string[] }

export type RunState = 'planned' | 'sending' | 'running' | 'done' | 'failed' | 'unknown' | 'not_sent'
export type Run = {
  id: string
  tenant: string
  integration: string
  step: string
  connection: string | null
  token: string | null
  startId: string | null
  effect: Effect
  state: RunState
  /** Failure code where it failed. */
  code: string | null
  failure: FailureJson | null
  attempts: number
  calls: number
  credits: number
  creditsEstimated: boolean
  createdAt: number
  durationMs: number
}

/** A keyed run: what is known about a repeat-safe request. */
export type Intent = {
  tenant: string
  key: string
  /** SHA-256 over integration, step, connection and input. */
  requestHash: string
  runId: string
  state: 'planned' | 'sending' | 'done' | 'not_sent'
  /** Stored outcome of a finished run: sealed as `{ sealed }`, or as JSON where an earlier version wrote it. */
  outcome: Json | null
  createdAt: number
  expiresAt: number
}

export type Page = { limit: number; cursor?: string | undefined }
export type Listed<T> = { items: T[]; next?: string }

/** Tables of one tenant-scoped kind. Reads are answered at once in the embedded stores but stay async: a store may be remote. */
export type Store = TriggerStore &
  AccountStore & {
    /** Id of this installation, made once. Marks our own writes at the provider. */
    instance(): Promise<string>
    tenants: {
      add(tenant: Tenant): Promise<void>
      get(id: string): Promise<Tenant | undefined>
      list(): Promise<Tenant[]>
      patch(id: string, changes: Partial<Pick<Tenant, 'name' | 'policy'>>): Promise<boolean>
    }
    /** The master keys in wrapped form, where a platform's own key management wraps them; opaque text. */
    keyring: { get(): Promise<string | undefined>; put(text: string): Promise<void> }
    tokens: {
      add(token: Token): Promise<void>
      /** The one lookup without a tenant: it finds the tenant. */
      byHash(hash: string): Promise<Token | undefined>
      list(tenant: string): Promise<Token[]>
      revoke(tenant: string, id: string, at: number): Promise<boolean>
      patch(tenant: string, id: string, changes: Pick<Token, 'revokedAt' | 'origin'>): Promise<boolean>
    }
    apps: {
      put(app: App): Promise<void>
      get(tenant: string, integration: string): Promise<App | undefined>
      all(): Promise<App[]>
    }
    connections: {
      add(connection: Connection): Promise<void>
      get(tenant: string, id: string): Promise<Connection | undefined>
      list(tenant: string, filter?: { integration?: string; externalId?: string; labels?: Record<string, string> }): Promise<Connection[]>
      /** Writes the given columns; false when there is no such row. Setting `isDefault` takes it from the other accounts of the integration. */
      patch(tenant: string, id: string, changes: Partial<Omit<Connection, 'id' | 'tenant' | 'createdAt'>>): Promise<boolean>
      remove(tenant: string, id: string): Promise<boolean>
      /** Every row of every tenant, for re-sealing and health sweeps of the process itself. */
      all(): Promise<Connection[]>
    }
    runs: {
      /** Inserts, or replaces the row of the same id. Joins the next group commit; resolves when durable. A caller that need not wait does not await it. `admits`: refused when the disk is nearly full. */
      record(run: Run, options?: { admits: true }): Promise<void>
      /** Runs that a process which died left `sending`. */
      cutOff(): Promise<Run[]>
      get(tenant: string, id: string): Promise<Run | undefined>
      list(
        tenant: string,
        page: Page,
        filter?: { integration?: string; step?: string; connection?: string; state?: RunState; startId?: string },
      ): Promise<Listed<Run>>
      usage(tenant: string, since: number): Promise<UsageRow[]>
    }
    /** Repeat-safe runs, see runtime/intents.ts. Each write resolves only when durable. */
    intents: {
      /** Inserts as `planned`, or gives the row that is there (unless expired). */
      plan(intent: Intent): Promise<{ inserted: boolean; intent: Intent }>
      /**
       * Gives how many bytes the row takes now. `mayGo`: it was only read, so it may be removed before it expires.
       */
      mark(tenant: string, key: string, state: Intent['state'], outcome?: Json, mayGo?: boolean): Promise<number>
      /** Takes a row back that was just planned. */
      drop(tenant: string, key: string): Promise<void>
      /** What the tenant's rows take. */
      bytes(tenant: string): Promise<number>
      /** Removes the tenant's oldest rows that may go, until `bytes` are free; some hundred rows at most. Gives how many bytes they took. */
      evict(tenant: string, bytes: number): Promise<number>
      /** Rows left `planned` or `sending` by a process that died. */
      open(): Promise<Intent[]>
      /** Removes what has expired, of one tenant or of all. */
      prune(now: number, tenant?: string): Promise<number>
    }
    /** Resolves when everything handed over before is durable. */
    flush(): Promise<void>
    /** Throws a Failure `unavailable` with the reason when the store cannot take writes. */
    check(): Promise<void>
    close(): Promise<void>
  }

export type UsageRow = {
  day: string
  integration: string
  step: string
  connection: string | null
  runs: number
  failed: number
  calls: number
  credits: number
}

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
 * Master keys, the present one first. Without `save` they are the operator's to change, and this process cannot make a new one.
 * `inBackups`: the keys lie in the store, so that every backup brings its own and former ones need not be kept.
 */
export type Keyring = { keys: MasterKey[]; save?(keys: MasterKey[]): Promise<void>; inBackups?: boolean }
export type MasterKey = { id: string; key: Buffer }
export type VaultScope = { tenant: string; owner: string }

export type Clock = {
  /** Wall clock, ms since epoch. */
  now(): number
  /** Monotonic ms; waits and durations use it. */
  monotonic(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
/** Names that a line of the log has itself. */
type OwnFields = { event?: never; level?: never; time?: never }
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  event: string,
  fields?: Record<string, string | number | boolean | null | undefined> & OwnFields,
) => void
