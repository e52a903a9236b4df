import { fail, failField } from '#kit'
import type { AuthPlacement, Json, WireProfile } from '#kit'
import type { PlainRequest } from '../guard/guard.ts'
import type { Account, OAuth1Token, OAuthApp, Signed } from '../types.ts'

/** A request with its credential, in the form the transport takes. Lives only until it is sent. */
export type SignedRequest = { method: string; target: string; headers: string[]; body: string | undefined }

/** The value of an `Authorization` header that signs one request (RFC 5849), with a nonce of its own. */
export type SignRequest = (app: OAuthApp, token: OAuth1Token | undefined, request: Signed) => string

/** What an account adds to each request; made once per account. */
export type Credential = {
  /** Those that hold a secret. */
  headers: string[]
  /** All headers that do not depend on the call: without a body, and with one. */
  all: { bare: string[]; json: string[] }
  /** `key=…&token=…`, encoded. */
  query: string
  body: [name: string, value: string][]
  /** Value of a secret named in a path, encoded. */
  inPath(name: string): string
  /** Value of the `Authorization` header, where each request has another one. */
  sign?(method: string, path: string, query: string): string
}

const unset = (setting: string) =>
  fail(
    'wire_unset',
    `The provider documents do not show where the credential goes. The operator sets "${setting}", for example {"place":"header","fields":{"Authorization":"Bearer {apiKey}"}}.`,
  )

const fill = (template: string, secrets: Record<string, string>, setting: string) =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined
    if (typeof value === 'string' && value !== '') return value
    throw fail('not_connected', `The connected account has no value for "${name}", which "${setting}" needs. Reconnect the account.`)
  })

// Anything else would end the header line or be sent as another character than the one meant.
const headerValue = /^[\t\x20-\x7e\xa0-\xff]*$/

const requireHeaderValue = (name: string, value: string) => {
  if (headerValue.test(value) && value === value.trim()) return
  throw failField(
    name,
    `The value for the header "${name}" holds a line break, a control character, outer spaces or a character outside Latin-1. Reconnect the account with the value as the provider shows it.`,
  )
}

const headerPair = (name: string, value: string): [string, string] => {
  requireHeaderValue(name, value)
  return [name.toLowerCase(), value]
}

/** RFC 7617: the first ":" ends the user name, and neither part holds a control character. */
const basicValue = (user: string, password: string): string => {
  if (user.includes(':') || /\p{Cc}/u.test(user + password))
    throw fail(
      'not_connected',
      'The user name of this connection holds ":", or it or the password a control character, which Basic authentication cannot carry. Reconnect it with other values.',
    )
  return `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`
}

const fixedHeaders = ['accept', 'application/json', 'accept-encoding', 'gzip, deflate, br', 'user-agent', 'toolyard']

const allHeaders = (ofAccount: string[]): Credential['all'] => {
  const bare = [...fixedHeaders, ...ofAccount]
  return { bare, json: [...bare, 'content-type', 'application/json'] }
}

const nothing = { headers: [], query: '', body: [] }

