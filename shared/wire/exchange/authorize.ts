import { fail, failField } from '#kit'
import type { AuthPlacement, Json, WireProfile } from '#kit'
import type { PlainRequest } from '../guard/guard.ts'
import type { Account, OAuth1Token, OAuthApp, Signed, StreamedBody } from '../types.ts'
import { encodeBody, formType } from '../guard/body.ts'
import type { EncodedBody } from '../guard/body.ts'
import { redacted } from '../guard/scrub.ts'

/** A request with its credential, in the form the transport takes. Lives only until it is sent. */
export type SignedRequest = {
  method: string
  target: string
  headers: string[]
  body: string | Uint8Array | StreamedBody | undefined
}

/** The value of an `Authorization` header that signs one request (RFC 5849), with a nonce of its own. */
export type SignRequest = (app: OAuthApp, token: OAuth1Token | undefined, request: Signed) => string

/** What an account's credential adds to each request; made once per account. */
export type Credential = {
  /** Headers that hold a secret, as alternating names and values. */
  headers: string[]
  /** The profile's headers. */
  fixed: string[]
  /** All headers that do not depend on the call: without a body, and with a JSON body. */
  all: { bare: string[]; json: string[] }
  /** `key=…&token=…`, encoded. */
  query: string
  body: [name: string, value: string][]
  /** Value of the secret named in a path, encoded. */
  inPath(name: string): string
  /** Value of the `Authorization` header, where it differs for each request. `parameters`: URL-encoded. */
  sign?(method: string, path: string, parameters: string): string
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
    throw fail(
      'not_connected',
      `The connected account has no value for "${name}", which "${setting}" needs. Reconnect the account.`,
    )
  })

// Any other character would end the header line or be sent as a character that was not meant.
const headerValue = /^[\t\x20-\x7e\xa0-\xff]*$/

const isHeaderValue = (value: string) => headerValue.test(value) && value === value.trim()

const wrongHeader = (name: string) =>
  failField(
    name,
    `The value for the header "${name}" holds a line break, a control character, outer spaces or a character outside Latin-1. Reconnect the account with the value as the provider shows it.`,
  )

const headerPair = (name: string, value: string): [string, string] => {
  if (!isHeaderValue(value)) throw wrongHeader(name)
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

/**
 * Headers that the connection, the form of the body or the credential sets. In a profile, each of them has a field of
 * its own or no meaning.
 */
const notFixed =
  /^(accept|accept-encoding|authorization|proxy-.*|cookie|content-.*|transfer-encoding|te|trailer|connection|keep-alive|upgrade|expect|host|if-.*|range)$/
const headerName = /^[!#$%&'*+.^_`|~\w-]{1,100}$/

/**
 * Throws `invalid_input` for a fixed header that would change the connection, the credential or the correlation id of
 * our writes.
 */
export const checkFixedHeaders = (
  integration: string,
  profile: Pick<WireProfile, 'headers' | 'auth' | 'writeMark'>,
) => {
  const taken = new Set(
    [
      ...Object.values(profile.auth).flatMap((placement) =>
        placement?.place === 'header' ? Object.keys(placement.fields) : [],
      ),
      ...(profile.writeMark ? [profile.writeMark.header] : []),
    ].map((name) => name.toLowerCase()),
  )
  for (const [name, value] of Object.entries(profile.headers ?? {})) {
    const lower = name.toLowerCase()
    const setting = `The wire setting "wire.${integration}.headers.${name}" is not usable:`
    if (!headerName.test(name)) throw fail('invalid_input', `${setting} this is not the name of a header.`)
    if (notFixed.test(lower) || taken.has(lower))
      throw fail('invalid_input', `${setting} this header is set from "auth", "accept", "body" or by the connection.`)
    if (!isHeaderValue(value))
      throw fail(
        'invalid_input',
        `${setting} the value holds a line break, a control character, outer spaces or a character outside Latin-1.`,
      )
  }
}

const fixedHeaders = ({ accept = 'application/json', headers = {} }: WireProfile): string[] => {
  const fixed: Record<string, string> = { accept, 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'toolyard' }
  for (const [name, value] of Object.entries(headers)) fixed[name.toLowerCase()] = value
  return Object.entries(fixed).flat()
}

const allHeaders = (fixed: string[], ofAccount: string[]): Credential['all'] => {
  const bare = [...fixed, ...ofAccount]
  return { bare, json: [...bare, 'content-type', 'application/json'] }
}

const nothing = { headers: [], query: '', body: [] }

/** What the credential adds to every request. */
const placed = (
  placement: AuthPlacement,
  of: (template: string) => string,
): Pick<Credential, 'headers' | 'query' | 'body'> => {
  if (placement.place === 'oauth1') return nothing
  if (placement.place === 'basic')
    return { ...nothing, headers: headerPair('Authorization', basicValue(of(placement.user), of(placement.password))) }
  const filled = Object.entries(placement.fields).map(([name, template]) => [name, of(template)] as [string, string])
  if (placement.place === 'header')
    return { ...nothing, headers: filled.flatMap(([name, value]) => headerPair(name, value)) }
  if (placement.place === 'body') return { ...nothing, body: filled }
  return {
    ...nothing,
    query: filled.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&'),
  }
}

/**
 * Signs a request as RFC 5849 defines it: method, address, and the parameters of the query and of a form. Any other
 * body is not part of the signature.
 */
const signerFor = (
  placement: Extract<AuthPlacement, { place: 'oauth1' }>,
  account: Account,
  of: (template: string) => string,
  origin: string,
  sign: SignRequest,
) => {
  const { consumer, token } = placement
  const app = consumer ? { key: of(consumer.key), secret: of(consumer.secret) } : account.app
  if (!app)
    throw fail(
      'not_connected',
      'The app whose secret signs the requests of this connection is not set up. The operator sets it, then run this again.',
    )
  const own = token && { token: of(token.key), secret: of(token.secret) }
  return (method: string, path: string, parameters: string) => {
    const data = Object.create(null) as Record<string, string[]>
    for (const [name, value] of new URLSearchParams(parameters)) (data[name] ??= []).push(value)
    return sign(app, own, { method, url: origin + path, data })
  }
}

/**
 * Builds what the account's secrets add to requests, as the profile places them. Throws `wire_unset`, `not_connected`
 * or `invalid_input`.
 */
export const readCredential = (
  integration: string,
  profile: WireProfile,
  account: Account,
  origin: string,
  sign: SignRequest,
): Credential => {
  const setting = `wire.${integration}.auth.${account.type}`
  const placement: AuthPlacement | null | undefined = Object.hasOwn(profile.auth, account.type)
    ? profile.auth[account.type]
    : undefined
  if (!placement) throw unset(setting)
  const of = (template: string) => fill(template, account.secrets, setting)
  const parts = placed(placement, of)
  const fixed = fixedHeaders(profile)
  return {
    ...parts,
    fixed,
    all: allHeaders(fixed, parts.headers),
    inPath: (name) => encodeURIComponent(of(`{${name}}`)),
    ...(placement.place === 'oauth1' ? { sign: signerFor(placement, account, of, origin, sign) } : {}),
  }
}

const withCredential = ({ body, bodyAs, method }: PlainRequest, added: [string, string][]): Json => {
  if (method === 'GET')
    throw fail(
      'wire_unset',
      'This provider takes its credential in the request body, and a GET request has none. Use POST, or let the operator set another place.',
    )
  if (bodyAs === 'raw' || (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body)))) {
    throw failField(
      'body',
      'This provider takes its credential in the request body, so the body must be an object. Put the list or value into a field.',
    )
  }
  return { ...(body as { [name: string]: Json } | undefined), ...Object.fromEntries(added) }
}

