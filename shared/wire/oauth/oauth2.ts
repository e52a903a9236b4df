import type * as Client from 'openid-client'
import { fail, isFailure } from '#kit'
import type { Failure, OAuth2ClientProfile, OAuth2Profile } from '#kit'
import { createScrubber } from '../guard/scrub.ts'
import type { UnauthenticatedSend } from './unauthenticated-client.ts'
import type { OAuthApp } from '../types.ts'

/** What the token endpoint returned. `expiresInMs` undefined: it does not say. */
export type OAuth2Tokens = { accessToken: string; refreshToken: string | undefined; expiresInMs: number | undefined }

export type OAuth2 = {
  /** A PKCE verifier for `address` and `redeem`, to be stored until the browser comes back. */
  verifier(): Promise<string>
  /** The address that the browser is sent to. */
  address(
    integration: string,
    facts: OAuth2Profile,
    app: OAuthApp,
    request: { redirectUri: string; state: string; verifier: string; params: Record<string, string> },
  ): Promise<string>
  /** Exchanges the code in `returned`, the whole address that the browser came back to. Checks `state` and `iss`. */
  redeem(
    integration: string,
    facts: OAuth2Profile,
    app: OAuthApp,
    request: { returned: URL; state: string; verifier: string },
  ): Promise<OAuth2Tokens>
  /**
   * @throws Failure `not_connected` when the refresh token is no longer valid, `outcome_unknown` when it may be spent
   * and the answer was lost; any other failure says nothing about the token
   */
  refresh(integration: string, facts: OAuth2Profile, app: OAuthApp, refreshToken: string): Promise<OAuth2Tokens>
  /**
   * Requests a token with client credentials; safe to repeat. `owner`: whose id and secret these are, which decides who
   * has to correct them.
   * @throws Failure `not_connected` when the provider does not accept the connection's own
   */
  clientToken(
    integration: string,
    facts: OAuth2ClientProfile,
    app: OAuthApp,
    owner: 'connection' | 'app',
  ): Promise<OAuth2Tokens>
}

type Library = typeof Client
/** Loaded when an account is first connected this way: the library is half as large as everything else together. */
const load = (): Promise<Library> => import('openid-client')

const required = (setting: string, address: string | null): string => {
  if (address !== null) return address
  throw fail('wire_unset', `The provider documents do not show this address. The operator sets "${setting}".`)
}

/** Puts our transport below the protocol library, which would otherwise make connections of its own. */
const overTransport =
  (
    send: UnauthenticatedSend,
    tokenUrl: string,
    setting: string,
    { tokenBody, refreshTokens }: Pick<OAuth2Profile, 'tokenBody' | 'refreshTokens'>,
  ): Client.CustomFetch =>
  async (url, { method, headers, body }) => {
    if (url !== tokenUrl || method !== 'POST')
      throw fail('internal', 'The protocol asked for an address that is not set.')
    const form = new URLSearchParams(String(body))
    const isJson = tokenBody === 'json'
    const reply = await send({
      method: 'POST',
      address: tokenUrl,
      setting,
      headers: {
        ...headers,
        accept: 'application/json',
        'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded;charset=UTF-8',
      },
      isSpending: form.get('grant_type') === 'refresh_token' && refreshTokens !== 'reusable',
      body: isJson ? JSON.stringify(Object.fromEntries(form)) : form.toString(),
    })
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
    return new Response(reply.status === 204 ? null : text, {
      status: reply.status,
      headers: { 'content-type': reply.json ? 'application/json' : 'text/plain' },
    })
  }

/**
 * In ms; longer than any token lives. A longer life stated by a provider would give a time that is no valid date, which
 * no list of accounts could show.
 */
const maxLifeMs = 10 * 365 * 86_400_000

const tokensOf = (response: Client.TokenEndpointResponse): OAuth2Tokens => ({
  accessToken: response.access_token,
  refreshToken: response.refresh_token,
  expiresInMs: response.expires_in === undefined ? undefined : Math.min(maxLifeMs, response.expires_in * 1000),
})

const isAboutClient = (error: string) => error === 'invalid_client' || error === 'unauthorized_client'

/**
 * Turns the protocol's refusals into failures. The library's own texts may quote what was sent, so they are not passed
 * on.
 */
