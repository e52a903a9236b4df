import { readFileSync } from 'node:fs'
import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { checkProfile } from '../../shared/runtime/catalogue/profile.ts'
import { isGenuine, whyUntimely } from '../../shared/runtime/triggers/inbound/signature.ts'

const facts = { header: 'X-Trello-Webhook', algorithm: 'hmac-sha1', encoding: 'base64', signs: 'body+url' } as const
const secret = 'one secret'
const callbackUrl = 'https://pack.example/hooks/work-board/abc'
const body = Buffer.from('{"action":{"id":"1","text":"ünï ✓"}}')
const sign = (
  key: string,
  bytes: Uint8Array | string,
  url: string,
  encoding: 'base64' | 'hex' | 'base64url' = 'base64',
) => createHmac('sha1', key).update(bytes).update(url).digest(encoding)
const check = (
  signature: string | string[] | undefined,
  over: { body?: Uint8Array; callbackUrl?: string; secrets?: string[] } = {},
) =>
  isGenuine(facts, over.secrets ?? [secret], {
    headers: { 'x-trello-webhook': signature },
    body: over.body ?? body,
    callbackUrl: over.callbackUrl ?? callbackUrl,
  })
const right = sign(secret, body, callbackUrl)

describe('a delivery is genuine', () => {
  test('when signed over its raw bytes and our registered address with the app secret', () => {
    expect(check(right)).toBe(true)
    // Worked out with another language's library and written down.
    expect(
      isGenuine(facts, ['sekrit'], {
        headers: { 'x-trello-webhook': 'CYmePWYV5+wM6Ckfnj+nVcwfRpA=' },
        body: Buffer.from('{"a":1}'),
        callbackUrl: 'https://a.example/h',
      }),
    ).toBe(true)
  })
  test('with the previous secret too, while a rotation goes on', () => {
    expect(check(sign('old', body, callbackUrl), { secrets: ['new', 'old'] })).toBe(true)
    expect(check(sign('older', body, callbackUrl), { secrets: ['new', 'old'] })).toBe(false)
  })
})

describe('anything else is not', () => {
  test('none, empty, two of them, joined ones', () => {
    for (const signature of [
      undefined,
      '',
      ' ',
      [right, right],
      [right],
      `${right}, ${right}`,
      `${right},${right}`,
      ` ${right}`,
    ])
      expect(check(signature as string)).toBe(false)
  })
  test('signed with another secret', () => expect(check(sign('other', body, callbackUrl))).toBe(false))
  test('signed with an empty secret, where one is stored', () => {
    for (const secrets of [[''], ['', secret], [secret, '']]) {
      expect(check(sign('', body, callbackUrl), { secrets })).toBe(false)
      expect(check(right, { secrets })).toBe(secrets.includes(secret))
    }
  })
  test('over the body alone, or another form of the address', () => {
    expect(check(sign(secret, body, ''))).toBe(false)
    for (const url of [
      callbackUrl.replace('https', 'http'),
      `${callbackUrl}/`,
      callbackUrl.replace('pack.example', 'pack.example:443'),
      callbackUrl.replace('pack', 'proxy'),
      `${callbackUrl}?x=1`,
    ]) {
      expect(check(sign(secret, body, url))).toBe(false)
    }
  })
  test('another encoding or a cut one', () => {
    for (const signature of [
      sign(secret, body, callbackUrl, 'hex'),
      sign(secret, body, callbackUrl, 'base64url'),
      right.slice(0, -1),
      `${right}=`,
      right.toLowerCase(),
    ]) {
      if (signature !== right) expect(check(signature)).toBe(false)
    }
  })
  test('the same JSON written otherwise', () => {
    expect(check(right, { body: Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 1)) })).toBe(false)
  })
  test('every change of one byte, of body, address or secret', () => {
    for (let at = 0; at < body.length; at += 1) {
      const changed = Buffer.from(body)
      changed[at] = changed[at]! ^ 1
      expect(check(right, { body: changed })).toBe(false)
    }
    for (let at = 0; at < callbackUrl.length; at += 1) {
      const changed = Buffer.from(callbackUrl)
      changed[at] = changed[at]! ^ 1
      expect(check(right, { callbackUrl: changed.toString('latin1') })).toBe(false)
    }
    for (let at = 0; at < secret.length; at += 1)
      expect(
        check(right, { secrets: [`${secret.slice(0, at)}${secret[at] === 'x' ? 'y' : 'x'}${secret.slice(at + 1)}`] }),
      ).toBe(false)
    for (let at = 0; at < right.length; at += 1)
      expect(check(`${right.slice(0, at)}${right[at] === 'A' ? 'B' : 'A'}${right.slice(at + 1)}`)).toBe(false)
  })
  test('without any secret: it fails closed, also against a signature made with what stands in for one', () => {
    for (const key of ['', 'no secret', 'undefined', 'null'])
      expect(check(sign(key || 'x', body, callbackUrl), { secrets: [] })).toBe(false)
  })
})

