import { hash, timingSafeEqual, verify } from 'node:crypto'
import type { SignedDelivery } from '#kit'
import { publicKeyOf } from './public-key.ts'

/** Headers as a server provides them: names in lower case, a repeated header as a list or joined with commas. */
export type Headers = Record<string, string | string[] | undefined>
export type Signed = { headers: Headers; body: Uint8Array; callbackUrl: string }
type Algorithm = SignedDelivery['algorithm']
type Hmac = Extract<Algorithm, `hmac-${string}`>

const hashes = { 'hmac-sha1': 'sha1', 'hmac-sha256': 'sha256', 'hmac-sha512': 'sha512' } as const
/** Sizes of signatures in bytes, where they are fixed. */
const signatureBytes: { [algorithm in Algorithm]?: number } = {
  'hmac-sha1': 20,
  'hmac-sha256': 32,
  'hmac-sha512': 64,
  ed25519: 64,
}
/** The size of what stands for a signature that cannot be read, where sizes vary. */
const usualBytes = 72
/** Used in place of a missing secret, so that the same work is done. */
const standIn = 'no secret'
/** The current and the previous secret. The same work is done with fewer. */
const maxSecrets = 2
/** A provider sends two signatures while it changes its key. */
const maxSignatures = 4
/** Of one header, those that are no signatures included. */
const maxValues = 16
const maxSignedHeader = 256

/** A header with a single value; undefined when a proxy may have joined several, or when it is too long. */
export const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name.toLowerCase()]
  return typeof value === 'string' && value.length <= maxSignedHeader ? value : undefined
}

/** The values of a header that begin with the prefix, without it. */
const valuesWith = (prefix: string, value: unknown, separator: string): string[] =>
  typeof value !== 'string'
    ? []
    : value
        .split(separator, maxValues)
        .map((text) => text.trim())
        .filter((text) => text.startsWith(prefix))
        .map((text) => text.slice(prefix.length))

/** The text of the signed time; undefined when there is none, or more than one. */
const timeOf = ({ timestamp, separator = '' }: SignedDelivery, headers: Headers): string | undefined => {
  const { header, prefix } = timestamp!
  if (prefix === undefined) return headerOf(headers, header)
  const [time, second] = valuesWith(prefix, headers[header.toLowerCase()], separator)
  return second === undefined ? time : undefined
}

/** The fields of a form sorted by name, each name followed by its value. */
const formText = (body: Uint8Array): string =>
  [...new URLSearchParams(Buffer.from(body).toString())]
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .flat()
    .join('')

/** The placeholders of a template such as `v0:{timestamp}:{body}`; between them are literals. */
const placeholder = /(\{(?:body|url|timestamp|id|form)\})/

/** The signed parts, in order; undefined when a value is missing, so that nothing can be verified. */
const signedParts = (scheme: SignedDelivery, { headers, body, callbackUrl }: Signed): Uint8Array[] | undefined => {
  const { signs, timestamp, id } = scheme
  const values: { [part: string]: Uint8Array | string | undefined } = {
    '{body}': body,
    '{url}': callbackUrl,
    '{timestamp}': timestamp && timeOf(scheme, headers),
    '{id}': id && headerOf(headers, id.header),
  }
  const parts: Uint8Array[] = []
  for (const part of (signs === 'body+url' ? '{body}{url}' : signs).split(placeholder)) {
    const literal = part === '{form}' ? formText(body) : part
    const value = part in values ? values[part] : literal
    if (value === undefined) return undefined
    parts.push(typeof value === 'string' ? Buffer.from(value) : value)
  }
  return parts
}

/** The bytes of an HMAC's key; undefined when the secret holds none, because anybody can sign with an empty key. */
export const keyOf = (secret: string, key: SignedDelivery['key']): Uint8Array | undefined => {
  if (key === undefined) return secret === '' ? undefined : Buffer.from(secret)
  const text = secret.startsWith(key.prefix ?? '') ? secret.slice(key.prefix?.length ?? 0) : secret
  const bytes = Buffer.from(text, key.encoding)
  return bytes.byteLength === 0 || bytes.toString(key.encoding) !== text ? undefined : bytes
}

/**
 * HMAC by two calls of `hash`: an object of `createHmac` for each delivery costs more than the computation itself, and
 * must be garbage-collected.
 */
const hmacOf = (algorithm: Hmac, secret: Uint8Array, parts: readonly Uint8Array[]) => {
  const name = hashes[algorithm]
  const blockBytes = algorithm === 'hmac-sha512' ? 128 : 64
  const key = secret.byteLength > blockBytes ? hash(name, secret, 'buffer') : secret
  const inner = Buffer.allocUnsafe(blockBytes)
  const outer = Buffer.allocUnsafe(blockBytes + signatureBytes[algorithm]!)
  for (let at = 0; at < blockBytes; at += 1) {
    const byte = key[at] ?? 0
    inner[at] = byte ^ 0x36
    outer[at] = byte ^ 0x5c
  }
  outer.set(hash(name, Buffer.concat([inner, ...parts]), 'buffer'), blockBytes)
  return hash(name, outer, 'buffer')
}

