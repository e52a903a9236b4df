import type * as z from 'zod'
import type { ProviderRequest } from './request.ts'
import type { FieldSpec } from './step.ts'

/**
 * How a connection authenticates. `secrets`: what its owner gives is placed by template. `basic`: the same as user name
 * and password (RFC 7617). `oauth1`: OAuth 1.0a in the browser. `oauth2-code`: OAuth 2.0 in the browser, authorization
 * code with PKCE. `oauth2-client`: OAuth 2.0 client credentials; the access token is fetched with the secrets
 * `clientId` and `clientSecret`, or with those of the app where the type has no such secrets.
 */
export type AuthScheme = 'secrets' | 'basic' | 'oauth1' | 'oauth2-code' | 'oauth2-client'

export type ConnectionType = {
  /** Chosen by the author. The wire profile says under it, in `auth`, where the credential goes. */
  id: string
  /** Absent: `secrets`. Where the profile has `oauth.version`, that switches between `oauth1` and `oauth2-code`. */
  scheme?: AuthScheme
  title: string
  purpose: string
  recommended?: boolean
  /** Secrets the owner gives, or that connecting in the browser obtains. Every field described. */
  secrets: z.ZodObject
  /**
   * The secret that holds the address this connection is reached at, in place of the profile's. It has to fit
   * `baseUrlPattern` of the profile.
   */
  baseUrl?: { from: string }
  /**
   * A free request that verifies the credential and changes nothing, whatever its method is; absent where every
   * request costs something.
   */
  test?: ProviderRequest
  /** Reads account id and name from the reply of `test`. */
  identify?(reply: unknown): { accountId: string; accountName: string }
  /** Authorize address for a token the user copies, its query parameters as templates of {appName} and {key}. */
  authorize?: { path: string; params: { [name: string]: string } }
  /** Takes the credential back at the provider; used only when the owner asks for it. */
  revoke?: ProviderRequest
  /** Name of the secret that names our app at the provider; limits `per: 'app'` are shared by it. */
  appKey?: string
  /** Where the owner finds the values. */
  help?: string
  /** How forms show the secrets. */
  fields?: { [secret: string]: Pick<FieldSpec, 'helpUrl'> }
}
