import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  linkedinCompanySlug,
  linkedinCompanyUrl,
  linkedinPersonSlug,
  linkedinPersonUrl,
} from '../../shared/kit/normalise/linkedin.ts'
import type { Normalised } from '../../shared/kit/normalise/normalised.ts'

const value = (result: Normalised) => (result.ok ? result.value : `refused: ${result.reason}`)
const reason = (result: Normalised) => (result.ok ? `accepted: ${result.value}` : result.reason)

const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789', 'ö', 'é', 'ā', 'ñ', '李', 'я', '-']
const slug = fc
  .array(fc.constantFrom(...letters), { minLength: 3, maxLength: 30 })
  .map((parts) => `a${parts.join('')}9`.normalize('NFC'))

const upperSome = (text: string, at: number) => text.slice(0, at) + text.slice(at).toUpperCase()

/** One address of a profile in a randomly chosen form; the parts are those seen in pasted addresses and exports. */
const address = (segments: string[], tails: string[]) =>
  fc
    .record({
      slug,
      segment: fc.constantFrom(...segments),
      scheme: fc.constantFrom('https://', 'http://', 'HTTPS://', '//', ''),
      host: fc.constantFrom('', 'www.', 'au.', 'uk.', 'nz.', 'm.', 'WWW.', 'touch.www.'),
      domain: fc.constantFrom('linkedin.com', 'LinkedIn.com', 'linkedin.com.', 'LINKEDIN.COM'),
      prefix: fc.constantFrom('/', '/mwlite/', '/comm/', '//'),
      form: fc.constantFrom('raw', 'encoded', 'nfd', 'upper', 'encoded-lower-hex'),
      tail: fc.constantFrom('', '/', ...tails),
      query: fc.constantFrom('', '?', '?trk=people-guest_card', '?originalSubdomain=au&locale=en_US'),
      hash: fc.constantFrom('', '#', '#experience', '#a/b?c'),
      space: fc.constantFrom('', ' ', '\n', '\t'),
    })
    .map((parts) => {
      const forms: Record<string, string> = {
        raw: parts.slug,
        encoded: encodeURIComponent(parts.slug),
        nfd: parts.slug.normalize('NFD'),
        upper: upperSome(parts.slug, 1),
        'encoded-lower-hex': encodeURIComponent(parts.slug).replace(/%../g, (code) => code.toLowerCase()),
      }
      const url = `${parts.scheme}${parts.host}${parts.domain}${parts.prefix}${parts.segment}/${forms[parts.form]}`
      return { ...parts, url: `${parts.space}${url}${parts.tail}${parts.query}${parts.hash}${parts.space}` }
    })

test('500 generated forms of a person address give the same slug and address', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(
      address(['in', 'IN', 'In'], ['/en', '/pt_BR/', '/de-de', '/details/experience/', '/recent-activity']),
      (form) => {
        seen.add(form.url)
        expect(value(linkedinPersonSlug(form.url))).toBe(form.slug)
        expect(value(linkedinPersonUrl(form.url))).toBe(`https://www.linkedin.com/in/${encodeURIComponent(form.slug)}`)
        expect(linkedinCompanySlug(form.url).ok).toBe(false)
      },
    ),
    { numRuns: 500, seed: 17 },
  )
  expect(seen.size).toBeGreaterThan(450)
})

test('generated forms of a company address give the same slug and keep the kind of page', () => {
  fc.assert(
    fc.property(address(['company', 'school', 'Showcase'], ['/about/', '/people', '/life/', '/posts/?x=1']), (form) => {
      expect(value(linkedinCompanySlug(form.url))).toBe(form.slug)
      const kept = `https://www.linkedin.com/${form.segment.toLowerCase()}/${encodeURIComponent(form.slug)}`
      expect(value(linkedinCompanyUrl(form.url))).toBe(kept)
      expect(linkedinPersonSlug(form.url).ok).toBe(false)
    }),
    { numRuns: 300, seed: 17 },
  )
})

const all = { linkedinPersonSlug, linkedinPersonUrl, linkedinCompanySlug, linkedinCompanyUrl }

