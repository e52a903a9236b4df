import type { Listed, Page } from './paging.ts'
import type { Token } from './tenants.ts'

/** A client that registered itself. It is of no tenant: nobody has signed in yet when it does. */
export type OAuthClient = {
  id: string
  /** What it calls itself; nobody has verified it. */
  name: string | null
  redirectUris: string[]
  /** SHA-256 of its secret, hex; null: a public client. */
  secretHash: string | null
  createdAt: number
  /** A use extends it. */
  expiresAt: number
}

/**
 * What a person let a client do. Its rights are those of the token with the same id, which has no text: every other
 * part of the server knows it as an ordinary token.
 */
export type Grant = {
  tenant: string
  id: string
  /** Id of the client. */
  client: string
  clientName: string | null
  /** Host that vouches for the client; null: nobody does. */
  clientHost: string | null
  /** Path of the only resource that its access tokens are good for, such as "/mcp". */
  resource: string
  /** In the words of the protocol; the token has what they mean. */
  scopes: string[]
  /** Id of the token whose session signed it. It ends with that token, though not with the end of a sign-in. */
  signedBy: string | null
  /** Who signed it, as shown to people. */
  who: string
  /** SHA-256 of the part that all refresh tokens of the grant have in common; null until the code is redeemed. */
  family: string | null
  /** SHA-256 of the part that only the newest refresh token has. */
  newest: string | null
  /** How often it was narrowed. */
  revision: number
  createdAt: number
  lastUsedAt: number | null
}

/** A grant with its token. */
export type GrantedToken = { grant: Grant; token: Token }

export type AuthorizationCode = {
  /** SHA-256 of the code, hex. */
  hash: string
  tenant: string
  grantId: string
  client: string
  redirectUri: string
  /** SHA-256 of the verifier, base64url (RFC 7636, S256). */
  challenge: string
  expiresAt: number
}

export type AccessToken = { hash: string; tenant: string; grantId: string; expiresAt: number }

/** SHA-256 of the newest part of a refresh token, and until when its grant lasts. */
export type Renewal = { newest: string; expiresAt: number }

/** What narrows a grant. */
export type NarrowedRights = Partial<Pick<Token, 'scopes' | 'steps' | 'connections' | 'expiresAt'>> &
  Partial<Pick<Grant, 'scopes'>>

/**
 * `person`: for them alone. `own`: those alone that this token signed or that are its rights, and those for its person.
 */
export type GrantFilter = { person?: string | undefined; own?: { token: string; person?: string | undefined } }

export type OAuthStore = {
  oauthClients: {
    /** When there are `max` clients already, the one that expires first makes room: it is unused for longest. */
    add(client: OAuthClient, max: number): Promise<void>
    get(id: string, now: number): Promise<OAuthClient | undefined>
    extend(id: string, expiresAt: number): Promise<void>
  }
  grants: {
    /**
     * Adds a grant with its code, and forgets the oldest of the same signer whose codes nobody redeemed beyond
     * `max.unredeemed`. False when the signer has `max.open` grants that have not ended.
     */
    add(granted: GrantedToken, code: AuthorizationCode, max: { open: number; unredeemed: number }): Promise<boolean>
    get(tenant: string, id: string): Promise<GrantedToken | undefined>
    /** Newest first, without those that ended before `now`. */
    list(tenant: string, page: Page, now: number, of?: GrantFilter): Promise<Listed<GrantedToken>>
    /** Changes the rights of a grant; false when it has ended, or was narrowed since it was read as `former`. */
    narrow(
      former: Pick<Grant, 'tenant' | 'id' | 'revision'>,
      token: Partial<Token>,
      grant: Partial<Pick<Grant, 'scopes'>>,
    ): Promise<boolean>
    /**
     * A code, found by its hash alone; undefined when it is unknown or has expired. One that was used stays as long as
     * the first access token that it gave.
     */
    code(hash: string, now: number): Promise<{ code: AuthorizationCode; isUsed: boolean } | undefined>
    /**
     * Uses up a code for the first tokens of its grant, all of it or nothing. False when the code was used already or
     * the grant has ended.
     */
    begin(code: AuthorizationCode, of: Renewal & { family: string }, access: AccessToken, now: number): Promise<boolean>
    byFamily(family: string): Promise<GrantedToken | undefined>
    /**
     * Uses up the newest refresh token for the next one and an access token, all of it or nothing. False when `newest` is
     * not the newest any more.
     */
    rotate(newest: string, next: Renewal, access: AccessToken): Promise<boolean>
    /** The grant behind an access token, found by its hash alone, and the token that signed it. */
    byAccess(hash: string, now: number): Promise<(GrantedToken & { signer: Token | undefined }) | undefined>
    removeAccess(tenant: string, hash: string): Promise<void>
    touch(tenant: string, id: string, at: number): Promise<void>
  }
  /** Whether people may let clients in where the operator has said nothing: so in data directories made since. */
  oauthByDefault: { get(): Promise<boolean>; set(): Promise<void> }
}
