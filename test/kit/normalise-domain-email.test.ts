import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normaliseDomain, normaliseHost, normaliseWebsite } from '../../shared/kit/normalise/domain.ts'
import { emailKey, normaliseEmail } from '../../shared/kit/normalise/email.ts'
import type { Normalised } from '../../shared/kit/normalise/normalised.ts'

const value = (result: Normalised) => (result.ok ? result.value : `refused: ${result.reason}`)
const reason = (result: Normalised) => (result.ok ? `accepted: ${result.value}` : result.reason)

test.each([
  ['www.example.com.au', 'example.com.au', 'example.com.au'],
  ['https://Shop.Example.CO.NZ:8443/a?b#c', 'example.co.nz', 'shop.example.co.nz'],
  ['//example.com.au/about', 'example.com.au', 'example.com.au'],
  ['foo.gov.au', 'foo.gov.au', 'foo.gov.au'],
  ['www.foo.vic.edu.au.', 'foo.vic.edu.au', 'foo.vic.edu.au'],
  ['shop.myshopify.com', 'shop.myshopify.com', 'shop.myshopify.com'],
  ['myshopify.com', 'myshopify.com', 'myshopify.com'],
  ['www.www.field.example', 'field.example', 'field.example'],
  ['www.gov.au', 'www.gov.au', 'www.gov.au'],
  ['Bücher.example', 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['jane@mail.field.example', 'field.example', 'mail.field.example'],
  [' field.example\n', 'field.example', 'field.example'],
])('%s has domain %s and host %s', (input, domain, host) => {
  expect(value(normaliseDomain(input))).toBe(domain)
  expect(value(normaliseHost(input))).toBe(host)
})

test.each([
  ['127.0.0.1', /IP address/],
  ['https://0x7f.1/x', /IP address/],
  ['2130706433', /IP address/],
  ['http://[2001:db8::1]:80/', /IP address/],
  ['localhost', /single word/],
  ['example', /single word/],
  ['com.au', /public suffix/],
  ['https://vic.edu.au', /public suffix/],
  ['field_.example', /not a valid domain/],
  ['-field.example', /not a valid domain/],
  ['a..example', /not a valid domain/],
  [`${'a'.repeat(64)}.example`, /not a valid domain/],
  ['field<x>.example', /cannot be read/],
  ['field example.com', /space/],
  ['ftp://field.example', /not a web address/],
  ['mailto:', /single word/],
  ['', /empty/],
  [null, /has to be text/],
])('%s is refused as a domain', (input, expected) => {
  expect(reason(normaliseDomain(input))).toMatch(expected)
  expect(reason(normaliseHost(input))).toMatch(expected)
})

test.each([
  ['Field.example', 'https://field.example/'],
  ['HTTP://www.Field.Example./About?x=1#team', 'http://www.field.example/About?x=1'],
  ['field.example:8080', 'https://field.example:8080/'],
])('website %s is %s', (input, expected) => {
  expect(value(normaliseWebsite(input))).toBe(expected)
})

test.each([
  ['https://user:pw@field.example', /user name or password/],
  ['http://10.0.0.1/', /IP address/],
  ['javascript:alert(1)', /cannot be read/],
])('website %s is refused', (input, expected) => {
  expect(reason(normaliseWebsite(input))).toMatch(expected)
})

test.each([
  [' Anna.Field+x@Field.Example ', 'Anna.Field+x@field.example', 'anna.field+x@field.example'],
  ['mailto:anna%2Bx@field.example?subject=hi', 'anna+x@field.example', 'anna+x@field.example'],
  ['jo\u0308rg@Bücher.example', 'jörg@xn--bcher-kva.example', 'jörg@xn--bcher-kva.example'],
  ["o'neil@www.field.example", "o'neil@www.field.example", "o'neil@www.field.example"],
])('e-mail %s is %s, cached as %s', (input, email, key) => {
  expect(value(normaliseEmail(input))).toBe(email)
  expect(value(emailKey(input))).toBe(key)
})

test('dots and tags tell mailboxes apart', () => {
  const keys = ['a.b@field.example', 'ab@field.example', 'ab+x@field.example'].map((email) => value(emailKey(email)))
  expect(new Set(keys).size).toBe(3)
})

test.each([
  ['anna.field.example', /no "@"/],
  ['a@b@field.example', /more than one/],
  ['@field.example', /nothing before/],
  ['"anna field"@field.example', /quoted/],
  ['anna field@field.example', /characters before/],
  ['anna.@field.example', /characters before/],
  ['a..b@field.example', /characters before/],
  ['Anna <anna@field.example>', /characters before|not a valid domain/],
  ['anna@localhost', /single word/],
  ['anna@[127.0.0.1]', /not a valid domain/],
  ['anna@127.1', /IP address/],
  ['anna@field.example/x', /not a valid domain/],
  ['anna@field.example:25', /not a valid domain/],
  [`${'a'.repeat(65)}@field.example`, /longer than/],
  ['', /empty/],
  [{}, /has to be text/],
])('e-mail %s is refused', (input, expected) => {
  expect(reason(normaliseEmail(input))).toMatch(expected)
  expect(reason(emailKey(input))).toMatch(expected)
})

const all = { normaliseDomain, normaliseHost, normaliseWebsite, normaliseEmail, emailKey }

describe.each(Object.entries(all))('%s', (_name, normalise) => {
  const parts = ['a', 'B', '.', '-', 'www.', 'com', '.au', '@', 'ß', 'İ', '。', '%41', '1', ':', '/', 'xn--', '\u0301']
  const pieces = fc.string({ unit: fc.constantFrom(...parts) })
  const strange = fc.oneof(
    fc.anything(),
    fc.string({ unit: 'binary' }),
    pieces,
    pieces.map((text) => `mailto:${text}@www.field.example`),
    fc.domain().map((host) => `www.${host}`),
    fc.emailAddress(),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.ipV4Extended(),
    fc.ipV6(),
  )
  test('never throws, and normalising its value changes nothing', () => {
    fc.assert(
      fc.property(strange, (input) => {
        const once = normalise(input)
        if (once.ok) expect(normalise(once.value)).toEqual(once)
        else expect(once.reason).toMatch(/^.{10,}[.!]$/su)
      }),
      { numRuns: 1500, seed: 17 },
    )
  })
})

test('every ordinary e-mail address is accepted', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (address) => {
      const at = address.lastIndexOf('@')
      expect(value(normaliseEmail(address))).toBe(`${address.slice(0, at)}@${address.slice(at + 1).toLowerCase()}`)
    }),
    { numRuns: 300, seed: 17 },
  )
})
