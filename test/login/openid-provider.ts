/**
 * An OpenID provider on loopback, written from the text of OpenID Connect Core 1.0 and RFC 7636 with Node alone, so that
 * it shares no code with what is tested. It says yes to every request to sign in; `behaviour` makes it misbehave.
 */
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { startProvider } from '../support/provider.ts'

export type Claims = Record<string, unknown>

type Granted = { redirectUri: string; nonce: string | null; challenge: string; clientId: string; used: boolean }

export type Behaviour = {
  /** What the ID token says about the person. */
  claims: Claims
  /** What the UserInfo endpoint says; undefined: there is none. */
  userInfo?: Claims | undefined
  /** Changes the claims of the ID token just before it is signed. */
  tamper?(claims: Claims): Claims
  header?: Record<string, unknown>
  signWith?: KeyObject
  /** Seconds that the provider's clock is ahead. */
  ahead?: number
  /** The `iss` of its answers; null: none. */
  answerIssuer?: string | null
  /** Answers with this error instead of a code. */
  error?: string
  /** Accepts a code again. */
  acceptsUsedCodes?: boolean
  /** Comes before every answer to a path; true: it has answered. */
  before?(path: string, response: ServerResponse): boolean
  /** Changes its discovery document. */
  document?(document: Record<string, unknown>): Record<string, unknown>
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const sign = (claims: Claims, key: KeyObject, header: Record<string, unknown>) => {
  const text = `${encode({ alg: 'RS256', typ: 'JWT', kid: 'one', ...header })}.${encode(claims)}`
  if (header['alg'] === 'none') return `${text}.`
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key).toString('base64url')}`
}

export const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

export const clientOf = { clientId: 'toolyard', clientSecret: 'a secret/of+the client' }

export const startOpenIdProvider = async () => {
  const keys = newKey()
  const behaviour: Behaviour = { claims: { sub: 'ada-1', email: 'ada@example.org', email_verified: true } }
  const codes = new Map<string, Granted>()
  const accessTokens = new Set<string>()
  /** Why it refused, for a test that asks. */
  const refusals: string[] = []

  const json = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const refuse = (response: ServerResponse, error: string, why: string) => {
    refusals.push(why)
    return json(response, error === 'invalid_client' ? 401 : 400, { error })
  }

  const document = () => ({
    issuer: provider.origin,
    authorization_endpoint: `${provider.origin}/authorize`,
    token_endpoint: `${provider.origin}/token`,
    jwks_uri: `${provider.origin}/keys`,
    ...(behaviour.userInfo ? { userinfo_endpoint: `${provider.origin}/userinfo` } : {}),
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    authorization_response_iss_parameter_supported: true,
  })

  const authorize = (query: URLSearchParams, response: ServerResponse) => {
    const redirect = new URL(query.get('redirect_uri')!)
    redirect.searchParams.set('state', query.get('state') ?? '')
    const iss = behaviour.answerIssuer === undefined ? provider.origin : behaviour.answerIssuer
    if (iss !== null) redirect.searchParams.set('iss', iss)
    if (behaviour.error !== undefined) redirect.searchParams.set('error', behaviour.error)
    else {
      const code = randomBytes(16).toString('hex')
      codes.set(code, {
        redirectUri: query.get('redirect_uri')!,
        nonce: query.get('nonce'),
        challenge: query.get('code_challenge')!,
        clientId: query.get('client_id')!,
        used: false,
      })
      redirect.searchParams.set('code', code)
    }
    response.writeHead(302, { location: redirect.href }).end()
  }

  const idToken = ({ nonce, clientId }: Granted) => {
    const now = Math.floor(Date.now() / 1000) + (behaviour.ahead ?? 0)
    const claims = {
      iss: provider.origin,
      aud: clientId,
      iat: now,
      exp: now + 300,
      ...(nonce === null ? {} : { nonce }),
      ...behaviour.claims,
    }
    const { tamper = (same: Claims) => same, header = {}, signWith = keys.privateKey } = behaviour
    return sign(tamper(claims), signWith, header)
  }

  const token = (body: URLSearchParams, authorization: string | undefined, response: ServerResponse) => {
    const basic = Buffer.from(/^Basic (.+)$/.exec(authorization ?? '')?.[1] ?? '', 'base64').toString()
    const formDecode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
    const [id, secret] = basic.split(':').map(formDecode)
    if (id !== clientOf.clientId || secret !== clientOf.clientSecret)
      return refuse(response, 'invalid_client', 'client')
    const granted = codes.get(body.get('code') ?? '')
    if (!granted || (granted.used && !behaviour.acceptsUsedCodes)) return refuse(response, 'invalid_grant', 'code')
    granted.used = true
    if (granted.redirectUri !== body.get('redirect_uri')) return refuse(response, 'invalid_grant', 'redirect')
    const proof = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    if (proof !== granted.challenge) return refuse(response, 'invalid_grant', 'verifier')
    const accessToken = randomBytes(16).toString('hex')
    accessTokens.add(accessToken)
    return json(response, 200, {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 60,
      id_token: idToken(granted),
    })
  }

  const provider = await startProvider((request, response, body) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://provider')
    if (behaviour.before?.(pathname, response)) return undefined
    const { authorization } = request.headers
    if (pathname === '/.well-known/openid-configuration')
      return json(response, 200, behaviour.document?.(document()) ?? document())
    if (pathname === '/authorize') return authorize(searchParams, response)
    if (pathname === '/token') return token(new URLSearchParams(body), authorization, response)
    if (pathname === '/keys')
      return json(response, 200, {
        keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
      })
    if (pathname === '/userinfo' && accessTokens.has(authorization?.replace('Bearer ', '') ?? ''))
      return json(response, 200, behaviour.userInfo!)
    return response.writeHead(404).end()
  })
  return { ...provider, behaviour, refusals }
}
export type OpenIdProvider = Awaited<ReturnType<typeof startOpenIdProvider>>
