/** Three-legged OAuth 1.0a with strict signature checks. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  appOf,
  askConsent,
  expirationOf,
  expiryAt,
  htmlReply,
  newSecret,
  originAllowed,
  redirectTo,
  rights,
  scopeOf,
} from './consent.ts'
import type { Reply } from './dispatch.ts'
import { escapeHtml } from './pages.ts'
import type { App, Consent, Member, RequestToken, World } from './records.ts'
import { refuse } from './refusals.ts'
import { issueToken } from './seed.ts'

export type SignedRequest = {
  method: string
  host: string
  path: string
  query: URLSearchParams
  form: URLSearchParams
  authorization: string | undefined
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return refuse(400, 'malformed Authorization header')
  }
}

const headerPairs = (header: string | undefined): [string, string][] => {
  if (!header?.startsWith('OAuth ')) return []
  return [...header.slice('OAuth '.length).matchAll(/(?<![^=,\s])([^=,\s]+)="([^"]*)"/g)].map((pair) => [
    decode(pair[1] as string),
    decode(pair[2] as string),
  ])
}

/** All signed parameters: those of the header, the query and the form. */
const pairsOf = (request: SignedRequest): [string, string][] =>
  [...headerPairs(request.authorization), ...request.query, ...request.form].filter(([name]) => name !== 'realm')

export const baseString = (method: string, address: string, pairs: [string, string][]): string => {
  const encoded = pairs
    .filter(([name]) => name !== 'oauth_signature')
    .map(([name, value]): [string, string] => [encode(name), encode(value)])
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
  encoded.sort((a, b) => order(a[0], b[0]) || order(a[1], b[1]))
  return [method.toUpperCase(), encode(address), encode(encoded.map((pair) => pair.join('=')).join('&'))].join('&')
}
export const sign = (text: string, consumerSecret: string, tokenSecret: string): string =>
  createHmac('sha1', `${encode(consumerSecret)}&${encode(tokenSecret)}`)
    .update(text)
    .digest('base64')

type Signed = { app: App; value(name: string): string | null }

const checkFreshness = (world: World, app: App, timestamp: string, nonce: string): void => {
  const { timestampToleranceMs: tolerance } = world.settings
  if (!/^\d+$/.test(timestamp) || Math.abs(Number(timestamp) * 1000 - world.now()) > tolerance)
    refuse(401, 'timestamp out of range')
  for (const [seen, at] of world.state.nonces) if (at < world.now() - 2 * tolerance) world.state.nonces.delete(seen)
  const used = `${app.key} ${timestamp} ${nonce}`
  if (!nonce || world.state.nonces.has(used)) refuse(401, 'nonce already used')
  world.state.nonces.set(used, world.now())
}

/** Refuses a request that is unsigned, wrongly signed, too old or repeated. */
const verify = (world: World, request: SignedRequest, secretOf: (value: Signed['value']) => string): Signed => {
  const pairs = pairsOf(request)
  const value = (name: string): string | null => {
    const namedPairs = pairs.filter((pair) => pair[0] === name)
    if (namedPairs.length > 1) refuse(400, `duplicate parameter ${name}`)
    return namedPairs[0]?.[1] ?? null
  }
  const key = value('oauth_consumer_key')
  const app = (key === null ? undefined : world.state.apps.get(key)) ?? refuse(401, 'invalid key')
  if (value('oauth_signature_method') !== 'HMAC-SHA1') refuse(400, 'unsupported signature method')
  if ((value('oauth_version') ?? '1.0') !== '1.0') refuse(400, 'unsupported version')
  const expectedSignature = Buffer.from(
    sign(
      baseString(request.method, `http://${request.host.toLowerCase()}${request.path}`, pairs),
      app.secret,
      secretOf(value),
    ),
  )
  const sentSignature = Buffer.from(value('oauth_signature') ?? '')
  if (expectedSignature.length !== sentSignature.length || !timingSafeEqual(expectedSignature, sentSignature))
    refuse(401, 'invalid signature')
  checkFreshness(world, app, value('oauth_timestamp') ?? '', value('oauth_nonce') ?? '')
  return { app, value }
}

