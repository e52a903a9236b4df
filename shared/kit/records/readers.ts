import { visible } from '../visible-text.ts'

/**
 * Reads one value of a provider's record as the type of our field; undefined when it does not fit, so that another path
 * is tried. Providers write the same fact as text, number, object or list; what no reader fits stays in `raw`.
 */
export type FieldReader = (value: unknown) => unknown

type Tree = { [name: string]: unknown }
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A text without invisible characters, or a number as text. `raw` keeps the original. */
export const text: FieldReader = (value) => {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' ? visible(value).trim() || undefined : undefined
}

/** A host name in lower case, without the `www.` that some providers put before a domain. */
export const host: FieldReader = (value) => {
  const hostText = text(value)
  return typeof hostText === 'string' ? hostText.toLowerCase().replace(/^www\.(?=[^.]+\.)/, '') : undefined
}

/** A number, or a text that is one (`1,240`). */
export const number: FieldReader = (value) => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' && /^\s*\d{1,15}(,\d{3})*(\.\d+)?\s*$/.test(value)
    ? Number(value.replaceAll(',', ''))
    : undefined
}

/** A score or grade as given: a number stays a number, a letter grade stays text. */
export const grade: FieldReader = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : text(value))

const yes = new Set(['true', 'yes', 'y', '1'])
const no = new Set(['false', 'no', 'n', '0'])
const word = (value: unknown) =>
  typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string'
    ? String(value).trim().toLowerCase()
    : ''

export const flag: FieldReader = (value) => (yes.has(word(value)) ? true : no.has(word(value)) ? false : undefined)

/** A do-not-call flag. Only a clear "no" means no: nothing else that a provider writes may read as callable. */
export const doNotCallFlag = (value: unknown): 'yes' | 'no' | 'unknown' =>
  yes.has(word(value)) ? 'yes' : no.has(word(value)) ? 'no' : 'unknown'

const names = ['name', 'label', 'title', 'value']
const named: FieldReader = (value) =>
  text(value) ??
  (isTree(value) ? names.map((name) => text(value[name])).find((label) => label !== undefined) : undefined)

/** A list of texts: from texts or objects with a name, from lists by category, or from one text. */
export const texts: FieldReader = (value) => {
  const items = Array.isArray(value)
    ? value
    : isTree(value) && named(value) === undefined
      ? Object.values(value).flat()
      : [value]
  const uniqueTexts = [...new Set(items.map(named).filter((item) => item !== undefined))]
  return uniqueTexts.length > 0 ? uniqueTexts : undefined
}

/** One text: the first of a list. */
export const firstText: FieldReader = (value) => (texts(value) as string[] | undefined)?.[0]

/** A band as text: "51-200", also from its ends in { min, max } or [min, max]. */
export const band: FieldReader = (value) => {
  const whole = text(value)
  if (whole !== undefined) return whole
  const ends = Array.isArray(value) ? value : isTree(value) ? [value.min, value.max] : []
  const [min, max] = [text(ends[0]), text(ends[1])]
  if (ends.length > 2 || min === undefined) return undefined
  return max === undefined ? `${String(min)}+` : `${String(min)}-${String(max)}`
}

/** A place on one line, from a text, a list of texts, or the parts of an object. */
export const place: FieldReader = (value) => {
  if (Array.isArray(value))
    return value.every((part) => typeof part === 'string') ? text(value.join(', ')) : place(value[0])
  if (!isTree(value)) return text(value)
  const region = value.state ?? value.region ?? value.stateName
  const parts = [
    ...new Set([value.city, region, value.country ?? value.countryName].map(text).filter((part) => part !== undefined)),
  ]
  return parts.length > 0 ? parts.join(', ') : text(value.name)
}
