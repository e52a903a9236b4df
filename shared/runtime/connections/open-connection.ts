import type { Account, CallPolicy } from '../../wire/types.ts'
import type { Loaded } from '../catalogue/registry.ts'
import type { Caller, Connection } from '../ports/index.ts'
import type { ScopeLimit } from './scopes.ts'

/** A connection with its secrets open, ready to be used; cached in memory while in use. */
export type OpenConnection = {
  connection: Connection
  account: Account
  /** Its integration with the wire profile that it chose. */
  loaded?: Loaded
  stepPolicy: CallPolicy
  apiPolicy: CallPolicy
  /** Paths that may be asked within a budget though nobody knows their price. */
  unpriced?: readonly string[]
  /** The app signs its requests or fetches its token. */
  usesApp: boolean
  /** False as soon as the connection was changed or removed: calls still waiting must look again. */
  live: boolean
  /** Master key its stored secrets are sealed under. */
  keyId?: string | null
  /** Present where the credential can be renewed without its owner. `account` is then another object. */
  renewal?: Renewal
  /** Present where its policy names scopes. */
  scopes?: ScopeLimit
}

export type Renewal = {
  /** Its end is near. */
  isDue(): boolean
  /** Throws only when the credential does not work any more either. */
  beforeUse(): Promise<void>
  /** After the provider refused the credential of `used`. Throws when there is no other one. */
  afterRefusal(used: Account): Promise<void>
}
export type Renewals = (opened: OpenConnection, loaded: Loaded, isExternal: boolean) => Renewal | undefined

/** Gives secrets that live in the platform's own vault. `ref` is the connection's externalId. */
export type ResolveSecrets = (tenant: string, ref: string) => Promise<Record<string, string>>

export type OpenConnections = {
  /** Finds the connection by id or name, or the default one. Throws `not_connected`, `not_found`, `invalid_input`. */
  open(caller: Caller, loaded: Loaded, idOrName: string | undefined): Promise<OpenConnection> | OpenConnection
  openConnection(connection: Connection, loaded: Loaded): Promise<OpenConnection>
  /** Forgets what is known about a connection after it was changed or removed. */
  forget(tenant: string, id?: string): void
  /**
   * Another process changed a connection. Where that only renewed its credential, calls in progress go on with the
   * present one; otherwise it is forgotten.
   */
  changedElsewhere(tenant: string, id: string): Promise<void>
  /** Forgets the connections that use the app themselves, after it was changed; tenant '': of every tenant. */
  appChanged(tenant: string, integration: string): void
}
