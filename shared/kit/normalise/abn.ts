import { accept, quote, readText, refuse } from './normalised.ts'
import type { Normalised } from './normalised.ts'

const digitsOf = (text: string): number[] => [...text].map(Number)
const weigh = (digits: number[], weights: number[]): number =>
  weights.reduce((sum, weight, i) => sum + weight * (digits[i] ?? 0), 0)

const lengths: { [length: number]: string } = { 9: 'an ACN', 11: 'an ABN', 13: 'an NZBN' }

/** The digits of a number as people write it: grouped by spaces, dots or hyphens, with or without its name in front. */
const readDigits = (input: unknown, name: string, length: number): Normalised => {
  const remedy = `Give the ${length} digits of the ${name}.`
  const read = readText(input, `The ${name}`, remedy)
  if (!read.ok) return read
  const digits = read.value.replace(new RegExp(`^${name}[:\\s]*`, 'i'), '').replace(/[\s.-]/g, '')
  if (!/^\d+$/.test(digits)) return refuse(`${quote(read.value)} holds something other than digits. ${remedy}`)
  if (digits.length === length) return accept(digits)
  const other = lengths[digits.length]
  const like = other === undefined ? '' : `, as ${other} has`
  return refuse(`${quote(read.value)} has ${digits.length} digits${like}; an ${name} has ${length}. ${remedy}`)
}

const copyAgain = 'One digit or more is wrong: copy it again from the register.'

/**
 * Australian Business Number as 11 bare digits, check digits verified: `51 824 753 556` → `51824753556`.
 * Valid check digits do not prove that the number is registered.
 */
export const normaliseAbn = (input: unknown): Normalised => {
  const read = readDigits(input, 'ABN', 11)
  if (!read.ok) return read
  const digits = digitsOf(read.value)
  if (digits[0] === 0) return refuse(`${quote(read.value)} is not an ABN: an ABN never begins with 0. ${copyAgain}`)
  const sum = weigh([(digits[0] ?? 0) - 1, ...digits.slice(1)], [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19])
  if (sum % 89 !== 0) {
    const proof = `its weighted sum ${sum} leaves ${sum % 89} when divided by 89 and has to leave 0`
    return refuse(`${quote(read.value)} is not an ABN: its check digits are wrong (${proof}). ${copyAgain}`)
  }
  return accept(read.value)
}

/** An ABN as the register prints it, `51 824 753 556`; other text comes back as it is. */
export const formatAbn = (abn: string): string => abn.replace(/^(\d{2})(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3 $4')

/** Australian Company Number (also ARBN, ARSN) as 9 bare digits, check digit verified: `004 085 616` → `004085616`. */
export const normaliseAcn = (input: unknown): Normalised => {
  const read = readDigits(input, 'ACN', 9)
  if (!read.ok) return read
  const digits = digitsOf(read.value)
  const check = (10 - (weigh(digits, [8, 7, 6, 5, 4, 3, 2, 1]) % 10)) % 10
  if (digits[8] === check) return accept(read.value)
  return refuse(`${quote(read.value)} is not an ACN: its last digit has to be ${check}. ${copyAgain}`)
}

/**
 * New Zealand Business Number as 13 bare digits, check digit verified. The prefix 9429 is usual but not required:
 * numbers with other prefixes occur.
 */
export const normaliseNzbn = (input: unknown): Normalised => {
  const read = readDigits(input, 'NZBN', 13)
  if (!read.ok) return read
  const digits = digitsOf(read.value)
  const check = (10 - (weigh(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10
  if (digits[12] === check) return accept(read.value)
  return refuse(`${quote(read.value)} is not an NZBN: its last digit has to be ${check}. ${copyAgain}`)
}