/**
 * The signatures in the header as bytes, always the same number of them; one in any other notation becomes zero bytes.
 */
const claimsOf = (
  { header, algorithm, encoding, prefix = '', separator }: SignedDelivery,
  headers: Headers,
): Uint8Array[] => {
  const value = headers[header.toLowerCase()]
  const whole = typeof value === 'string' && value.startsWith(prefix) ? [value.slice(prefix.length)] : []
  const texts = separator === undefined ? whole : valuesWith(prefix, value, separator)
  const size = signatureBytes[algorithm]
  const claims: Uint8Array[] = []
  for (let n = 0; n < (separator === undefined ? 1 : maxSignatures); n += 1) {
    const text = texts[n] ?? ''
    const written = encoding === 'hex' ? text.toLowerCase() : text
    const bytes = Buffer.from(written, encoding)
    // A decoder ignores spare bits and some characters: without this check, one signature would have several spellings.
    const isSignature = bytes.byteLength === (size ?? bytes.byteLength) && bytes.toString(encoding) === written
    claims.push(isSignature ? bytes : Buffer.alloc(size ?? usualBytes))
  }
  return claims
}

/** Whether one of the claims is the signature of the parts. Every claim is compared, so that the work is the same. */
const isSignedWith = (
  { algorithm, key: keyForm }: SignedDelivery,
  secret: string,
  parts: readonly Uint8Array[],
  claims: readonly Uint8Array[],
): boolean => {
  let isSigned = false
  if (algorithm === 'ed25519' || algorithm === 'ecdsa-sha256' || algorithm === 'rsa-sha256') {
    const { key, isKey } = publicKeyOf(algorithm, secret)
    const message = Buffer.concat(parts)
    const digest = algorithm === 'ed25519' ? null : 'sha256'
    for (const claim of claims) isSigned = (verify(digest, message, key, claim) && isKey) || isSigned
  } else {
    const key = keyOf(secret, keyForm)
    const expected = hmacOf(algorithm, key ?? Buffer.from(standIn), parts)
    for (const claim of claims) isSigned = (timingSafeEqual(expected, claim) && key !== undefined) || isSigned
  }
  return isSigned
}

/**
 * Whether a delivery was signed with one of the secrets, over its raw bytes and whatever else the scheme names. Fails
 * closed: a missing secret, header or timestamp, an extra value or another encoding is false, after the same work.
 */
export const isGenuine = (scheme: SignedDelivery, secrets: readonly string[], signed: Signed): boolean => {
  const parts = signedParts(scheme, signed)
  const claims = claimsOf(scheme, signed.headers)
  for (let n = 0; n < Math.max(maxSecrets, secrets.length); n += 1) {
    // Anybody can sign with an empty secret.
    const isSecret = (secrets[n] ?? '') !== ''
    const secret = isSecret ? secrets[n]! : standIn
    const isMatch = isSignedWith(scheme, secret, parts ?? [signed.body], claims)
    // Only a sender who knows the secret gets here, so the timing reveals nothing new.
    if (isMatch && parts !== undefined && isSecret) return true
  }
  return false
}

/** Numbers from here on are milliseconds since 1970: as seconds they would lie beyond the year 33658. */
const millisecondsFrom = 1e12
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/

const readTime = (text: string): number => {
  if (rfc3339.test(text)) return Date.parse(text)
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return number >= millisecondsFrom ? number : number * 1000
}

/** Why a time is refused that differs too much from the clock of this server; undefined when it does not. */
export const whyTooFar = (at: number, toleranceMs: number, now: number): string | undefined =>
  Math.abs(now - at) <= toleranceMs
    ? undefined
    : `Their timestamp differs from the clock of this server by more than ${Math.round(toleranceMs / 1000)} seconds.`

/**
 * Why a signed timestamp is refused; undefined when it is not, or when the scheme has none. Call it for genuine
 * deliveries only: an unsigned timestamp proves nothing.
 */
export const whyUntimely = (scheme: SignedDelivery, headers: Headers, now: number): string | undefined => {
  const { timestamp } = scheme
  if (!timestamp) return undefined
  const at = readTime(timeOf(scheme, headers) ?? '')
  return Number.isNaN(at)
    ? `Their header ${timestamp.header} holds no time in seconds or milliseconds since 1970 or as RFC 3339.`
    : whyTooFar(at, timestamp.toleranceMs, now)
}
