import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { createLocalJWKSet } from 'jose'
import { fail } from '#kit'
import type { JwtDelivery } from '#kit'
import { isToken, proveJwt } from '../../shared/runtime/triggers/inbound/prove.ts'

const now = 1_700_000_000_000
const callbackUrl = 'https://pack.example/hooks/desk/abc'
const body = '{"id":7}'
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const hs256 = (claims: unknown, secret: string, header: unknown = { alg: 'HS256', typ: 'JWT' }) => {
  const text = `${encode(header)}.${encode(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
const inHeader: JwtDelivery = {
  proof: 'jwt',
  header: 'Authorization',
  prefix: 'Bearer ',
  jwt: { algorithm: 'HS256', toleranceMs: 300_000, bodyHash: { claim: 'payload_hash', encoding: 'hex' } },
}
const payloadHash = createHash('sha256').update(body).digest('hex')
const claims = { iat: now / 1000, payload_hash: payloadHash }

const prove = (
  scheme: JwtDelivery,
  secrets: string[],
  over: { token?: string; body?: string; keysFor?: Parameters<typeof proveJwt>[3]['keysFor'] } = {},
) =>
  proveJwt(
    scheme,
    secrets,
    {
      headers: over.token === undefined ? {} : { authorization: `Bearer ${over.token}` },
      body: Buffer.from(over.body ?? body),
      callbackUrl,
    },
    { now, keysFor: over.keysFor },
  )

test('a token in a header proves the body that its claim is the hash of', async () => {
  const token = hs256(claims, 'secret')
  expect(await prove(inHeader, ['secret'], { token })).toEqual({ isGenuine: true })
  expect(await prove(inHeader, ['new', 'secret'], { token })).toEqual({ isGenuine: true })
  expect(await prove(inHeader, ['other'], { token })).toEqual({ isGenuine: false })
  expect(await prove(inHeader, ['secret'])).toEqual({ isGenuine: false })
  expect(await prove(inHeader, ['secret'], { token, body: '{"id":8}' })).toMatchObject({
    isGenuine: true,
    why: expect.stringContaining('payload_hash'),
  })
  // Anybody can sign with an empty secret.
  expect(await prove(inHeader, [''], { token: hs256(claims, '') })).toEqual({ isGenuine: false })
})

// https://www.rfc-editor.org/rfc/rfc7515#appendix-A.1, whose token has no time of issue.
test('the vector of the standard is verified', async () => {
  const key = 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow=='.replaceAll(
    '-',
    '+',
  )
  const token =
    'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  const scheme: JwtDelivery = { ...inHeader, key: { encoding: 'base64' } }
  expect(await prove(scheme, [key.replaceAll('_', '/')], { token })).toEqual({
    isGenuine: true,
    why: 'Their token has no time of issue ("iat").',
  })
  expect(await prove(scheme, [key.replaceAll('_', '/')], { token: token.replace('dBjf', 'dBjg') })).toEqual({
    isGenuine: false,
  })
})

test('a key that is not in its encoding verifies nothing', async () => {
  const scheme: JwtDelivery = { ...inHeader, key: { encoding: 'base64' } }
  const token = hs256(claims, 'a')
  expect(await prove(scheme, ['YQ=='], { token })).toEqual({ isGenuine: true })
  // A decoder skips what it does not know, and what is left may be short enough to be guessed.
  expect(await prove(scheme, ['YQ!!'], { token })).toEqual({ isGenuine: false })
})

test('the algorithm is that of the profile, whatever the token says', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }))
  const rs256: JwtDelivery = { ...inHeader, jwt: { ...inHeader.jwt, algorithm: 'RS256' } }
  const text = `${encode({ alg: 'RS256' })}.${encode(claims)}`
  const good = `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
  expect(await prove(rs256, [pem], { token: good })).toEqual({ isGenuine: true })
  // The public key is no secret, so it must not be taken for one.
  expect(await prove(rs256, [pem], { token: hs256(claims, pem) })).toEqual({ isGenuine: false })
  expect(await prove(inHeader, ['secret'], { token: good })).toEqual({ isGenuine: false })
  // Signed well, with the right secret, by another algorithm than the profile names.
  const other = `${encode({ alg: 'HS512' })}.${encode(claims)}`
  const otherToken = `${other}.${createHmac('sha512', 'secret').update(other).digest('base64url')}`
  expect(await prove(inHeader, ['secret'], { token: otherToken })).toEqual({ isGenuine: false })
  for (const alg of ['none', 'None', 'HS512', undefined])
    expect(await prove(inHeader, ['secret'], { token: hs256(claims, 'secret', { alg }) })).toEqual({ isGenuine: false })
  expect(await prove(inHeader, ['secret'], { token: `${encode({ alg: 'none' })}.${encode(claims)}.` })).toEqual({
    isGenuine: false,
  })
})

