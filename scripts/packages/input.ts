import type { Client, FormOf, OptionPage, Values } from './client/client.ts'

/**
 * How a value of a platform's form is converted for the input. `json`: a text is parsed; `file`: the file is uploaded;
 * `rows`: entries are objects; `seconds`: converted to milliseconds; `account`: the values of the account's own fields.
 */
export type Conversion = 'json' | 'file' | 'rows' | 'seconds' | 'account'
/** Conversions by field name; null for a field that needs none. */
export type Conversions = Record<string, Conversion | null>
export type Upload = (value: unknown) => Promise<{ file: string }>

/** Platforms send an unfilled field as an empty text, null or an empty list. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.every(isEmpty))

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const withoutEmpty = (row: unknown): unknown =>
  isObject(row) ? Object.fromEntries(Object.entries(row).filter(([, value]) => !isEmpty(value))) : row

const parseJson = (name: string, value: unknown): unknown => {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    throw new Error(
      `"${name}" is not valid JSON. Write names and texts in double quotes, without a comma after the last entry.`,
    )
  }
}

/** The error for a value that is not a file. */
export const noFile = 'invalid_input: A file is expected here. Choose one of an earlier step, or give its address.'

/** A value that does not have the form's type is passed on unchanged: the server reports what is wrong with it. */
const convert = async (
  name: string,
  value: unknown,
  conversion: Conversion | null,
  upload: Upload,
): Promise<unknown> => {
  switch (conversion) {
    case 'json':
      return parseJson(name, value)
    case 'account':
      return withoutEmpty(parseJson(name, value))
    case 'file':
      // Already a stored file of an earlier step, or given with its content.
      return isObject(value) && (Object.hasOwn(value, 'file') || Object.hasOwn(value, 'base64')) ? value : upload(value)
    case 'seconds':
      return Number.isFinite(Number(value)) ? Math.round(Number(value) * 1000) : value
    case 'rows':
      return Array.isArray(value)
        ? value.map(withoutEmpty).filter((row) => !isObject(row) || Object.keys(row).length > 0)
        : value
    case null:
      return Array.isArray(value) ? value.filter((entry) => !isEmpty(entry)) : value
  }
}

/**
 * Converts the values of a form to a step's input or a trigger's config: only the named fields, and only those that are
 * filled.
 */
export const inputOf = async (values: Values, fields: Conversions, upload: Upload): Promise<Values> => {
  const input: Values = {}
  for (const [name, conversion] of Object.entries(fields))
    if (!isEmpty(values[name])) input[name] = await convert(name, values[name], conversion, upload)
  return input
}

/** The most pages of choices to load for one dropdown. */
const maxPages = 10

/** A field's choices, up to as many pages as one dropdown may show. */
export const choicesOf = async (
  client: Client,
  form: FormOf,
  query: Parameters<Client['options']>[1],
): Promise<OptionPage['options']> => {
  const allOptions: OptionPage['options'] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page += 1) {
    const { options, next } = await client.options(form, { ...query, cursor })
    allOptions.push(...options)
    if (next === undefined) break
    cursor = next
  }
  return allOptions
}
