import type * as Client from 'openid-client'
import { fail, failField, isFailure, isNotAllowed } from '#kit'
import type { Failure } from '#kit'
import type { UnauthenticatedSend } from './unauthenticated-client.ts'

/** Our registration at an OpenID provider that signs people in. */
export type OpenIdProvider = { issuer: string; clientId: string; clientSecret?: string | undefined }

/** What is remembered of a sign-in until the browser comes back. */
export type OpenIdRequest = { redirectUri: string; state: string; nonce: string; verifier: string }

/** What went wrong, for the log: it may name claims and addresses, so people do not see it. */
export type OpenIdRefusal = { refusal: 'denied' | 'code' | 'reply'; reason: string }

export type OpenId = {
  /** New values of `nonce` and `verifier`. */
  secrets(): Promise<Pick<OpenIdRequest, 'nonce' | 'verifier'>>
  /** The address that the browser is sent to. */
  address(provider: OpenIdProvider, request: OpenIdRequest, scopes: readonly string[]): Promise<string>
  /**
   * Exchanges the code in `returned`, the whole address that the browser came back to, for what the provider says about
   * the person. Checks `state`, `iss`, and the ID token: its signature, issuer, audience, times and nonce. `wanted`:
   * claims that are asked for at the UserInfo endpoint if the ID token lacks one.
   * @throws Failure when the provider cannot be asked now
   */
  claims(
    provider: OpenIdProvider,
    request: OpenIdRequest & { returned: URL },
    wanted: readonly string[],
  ): Promise<{ claims: Record<string, unknown> } | OpenIdRefusal>
  /**
   * Reads the provider's discovery document; returns the address that browsers are sent to.
   * @throws Failure `unavailable` when it does not answer, `invalid_input` when it is none of this issuer
   */
  check(provider: OpenIdProvider): Promise<string>
}

type Library = typeof Client
/** Loaded with the first sign-in, since the library is large. */
const load = (): Promise<Library> => import('openid-client')

/** Name of the setting in messages. */
const setting = 'login.issuer'
const patienceMs = 10_000
const keepMs = 600_000
const toleranceSeconds = 30

export type OpenIdClock = {
  now(): number
  monotonic(): number
  sleep(ms: number, signal?: AbortSignal): Promise<unknown>
}

/** Puts our transport, and so the egress rules, below the protocol library. */
const overTransport =
  (send: UnauthenticatedSend, signal: AbortSignal): Client.CustomFetch =>
  async (address, { method, headers, body }) => {
    if (method !== 'GET' && method !== 'POST') throw fail('internal', `The protocol asked for a ${method}.`)
    const reply = await send({
      method,
      address,
      setting,
      headers,
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      signal,
    })
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
    const type = reply.headers['content-type'] ?? (reply.json ? 'application/json' : 'text/plain')
    const isEmpty = reply.status === 204 || reply.status === 304
    return new Response(isEmpty ? null : text, { status: reply.status, headers: { 'content-type': type } })
  }

/** Why the protocol library gave up, without what was sent, which its own texts may quote. */
const reasonOf = (thrown: unknown): string => {
  const { code, message } = thrown as { code?: unknown; message?: unknown }
  return `${typeof code === 'string' ? `${code}: ` : ''}${String(message).slice(0, 200)}`
}

const failureIn = (thrown: unknown): Failure | undefined => {
  if (isFailure(thrown)) return thrown
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return cause === undefined ? undefined : failureIn(cause)
}

const notAnswering = (why: string) =>
  fail('unavailable', `The OpenID provider cannot be asked now, so nobody can sign in with it. ${why}`)

/** A failure of the wire in the words of signing in; `not_allowed` stays, since an operator has to act. */
const away = (failure: Failure): Failure => (isNotAllowed(failure) ? failure : notAnswering(failure.message))

/** Whether the provider itself is in trouble. */
const isServerError = (client: Library, thrown: unknown) => {
  if (thrown instanceof client.ResponseBodyError) return thrown.status >= 500 || thrown.status === 429
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return cause instanceof Response && (cause.status >= 500 || cause.status === 429)
}

/** @throws Failure when the provider cannot be asked now */
const refusalOf = (client: Library, thrown: unknown): OpenIdRefusal => {
  const failure = failureIn(thrown)
  if (failure) throw away(failure)
  if (isServerError(client, thrown)) throw notAnswering('It answered with an error of its own.')
  if (thrown instanceof client.AuthorizationResponseError)
    return { refusal: 'denied', reason: thrown.error.slice(0, 64) }
  if (thrown instanceof client.ResponseBodyError)
    return { refusal: thrown.error === 'invalid_grant' ? 'code' : 'reply', reason: thrown.error.slice(0, 64) }
  return { refusal: 'reply', reason: reasonOf(thrown) }
}

/** Client id and secret as the provider takes them; by the standard in a header, if it does not say. */
const authenticationFor = (client: Library, { clientSecret }: OpenIdProvider): Client.ClientAuth => {
  if (clientSecret === undefined) return client.None()
  const [basic, post] = [client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret)]
  return (server, ...others) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...others)
  }
}

type Patience = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>

