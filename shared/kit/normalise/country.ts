import { once } from '../once.ts'
import { accept, quote, readText, refuse } from './normalised.ts'
import type { Normalised } from './normalised.ts'

const remedy = 'Give an ISO 3166-1 alpha-2 code such as NZ, or the English name of the country.'

/** Region codes that have a name but are no country. */
const groups = new Set(['EU', 'EZ', 'UN', 'XA', 'XB', 'ZZ', 'QO'])

const letters = Array.from({ length: 26 }, (_, at) => String.fromCharCode(65 + at))

const englishNames = once(() => new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' }))

const countries = once(() => {
  const names = englishNames()
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  return codes.flatMap((code): [code: string, name: string][] => {
    const name = names.of(code)
    return name === undefined || groups.has(code) ? [] : [[new Intl.Locale(`und-${code}`).region ?? code, name]]
  })
})

const plain = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('&', 'and')
    .replace(/[^a-z]+/g, '')

const byName = once(() => new Map(countries().map(([code, name]) => [plain(name), code])))
const codes = once(() => new Set(countries().map(([code]) => code)))

/** ISO 3166-1 alpha-2 code in capitals, from a code in any case, a former one (`UK` → `GB`) or the English name. */
export const normaliseCountry = (input: unknown): Normalised => {
  const read = readText(input, 'The country', remedy)
  if (!read.ok) return read
  const isCode = /^[a-z]{2}$/i.test(read.value)
  const code = isCode ? new Intl.Locale(`und-${read.value}`).region : byName().get(plain(read.value))
  return code !== undefined && codes().has(code)
    ? accept(code)
    : refuse(`${quote(read.value)} is no country. ${remedy}`)
}

/** English name of a country by its code; undefined when the code is not that of a country. */
export const countryName = (code: string): string | undefined =>
  codes().has(code.toUpperCase()) ? englishNames().of(code.toUpperCase()) : undefined
