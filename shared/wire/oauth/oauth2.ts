import type * as Client from 'openid-client'
import { fail, isFailure } from '#kit'
import type { Failure, Json, OAuth2ClientProfile, OAuth2Profile } from '#kit'
import { createScrubber } from '../guard/scrub.ts'
import type { UnauthenticatedSend } from './unauthenticated-client.ts'
import type { OAuthApp } from '../types.ts'
import { grantedBy, inStandardForm } from './token-answer.ts'
import type { Granted } from './token-answer.ts'

/** What the token endpoint returned. `expiresInMs` undefined: it does not say. */
export type OAuth2Tokens = Granted & {
  accessToken: string
  refreshToken: string | undefined
  expiresInMs: number | undefined
}

export type OAuth2 = {
  /** A PKCE verifier for `address` and `redeem`, to be stored until the browser comes back; unused without PKCE. */
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

type TokenFacts = Pick<
  OAuth2Profile,
  'tokenBody' | 'clientAuth' | 'refreshTokens' | 'answer' | 'scopeSeparator' | 'issuerParameter'
>

/**
 * Puts our transport below the protocol library, which would otherwise make connections of its own. `note` receives
 * what the provider answered.
 */
const overTransport =
  (
    send: UnauthenticatedSend,
    tokenUrl: string,
    setting: string,
    { tokenBody, refreshTokens, answer }: TokenFacts,
    note: (body: Json) => void,
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
    note(reply.body)
    const standard = inStandardForm(answer, reply)
    const text = typeof standard.body === 'string' ? standard.body : JSON.stringify(standard.body)
    return new Response(standard.status === 204 ? null : text, {
      status: standard.status,
      headers: { 'content-type': reply.json ? 'application/json' : 'text/plain' },
    })
  }

/**
 * In ms; longer than any token lives. A longer life stated by a provider would give a time that is no valid date, which
 * no list of accounts could show.
 */
const maxLifeMs = 10 * 365 * 86_400_000

const tokensOf = (response: Client.TokenEndpointResponse, granted: Granted): OAuth2Tokens => ({
  ...granted,
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

/** Basic without the form-encoding of RFC 6749, which some providers do not undo. */
const plainBasic =
  (secret: string): Client.ClientAuth =>
  (_server, { client_id: id }, _body, headers) =>
    headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`)

const clientAuthOf = (client: Library, { clientAuth }: TokenFacts, { secret }: OAuthApp): Client.ClientAuth => {
  if (secret === '') return client.None()
  if (clientAuth === 'basic-plain') return plainBasic(secret)
  return clientAuth === 'basic' ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)
}

/** The parameter with scopes; none where there is nothing to ask for. */
const scopeParam = ({ scopes = [], scopeSeparator = ' ' }: Pick<OAuth2ClientProfile, 'scopes' | 'scopeSeparator'>) =>
  scopes.length === 0 ? {} : { scope: scopes.join(scopeSeparator) }

/** Configures the protocol library for one request. */
const createConfigure = (send: UnauthenticatedSend) => {
  /** `tokens`: what an answer to a request with `config` returned. */
  const at = (
    client: Library,
    setting: string,
    server: Client.ServerMetadata & { token_endpoint: string },
    facts: TokenFacts,
    app: OAuthApp,
  ) => {
    const config = new client.Configuration(server, app.key, undefined, clientAuthOf(client, facts, app))
    let answered: Json = null
    const note = (body: Json) => void (answered = body)
    config[client.customFetch] = overTransport(send, server.token_endpoint, `${setting}.tokenUrl`, facts, note)
    // The egress rules decide whether plain http is allowed, since they can tell the sandbox from the internet.
    client.allowInsecureRequests(config)
    const tokens = (response: Client.TokenEndpointResponse) => tokensOf(response, grantedBy(facts, answered))
    return { config, tokens }
  }
  return {
    forCode(client: Library, integration: string, facts: OAuth2Profile, app: OAuthApp) {
      const setting = `wire.${integration}.oauth.v2`
      const authorizeUrl = required(`${setting}.authorizeUrl`, facts.authorizeUrl)
      const server = {
        issuer: facts.issuer ?? new URL(authorizeUrl).origin,
        authorization_endpoint: authorizeUrl,
        token_endpoint: required(`${setting}.tokenUrl`, facts.tokenUrl),
        authorization_response_iss_parameter_supported: facts.issuerParameter === 'required',
      }
      return at(client, setting, server, facts, app)
    },
    forClient(client: Library, integration: string, facts: OAuth2ClientProfile, app: OAuthApp) {
      const setting = `wire.${integration}.oauth.client`
      const tokenUrl = required(`${setting}.tokenUrl`, facts.tokenUrl)
      return at(client, setting, { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl }, facts, app)
    },
  }
}

/** OAuth 2.0 over our own transport: authorization code, refresh tokens, and client credentials. */
export const createOAuth2 = (send: UnauthenticatedSend): OAuth2 => {
  const configure = createConfigure(send)
  return {
    verifier: async () => (await load()).randomPKCECodeVerifier(),
    async address(integration, facts, app, { redirectUri, state, verifier, params }) {
      const client = await load()
      const { config } = configure.forCode(client, integration, facts, app)
      const challenge =
        facts.pkce === 'none'
          ? {}
          : {
              code_challenge: await client.calculatePKCECodeChallenge(verifier),
              code_challenge_method: 'S256',
            }
      return client.buildAuthorizationUrl(config, {
        ...params,
        response_type: 'code',
        redirect_uri: redirectUri,
        ...scopeParam(facts),
        state,
        ...challenge,
      }).href
    },
    async redeem(integration, facts, app, { returned, state, verifier }) {
      const client = await load()
      const { config, tokens } = configure.forCode(client, integration, facts, app)
      const checks = { expectedState: state, ...(facts.pkce === 'none' ? {} : { pkceCodeVerifier: verifier }) }
      try {
        return tokens(await client.authorizationCodeGrant(config, returned, checks, facts.tokenParams))
      } catch (thrown) {
        throw failureOf(client, thrown, integration, [app.secret, verifier, returned.searchParams.get('code') ?? ''])
      }
    },
    async refresh(integration, facts, app, refreshToken) {
      const client = await load()
      const { config, tokens } = configure.forCode(client, integration, facts, app)
      try {
        return tokens(await client.refreshTokenGrant(config, refreshToken, facts.tokenParams))
      } catch (thrown) {
        throw failureOf(client, thrown, integration, [app.secret, refreshToken])
      }
    },
    async clientToken(integration, facts, app, owner) {
      const client = await load()
      const { config, tokens } = configure.forClient(client, integration, facts, app)
      try {
        return tokens(await client.clientCredentialsGrant(config, { ...facts.params, ...scopeParam(facts) }))
      } catch (thrown) {
        if (owner === 'connection' && thrown instanceof client.ResponseBodyError && isAboutClient(thrown.error)) {
          throw fail(
            'not_connected',
            'The provider does not accept the client id and secret of this connection. Correct them, then run this again.',
            { providerStatus: thrown.status },
          )
        }
        throw failureOf(client, thrown, integration, [app.secret])
      }
    },
  }
}