const headersFor = (
  request: PlainRequest,
  { all }: Credential,
  encoded: EncodedBody | undefined,
  correlationHeader: string | undefined,
): string[] => {
  const { correlationId, conditions } = request
  let headers = encoded === undefined ? all.bare : all.json
  if (encoded?.contentType !== undefined) headers = [...all.bare, 'content-type', encoded.contentType]
  if (typeof encoded?.content === 'object' && 'open' in encoded.content)
    headers = [...headers, 'content-length', String(encoded.content.length)]
  if (correlationId !== undefined && correlationHeader !== undefined) {
    if (!isHeaderValue(correlationId)) throw wrongHeader(correlationHeader)
    headers = [...headers, correlationHeader, correlationId]
  }
  if (conditions.length === 0) return headers
  for (let at = 1; at < conditions.length; at += 2)
    if (!isHeaderValue(conditions[at]!)) throw wrongHeader(conditions[at - 1]!)
  return [...headers, ...conditions]
}

/** RFC 5849, 3.4.1.3: the parameters of the query, and those of a body that is a form. */
const signedParameters = (query: string, encoded: EncodedBody | undefined) =>
  encoded?.contentType === formType ? `${query}&${String(encoded.content)}` : query

/** Adds the credential. The last step before sending: nothing that is logged or shown is built from its result. */
export const authorize = (
  request: PlainRequest,
  credential: Credential,
  correlationHeader: string | undefined,
): SignedRequest => {
  const { query } = request
  const encoded =
    credential.body.length > 0
      ? encodeBody(request.bodyAs, withCredential(request, credential.body), request.files, request.contentType)
      : request.encoded
  const path = request.secretsInPath
    ? request.path.replace(/\{secret:(\w+)\}/g, (_, name: string) => credential.inPath(name))
    : request.path
  let headers = headersFor(request, credential, encoded, correlationHeader)
  if (credential.sign)
    headers = [...headers, 'authorization', credential.sign(request.method, path, signedParameters(query, encoded))]
  const joined = query === '' || credential.query === '' ? query + credential.query : `${query}&${credential.query}`
  return { method: request.method, target: joined === '' ? path : `${path}?${joined}`, headers, body: encoded?.content }
}

/** The same request with every credential value masked; its body is the JSON before encoding. */
export const mask = (
  origin: string,
  request: PlainRequest,
  credential: Credential,
  correlationHeader: string | undefined,
) => {
  const hiddenHeaders = credential.headers.map((part, index) => (index % 2 === 0 ? part : redacted))
  const hidden: Credential = {
    headers: hiddenHeaders,
    fixed: credential.fixed,
    all: allHeaders(credential.fixed, hiddenHeaders),
    query: credential.query.replace(/=[^&]*/g, `=${redacted}`),
    body: credential.body.map(([name]) => [name, redacted]),
    inPath: () => redacted,
    ...(credential.sign ? { sign: () => redacted } : {}),
  }
  const { method, target, headers } = authorize(request, hidden, correlationHeader)
  const body = hidden.body.length > 0 ? withCredential(request, hidden.body) : request.body
  const named: Record<string, string> = {}
  for (let at = 0; at < headers.length; at += 2) named[headers[at] as string] = headers[at + 1] as string
  return {
    method,
    url: origin + (request.shownPath ?? target),
    headers: named,
    ...(body === undefined ? {} : { body: JSON.parse(JSON.stringify(body)) as Json }),
  }
}
