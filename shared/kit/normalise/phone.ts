import { accept, readText, refuse } from './normalised.ts'
import type { Normalised } from './normalised.ts'

const remedy = 'Give it with its country, such as "+61 491 570 156".'

/** Calling codes of the countries whose providers write numbers in their national form. */
const assumedCountries = ['61', '64']

const digitsOf = (text: string) => text.replace(/\(0\)/g, '').replace(/\D/g, '')
/** E.164 allows at most 15 digits; fewer than 7 are an extension or a short code. */
const isLength = (digits: string) => digits.length >= 7 && digits.length <= 15
const shape = /^(?:tel:)?\+?[\d\s().\-/\u00a0\u2010-\u2015]+$/i

/**
 * A phone number in E.164 form ("+61491570156"). A number without its country code is refused, since it names different
 * people in different countries.
 */
export const normalisePhone = (input: unknown): Normalised => {
  const read = readText(input, 'The phone number', remedy)
  if (!read.ok) return read
  if (!shape.test(read.value)) return refuse(`The phone number has characters that a number does not have. ${remedy}`)
  const text = read.value.replace(/^tel:/i, '').trim()
  const digits = digitsOf(text)
  const international = text.startsWith('+') ? digits : digits.startsWith('00') ? digits.slice(2) : undefined
  if (international === undefined || international.startsWith('0'))
    return refuse(`The phone number does not say its country. ${remedy}`)
  if (!isLength(international))
    return refuse(`The phone number has ${international.length} digits; a number has 7 to 15 of them. ${remedy}`)
  return accept(`+${international}`)
}

/**
 * Every E.164 number that a text may mean, where providers leave the country out; empty when the text is not a number.
 */
export const phoneCandidates = (text: string): string[] => {
  const sure = normalisePhone(text)
  if (sure.ok) return [sure.value]
  if (!shape.test(text.trim())) return []
  const digits = digitsOf(text)
  if (!isLength(digits)) return []
  if (digits.startsWith('0'))
    return assumedCountries
      .map((country) => `+${country}${digits.slice(1)}`)
      .filter((number) => isLength(number.slice(1)))
  return digits.length >= 10 ? [`+${digits}`] : []
}
