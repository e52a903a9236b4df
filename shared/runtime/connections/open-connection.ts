import type { Account, CallPolicy } from '../../wire/types.ts'
import type { LoadedIntegration } from '../catalogue/registry.ts'
import type { Caller, Connection, TenantPolicy } from '../ports/index.ts'
import type { ScopeLimit } from './scopes.ts'

/** A connection with its secrets opened, ready for use; cached in memory while in use. */
export type OpenConnection = {
  connection: Connection
  account: Account
  /** Its integration under the wire profile that the connection chose. */
  loaded?: LoadedIntegration
  stepPolicy: CallPolicy
  apiPolicy: CallPolicy
  /** Patterns of paths that may be used within a budget although their price is unknown. */
  unpriced?: readonly string[]
  /** Whether the app signs the connection's requests or fetches its token. */
  usesApp: boolean
  /** False as soon as the connection was changed or removed; calls that still wait must then open it again. */
  live: boolean
  /** The policy of the tenant that it was opened under. */
  tenantPolicy?: TenantPolicy | null | undefined
  /** Id of the master key that its stored secrets are sealed under. */
  keyId?: string | null
  /** Present if the credential can be renewed without its owner. Renewing replaces `account` by another object. */
  renewal?: Renewal
  /** Present if the connection's policy names scopes. */
  scopes?: ScopeLimit
}

export type Renewal = {
  /** Whether renewing replaces the secrets in the store, where other processes read them. */
  isStored: boolean
  /** Whether the credential is about to expire. */
  isDue(): boolean
  /** Renews the credential. Throws only if the present one does not work any more either. */
  beforeUse(): Promise<void>
  /** Renews after the provider refused the credential of `used`. Throws when there is no other credential. */
  afterRefusal(used: Account): Promise<void>
}
export type Renewals = (opened: OpenConnection, loaded: LoadedIntegration, isExternal: boolean) => Renewal | undefined

/** Reads secrets from the platform's own vault. `ref`: the connection's `externalId`. */
export type ResolveSecrets = (tenant: string, ref: string) => Promise<Record<string, string>>

export type OpenConnections = {
  /**
   * Opens a connection by id or name, or the default one.
   * @throws Failure `not_connected`, `not_found`, `invalid_input`
   */
  open(
    caller: Caller,
    loaded: LoadedIntegration,
    idOrName: string | undefined,
  ): Promise<OpenConnection> | OpenConnection
  openConnection(connection: Connection, loaded: LoadedIntegration): Promise<OpenConnection>
  /** Drops cached connections of a tenant, or one of them, after a change or removal. */
  forget(tenant: string, id?: string): void
  /**
   * Call it when another process changed a connection. If it only renewed or proved the credential, or if the change was
   * made before the connection was opened here, calls in progress continue; otherwise the connection is dropped from the
   * cache.
   */
  changedElsewhere(tenant: string, id: string): Promise<void>
  /** Call it when another process changed a tenant. Connections that were opened under another policy are dropped. */
  policyChangedElsewhere(tenant: string, policy: TenantPolicy | null | undefined): void
  /** Drops connections that use the app themselves, after the app changed; tenant '': of every tenant. */
  appChanged(tenant: string, integration: string): void
}