test('old tokens, and those for others, are refused with the reason', async () => {
  const scheme: JwtDelivery = {
    ...inHeader,
    jwt: { algorithm: 'HS256', toleranceMs: 300_000, audience: '{url}', issuer: 'desk' },
  }
  const good = { iat: now / 1000, aud: callbackUrl, iss: 'desk' }
  const whyOf = async (over: Record<string, unknown>) =>
    (await prove(scheme, ['secret'], { token: hs256({ ...good, ...over }, 'secret') })).why
  expect(await whyOf({})).toBeUndefined()
  expect(await whyOf({ aud: ['x', callbackUrl] })).toBeUndefined()
  expect(await whyOf({ iat: now / 1000 - 301 })).toMatch(/more than 300 seconds/)
  expect(await whyOf({ iat: now / 1000 + 301 })).toMatch(/more than 300 seconds/)
  expect(await whyOf({ iat: undefined })).toMatch(/"iat"/)
  expect(await whyOf({ exp: now / 1000 - 61 })).toMatch(/"exp"/)
  expect(await whyOf({ exp: 'never' })).toMatch(/"exp"/)
  expect(await whyOf({ nbf: now / 1000 + 61 })).toMatch(/"nbf"/)
  expect(await whyOf({ aud: `${callbackUrl}/` })).toMatch(/"aud"/)
  expect(await whyOf({ aud: undefined })).toMatch(/"aud"/)
  expect(await whyOf({ iss: 'other' })).toMatch(/"iss"/)
})

test('a token that is the body, or in it, gives its payload', async () => {
  const at = (path: string): JwtDelivery => ({
    proof: 'jwt',
    jwt: { algorithm: 'HS256', toleranceMs: 300_000, at: path },
  })
  const token = hs256({ iat: now / 1000, data: { order: 7 } }, 'secret')
  const proven = { isGenuine: true, content: { value: { iat: now / 1000, data: { order: 7 } } } }
  expect(await prove(at(''), ['secret'], { body: `${token}\n` })).toEqual(proven)
  expect(await prove(at('event.token'), ['secret'], { body: JSON.stringify({ event: { token } }) })).toEqual(proven)
  for (const text of ['', '{}', '{"event":7}', token.slice(0, -2)])
    expect(await prove(at(text.startsWith('{') ? 'event' : ''), ['secret'], { body: text })).toEqual({
      isGenuine: false,
    })
})

test('keys of a key set are found by the id in the token; while it cannot be read, nothing is decided', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const scheme: JwtDelivery = {
    ...inHeader,
    jwt: { ...inHeader.jwt, algorithm: 'ES256', keys: 'https://desk.example/keys' },
  }
  const tokenBy = (kid: string) => {
    const text = `${encode({ alg: 'ES256', kid })}.${encode(claims)}`
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return `${text}.${signature.toString('base64url')}`
  }
  const keySet = createLocalJWKSet({
    keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256' } as never],
  })
  const keysFor = () => Promise.resolve(keySet)
  expect(await prove(scheme, [], { token: tokenBy('k1'), keysFor })).toEqual({ isGenuine: true })
  expect(await prove(scheme, [], { token: tokenBy('k2'), keysFor })).toEqual({ isGenuine: false })
  const away = () => Promise.reject(fail('unavailable', 'The key set cannot be read.'))
  await expect(prove(scheme, [], { token: tokenBy('k1'), keysFor: away })).rejects.toThrow('cannot be read')
})

test('a token that is the secret itself', () => {
  const scheme = { proof: 'token', header: 'X-Desk-Token', prefix: 'Token ' } as const
  const of = (value: string | string[] | undefined, ...secrets: string[]) =>
    isToken(scheme, secrets, { 'x-desk-token': value })
  expect(of('Token abc', 'abc')).toBe(true)
  expect(of('Token old', 'abc', 'old')).toBe(true)
  for (const value of ['abc', 'Token abcd', 'Token ab', 'token abc', '', undefined, ['Token abc']])
    expect(of(value, 'abc'), String(value)).toBe(false)
  expect(of('Token ', '')).toBe(false)
  expect(of('', '')).toBe(false)
  expect(of('Token abc')).toBe(false)
})
