import { readFileSync } from 'node:fs'
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { isGenuine } from '../../shared/runtime/triggers/inbound/signature.ts'

const facts = { header: 'X-Trello-Webhook' }
const secret = 'one secret'
const callbackUrl = 'https://pack.example/hooks/work-board/abc'
const body = Buffer.from('{"action":{"id":"1","text":"ünï ✓"}}')
const sign = (key: string, bytes: Uint8Array | string, url: string, encoding: 'base64' | 'hex' | 'base64url' = 'base64') =>
  createHmac('sha1', key).update(bytes).update(url).digest(encoding)
const check = (signature: string | string[] | undefined, over: { body?: Uint8Array; callbackUrl?: string; secrets?: string[] } = {}) =>
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
    for (const given of [undefined, '', ' ', [right, right], [right], `${right}, ${right}`, `${right},${right}`, ` ${right}`])
      expect(check(given as string)).toBe(false)
  })
  test('signed with another secret', () => expect(check(sign('other', body, callbackUrl))).toBe(false))
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
    for (const given of [
      sign(secret, body, callbackUrl, 'hex'),
      sign(secret, body, callbackUrl, 'base64url'),
      right.slice(0, -1),
      `${right}=`,
      right.toLowerCase(),
    ]) {
      if (given !== right) expect(check(given)).toBe(false)
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
      expect(check(right, { secrets: [`${secret.slice(0, at)}${secret[at] === 'x' ? 'y' : 'x'}${secret.slice(at + 1)}`] })).toBe(false)
    for (let at = 0; at < right.length; at += 1) expect(check(`${right.slice(0, at)}${right[at] === 'A' ? 'B' : 'A'}${right.slice(at + 1)}`)).toBe(false)
  })
  test('without any secret: it fails closed, also against a signature made with what stands in for one', () => {
    for (const key of ['', 'no secret', 'undefined', 'null']) expect(check(sign(key || 'x', body, callbackUrl), { secrets: [] })).toBe(false)
  })
})

test('equality is decided by the constant-time primitive alone', () => {
  const source = readFileSync(new URL('../../shared/runtime/triggers/inbound/signature.ts', import.meta.url), 'utf8')
  expect(source).toContain('timingSafeEqual(')
  const code = source.slice(source.indexOf('export const isGenuine'))
  expect(code).not.toMatch(/[=!]==? ?(claimed|expected|given)\b(?!.*typeof)/)
  expect(code.match(/===/g)).toHaveLength(1)
  expect(code).toContain("typeof given === 'string'")
})
