import { fail, failField } from '#kit'
import type { AuthPlacement, Json, WireProfile } from '#kit'
import type { PlainRequest } from '../guard/guard.ts'
import type { Account } from '../types.ts'

/** A request with its credential, in the form the transport takes. Lives only until it is sent. */
export type SignedRequest = { method: string; target: string; headers: string[]; body: string | undefined }

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

const fixedHeaders = ['accept', 'application/json', 'accept-encoding', 'gzip, deflate, br', 'user-agent', 'toolyard']

const allHeaders = (ofAccount: string[]): Credential['all'] => {
  const bare = [...fixedHeaders, ...ofAccount]
  return { bare, json: [...bare, 'content-type', 'application/json'] }
}

/** Reads where the profile wants this account's secrets. Throws `wire_unset`, `not_connected` or `invalid_input`. */
export const readCredential = (integration: string, profile: WireProfile, account: Account): Credential => {
  const setting = `wire.${integration}.auth.${account.type}`
  const placement: AuthPlacement | null | undefined = Object.hasOwn(profile.auth, account.type) ? profile.auth[account.type] : undefined
  if (!placement) throw unset(setting)
  const filled = Object.entries(placement.fields).map(([name, template]) => [name, fill(template, account.secrets, setting)] as [string, string])
  const { place } = placement
  const headers = place === 'header' ? filled.flatMap(([name, value]) => headerPair(name, value)) : []
  return {
    headers,
    all: allHeaders(headers),
    query: place === 'query' ? filled.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&') : '',
    body: place === 'body' ? filled : [],
    inPath: (name) => encodeURIComponent(fill(`{${name}}`, account.secrets, setting)),
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
  const joined = query === '' || credential.query === '' ? query + credential.query : `${query}&${credential.query}`
  const path = request.secretsInPath ? request.path.replace(/\{secret:(\w+)\}/g, (_, name: string) => credential.inPath(name)) : request.path
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
  }
  const { method, target, headers, body } = authorize(request, hidden, markHeader)
  const named: Record<string, string> = {}
  for (let at = 0; at < headers.length; at += 2) named[headers[at] as string] = headers[at + 1] as string
  return { method, url: origin + target, headers: named, ...(body === undefined ? {} : { body: JSON.parse(body) as Json }) }
}
