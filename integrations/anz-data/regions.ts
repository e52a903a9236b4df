import { once } from '#kit'
import type { Normalised } from '#kit'

/** ISO 3166-2 codes and names. Australia comes first: the code TAS, which both countries use, means Tasmania. */
const regions: [code: string, name: string, ...others: string[]][] = [
  ['AU-ACT', 'Australian Capital Territory'],
  ['AU-NSW', 'New South Wales'],
  ['AU-NT', 'Northern Territory'],
  ['AU-QLD', 'Queensland'],
  ['AU-SA', 'South Australia'],
  ['AU-TAS', 'Tasmania'],
  ['AU-VIC', 'Victoria'],
  ['AU-WA', 'Western Australia'],
  ['NZ-AUK', 'Auckland'],
  ['NZ-BOP', 'Bay of Plenty'],
  ['NZ-CAN', 'Canterbury'],
  ['NZ-CIT', 'Chatham Islands Territory', 'Chatham Islands'],
  ['NZ-GIS', 'Gisborne'],
  ['NZ-HKB', "Hawke's Bay"],
  ['NZ-MBH', 'Marlborough'],
  ['NZ-MWT', 'Manawatū-Whanganui', 'Manawatu-Wanganui'],
  ['NZ-NSN', 'Nelson'],
  ['NZ-NTL', 'Northland'],
  ['NZ-OTA', 'Otago'],
  ['NZ-STL', 'Southland'],
  ['NZ-TAS', 'Tasman'],
  ['NZ-TKI', 'Taranaki'],
  ['NZ-WGN', 'Greater Wellington', 'Wellington'],
  ['NZ-WKO', 'Waikato'],
  ['NZ-WTC', 'West Coast'],
]

/** Reduces a name to letters and digits without macrons: "Manawatū–Whanganui" and "manawatu whanganui" become equal. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '')

const spellings = ([code, ...names]: (typeof regions)[number]): [string, string][] => {
  const [country, part] = code.split('-') as [string, string]
  return [code, part, ...names.flatMap((name) => [name, `${country} ${name}`, `${name} region`])].map((spelling) => [
    plain(spelling),
    code,
  ])
}

// Reversed, because the last entry of a key wins and the first region should.
const byName = once((): ReadonlyMap<string, string> => new Map(regions.flatMap(spellings).reverse()))

const remedy = `Give an Australian state or a New Zealand region by ISO 3166-2 code or name: ${regions.map(([code, name]) => `${code} (${name})`).join(', ')}.`

/**
 * ISO 3166-2 code of an Australian state or New Zealand region, from its code with or without country, or its name:
 * `nsw` → `AU-NSW`, `Manawatu-Whanganui` → `NZ-MWT`. A bare TAS is Tasmania; Tasman is `NZ-TAS` or by name.
 */
export const normaliseRegion = (input: unknown): Normalised => {
  const text = typeof input === 'string' && input.length <= 100 ? input.trim() : ''
  const code = text === '' ? undefined : byName().get(plain(text))
  return code === undefined
    ? { ok: false, reason: `"${text.slice(0, 60)}" is no state or region here. ${remedy}` }
    : { ok: true, value: code }
}