/** What the credential adds to every request. */
const placed = (placement: AuthPlacement, of: (template: string) => string): Pick<Credential, 'headers' | 'query' | 'body'> => {
  if (placement.place === 'oauth1') return nothing
  if (placement.place === 'basic') return { ...nothing, headers: headerPair('Authorization', basicValue(of(placement.user), of(placement.password))) }
  const filled = Object.entries(placement.fields).map(([name, template]) => [name, of(template)] as [string, string])
  if (placement.place === 'header') return { ...nothing, headers: filled.flatMap(([name, value]) => headerPair(name, value)) }
  if (placement.place === 'body') return { ...nothing, body: filled }
  return { ...nothing, query: filled.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&') }
}

/** Signs a request as RFC 5849 says: method, address, parameters of the query. A body that is no form is not part of the signature. */
const signerFor = (
  placement: Extract<AuthPlacement, { place: 'oauth1' }>,
  account: Account,
  of: (template: string) => string,
  origin: string,
  sign: SignRequest,
) => {
  const { consumer, token } = placement
  const app = consumer ? { key: of(consumer.key), secret: of(consumer.secret) } : account.app
  if (!app) throw fail('not_connected', 'The app whose secret signs the requests of this connection is not set up. The operator sets it, then run this again.')
  const own = token && { token: of(token.key), secret: of(token.secret) }
  return (method: string, path: string, query: string) => {
    const data = Object.create(null) as Record<string, string[]>
    for (const [name, value] of new URLSearchParams(query)) (data[name] ??= []).push(value)
    return sign(app, own, { method, url: origin + path, data })
  }
}

/** Reads where the profile wants this account's secrets. Throws `wire_unset`, `not_connected` or `invalid_input`. */
export const readCredential = (integration: string, profile: WireProfile, account: Account, origin: string, sign: SignRequest): Credential => {
  const setting = `wire.${integration}.auth.${account.type}`
  const placement: AuthPlacement | null | undefined = Object.hasOwn(profile.auth, account.type) ? profile.auth[account.type] : undefined
  if (!placement) throw unset(setting)
  const of = (template: string) => fill(template, account.secrets, setting)
  const parts = placed(placement, of)
  return {
    ...parts,
    all: allHeaders(parts.headers),
    inPath: (name) => encodeURIComponent(of(`{${name}}`)),
    ...(placement.place === 'oauth1' ? { sign: signerFor(placement, account, of, origin, sign) } : {}),
  }
}

const withBody = (request: PlainRequest, added: [string, string][]): string => {
  const { body, method } = request
  if (method === 'GET')
    throw fail(
      'wire_unset',
      'This provider takes its credential in the request body, and a GET request has none. Use POST, or let the operator set another place.',
    )
  if (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body))) {
    throw failField('body', 'This provider takes its credential in the request body, so the body must be an object. Put the list or value into a field.')
  }
  return JSON.stringify({ ...(body as { [name: string]: Json } | undefined), ...Object.fromEntries(added) })
}

/** Adds the credential. The last step before sending: nothing that is logged or shown is built from its result. */
export const authorize = (request: PlainRequest, credential: Credential, markHeader: string | undefined): SignedRequest => {
  const { query } = request
  const body = credential.body.length > 0 ? withBody(request, credential.body) : request.bodyText
  const { bare, json } = credential.all
  let headers = body === undefined ? bare : json
  if (request.mark !== undefined && markHeader !== undefined) {
    requireHeaderValue(markHeader, request.mark)
    headers = [...headers, markHeader, request.mark]
  }
  const path = request.secretsInPath ? request.path.replace(/\{secret:(\w+)\}/g, (_, name: string) => credential.inPath(name)) : request.path
  if (credential.sign) headers = [...headers, 'authorization', credential.sign(request.method, path, query)]
  const joined = query === '' || credential.query === '' ? query + credential.query : `${query}&${credential.query}`
  return { method: request.method, target: joined === '' ? path : `${path}?${joined}`, headers, body }
}

const masked = '***'

/** The same request with every credential value masked. */
export const mask = (origin: string, request: PlainRequest, credential: Credential, markHeader: string | undefined) => {
  const hiddenHeaders = credential.headers.map((part, index) => (index % 2 === 0 ? part : masked))
  const hidden: Credential = {
    headers: hiddenHeaders,
    all: allHeaders(hiddenHeaders),
    query: credential.query.replace(/=[^&]*/g, `=${masked}`),
    body: credential.body.map(([name]) => [name, masked]),
    inPath: () => masked,
    ...(credential.sign ? { sign: () => masked } : {}),
  }
  const { method, target, headers, body } = authorize(request, hidden, markHeader)
  const named: Record<string, string> = {}
  for (let at = 0; at < headers.length; at += 2) named[headers[at] as string] = headers[at + 1] as string
  return { method, url: origin + target, headers: named, ...(body === undefined ? {} : { body: JSON.parse(body) as Json }) }
}