const failureOf = (client: Library, thrown: unknown, integration: string, secrets: string[]): Failure => {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  if (isFailure(thrown)) return thrown
  if (isFailure(cause)) return cause
  if (thrown instanceof client.ResponseBodyError) {
    const { error, error_description: text, status } = thrown
    const details = {
      providerStatus: status,
      providerMessage: createScrubber(secrets)
        .text(`${error}${text ? `: ${text}` : ''}`)
        .slice(0, 200),
    }
    if (error === 'invalid_grant')
      return fail(
        'not_connected',
        'The provider does not accept this authorization any more: it ran out, was used before or was taken back. Reconnect the account.',
        details,
      )
    if (isAboutClient(error)) {
      return fail(
        'rejected',
        `The provider does not know our app, or its secret is another one. The operator checks client id and secret of the app of "${integration}".`,
        details,
      )
    }
    return fail(
      status >= 500 ? 'provider_failed' : 'rejected',
      `The provider refused a step of connecting (it answered ${status}).`,
      details,
    )
  }
  if (thrown instanceof client.AuthorizationResponseError) {
    return fail('access_denied', 'The provider sent the browser back without a permission.', {
      providerMessage: createScrubber(secrets).text(thrown.error).slice(0, 200),
    })
  }
  const status = thrown instanceof Error && cause instanceof Response ? cause.status : undefined
  if (status !== undefined && status >= 500)
    return fail(
      'provider_failed',
      `The provider failed at a step of connecting (it answered ${status}). Try again later.`,
      { providerStatus: status },
    )
  return fail(
    'bad_reply',
    'The provider answered a step of connecting with something that is not OAuth 2.0, or the answer belongs to another provider. Nothing was connected.',
    { providerStatus: status },
  )
}

/** OAuth 2.0 over our own transport: authorization code with PKCE (S256), refresh tokens, and client credentials. */
export const createOAuth2 = (send: UnauthenticatedSend): OAuth2 => {
  const configureAt = (
    client: Library,
    setting: string,
    server: Client.ServerMetadata & { token_endpoint: string },
    facts: Pick<OAuth2Profile, 'tokenBody' | 'clientAuth' | 'refreshTokens'>,
    app: OAuthApp,
  ) => {
    const withSecret = facts.clientAuth === 'basic' ? client.ClientSecretBasic : client.ClientSecretPost
    const config = new client.Configuration(
      server,
      app.key,
      undefined,
      app.secret === '' ? client.None() : withSecret(app.secret),
    )
    config[client.customFetch] = overTransport(send, server.token_endpoint, `${setting}.tokenUrl`, facts)
    // The egress rules decide whether plain http is allowed, since they can tell the sandbox from the internet.
    client.allowInsecureRequests(config)
    return config
  }
  const configure = (client: Library, integration: string, facts: OAuth2Profile, app: OAuthApp) => {
    const setting = `wire.${integration}.oauth.v2`
    const authorizeUrl = required(`${setting}.authorizeUrl`, facts.authorizeUrl)
    const tokenUrl = required(`${setting}.tokenUrl`, facts.tokenUrl)
    const server = {
      issuer: facts.issuer ?? new URL(authorizeUrl).origin,
      authorization_endpoint: authorizeUrl,
      token_endpoint: tokenUrl,
    }
    return configureAt(client, setting, server, facts, app)
  }
  return {
    verifier: async () => (await load()).randomPKCECodeVerifier(),
    async address(integration, facts, app, { redirectUri, state, verifier, params }) {
      const client = await load()
      const challenge = await client.calculatePKCECodeChallenge(verifier)
      return client.buildAuthorizationUrl(configure(client, integration, facts, app), {
        ...params,
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: facts.scopes.join(' '),
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }).href
    },
    async redeem(integration, facts, app, { returned, state, verifier }) {
      const client = await load()
      const config = configure(client, integration, facts, app)
      try {
        return tokensOf(
          await client.authorizationCodeGrant(config, returned, { pkceCodeVerifier: verifier, expectedState: state }),
        )
      } catch (thrown) {
        throw failureOf(client, thrown, integration, [app.secret, verifier, returned.searchParams.get('code') ?? ''])
      }
    },
    async refresh(integration, facts, app, refreshToken) {
      const client = await load()
      const config = configure(client, integration, facts, app)
      try {
        return tokensOf(await client.refreshTokenGrant(config, refreshToken))
      } catch (thrown) {
        throw failureOf(client, thrown, integration, [app.secret, refreshToken])
      }
    },
    async clientToken(integration, facts, app, owner) {
      const client = await load()
      const setting = `wire.${integration}.oauth.client`
      const tokenUrl = required(`${setting}.tokenUrl`, facts.tokenUrl)
      const config = configureAt(
        client,
        setting,
        { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl },
        facts,
        app,
      )
      const { scopes = [], params = {} } = facts
      try {
        return tokensOf(
          await client.clientCredentialsGrant(config, {
            ...params,
            ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
          }),
        )
      } catch (thrown) {
        if (owner === 'connection' && thrown instanceof client.ResponseBodyError && isAboutClient(thrown.error)) {
          const { status } = thrown
          throw fail(
            'not_connected',
            'The provider does not accept the client id and secret of this connection. Correct them, then run this again.',
            {
              providerStatus: status,
            },
          )
        }
        throw failureOf(client, thrown, integration, [app.secret])
      }
    },
  }
}
