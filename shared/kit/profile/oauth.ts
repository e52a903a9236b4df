import * as z from 'zod'
import type { Infer } from './infer.ts'
import { texts } from './infer.ts'

/** null: the provider's documents do not show the address, and the operator must set it. */
const address = () => z.string().nullable()
// Anything but a "/" after it would continue the name of the host, to one that the pattern does not allow.
const isOwnOrFixed = (text: string | null) => text === null || !/(?!^)\{baseUrl\}|^\{baseUrl\}(?!\/)/.test(text)
const ownAddress = (what: string) =>
  address()
    .refine(isOwnOrFixed, '"{baseUrl}" is followed by "/" and has nothing before it, as in "{baseUrl}/oauth/token"')
    .describe(`${what} \`{baseUrl}\` at its beginning is the address of the connection (see \`baseUrlPattern\`).`)
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
    .enum(['body', 'basic', 'basic-plain'])
    .optional()
    .describe(
      'Where client id and secret go in token requests: `body` (default), or `basic` for the Authorization header, form-encoded as RFC 6749 says; `basic-plain` for a provider that takes them there as they are.',
    )
const scopeSeparator = () =>
  z
    .enum([' ', ','])
    .optional()
    .describe('What stands between scopes in requests, and in answers unless `answer` says otherwise; default a space.')

const refusal = () =>
  z.strictObject({
    at: z
      .string()
      .describe('Dotted path of the error code. Any text there, or number but 0, is a refusal, also at 200.'),
    messageAt: z.string().optional().describe('Dotted path of the message.'),
    means: z
      .record(z.string(), z.enum(['invalid_grant', 'invalid_client', 'temporarily_unavailable']))
      .optional()
      .describe('The provider’s code → the code of RFC 6749 with the same meaning; other codes keep their own.'),
  })

/** Paths are dotted paths into the JSON that the token address answers. */
const tokenAnswer = () =>
  z.strictObject({
    tokenAt: z.string().optional().describe('Access token; default `access_token`.'),
    refreshTokenAt: z.string().optional().describe('Refresh token; default `refresh_token`.'),
    expiresInAt: z.string().optional().describe('Life of the access token in seconds; default `expires_in`.'),
    scopesAt: z.string().optional().describe('Granted scopes, as a text or a list; default `scope`.'),
    scopeSeparator: scopeSeparator(),
    tokenType: z
      .enum(['bearer', 'unstated'])
      .optional()
      .describe(
        '`bearer` (default): the answer says so in `token_type`; `unstated`: it has no type, or a word of its own.',
      ),
    secretsAt: texts()
      .optional()
      .describe(
        'Further secrets of the connection → where they stand: a second token, or the address of the account. Those that are missing are left out.',
      ),
    account: z
      .strictObject({
        id: z.string().describe('Dotted path of the id of the account.'),
        name: z.string().optional().describe('Dotted path of its name.'),
      })
      .optional()
      .describe('Whose account was connected, where no `identify` says it.'),
    ownIdsAt: z
      .array(z.string())
      .optional()
      .describe('Ids that we act under beside the account, such as that of a bot: what they do is our own.'),
    error: refusal().optional().describe('Where refusals stand; default `error` and `error_description`, not at 200.'),
  })
export type OAuth2Answer = Infer<typeof tokenAnswer>
const answer = () => tokenAnswer().optional().describe('How token answers differ from RFC 6749; absent: they do not.')

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

const scopeFields = () => ({
  scopes: scopes().describe('Scopes to ask for; none leaves the parameter out.'),
  scopeSeparator: scopeSeparator(),
  authorizeParams: texts().optional().describe('Further parameters of the authorize page.'),
})

/** `auth.oauth2` says where its tokens go, as the secrets {key} (the client id) and {token} (the access token). */
const oauth2 = () =>
  z.strictObject({
    authorizeUrl: ownAddress('Page where the person decides.'),
    tokenUrl: ownAddress('Address for tokens.'),
    issuer: z
      .string()
      .optional()
      .describe('What the provider calls itself in `iss`; default: the origin of `authorizeUrl`.'),
    issuerParameter: z
      .enum(['optional', 'required'])
      .optional()
      .describe(
        'Whether browsers come back with `iss` (RFC 9207): `optional` (default) checks it where present, `required` refuses a return without it.',
      ),
    pkce: z
      .enum(['S256', 'none'])
      .optional()
      .describe('Proof Key for Code Exchange; `none` only for a provider that refuses its parameters. Default `S256`.'),
    ...scopeFields(),
    scopeNames: scopeNames(),
    tokenParams: texts().optional().describe('Further parameters of token requests.'),
    tokenBody: tokenBody(),
    clientAuth: clientAuth(),
    answer: answer(),
    types: z
      .record(
        z.string(),
        z.strictObject({
          ...scopeFields(),
          scopes: scopes().optional().describe('Scopes to ask for.'),
          answer: answer(),
        }),
      )
      .optional()
      .describe(
        'Fields that differ for a connection type, such as one that acts as a person and one that acts as a bot.',
      ),
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
    tokenUrl: ownAddress('Address for tokens.'),
    scopes: scopes().optional().describe('Scopes to ask for.'),
    scopeSeparator: scopeSeparator(),
    params: texts().optional().describe('Further parameters of the token request, such as `audience`.'),
    tokenBody: tokenBody(),
    clientAuth: clientAuth(),
    answer: answer(),
  })
export type OAuth2ClientProfile = Infer<typeof oauth2Client>

export const oauthProfile = () =>
  z.strictObject({
    version: z
      .enum(['1.0a', '2.0'])
      .optional()
      .describe(
        'Switches between the two below, where the profile has both; otherwise the scheme of each connection type decides.',
      ),
    v1: oauth1().optional().describe('OAuth 1.0a, HMAC-SHA1, three-legged.'),
    v2: oauth2().optional().describe('OAuth 2.0, authorization code.'),
    client: oauth2Client().optional().describe('OAuth 2.0 client credentials.'),
  })
export type OAuthProfile = Infer<typeof oauthProfile>
