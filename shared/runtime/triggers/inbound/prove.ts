import { hash, timingSafeEqual } from 'node:crypto'
import { compactVerify } from 'jose'
import type { CompactVerifyGetKey, CompactVerifyResult, JWTPayload } from 'jose'
import { isFailure, valueAt } from '#kit'
import type { JwtDelivery, TokenDelivery } from '#kit'
import { readJson } from './body.ts'
import { readPublicKey } from './public-key.ts'
import { headerOf, keyOf, whyTooFar } from './signature.ts'
import type { Headers, Signed } from './signature.ts'

/**
 * `isGenuine`: the provider sent it. `why`: why it is refused all the same, as for its age. `content`: what stands for
 * the parsed body.
 */
export type Proof = { isGenuine: boolean; why?: string; content?: { value: unknown } }

const forged: Proof = { isGenuine: false }
/** A body in which a token is looked for holds little else. */
const maxTokenChars = 512 * 1024
/** A token whose time is over is still accepted for as long, since clocks differ. */
const leewayMs = 60_000

const digestOf = (text: string) => hash('sha256', text, 'buffer')

/** Whether the header holds one of the secrets. Digests are compared, because lengths differ. */
export const isToken = ({ header, prefix = '' }: TokenDelivery, secrets: readonly string[], headers: Headers) => {
  const value = headerOf(headers, header) ?? ''
  const claim = digestOf(value.startsWith(prefix) ? value.slice(prefix.length) : '')
  let isOne = false
  for (const secret of secrets) isOne = (timingSafeEqual(digestOf(secret), claim) && secret !== '') || isOne
  return isOne
}

const tokenOf = ({ header, prefix = '', jwt }: JwtDelivery, { headers, body }: Signed): string | undefined => {
  if (jwt.at === undefined) {
    const value = headers[header!.toLowerCase()]
    return typeof value === 'string' && value.startsWith(prefix) ? value.slice(prefix.length) : undefined
  }
  if (jwt.at === '') return Buffer.from(body).toString().trim()
  const json = readJson(body)
  const token = 'value' in json ? valueAt(json.value, jwt.at) : undefined
  return typeof token === 'string' ? token : undefined
}

type Key = Uint8Array | ReturnType<typeof readPublicKey>

const keyFor = ({ jwt, key }: JwtDelivery, secret: string): Key =>
  jwt.algorithm.startsWith('HS') ? keyOf(secret, key) : readPublicKey(secret)

/** The verified token; undefined when no key fits. The algorithm is that of the profile, whatever the token says. */
const verified = async (
  scheme: JwtDelivery,
  token: string,
  keys: readonly (Key | CompactVerifyGetKey)[],
): Promise<CompactVerifyResult | undefined> => {
  for (const key of keys) {
    if (key === undefined) continue
    try {
      return await compactVerify(token, key as Uint8Array, { algorithms: [scheme.jwt.algorithm] })
    } catch (thrown) {
      // Without the key set nothing is known of the token, so the delivery has to come again.
      if (isFailure(thrown)) throw thrown
    }
  }
  return undefined
}

const claimsOf = (payload: Uint8Array): JWTPayload => {
  const json = readJson(payload)
  return 'value' in json && typeof json.value === 'object' && json.value !== null ? (json.value as JWTPayload) : {}
}

/** Why a genuine token does not hold for this delivery now; undefined when it does. */
const whyUnfit = ({ jwt }: JwtDelivery, claims: JWTPayload, { body, callbackUrl }: Signed, now: number) => {
  const { bodyHash, audience, issuer, toleranceMs } = jwt
  if (typeof claims.iat !== 'number') return 'Their token has no time of issue ("iat").'
  const tooFar = whyTooFar(claims.iat * 1000, toleranceMs, now)
  if (tooFar !== undefined) return tooFar
  if (claims.exp !== undefined && !(claims.exp * 1000 > now - leewayMs)) return 'Their token has ended ("exp").'
  if (claims.nbf !== undefined && !(claims.nbf * 1000 <= now + leewayMs)) return 'Their token holds later ("nbf").'
  if (audience !== undefined && ![claims.aud].flat().includes(audience.replace('{url}', callbackUrl)))
    return 'Their token is for somebody else ("aud").'
  if (issuer !== undefined && claims.iss !== issuer) return 'Their token is from somebody else ("iss").'
  if (bodyHash === undefined) return undefined
  const claim = valueAt(claims, bodyHash.claim)
  const isOfBody =
    typeof claim === 'string' && timingSafeEqual(digestOf(claim), digestOf(hash('sha256', body, bodyHash.encoding)))
  return isOfBody ? undefined : `Their token is for another body ("${bodyHash.claim}").`
}

/** The package's declarations need no other package, so the type of its keys is named in here alone. */
const getKeyOf =
  (keysFor: (kid: string | undefined) => Promise<unknown>): CompactVerifyGetKey =>
  async (header, token) =>
    ((await keysFor(header.kid)) as CompactVerifyGetKey)(header, token)

/**
 * Whether a JWT proves a delivery. `keysFor` finds keys at the address that the profile names. @throws Failure
 * `unavailable` while the key set cannot be read
 */
export const proveJwt = async (
  scheme: JwtDelivery,
  secrets: readonly string[],
  signed: Signed,
  { now, keysFor }: { now: number; keysFor: ((kid: string | undefined) => Promise<unknown>) | undefined },
): Promise<Proof> => {
  const token = tokenOf(scheme, signed)
  if (token === undefined || token.length > maxTokenChars) return forged
  const keys =
    scheme.jwt.keys === undefined ? secrets.map((secret) => keyFor(scheme, secret)) : keysFor ? [getKeyOf(keysFor)] : []
  const result = await verified(scheme, token, keys)
  if (!result) return forged
  const claims = claimsOf(result.payload)
  const why = whyUnfit(scheme, claims, signed, now)
  if (why !== undefined) return { isGenuine: true, why }
  return { isGenuine: true, ...(scheme.jwt.at === undefined ? {} : { content: { value: claims } }) }
}
