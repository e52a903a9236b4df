import { accept, quote, readText, refuse } from './normalised.ts'
import type { Normalised } from './normalised.ts'

const bandOf =
  (what: string, digits: number, remedy: string) =>
  (input: unknown): Normalised => {
    const read = readText(input, `The ${what}`, remedy)
    if (!read.ok) return read
    const form = new RegExp(`^(\\d{1,${digits}})\\s*(?:(?:-|–|to)\\s*(\\d{1,${digits}})|\\+)$`, 'i')
    const match = form.exec(read.value.replaceAll(',', ''))
    const [least, most] = [Number(match?.[1] ?? NaN), match?.[2] === undefined ? undefined : Number(match[2])]
    if (!match || (most !== undefined && least > most))
      return refuse(`${quote(read.value)} is not a ${what}. ${remedy}`)
    return accept(most === undefined ? `${least}+` : `${least}-${most}`)
  }

/** Band of employee numbers as `11-50` or `10001+`, from `11 – 50`, `1,001 to 5,000` and the like. */
export const normaliseSizeBand = bandOf(
  'size',
  7,
  'Give a number of employees as "11-50" or, without upper end, "10001+".',
)

/** Band of yearly revenue as `1000000-10000000` or `1000000000+`, in the same forms. */
export const normaliseRevenueBand = bandOf(
  'revenue',
  15,
  'Give whole amounts as "1000000-10000000" or, without upper end, "1000000000+".',
)
