import * as z from 'zod'
import type { Infer } from './infer.ts'
import { texts } from './infer.ts'

/** null: the provider's documents do not show the address, and the operator must set it. */
const address = () => z.string().nullable()
const scopeNames = () =>
  z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe('What this version calls the scopes that steps and triggers name in `oauthScopes`; absent: the same.')
const authorizeUrl = () => address().describe('Page where the person decides.')
const scopes = () => z.array(z.string())
const tokenBody = () => z.enum(['form', 'json']).optional().describe('Body format of token requests; default `form`.')
const clientAuth = () =>
  z
    .enum(['body', 'basic'])
    .optional()
    .describe(
      'Where client id and secret go in token requests: `body` (default), or `basic` for the Authorization header.',
    )

/** `auth.oauth` says where its tokens go, as the secrets {key} and {token}. */
const oauth1 = () =>
  z.strictObject({
    requestUrl: address().describe('Address for request tokens.'),
    authorizeUrl: authorizeUrl(),
    tokenUrl: address().describe('Address for access tokens.'),
    authorizeParams: texts().optional().describe('Further parameters of the authorize page; `{appName}` is filled in.'),
    scopeNames: scopeNames(),
  })
export type OAuth1Profile = Infer<typeof oauth1>

/** `auth.oauth2` says where its tokens go, as the secrets {key} (the client id) and {token} (the access token). */
const oauth2 = () =>
  z.strictObject({
    authorizeUrl: authorizeUrl(),
    tokenUrl: address().describe('Address for tokens.'),
    issuer: z
      .string()
      .optional()
      .describe('What the provider calls itself in `iss`; default: the origin of `authorizeUrl`.'),
    scopes: scopes().describe('Scopes to ask for.'),
    scopeNames: scopeNames(),
    authorizeParams: texts().optional().describe('Further parameters of the authorize page.'),
    tokenBody: tokenBody(),
    clientAuth: clientAuth(),
    // The standard advises rotation. At a provider that rotates, a repeated refresh counts as theft and ends the whole
    // authorization.
    refreshTokens: z
      .enum(['rotating', 'reusable'])
      .optional()
      .describe(
        'Whether a refresh token may be sent again after a lost answer: `rotating` (default) never, `reusable` yes.',
      ),
  })
export type OAuth2Profile = Infer<typeof oauth2>

/** `auth` says, by connection type, where the access token goes, as the secret {token}. */
const oauth2Client = () =>
  z.strictObject({
    tokenUrl: address().describe('Address for tokens.'),
    scopes: scopes().optional().describe('Scopes to ask for.'),
    params: texts().optional().describe('Further parameters of the token request, such as `audience`.'),
    tokenBody: tokenBody(),
    clientAuth: clientAuth(),
  })
export type OAuth2ClientProfile = Infer<typeof oauth2Client>

export const oauthProfile = () =>
  z.strictObject({
    version: z
      .enum(['1.0a', '2.0'])
      .optional()
      .describe(
        'Switches between the two below, for a provider that offers both; absent: the scheme of each connection type decides.',
      ),
    v1: oauth1().optional().describe('OAuth 1.0a, HMAC-SHA1, three-legged.'),
    v2: oauth2().optional().describe('OAuth 2.0, authorization code with PKCE.'),
    client: oauth2Client().optional().describe('OAuth 2.0 client credentials.'),
  })
export type OAuthProfile = Infer<typeof oauthProfile>
