import * as z from 'zod'
import { fail, Failure, failField } from './failure.ts'
import { issueText } from './issue-text.ts'

/** A row of a search: a field and the values that results must have, or must not have. */
export type FilterRow = { field: string; match?: 'include' | 'exclude' | undefined; values: string }

/** How the values of each field are checked and normalised; its keys are the fields that rows may name. */
export type FilterFields = { [field: string]: z.ZodType<string> }

/** Our name for what results must not have: `jobTitle` → `excludeJobTitle`. `readExcluded` is the inverse. */
export const excluded = (field: string) => `exclude${field.charAt(0).toUpperCase()}${field.slice(1)}`

/** The field whose values are excluded by this name; undefined for any other name. */
export const readExcluded = (name: string): string | undefined => {
  const [, first, rest] = /^exclude([A-Z])(.*)$/.exec(name) ?? []
  return first === undefined ? undefined : `${first.toLowerCase()}${rest}`
}

/** A value in double quotes, in which two of them stand for one; as it is typed otherwise. */
const unquote = (text: string): string => {
  const value = text.trim()
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"')
  return isQuoted ? value.slice(1, -1).replaceAll('""', '"').trim() : value
}

/** Splits at commas and line breaks outside double quotes, which begin a value. */
const split = (text: string): string[] => {
  const values: string[] = []
  let [value, isInside] = ['', false]
  for (const letter of text) {
    if (letter === '"' && (isInside || value.trim() === '' || value.trim().startsWith('"'))) isInside = !isInside
    if (isInside || (letter !== ',' && letter !== '\n')) value += letter
    else {
      values.push(unquote(value))
      value = ''
    }
  }
  return [...values, unquote(value)].filter((part) => part !== '')
}

/** Turns a list into the comma-separated text that a form would send: agents write lists. */
const asTyped = (value: unknown): unknown => {
  if (typeof value === 'number') return String(value)
  if (!Array.isArray(value) || !value.every((item) => ['string', 'number'].includes(typeof item))) return value
  return value
    .map(String)
    .map((text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    .join(', ')
}

const maxRows = 50
const maxValues = 100

type Reading = { values: string[] } | { problem: string }

/** The values of a row, or a sentence that says what is wrong with them. */
const readRow = (fields: FilterFields, { field, values }: FilterRow): Reading => {
  const texts = split(values)
  if (texts.length === 0) return { problem: `"${field}" has no value. Give one, or leave the row out.` }
  if (texts.length > maxValues)
    return { problem: `"${field}" has ${texts.length} values; at most ${maxValues} are taken in one row.` }
  const readings = texts.map((text) => fields[field]!.safeParse(text))
  const wrong = readings.find(({ success }) => !success)
  if (wrong?.error) return { problem: `"${field}": ${issueText(wrong.error.issues[0]!)}` }
  return { values: readings.flatMap(({ data }) => data ?? []) }
}

/** The input field of a search that takes rows. */
export const filterRows = (fields: FilterFields) => {
  const row = z.strictObject({
    field: z.enum(Object.keys(fields)).meta({ title: 'Field', description: 'What is compared.' }),
    match: z.enum(['include', 'exclude']).optional().meta({
      title: 'Match',
      description: 'Results have one of the values (include, the default) or none (exclude).',
    }),
    values: z.preprocess(asTyped, z.string().trim().min(1).max(8000)).meta({
      title: 'Values',
      description: 'Values, separated by commas; a value with a comma in double quotes.',
    }),
  })
  return z
    .array(row)
    .min(1)
    .max(maxRows)
    .check(({ value: rows, issues }) => {
      rows.forEach((given, index) => {
        const reading = readRow(fields, given)
        if ('problem' in reading)
          issues.push({ code: 'custom', input: given.values, message: reading.problem, path: [index, 'values'] })
      })
    })
    .meta({ title: 'Filters', description: 'More filters, also to exclude; all rows must match.' })
}

/** Values of a search in our names, and for those that come from rows, the pointer to the first of these rows. */
export type FilterValues = { values: Record<string, unknown>; places: Map<string, string> }

/** Joins rows with the values of other fields. A field that is given in both has the values of both. */
export const joinRows = (fields: FilterFields, rows: FilterRow[], others: Record<string, unknown>): FilterValues => {
  const values = { ...others }
  const places = new Map<string, string>()
  rows.forEach((row, index) => {
    const reading = readRow(fields, row)
    if ('problem' in reading) throw failField(`/filters/${index}/values`, reading.problem)
    const name = row.match === 'exclude' ? excluded(row.field) : row.field
    const before = values[name] === undefined ? [] : [values[name]].flat()
    const all = [...new Set([...before, ...reading.values])]
    values[name] = all.length === 1 ? all[0] : all
    if (!places.has(name)) places.set(name, `/filters/${index}`)
  })
  return { values, places }
}

/** The failure with pointers to the rows that the named values come from. */
export const atRows = (thrown: unknown, places: FilterValues['places']): unknown => {
  if (!(thrown instanceof Failure) || places.size === 0 || thrown.details.errors === undefined) return thrown
  const errors = thrown.details.errors.map((error) => ({
    ...error,
    pointer: places.get(error.pointer.slice(1)) ?? error.pointer,
  }))
  return fail(thrown.code, thrown.message, { ...thrown.details, errors })
}
