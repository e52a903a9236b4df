import { createPublicKey, hash, timingSafeEqual, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { WebhookSignature } from '#kit'

/** Headers as a server provides them: names in lower case, a repeated header as a list or joined with commas. */
export type Headers = Record<string, string | string[] | undefined>
export type Signed = { headers: Headers; body: Uint8Array; callbackUrl: string }
type Scheme = Pick<
  WebhookSignature,
  'header' | 'algorithm' | 'encoding' | 'prefix' | 'separator' | 'signs' | 'timestamp' | 'id'
>

const signatureBytes = { 'hmac-sha1': 20, 'hmac-sha256': 32, ed25519: 64 }
/** Used in place of a missing secret, so that the same work is done. */
const standIn = 'no secret'
/** The current and the previous secret. The same work is done with fewer. */
const maxSecrets = 2
/** A provider sends two signatures while it changes its key. */
const maxSignatures = 4
const maxSignedHeader = 256

/** A header with a single value; undefined when a proxy may have joined several, or when it is too long. */
const headerOf = (headers: Headers, name: string | undefined): string | undefined => {
  const value = name === undefined ? undefined : headers[name.toLowerCase()]
  return typeof value === 'string' && value.length <= maxSignedHeader ? value : undefined
}

/** The placeholders of a template such as `v0:{timestamp}:{body}`; between them are literals. */
const placeholder = /(\{(?:body|url|timestamp|id)\})/

/** The signed parts, in order; undefined when a value is missing, so that nothing can be verified. */
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
  for (const part of (signs === 'body+url' ? '{body}{url}' : signs).split(placeholder)) {
    const value = part in values ? values[part] : part
    if (value === undefined) return undefined
    parts.push(typeof value === 'string' ? Buffer.from(value) : value)
  }
  return parts
}

const blockBytes = 64

/**
 * HMAC by two calls of `hash`: an object of `createHmac` for each delivery costs more than the computation itself, and
 * must be garbage-collected.
 */
const hmacOf = (algorithm: 'hmac-sha1' | 'hmac-sha256', secret: string, parts: readonly Uint8Array[]) => {
  const name = algorithm === 'hmac-sha1' ? 'sha1' : 'sha256'
  const secretBytes = Buffer.from(secret)
  const key = secretBytes.byteLength > blockBytes ? hash(name, secretBytes, 'buffer') : secretBytes
  const inner = Buffer.allocUnsafe(blockBytes)
  const outer = Buffer.allocUnsafe(blockBytes + signatureBytes[algorithm])
  for (let at = 0; at < blockBytes; at += 1) {
    const byte = key[at] ?? 0
    inner[at] = byte ^ 0x36
    outer[at] = byte ^ 0x5c
  }
  outer.set(hash(name, Buffer.concat([inner, ...parts]), 'buffer'), blockBytes)
  return hash(name, outer, 'buffer')
}

const keyBytes = 32

/**
 * The provider's public key, from its 32 bytes in hexadecimal or base64. Any other text gives a key that verifies
 * nothing, with `isKey` false.
 */
const publicKey = (text: string): { key: KeyObject; isKey: boolean } => {
  const bytes = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  const isKey = bytes.byteLength === keyBytes
  const x = (isKey ? bytes : Buffer.alloc(keyBytes, 1)).toString('base64url')
  return { key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), isKey }
}

/**
 * The signatures in the header as bytes, always the same number of them; one in any other notation becomes zero bytes.
 */
const claimsOf = ({ header, algorithm, encoding, prefix = '', separator }: Scheme, headers: Headers): Uint8Array[] => {
  const value = headers[header.toLowerCase()]
  const texts =
    typeof value !== 'string' ? [] : separator === undefined ? [value] : value.split(separator, maxSignatures)
  const size = signatureBytes[algorithm]
  const claims: Uint8Array[] = []
  for (let n = 0; n < (separator === undefined ? 1 : maxSignatures); n += 1) {
    const text = texts[n] ?? ''
    const signature = text.startsWith(prefix) ? text.slice(prefix.length) : ''
    const written = encoding === 'hex' ? signature.toLowerCase() : signature
    const bytes = Buffer.from(written, encoding)
    // A decoder ignores spare bits and some characters: without this check, one signature would have several spellings.
    const isSignature = bytes.byteLength === size && bytes.toString(encoding) === written
    claims.push(isSignature ? bytes : Buffer.alloc(size))
  }
  return claims
}

/** Whether one of the claims is the signature of the parts. Every claim is compared, so that the work is the same. */
const isSignedWith = (
  algorithm: Scheme['algorithm'],
  secret: string,
  parts: readonly Uint8Array[],
  claims: readonly Uint8Array[],
): boolean => {
  let isSigned = false
  if (algorithm === 'ed25519') {
    const { key, isKey } = publicKey(secret)
    const message = Buffer.concat(parts)
    for (const claim of claims) isSigned = (verify(null, message, key, claim) && isKey) || isSigned
  } else {
    const expected = hmacOf(algorithm, secret, parts)
    for (const claim of claims) isSigned = timingSafeEqual(expected, claim) || isSigned
  }
  return isSigned
}

/**
 * Whether a delivery was signed with one of the secrets, over its raw bytes and whatever else the scheme names. Fails
 * closed: a missing secret, header or timestamp, an extra value or another encoding is false, after the same work.
 */
export const isGenuine = (scheme: Scheme, secrets: readonly string[], signed: Signed): boolean => {
  const parts = signedParts(scheme, signed)
  const claims = claimsOf(scheme, signed.headers)
  for (let n = 0; n < Math.max(maxSecrets, secrets.length); n += 1) {
    // Anybody can sign with an empty secret.
    const isSecret = (secrets[n] ?? '') !== ''
    const secret = isSecret ? secrets[n]! : standIn
    const isMatch = isSignedWith(scheme.algorithm, secret, parts ?? [signed.body], claims)
    // Only a sender who knows the secret gets here, so the timing reveals nothing new.
    if (isMatch && parts !== undefined && isSecret) return true
  }
  return false
}

/** Numbers from here on are milliseconds since 1970: as seconds they would lie beyond the year 33658. */
const millisecondsFrom = 1e12

/**
 * Why a signed timestamp is refused; undefined when it is not, or when the scheme has none. Call it for genuine
 * deliveries only: an unsigned timestamp proves nothing.
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