const formReply = (values: Record<string, string>): Reply => ({
  status: 200,
  contentType: 'application/x-www-form-urlencoded; charset=utf-8',
  headers: { 'cache-control': 'no-store' },
  body: new URLSearchParams(values).toString(),
})

export const giveRequestToken = (world: World, request: SignedRequest): Reply => {
  const { app, value } = verify(world, request, () => '')
  const callback = value('oauth_callback') ?? refuse(400, 'missing oauth_callback')
  if (callback !== 'oob' && !originAllowed(app.allowedOrigins, callback)) refuse(400, 'Invalid return_url')
  const made: RequestToken = {
    token: newSecret(world, 'request token', 32),
    secret: newSecret(world, 'request secret', 32),
    appKey: app.key,
    callback,
    allowed: null,
  }
  world.state.requestTokens.set(made.token, made)
  return formReply({ oauth_token: made.token, oauth_token_secret: made.secret, oauth_callback_confirmed: 'true' })
}

export const authorizeRequestToken = (world: World, query: URLSearchParams): Reply => {
  const made = world.state.requestTokens.get(query.get('oauth_token') ?? '') ?? refuse(404, 'token not found')
  if (made.allowed) refuse(400, 'token already authorized')
  const app = appOf(world, made.appKey)
  const draft = {
    kind: 'oauth1' as const,
    appKey: app.key,
    name: query.get('name') || app.name,
    requestToken: made.token,
    scope: scopeOf(query.get('scope')),
    expiration: expirationOf(query.get('expiration')),
  }
  return askConsent(world, draft, made.callback)
}

export const decideRequestToken = (
  world: World,
  consent: Extract<Consent, { kind: 'oauth1' }>,
  member: Member | null,
): Reply => {
  const made = world.state.requestTokens.get(consent.requestToken) ?? refuse(404, 'token not found')
  if (!member) {
    world.state.requestTokens.delete(made.token)
    return made.callback === 'oob'
      ? htmlReply(200, 'Denied', '<p>Token request rejected.</p>')
      : redirectTo(withQuery(made.callback, { denied: made.token }))
  }
  const verifier = newSecret(world, 'verifier', 24)
  made.allowed = { idMember: member.id, verifier, scope: consent.scope, expiration: consent.expiration }
  if (made.callback === 'oob')
    return htmlReply(
      200,
      'Your code',
      `<p>Enter this code where you were asked for it:</p><pre>${escapeHtml(verifier)}</pre>`,
    )
  return redirectTo(withQuery(made.callback, { oauth_token: made.token, oauth_verifier: verifier }))
}
export const withQuery = (address: string, values: Record<string, string>): string => {
  const url = new URL(address)
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
  return url.href
}

/** A request token can be exchanged for one access token only. */
export const giveAccessToken = (world: World, request: SignedRequest): Reply => {
  let made: RequestToken | undefined
  const { app, value } = verify(world, request, (read) => {
    made = world.state.requestTokens.get(read('oauth_token') ?? '') ?? refuse(401, 'token not found')
    return made.secret
  })
  const allowed = made?.allowed
  if (!made || made.appKey !== app.key || !allowed) return refuse(401, 'token not authorized')
  if (value('oauth_verifier') !== allowed.verifier) return refuse(401, 'invalid verifier')
  world.state.requestTokens.delete(made.token)
  const member = world.state.members.get(allowed.idMember) as Member
  const token = issueToken(world, {
    app,
    member,
    kind: 'oauth1',
    ...rights(allowed.scope),
    expiresAt: expiryAt(world, allowed.expiration),
  })
  return formReply({ oauth_token: token.value, oauth_token_secret: newSecret(world, 'access secret', 32) })
}
