import type * as z from 'zod'
import type { ProviderRequest } from './request.ts'
import type { FieldSpec } from './step.ts'

/**
 * How a connection authenticates. `secrets`: the values that its owner enters are placed by template. `basic`: the
 * same, as user name and password (RFC 7617). `oauth1`: OAuth 1.0a in the browser. `oauth2-code`: OAuth 2.0 in the
 * browser, authorization code with PKCE. `oauth2-client`: OAuth 2.0 client credentials; the access token is requested
 * with the secrets `clientId` and `clientSecret`, or with those of the app where the type has no such secrets.
 */
export type AuthScheme = 'secrets' | 'basic' | 'oauth1' | 'oauth2-code' | 'oauth2-client'

export type ConnectionType = {
  /** Chosen by the integration's author. `auth` in the wire profile says under this id where the credential goes. */
  id: string
  /**
   * Default: `secrets`. Where the profile has addresses for both `oauth1` and `oauth2-code`, its `oauth.version` switches
   * between them.
   */
  scheme?: AuthScheme
  title: string
  purpose: string
  recommended?: boolean
  /** Secrets that the owner enters, or that connecting in the browser obtains. Every field needs a description. */
  secrets: z.ZodObject
  /**
   * The secret that holds the base address of this connection, used in place of the profile's `baseUrl`: entered by its
   * owner, or read from the token answer (`answer.secretsAt`). The address has to match the profile's `baseUrlPattern`.
   */
  baseUrl?: { from: string }
  /**
   * A free request that verifies the credential and changes nothing, whatever its method; absent where every request
   * costs something.
   */
  test?: ProviderRequest
  /**
   * Reads account id and name from the reply of `test`. `ownIds`: ids that we act under beside the account, such as that
   * of a bot in a team; what they do is our own.
   */
  identify?(reply: unknown): { accountId: string; accountName: string; ownIds?: string[] }
  /** The page on which a user gets a token to copy. Its query parameters are templates of {appName} and {key}. */
  authorize?: { path: string; params: { [name: string]: string } }
  /** Revokes the credential at the provider; sent only when the owner asks for it. */
  revoke?: ProviderRequest
  /**
   * The secret that identifies our app at the provider. Connections with the same value share the limits `per: 'app'`.
   */
  appKey?: string
  /** Tells the owner where to find the values. */
  help?: string
  /** How forms show the secrets. */
  fields?: { [secret: string]: Pick<FieldSpec, 'helpUrl'> }
}
