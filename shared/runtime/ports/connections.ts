import type { Notice } from './notifications.ts'
import type { SealedSecrets } from './vault.ts'
import type { Connection as ShownConnection } from '../../api/resources/connection.ts'

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
  /** Name of the wire profile that was chosen for it; null: the one that the operator picks. */
  profile?: string | null
}
/**
 * Narrows what may be done with a connection; never widens the integration's own policy. `scopes`: ids of the
 * containers it may use.
 */
export type ConnectionPolicy = { methods?: string[]; paths?: string[]; scopes?: string[] }

/**
 * The last proof that an endpoint of the provider works for a connection: it gave a match. `fingerprint`: of the
 * profile and key it was given under.
 */
export type Match = { tenant: string; connection: string; endpoint: string; fingerprint: string; at: number }

/** One browser connect under way. Single use, ten minutes, bound to the browser that opened our page. */
export type Authorization = {
  /** SHA-256 of the `state` text, hex; the text itself is in the browser only. */
  id: string
  tenant: string
  /** '' with `choices` until its person has chosen. */
  integration: string
  type: string
  /** What its person may choose from; null: it was said when it began. */
  choices?: { integration: string; type: string }[] | null
  /** The connection to be reconnected; null: a new one. */
  connection: string | null
  name: string | null
  /** Wire profile that was chosen when it began; null: none. */
  profile?: string | null
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
      filter?: { integration?: string; externalId?: string; labels?: Record<string, string> },
    ): Promise<Connection[]>
    /**
     * Writes the given columns; false when there is no such row. Setting `isDefault` takes it from the other accounts
     * of the integration. `notices` are stored only if it changes the state.
     */
    patch(
      tenant: string,
      id: string,
      changes: Partial<Omit<Connection, 'id' | 'tenant' | 'createdAt'>>,
      notices?: Notice[],
    ): Promise<boolean>
    /** Removes its matches too. */
    remove(tenant: string, id: string): Promise<boolean>
    /** Those of any of these accounts at the provider, of every tenant: whoever asks decides who receives what. */
    ofAccounts(integration: string, accounts: string[]): Promise<Connection[]>
    /** Every row of every tenant, for re-sealing and health sweeps of the process itself. */
    all(): Promise<Connection[]>
  }
  matches: {
    /** Inserts or replaces; nothing is written for a connection that is gone. */
    put(match: Match): Promise<void>
    get(tenant: string, connection: string, endpoint: string): Promise<Match | undefined>
    clear(tenant: string, connection: string): Promise<void>
  }
  authorizations: {
    add(authorization: Authorization): Promise<void>
    /** By the hash of `state`: it finds the tenant. Undefined when expired or used. */
    get(id: string, now: number): Promise<Authorization | undefined>
    /**
     * Binds it to the first browser that opens our page, which has until `ends` at most; false for another browser, or
     * when expired or used.
     */
    bind(id: string, browser: string, now: number, ends: number): Promise<boolean>
    /** Its person chose; false for another browser, for what is no choice, or when expired, used or chosen before. */
    choose(id: string, browser: string, choice: { integration: string; type: string }, now: number): Promise<boolean>
    save(id: string, secrets: SealedSecrets): Promise<void>
    /** The single use: gives the row once, to the bound browser only. */
    take(id: string, browser: string, now: number): Promise<Authorization | undefined>
  }
}