test('equality is decided by the constant-time primitives alone', () => {
  const source = readFileSync(new URL('../../shared/runtime/triggers/inbound/signature.ts', import.meta.url), 'utf8')
  expect(source).toContain('timingSafeEqual(expected, claim)')
  expect(source).toContain('verify(digest, message, key, claim)')
  const code = source.slice(source.indexOf('const isSignedWith'), source.indexOf('const millisecondsFrom'))
  expect(code).not.toMatch(/[=!]==? ?(claims?|expected|value|secrets?)\b/)
  expect(code).not.toMatch(/\b(claims?|expected|value)\b ?[=!]==? /)
  expect(source).toContain("typeof value === 'string'")
})

describe('other schemes', () => {
  const text = '{"zen":"ünï ✓"}'
  const signed = (headers: Record<string, string>, over: { body?: string; callbackUrl?: string } = {}) => ({
    headers,
    body: Buffer.from(over.body ?? text),
    callbackUrl: over.callbackUrl ?? callbackUrl,
  })
  const hmac = (key: string, message: string, encoding: 'hex' | 'base64' = 'hex') =>
    createHmac('sha256', key).update(message, 'utf8').digest(encoding)

  test('HMAC-SHA256 in hexadecimal after a prefix, over the body alone', () => {
    const scheme = {
      header: 'X-Desk-Signature-256',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      prefix: 'sha256=',
      signs: '{body}',
    } as const
    const of = (value: string) => isGenuine(scheme, [secret], signed({ 'x-desk-signature-256': value }))
    const good = hmac(secret, text)
    expect(of(`sha256=${good}`)).toBe(true)
    expect(of(`sha256=${good.toUpperCase()}`)).toBe(true)
    expect(
      isGenuine(
        scheme,
        [secret],
        signed({ 'x-desk-signature-256': `sha256=${good}` }, { callbackUrl: 'https://other.example/' }),
      ),
    ).toBe(true)
    for (const value of [
      good,
      `sha1=${good}`,
      `SHA256=${good}`,
      `sha256=${good}0`,
      `sha256=${good.slice(2)}`,
      `sha256=${good},sha256=${good}`,
      `sha256=${hmac('other', text)}`,
    ])
      expect(of(value), value).toBe(false)
    // From the vendor's own documents.
    const vector = {
      body: 'Hello, World!',
      key: "It's a Secret to Everybody",
      is: '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    }
    expect(
      isGenuine(scheme, [vector.key], signed({ 'x-desk-signature-256': `sha256=${vector.is}` }, { body: vector.body })),
    ).toBe(true)
  })

  test('a template with fixed text, timestamp and id; each of them is signed', () => {
    const scheme = {
      header: 'x-signature',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      signs: 'v0:{id}.{timestamp}:{body}',
      timestamp: { header: 'X-Time', toleranceMs: 300_000 },
      id: { header: 'X-Id' },
    } as const
    const good = {
      'x-signature': hmac(secret, `v0:msg_1.1700000000:${text}`, 'base64'),
      'x-time': '1700000000',
      'x-id': 'msg_1',
    }
    expect(isGenuine(scheme, [secret], signed(good))).toBe(true)
    expect(isGenuine(scheme, [secret], signed({ ...good, 'x-time': '1700000001' }))).toBe(false)
    expect(isGenuine(scheme, [secret], signed({ ...good, 'x-id': 'msg_2' }))).toBe(false)
    const { 'x-time': _, ...without } = good
    expect(isGenuine(scheme, [secret], signed(without))).toBe(false)
    // A value that is missing must not count as an empty one.
    const empty = hmac(secret, `v0:msg_1.:${text}`, 'base64')
    expect(isGenuine(scheme, [secret], signed({ ...without, 'x-signature': empty }))).toBe(false)
  })

  test('several signatures in one header, only where the scheme names what separates them', () => {
    const scheme = {
      header: 'x-signature',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      prefix: 'v1,',
      signs: '{body}',
    } as const
    const value = `v1,${hmac('other', text, 'base64')} v2,abc v1,${hmac(secret, text, 'base64')}`
    expect(isGenuine({ ...scheme, separator: ' ' }, [secret], signed({ 'x-signature': value }))).toBe(true)
    expect(isGenuine(scheme, [secret], signed({ 'x-signature': value }))).toBe(false)
    expect(isGenuine({ ...scheme, separator: ' ' }, ['third'], signed({ 'x-signature': value }))).toBe(false)
  })

  test("Ed25519 with the provider's public key", () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
    const scheme = {
      header: 'x-signature-ed25519',
      algorithm: 'ed25519',
      encoding: 'hex',
      signs: '{timestamp}{body}',
      timestamp: { header: 'x-signature-timestamp', toleranceMs: 300_000 },
    } as const
    const good = {
      'x-signature-ed25519': signBytes(null, Buffer.from(`1700000000${text}`), privateKey).toString('hex'),
      'x-signature-timestamp': '1700000000',
    }
    expect(isGenuine(scheme, [raw.toString('hex')], signed(good))).toBe(true)
    expect(isGenuine(scheme, [raw.toString('base64')], signed(good))).toBe(true)
    expect(isGenuine(scheme, ['01'.repeat(32), raw.toString('hex')], signed(good))).toBe(true)
    expect(isGenuine(scheme, [raw.toString('hex')], signed(good, { body: `${text} ` }))).toBe(false)
    expect(isGenuine(scheme, [raw.toString('hex')], signed({ ...good, 'x-signature-ed25519': '0'.repeat(128) }))).toBe(
      false,
    )
    for (const key of ['', 'no key', raw.toString('hex').slice(2)])
      expect(isGenuine(scheme, [key], signed(good))).toBe(false)
    expect(isGenuine(scheme, [], signed(good))).toBe(false)
  })

  test('a signed timestamp far from now is refused, with that as the reason', () => {
    const scheme = { ...facts, timestamp: { header: 'X-Time', toleranceMs: 300_000 } }
    const now = 1_700_000_000_000
    for (const at of ['1700000000', '1699999701', '1700000299', '1700000000000'])
      expect(whyUntimely(scheme, { 'x-time': at }, now), at).toBeUndefined()
    for (const at of ['1699999699', '1700000301', '1699999000000', '0'])
      expect(whyUntimely(scheme, { 'x-time': at }, now), at).toMatch(/more than 300 seconds/)
    for (const at of ['', 'now', '-1', '1e9', '1700000000, 1700000000'])
      expect(whyUntimely(scheme, { 'x-time': at }, now), at).toMatch(/X-Time holds no time/)
    expect(whyUntimely(facts, {}, now)).toBeUndefined()
  })
})

test('a profile cannot name a timestamp that is not signed: it would hold back no old delivery', () => {
  const signature = { ...facts, signs: '{body}', timestamp: { header: 'x-time', toleranceMs: 1000 } }
  expect(() => checkProfile('desk', { signature }, ['signature'])).toThrow(
    /"wire\.desk\.signature" is not usable: a timestamp has to be signed/,
  )
  expect(() =>
    checkProfile('desk', { signature: { ...signature, signs: '{timestamp}.{body}' } }, ['signature']),
  ).not.toThrow()
})
