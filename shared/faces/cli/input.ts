import { readFile } from 'node:fs/promises'
import { fail, failField } from '#kit'
import type { JsonSchema } from '#kit'

export type GivenInput = {
  /** `--input` or the argument: JSON, `@file` or `-`. */ whole: string | undefined
  /** `--field name=value`, in order. */ fields: string[]
}

/**
 * Text from `@file` or, for `-`, from standard input; other text is returned as it is. `field`: what names the file.
 */
export const readText = async (whole: string, readStdin: () => Promise<string>, field = 'input') => {
  if (whole === '-') return { text: await readStdin(), from: 'standard input' }
  if (!whole.startsWith('@')) return { text: whole, from: 'the input' }
  const file = whole.slice(1)
  try {
    return { text: await readFile(file, 'utf8'), from: file }
  } catch (error) {
    throw failField(field, `${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

const parseWhole = ({ text, from }: { text: string; from: string }): Record<string, unknown> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw failField(
      'input',
      `${from === 'the input' ? 'The input' : from} is not JSON: ${(error as Error).message}. Give a JSON object, @file, or --field name=value.`,
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw failField('input', 'The input must be a JSON object, like {"name":"Press kit"}.')
  return value as Record<string, unknown>
}

const parseJson = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw failField(name, `--field ${name} takes JSON here, and this is not: ${text}`)
  }
}

/**
 * Converts text to the JSON type of the step's schema. Text that does not fit is passed on, so that the step refuses
 * it.
 */
const typed = (name: string, text: string, schema: JsonSchema | undefined): unknown => {
  const type = schema?.type
  if (type === 'integer' || type === 'number')
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (type === 'object') return parseJson(name, text)
  // A field without a type takes any JSON value; other text is a string.
  if (type === undefined && schema !== undefined && /^[[{"\d-]|^(true|false|null)$/.test(text))
    return parseJson(name, text)
  return text
}

const addField = (input: Record<string, unknown>, field: string, properties: Record<string, JsonSchema>) => {
  const at = field.indexOf('=')
  if (at < 1) throw fail('invalid_input', `"${field}" is not a field. Write --field name=value.`)
  const name = field.slice(0, at)
  const text = field.slice(at + 1)
  const schema = properties[name]
  if (schema?.type !== 'array') {
    if (Object.hasOwn(input, name)) throw failField(name, `--field ${name} is given twice; it takes one value.`)
    input[name] = typed(name, text, schema)
    return
  }
  const parsedValue = text.startsWith('[')
    ? parseJson(name, text)
    : text === ''
      ? []
      : [typed(name, text, schema.items as JsonSchema)]
  input[name] = [
    ...((input[name] as unknown[] | undefined) ?? []),
    ...(Array.isArray(parsedValue) ? parsedValue : [parsedValue]),
  ]
}

/** JSON from an argument or from the option with the same meaning, but not from both. */
export const readWhole = (argument: string | undefined, option: string | undefined, what = 'input') => {
  if (argument !== undefined && option !== undefined)
    throw failField(what, `The ${what} is given twice: as argument and as --input.`)
  return option ?? argument
}

/** The input of a step from the command line. `form`: the schema of its fields. */
export const readInput = async (
  source: GivenInput,
  form: JsonSchema,
  readStdin: () => Promise<string>,
): Promise<Record<string, unknown>> => {
  if (source.whole !== undefined && source.fields.length > 0)
    throw fail('invalid_input', 'Give the input as JSON or as --field name=value, not both.')
  if (source.whole !== undefined) return parseWhole(await readText(source.whole, readStdin))
  const input = Object.create(null) as Record<string, unknown>
  for (const field of source.fields) addField(input, field, (form.properties ?? {}) as Record<string, JsonSchema>)
  return input
}

/** Returns a parser for the value of an option that is an amount. */
export const readAmount =
  (option: string, isWhole = false) =>
  (text: string) => {
    const number = Number(text)
    if (text.trim() !== '' && number >= 0 && Number.isFinite(number) && (!isWhole || Number.isInteger(number)))
      return number
    throw failField(
      option,
      `--${option} must be a ${isWhole ? 'whole ' : ''}number that is not negative, not "${text}".`,
    )
  }

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration like 12h, in ms. */
export const readMs = (option: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count === undefined) throw failField(option, `--${option} takes a duration like 30m, 12h or 7d, not "${text}".`)
  return Number(count) * units[unit as keyof typeof units]
}

/** Undefined instead of an empty list. */
export const ifAny = <T>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined)