describe.each(Object.entries(all))('%s', (_name, normalise) => {
  const pieces = fc.constantFrom('%', '2', '5', 'f', 'F', 'e', '/', '.', 'İ', 'Σ', 'a', '\u0301', '\u0327', 'ﬀ')
  const hex = fc.constantFrom(...'0123abcdefg')
  const strange = fc.oneof(
    fc.anything(),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string({ unit: 'binary' }).map((text) => `https://linkedin.com/in/${text}`),
    fc.string({ unit: 'grapheme' }).map((text) => `linkedin.com/company/${text}`),
    fc.string({ unit: pieces }).map((text) => `www.linkedin.com/in/${text}`),
    fc.array(fc.string({ unit: hex, maxLength: 4 })).map((ids) => `linkedin.com/pub/x-y/${ids.join('/')}`),
    address(['in', 'company', 'pub'], []).map((form) => form.url),
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

test('slug and address convert into each other', () => {
  fc.assert(
    fc.property(slug, (name) => {
      expect(value(linkedinPersonSlug(value(linkedinPersonUrl(name))))).toBe(name)
      expect(value(linkedinCompanySlug(value(linkedinCompanyUrl(name))))).toBe(name)
    }),
    { numRuns: 200, seed: 17 },
  )
})

test.each([
  ['https://www.linkedin.com/pub/anna-field/a7/576/b50', 'anna-field-b50576a7'],
  ['linkedin.com/pub/Anna-Field/10/A65/123/', 'anna-field-123a6510'],
  ['https://de.linkedin.com/in/j%C3%B6rg-m%C3%BCller', 'jörg-müller'],
  ['https://linkedin.com/in/jo\u0308rg', 'jörg'],
  ['linkedin.com:443/in/anna', 'anna'],
  ['https://www.linkedin.com/mwlite/in/anna', 'anna'],
  ['anna-field-123', 'anna-field-123'],
  ['Anna%2DField', 'anna-field'],
  // Lower-casing takes the dotted capital apart, and the pieces then need their canonical order again.
  ['linkedin.com/in/ali-\u0130\u0327', 'ali-i\u0327\u0307'],
])('person %s is %s', (input, expected) => {
  expect(value(linkedinPersonSlug(input))).toBe(expected)
})

test('an old address whose padding is unknown stays an address and gives no slug', () => {
  const old = 'http://au.linkedin.com/pub/Anna-Field/1/2a/b5?trk=x'
  expect(value(linkedinPersonUrl(old))).toBe('https://www.linkedin.com/pub/anna-field/1/2a/b5')
  expect(reason(linkedinPersonSlug(old))).toMatch(/old form/)
})

test.each([
  ['https://www.linkedin.com/company/1234567/about/', '1234567'],
  ['linkedin.com/company/field.example', 'field.example'],
  ['https://www.linkedin.com/company/field-%26-sons', 'field-&-sons'],
  ['https://www.linkedin.com/company/linkedin.com', 'linkedin.com'],
  ['https://nz.linkedin.com/school/field-college/people/', 'field-college'],
])('company %s is %s', (input, expected) => {
  expect(value(linkedinCompanySlug(input))).toBe(expected)
})

test.each([
  'https://linkedin.com.evil.example/in/anna',
  'https://notlinkedin.com/in/anna',
  'https://linkedin.com@evil.example/in/anna',
  'https://evil.example/linkedin.com/in/anna',
  'https://evil.example\\.linkedin.com/in/anna',
  'https://l\u0456nkedin.com/in/anna',
  'https://linkedin.co/in/anna',
  'https://linkedin.com.au/in/anna',
  'https://www-linkedin.com/in/anna',
  'evil.example/in/anna#.linkedin.com',
  'evil.example/in/anna?.linkedin.com',
  'https://linkedin.com%2eevil.example/in/anna',
  'http://[::1]/in/anna',
  'javascript:alert(1)//linkedin.com/in/anna',
  'ftp://linkedin.com/in/anna',
])('look-alike %s is refused', (input) => {
  for (const normalise of Object.values(all)) {
    expect(reason(normalise(input))).toMatch(/not on linkedin\.com|cannot be read|backslash/)
  }
})

test.each([
  ['https://www.linkedin.com/sales/lead/ACwAAAB1cD,NAME_SEARCH,abc', /Sales Navigator.*give/],
  ['https://www.linkedin.com/sales/people/ACwAAAB1cD', /Sales Navigator/],
  ['https://www.linkedin.com/talent/profile/AEMAAA', /Recruiter.*give/],
  ['https://lnkd.in/gAbCdEf', /short link.*give/],
  ['lnkd.in/gAbCdEf', /short link/],
  ['https://www.linkedin.com/pub/dir/Anna/Field', /list of people/],
  ['https://www.linkedin.com/pub/anna', /incomplete/],
  ['https://www.linkedin.com/in/', /stops before/],
  ['https://www.linkedin.com/', /not the address of a LinkedIn person/],
  ['https://www.linkedin.com/groups/123', /not the address of a LinkedIn person/],
  ['https://www.linkedin.com/constructor/x', /not the address/],
  ['https://www.linkedin.com/company/field', /of a company, not of a person/],
  ['https://www.linkedin.com/in/ACoAABcDeFgHiJkLmNoPqRsTuVwXyZ012345678', /internal member id/],
  ['https://www.linkedin.com/in/j%F6rg', /percent-encoded/],
  ['https://www.linkedin.com/in/j%25C3%25B6rg', /encoded twice/],
  ['https://www.linkedin.com/in/a%2Fb', /characters/],
  ['https://www.linkedin.com/in/anna%00', /characters/],
  ['https://user:pw@linkedin.com/in/anna', /user name or port/],
  ['https://linkedin.com:8443/in/anna', /user name or port/],
  ['anna\u202efield', /invisible/],
  ['anna@field.example', /e-mail/],
  ['anna field', /characters/],
  ['  ', /empty/],
  [undefined, /has to be text/],
  [42, /has to be text/],
])('%s is refused with its reason', (input, expected) => {
  expect(reason(linkedinPersonSlug(input))).toMatch(expected)
  expect(reason(linkedinPersonUrl(input))).toMatch(expected)
})
