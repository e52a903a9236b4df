import { listOf, nodeOf, textOf } from './document.ts'
import type { ApiDocument, Schema } from './document.ts'
import { plainWords } from './names.ts'

/** One line of text, shortened at a word. */
export const oneLine = (text: string, most: number): string => {
  const line = text
    .replaceAll(/[*_`>#]|\[|\]\([^)]*\)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/\s\S*$/, '')}…`
}
/** The value as source text: whatever a document says stays text. */
export const literal = (value: unknown): string =>
  typeof value === 'string'
    ? `'${value
        .replaceAll('\\', '\\\\')
        .replaceAll("'", "\\'")
        .replaceAll(/[\r\n]/g, ' ')}'`
    : JSON.stringify(value)

export const typeOf = ({ type, properties, items, enum: values }: Schema): string => {
  // 3.1 writes null into the list of types.
  const first = Array.isArray(type) ? listOf(type).find((name) => name !== 'null') : type
  if (typeof first === 'string') return first
  if (properties) return 'object'
  if (items) return 'array'
  return Array.isArray(values) && values.every((value) => typeof value === 'string') ? 'string' : 'any'
}

const titleOf = (name: string) => {
  const words = plainWords(name).toLowerCase() || name.trim()
  return words.replace(/^./, (letter) => letter.toUpperCase())
}

const describe = (name: string, schema: Schema) => {
  const text = oneLine(schema.description ?? '', 160)
  return `.meta({ title: ${literal(titleOf(name))}, description: ${literal(text.length >= 8 ? text : `The "${name}" of the request.`)} })`
}

const bounds = (schema: Schema, low: string, high: string) =>
  [
    ['min', schema[low]],
    ['max', schema[high]],
  ]
    .map(([name, value]) => (typeof value === 'number' ? `.${String(name)}(${value})` : ''))
    .join('')

const scalar = (schema: Schema): string | undefined => {
  const values = listOf(schema['enum']).filter((value) => typeof value === 'string')
  const type = typeOf(schema)
  if (type === 'string' && values.length > 0) return `z.enum([${values.map(literal).join(', ')}])`
  if (type === 'string') return `z.string()${bounds(schema, 'minLength', 'maxLength')}`
  if (type === 'integer') return `z.int()${bounds(schema, 'minimum', 'maximum')}`
  if (type === 'number') return `z.number()${bounds(schema, 'minimum', 'maximum')}`
  return type === 'boolean' ? 'z.boolean()' : undefined
}

const anyJson = 'z.unknown()'

/** Whether the input has any JSON value in the field, which TypeScript knows nothing of. */
export const isAnyJson = (field: string) => field.startsWith(anyJson)

/** A field of a step's input: flat, so an object is any JSON value. */
export const inputField = (document: ApiDocument, name: string, value: unknown, isRequired: boolean): string => {
  const schema = document.resolve(value)
  const items = typeOf(schema) === 'array' ? scalar(document.resolve(schema['items'])) : undefined
  const base = scalar(schema) ?? (items ? `z.array(${items})` : anyJson)
  return `${base}${isRequired ? '' : '.optional()'}${describe(name, schema)}`
}

/** How many levels of objects and lists in an answer get a schema; deeper values are passed on unchecked. */
const maxLevels = 4

const isNullable = ({ type, nullable }: Schema) => nullable === true || listOf(type).includes('null')

/** The schema of a value that is `level` levels deep in an answer. */
export const answerSchema = (document: ApiDocument, value: unknown, level = 0): string => {
  const schema = document.resolve(value)
  const type = typeOf(schema)
  if (type === 'string') return 'z.string()'
  if (type === 'integer' || type === 'number') return 'z.number()'
  if (type === 'boolean') return 'z.boolean()'
  const isDeep = level >= maxLevels
  if (type === 'array') {
    const items = isDeep ? 'z.unknown()' : answerSchema(document, schema['items'], level + 1)
    return `z.array(${items}${isNullable(document.resolve(schema['items'])) ? '.nullable()' : ''})`
  }
  const fields = isDeep || type !== 'object' ? [] : outputFields(document, schema, level + 1)
  return fields.length === 0 ? 'z.unknown()' : `z.looseObject({ ${fields.join(', ')} })`
}

/** The fields of an answer. None is required, because providers leave some out and add others. */
export const outputFields = (document: ApiDocument, schema: Schema, level = 1): string[] =>
  Object.entries(schema.properties ?? {})
    .filter(([name]) => name !== '__proto__')
    .map(([name, value]) => {
      const text = oneLine(document.resolve(value).description ?? '', 160)
      const fallback = level === 1 ? `The "${name}" that the provider answers.` : ''
      const description = text.length >= 8 ? text : fallback
      const meta = description === '' ? '' : `.meta({ description: ${literal(description)} })`
      return `${literal(name)}: ${answerSchema(document, value, level)}.nullish()${meta}`
    })

const texts: { [format: string]: string } = {
  'date-time': '2026-03-02T10:00:00Z',
  date: '2026-03-02',
  email: 'odettevane@example.com',
  uri: 'https://example.com/',
  uuid: '5f0c2a1e-0000-4000-8000-000000000001',
}
const maxDepth = 4

/** A made-up value that fits the schema: never an example of the document, which may name real people. */
export const sample = (document: ApiDocument, name: string, value: unknown, depth = 0): unknown => {
  const schema = document.resolve(value)
  const type = typeOf(schema)
  const [first] = listOf(schema['enum'])
  if (first !== undefined && first !== null) return first
  if (type === 'string')
    return (texts[textOf(schema['format'])] ?? name)
      .padEnd(Number(schema['minLength'] ?? 0), 'x')
      .slice(0, Number(schema['maxLength'] ?? 200))
  if (type === 'integer' || type === 'number') return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1
  if (type === 'boolean') return true
  if (depth >= maxDepth) return type === 'array' ? [] : {}
  if (type === 'array') return [sample(document, name, schema['items'], depth + 1)]
  const fields = Object.entries(nodeOf(schema.properties)).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(fields.map(([key, inner]) => [key, sample(document, key, inner, depth + 1)]))
}
