import { createPublicKey, hash, timingSafeEqual, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { WebhookSignature } from '#kit'

/** As a server gives them: names in lower case, a repeated header as a list or joined with commas. */
export type Headers = Record<string, string | string[] | undefined>
export type Signed = { headers: Headers; body: Uint8Array; callbackUrl: string }
type Scheme = Pick<
  WebhookSignature,
  'header' | 'algorithm' | 'encoding' | 'prefix' | 'separator' | 'signs' | 'timestamp' | 'id'
>

const signatureBytes = { 'hmac-sha1': 20, 'hmac-sha256': 32, ed25519: 64 }
/** Used in place of a missing secret, so that the work is the same. */
const standIn = 'no secret'
/** Current and previous secret. The work is the same however many there are. */
const maxSecrets = 2
/** While a provider changes its key it sends two. */
const maxSignatures = 4
const maxSignedHeader = 256

/** One value, without what a proxy may have joined to it. */
const headerOf = (headers: Headers, name: string | undefined): string | undefined => {
  const value = name === undefined ? undefined : headers[name.toLowerCase()]
  return typeof value === 'string' && value.length <= maxSignedHeader ? value : undefined
}

const partsOf = new Map<string, string[]>()
/** `v0:{timestamp}:{body}` as its texts and names. */
const splitTemplate = (signs: string): string[] => {
  const cachedParts = partsOf.get(signs)
  if (cachedParts) return cachedParts
  const parts = (signs === 'body+url' ? '{body}{url}' : signs)
    .split(/(\{(?:body|url|timestamp|id)\})/)
    .filter((part) => part !== '')
  partsOf.set(signs, parts)
  return parts
}

/** What was signed, in parts. A value that is missing leaves nothing to be verified. */
const signedParts = (
  { signs, timestamp, id }: Scheme,
  { headers, body, callbackUrl }: Signed,
): Uint8Array[] | undefined => {
  const values: { [part: string]: Uint8Array | string | undefined } = {
    '{body}': body,
    '{url}': callbackUrl,
    '{timestamp}': headerOf(headers, timestamp?.header),
    '{id}': headerOf(headers, id?.header),
  }
  const parts: Uint8Array[] = []
  for (const part of splitTemplate(signs)) {
    const value = part in values ? values[part] : part
    if (value === undefined) return undefined
    parts.push(typeof value === 'string' ? Buffer.from(value) : value)
  }
  return parts
}

const blockBytes = 64

/**
 * HMAC by two calls of a hash: an object of `createHmac` for each delivery costs more than what it computes, and has to
 * be collected.
 */
const hmacOf = (algorithm: 'hmac-sha1' | 'hmac-sha256', secret: string, parts: readonly Uint8Array[]) => {
  const name = algorithm === 'hmac-sha1' ? 'sha1' : 'sha256'
  const secretBytes = Buffer.from(secret)
  const key = secretBytes.byteLength > blockBytes ? hash(name, secretBytes, 'buffer') : secretBytes
  const message = Buffer.allocUnsafe(parts.reduce((size, part) => size + part.byteLength, blockBytes))
  const outer = Buffer.allocUnsafe(blockBytes + signatureBytes[algorithm])
  for (let at = 0; at < blockBytes; at += 1) {
    const byte = key[at] ?? 0
    message[at] = byte ^ 0x36
    outer[at] = byte ^ 0x5c
  }
  let at = blockBytes
  for (const part of parts) {
    message.set(part, at)
    at += part.byteLength
  }
  outer.set(hash(name, message, 'buffer'), blockBytes)
  return hash(name, outer, 'buffer')
}

const keyBytes = 32

/**
 * The provider's public key: its 32 bytes in hexadecimal or base64. Of anything else a key that verifies nothing, as
 * `isKey` says.
 */
const publicKey = (text: string): { key: KeyObject; isKey: boolean } => {
  const bytes = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  const isKey = bytes.byteLength === keyBytes
  const x = (isKey ? bytes : Buffer.alloc(keyBytes, 1)).toString('base64url')
  return { key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), isKey }
}

/**
 * The signatures of the header as bytes, always as many as `count`; what is written in any other way is as good as
 * none.
 */
const claimsOf = ({ header, algorithm, encoding, prefix = '', separator }: Scheme, headers: Headers): Uint8Array[] => {
  const value = headers[header.toLowerCase()]
  const texts =
    typeof value !== 'string' ? [] : separator === undefined ? [value] : value.split(separator, maxSignatures)
  const size = signatureBytes[algorithm]
  const claims = Array.from({ length: separator === undefined ? 1 : maxSignatures }, (_, n) => {
    const text = texts[n]
    if (!text?.startsWith(prefix)) return undefined
    const written = encoding === 'hex' ? text.slice(prefix.length).toLowerCase() : text.slice(prefix.length)
    const bytes = Buffer.from(written, encoding)
    // Spare bits and characters that a decoder passes over must not give a signature a second spelling.
    return bytes.byteLength === size && bytes.toString(encoding) === written ? bytes : undefined
  })
  return claims.map((claim) => claim ?? Buffer.alloc(size))
}

const matcher = (
  algorithm: Scheme['algorithm'],
  secret: string,
  parts: readonly Uint8Array[],
): ((claim: Uint8Array) => boolean) => {
  if (algorithm !== 'ed25519') {
    const expected = hmacOf(algorithm, secret, parts)
    return (claim) => timingSafeEqual(expected, claim)
  }
  const { key, isKey } = publicKey(secret)
  const message = Buffer.concat(parts)
  return (claim) => verify(null, message, key, claim) && isKey
}

/**
 * Whether a delivery was signed with one of the secrets, over its raw bytes and what else the scheme names. Fails
 * closed: no secret, no header, a value too many, a missing timestamp or another encoding is false, after the same
 * work.
 */
export const isGenuine = (scheme: Scheme, secrets: readonly string[], signed: Signed): boolean => {
  const parts = signedParts(scheme, signed)
  const claims = claimsOf(scheme, signed.headers)
  for (let n = 0; n < Math.max(maxSecrets, secrets.length); n += 1) {
    // Anybody can sign with an empty one.
    const isSecret = (secrets[n] ?? '') !== ''
    const matches = matcher(scheme.algorithm, isSecret ? secrets[n]! : standIn, parts ?? [signed.body])
    const isMatch = claims.map(matches).includes(true)
    // Only who knows the secret gets here, so there is nothing to hide from him.
    if (isMatch && parts !== undefined && isSecret) return true
  }
  return false
}

/** Seconds since the epoch; in milliseconds they would be the year 33658. */
const millisecondsFrom = 1e12

/**
 * Why a signed timestamp is refused; undefined: it is not, or the scheme has none. Call it for genuine deliveries only:
 * what is not signed says nothing.
 */
export const whyUntimely = ({ timestamp }: Scheme, headers: Headers, now: number): string | undefined => {
  if (!timestamp) return undefined
  const timestampText = headerOf(headers, timestamp.header) ?? ''
  const number = /^\d{1,15}$/.test(timestampText) ? Number(timestampText) : Number.NaN
  const at = number >= millisecondsFrom ? number : number * 1000
  if (Number.isNaN(at)) return `Their header ${timestamp.header} is not a time in seconds or milliseconds since 1970.`
  return Math.abs(now - at) <= timestamp.toleranceMs
    ? undefined
    : `Their timestamp differs from the clock of this server by more than ${Math.round(timestamp.toleranceMs / 1000)} seconds.`
}
