import type { Notice } from './notifications.ts'
import type { SealedSecrets } from './vault.ts'
import type { Connection as ShownConnection } from '../../api/resources/connection.ts'

/**
 * Our registration as an application at a provider. Secrets are sealed. `tenant` is '' for the operator's own app.
 * `clientId` is set where OAuth 2.0 uses another name than `key`; its secret is the field `clientSecret`.
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

export type ConnectionState = ShownConnection['state']

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
  /** Last four characters of each secret field. */
  hints: Record<string, string>
  policy: ConnectionPolicy | null
  externalId: string | null
  /** Whose account it is; null: the workspace's. */
  person?: string | null
  labels: Record<string, string>
  /** One for each integration and person, and one for the workspace. */
  isDefault: boolean
  createdAt: number
  updatedAt: number
  lastUsedAt: number | null
  /** How the connection was authorized; null when not by OAuth. */
  oauthVersion?: '1.0a' | '2.0' | null
  /** When the access token expires, ms since epoch; null: never, or unknown. */
  expiresAt?: number | null
  /** Name of the wire profile chosen for this connection; null: the one that the operator selects. */
  profile?: string | null
  /** Ids that we act under at the provider beside `accountId`, such as that of a bot; null: none known. */
  ownIds?: string[] | null
  /** The scopes that the provider granted; null: it does not say. */
  grantedScopes?: string[] | null
  /** Id of the container that calls without one work in; null: none. */
  defaultContainer?: string | null
}
/**
 * Narrows what a connection may be used for; it never widens the integration's own policy. `scopes`: ids of the
 * containers it may use.
 */
export type ConnectionPolicy = { methods?: string[]; paths?: string[]; scopes?: string[] }

/**
 * The last proof that a provider's endpoint works for a connection: a lookup that matched. `fingerprint` identifies the
 * wire profile and key it was made with.
 */
export type Match = { tenant: string; connection: string; endpoint: string; fingerprint: string; at: number }

/**
 * A connect flow that is under way in a browser. Single use, limited in time (ten minutes by default), and bound to the
 * browser that opened our page.
 */
export type Authorization = {
  /** SHA-256 of the `state` value, hex; the value itself is only in the browser. */
  id: string
  tenant: string
  /** '' while `choices` are open. */
  integration: string
  type: string
  /** What the person may choose from; null: fixed when the flow started. */
  choices?: { integration: string; type: string }[] | null
  /** The connection to reconnect; null: a new one. */
  connection: string | null
  name: string | null
  /** The wire profile chosen when the flow started; null: none. */
  profile?: string | null
  /** SHA-256 of the browser's cookie, hex; null until our page was opened. */
  browser: string | null
  returnTo: string | null
  /** The language that the link asks for, a BCP 47 tag; null: that of the browser. */
  locale?: string | null
  externalId: string | null
  /** Whose account is connected; null: the workspace's. */
  person?: string | null
  labels: Record<string, string>
  /** What the flow must remember (PKCE verifier, request token secret), sealed. */
  secrets: SealedSecrets
  token: string | null
  createdAt: number
  expiresAt: number
  usedAt: number | null
}

export type ConnectionStore = {
  apps: {
    put(app: App): Promise<void>
    get(tenant: string, integration: string): Promise<App | undefined>
    all(): Promise<App[]>
  }
  connections: {
    add(connection: Connection, notices?: Notice[]): Promise<void>
    get(tenant: string, id: string): Promise<Connection | undefined>
    list(
      tenant: string,
      filter?: { integration?: string; externalId?: string; person?: string; labels?: Record<string, string> },
    ): Promise<Connection[]>
    /** The ids of those that are this person's or nobody's. */
    usableBy(tenant: string, person: string): Promise<string[]>
    /**
     * Writes the given columns; false when there is no such row. Setting `isDefault` clears it on the other connections
     * of the integration and person. `notices` are stored only if the patch changes the state.
     */
    patch(
      tenant: string,
      id: string,
      changes: Partial<Omit<Connection, 'id' | 'tenant' | 'createdAt'>>,
      notices?: Notice[],
    ): Promise<boolean>
    /** Removes the connection and its matches. */
    remove(tenant: string, id: string): Promise<boolean>
    /** Connections to any of these provider accounts, across tenants. The caller decides which tenant receives what. */
    ofAccounts(integration: string, accounts: string[]): Promise<Connection[]>
    /** Every connection of every tenant, for re-sealing and health checks by the process itself. */
    all(): Promise<Connection[]>
  }
  matches: {
    /** Inserts or replaces; writes nothing when the connection has been removed. */
    put(match: Match): Promise<void>
    get(tenant: string, connection: string, endpoint: string): Promise<Match | undefined>
    clear(tenant: string, connection: string): Promise<void>
  }
  authorizations: {
    add(authorization: Authorization): Promise<void>
    /** Looks up by the hash of `state` alone: the row names the tenant. Undefined when expired or used. */
    get(id: string, now: number): Promise<Authorization | undefined>
    /**
     * Binds the flow to the first browser that opens our page, and lets it expire at `ends` at the latest. False for
     * another browser, or when expired or used.
     */
    bind(id: string, browser: string, now: number, ends: number): Promise<boolean>
    /**
     * Records the person's choice. False for another browser or an unknown choice, or when the flow has expired, was
     * used or already has a choice.
     */
    choose(id: string, browser: string, choice: { integration: string; type: string }, now: number): Promise<boolean>
    save(id: string, secrets: SealedSecrets): Promise<void>
    /** Returns the row once, and only to the bound browser. */
    take(id: string, browser: string, now: number): Promise<Authorization | undefined>
  }
}
