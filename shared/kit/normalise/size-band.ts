import { accept, quote, readText, refuse } from './normalised.ts'
import type { Normalised } from './normalised.ts'

const remedy = 'Give a number of employees as "11-50" or, without upper end, "10001+".'
const form = /^(\d{1,7})\s*(?:(?:-|–|to)\s*(\d{1,7})|\+)$/i

/** Band of employee numbers as `11-50` or `10001+`, from `11 – 50`, `1,001 to 5,000` and the like. */
export const normaliseSizeBand = (input: unknown): Normalised => {
  const read = readText(input, 'The size', remedy)
  if (!read.ok) return read
  const found = form.exec(read.value.replaceAll(',', ''))
  const [least, most] = [Number(found?.[1] ?? NaN), found?.[2] === undefined ? undefined : Number(found[2])]
  if (!found || (most !== undefined && least > most)) return refuse(`${quote(read.value)} is not a size. ${remedy}`)
  return accept(most === undefined ? `${least}+` : `${least}-${most}`)
}