/** Ends work after `patienceMs`: a browser waits for it. */
const createPatience =
  (clock: OpenIdClock): Patience =>
  async (work) => {
    const [ended, late] = [new AbortController(), new AbortController()]
    const tooLong = clock.sleep(patienceMs, ended.signal).then((): never => {
      late.abort()
      throw notAnswering('It took too long.')
    })
    tooLong.catch(() => undefined)
    return Promise.race([work(late.signal), tooLong]).finally(() => ended.abort())
  }

/** The providers' discovery documents, read again when they are old. */
const createDocuments = (send: UnauthenticatedSend, clock: OpenIdClock, withPatience: Patience) => {
  const documents = new Map<string, { at: number; metadata: Client.ServerMetadata }>()
  const reading = new Map<string, Promise<Client.ServerMetadata>>()

  const read = async (client: Library, { issuer, clientId }: OpenIdProvider, signal: AbortSignal) => {
    const config = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      // The egress rules decide whether plain http is allowed.
      execute: [client.allowInsecureRequests],
      [client.customFetch]: overTransport(send, signal),
    })
    const metadata = config.serverMetadata()
    documents.set(issuer, { at: clock.monotonic(), metadata })
    return metadata
  }

  /** At most one read is under way, however many browsers ask to sign in. */
  return async (client: Library, provider: OpenIdProvider): Promise<Client.ServerMetadata> => {
    const { issuer } = provider
    const stored = documents.get(issuer)
    if (stored && clock.monotonic() - stored.at < keepMs) return stored.metadata
    const underWay =
      reading.get(issuer) ??
      withPatience((signal) => read(client, provider, signal)).finally(() => reading.delete(issuer))
    reading.set(issuer, underWay)
    return underWay
  }
}

/** Reads a discovery document without the library: a start does it too, and may never sign anybody in. */
const checkDocument = async (
  send: UnauthenticatedSend,
  withPatience: Patience,
  { issuer }: OpenIdProvider,
): Promise<string> => {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const reply = await withPatience((signal) => send({ method: 'GET', address, setting, signal })).catch(
    (thrown: unknown) => {
      throw isFailure(thrown) ? away(thrown) : thrown
    },
  )
  if (reply.status >= 500 || reply.status === 429) throw notAnswering(`It answered with status ${reply.status}.`)
  const document = reply.body as { issuer?: unknown; authorization_endpoint?: unknown } | null
  const named = document?.issuer
  const isOfIssuer = typeof named === 'string' && URL.canParse(named) && new URL(named).href === new URL(issuer).href
  if (isOfIssuer && typeof document?.authorization_endpoint === 'string') return document.authorization_endpoint
  throw failField(
    'issuer',
    `${address} is no discovery document of this issuer (status ${reply.status}). Check "issuer" in the file that TOOLYARD_LOGIN names: it is what the document itself calls "issuer".`,
  )
}

/** Signing people in at an OpenID provider: authorization code with PKCE (S256), state and nonce, over our transport. */
export const createOpenId = (send: UnauthenticatedSend, clock: OpenIdClock): OpenId => {
  const withPatience = createPatience(clock)
  const discover = createDocuments(send, clock, withPatience)

  const configure = async (client: Library, provider: OpenIdProvider, signal: AbortSignal) => {
    const config = new client.Configuration(
      await discover(client, provider),
      provider.clientId,
      {
        [client.clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
        [client.clockTolerance]: toleranceSeconds,
      },
      authenticationFor(client, provider),
    )
    config[client.customFetch] = overTransport(send, signal)
    client.allowInsecureRequests(config)
    // The signature is checked as well, because a listed provider may be reached over plain http.
    client.enableNonRepudiationChecks(config)
    return config
  }

  const grant = async (
    client: Library,
    config: Client.Configuration,
    { returned, state, nonce, verifier }: OpenIdRequest & { returned: URL },
    wanted: readonly string[],
  ) => {
    const tokens = await client.authorizationCodeGrant(config, returned, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()!
    const { userinfo_endpoint: more } = config.serverMetadata()
    if (more === undefined || wanted.every((name) => claims[name] !== undefined)) return { ...claims }
    // What is signed takes precedence.
    return { ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims }
  }

  return {
    async secrets() {
      const client = await load()
      return { nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
    },
    async address(provider, { redirectUri, state, nonce, verifier }, scopes) {
      const client = await load()
      try {
        const config = await configure(client, provider, new AbortController().signal)
        const challenge = await client.calculatePKCECodeChallenge(verifier)
        return client.buildAuthorizationUrl(config, {
          response_type: 'code',
          redirect_uri: redirectUri,
          scope: scopes.join(' '),
          state,
          nonce,
          code_challenge: challenge,
          code_challenge_method: 'S256',
        }).href
      } catch (thrown) {
        throw notAnswering(refusalOf(client, thrown).reason)
      }
    },
    async claims(provider, request, wanted) {
      const client = await load()
      try {
        return await withPatience(async (signal) => ({
          claims: await grant(client, await configure(client, provider, signal), request, wanted),
        }))
      } catch (thrown) {
        return refusalOf(client, thrown)
      }
    },
    check: async (provider) => checkDocument(send, withPatience, provider),
  }
}
