import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatAbn, normaliseAbn, normaliseAcn, normaliseNzbn } from '../../shared/kit/normalise/abn.ts'
import type { Normalised } from '../../shared/kit/normalise/normalised.ts'

const value = (result: Normalised) => (result.ok ? result.value : `refused: ${result.reason}`)
const reason = (result: Normalised) => (result.ok ? `accepted: ${result.value}` : result.reason)

/** All numbers that differ in one digit, at the positions from `first` on. */
const oneDigitChanges = (digits: string, first: number) =>
  [...digits].flatMap((digit, at) =>
    [...(at < first ? '' : '0123456789')]
      .filter((other) => other !== digit)
      .map((other) => digits.slice(0, at) + other + digits.slice(at + 1)),
  )

// Numbers printed as samples, and the first digit from which every change is found: even weights modulo 10 leave
// gaps in the rule of the ACN itself, so only its check digit is sure.
const samples = [
  [
    'ABN',
    normaliseAbn,
    0,
    ['51 824 753 556', '53 004 085 616', '47-065-475-149', 'ABN: 83 914 571 673', 'abn83914571673'],
  ],
  ['ACN', normaliseAcn, 8, ['004 085 616', '005 499 981', 'ACN 004085616']],
  ['NZBN', normaliseNzbn, 0, ['9429000000000', 'NZBN 9506000.000008']],
] as const

describe.each(samples)('%s', (_name, normalise, first, numbers) => {
  test.each(numbers)('%s is valid and no one-digit change of it is', (written) => {
    const digits = written.replace(/\D/g, '')
    expect(value(normalise(written))).toBe(digits)
    const accepted = oneDigitChanges(digits, first).filter((changed) => normalise(changed).ok)
    expect(accepted).toEqual([])
  })

  test('never throws, and normalising its value changes nothing', () => {
    const length = numbers[0].replace(/\D/g, '').length
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length })
    const strange = fc.oneof(
      fc.anything(),
      fc.string({ unit: 'binary' }),
      digits,
      digits.map((text) => `ABN ${text} `),
    )
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

test('the sample number of many pages is refused, with the reason', () => {
  expect(reason(normaliseAbn('12345678901'))).toMatch(
    /^"12345678901" is not an ABN: its check digits are wrong .* copy it again/,
  )
})

test.each([
  ['004 085 616', /9 digits, as an ACN has; an ABN has 11/],
  ['9429000000000', /13 digits, as an NZBN has/],
  ['5182475355', /10 digits; an ABN has 11/],
  ['5182475355x', /other than digits/],
  ['ABN', /other than digits/],
  ['٥١٨٢٤٧٥٣٥٥٦', /other than digits/],
  ['00000000019', /begins with 0|check digits/],
  ['', /empty/],
  [51824753556, /has to be text/],
])('%s is refused as an ABN', (input, expected) => {
  expect(reason(normaliseAbn(input))).toMatch(expected)
})

test('an ABN is printed in groups', () => {
  expect(formatAbn('51824753556')).toBe('51 824 753 556')
  expect(formatAbn('not one')).toBe('not one')
})
