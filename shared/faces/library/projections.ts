import type { JsonSchema } from '#kit'

/**
 * Dialects of JSON Schema that model hosts accept.
 * - `canonical`: draft 2020-12, for MCP, OpenAPI and Anthropic
 * - `openai-strict`: every field is required, optional ones may be null, no others are allowed
 * - `gemini`: the subset of OpenAPI 3.0 behind `parameters`
 */
export type Dialect = 'canonical' | 'openai-strict' | 'gemini'

/** A schema in a dialect; `restore` converts arguments made for it back into arguments of the step. */
export type Projection = { schema: JsonSchema; restore(args: unknown): unknown }

type Properties = Record<string, JsonSchema>
type Tree = Record<string, unknown>
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)
const propertiesOf = (schema: JsonSchema) => (schema.properties ?? {}) as Properties
const requiredOf = (schema: JsonSchema) => new Set((schema.required ?? []) as string[])

/** True for any JSON value, or an object with unknown fields: a strict schema can describe neither. */
const isOpen = (schema: JsonSchema) =>
  schema.type === undefined || (schema.type === 'object' && Object.keys(propertiesOf(schema)).length === 0)

const asText = ({ title, description }: JsonSchema): JsonSchema => ({
  type: 'string',
  ...(title === undefined ? {} : { title }),
  description: `${description as string} Pass it as JSON text.`,
})

const only = (schema: JsonSchema, names: string[]): JsonSchema =>
  Object.fromEntries(names.flatMap((name) => (name in schema ? [[name, schema[name]]] : [])))

const strictFormats = new Set(['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'])

const strictPart = (schema: JsonSchema): JsonSchema => {
  if (isOpen(schema)) return asText(schema)
  const projected = only(schema, [
    'type',
    'title',
    'description',
    'enum',
    'pattern',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minItems',
    'maxItems',
  ])
  if (strictFormats.has(schema.format as string)) projected.format = schema.format
  if (schema.items !== undefined) projected.items = strictPart(schema.items as JsonSchema)
  if (schema.type !== 'object') return projected
  return {
    ...projected,
    properties: strictProperties(schema),
    required: Object.keys(propertiesOf(schema)),
    additionalProperties: false,
  }
}

const strictProperties = (schema: JsonSchema): Properties => {
  const required = requiredOf(schema)
  const optional = (part: JsonSchema): JsonSchema => ({
    ...part,
    type: [part.type, 'null'],
    ...(Array.isArray(part.enum) ? { enum: [...(part.enum as unknown[]), null] } : {}),
  })
  return Object.fromEntries(
    Object.entries(propertiesOf(schema)).map(([name, part]) => [
      name,
      required.has(name) ? strictPart(part) : optional(strictPart(part)),
    ]),
  )
}

const geminiPart = (schema: JsonSchema): JsonSchema => {
  if (isOpen(schema)) return asText(schema)
  const projected = only(schema, [
    'type',
    'title',
    'description',
    'enum',
    'pattern',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'required',
  ])
  if (schema.format === 'date-time') projected.format = 'date-time'
  // Gemini does not support exclusive bounds; for integers, the next integer is equivalent.
  if (schema.type === 'integer' && typeof schema.exclusiveMinimum === 'number')
    projected.minimum = schema.exclusiveMinimum + 1
  if (schema.type === 'integer' && typeof schema.exclusiveMaximum === 'number')
    projected.maximum = schema.exclusiveMaximum - 1
  if (schema.items !== undefined) projected.items = geminiPart(schema.items as JsonSchema)
  if (schema.type === 'object')
    projected.properties = Object.fromEntries(
      Object.entries(propertiesOf(schema)).map(([name, part]) => [name, geminiPart(part)]),
    )
  return projected
}

const parseText = (value: unknown) => {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    // The step itself reports what is wrong with it.
    return value
  }
}

/**
 * Undoes a projection by means of the canonical schema: removes null for absent fields, and parses JSON passed as text.
 */
const restore = (schema: JsonSchema, value: unknown): unknown => {
  if (isOpen(schema)) return parseText(value)
  if (Array.isArray(value))
    return schema.items === undefined ? value : value.map((item) => restore(schema.items as JsonSchema, item))
  if (schema.type !== 'object' || !isTree(value)) return value
  const required = requiredOf(schema)
  const properties = propertiesOf(schema)
  const keptEntries = Object.entries(value).filter(
    ([name, part]) => part !== null || required.has(name) || !(name in properties),
  )
  return Object.fromEntries(
    keptEntries.map(([name, part]) => [name, properties[name] === undefined ? part : restore(properties[name], part)]),
  )
}

/** A step's input schema (canonical, an object with fields) in the dialect of a model host. */
export const projectSchema = (schema: JsonSchema, dialect: Dialect): Projection => {
  if (dialect === 'canonical') return { schema, restore: (args) => args }
  const part =
    Object.keys(propertiesOf(schema)).length === 0
      ? emptyRoot(dialect)
      : dialect === 'gemini'
        ? geminiPart(schema)
        : strictPart(schema)
  return { schema: part, restore: (args) => (isTree(args) ? restore({ ...schema, type: 'object' }, args) : args) }
}

/** The schema of a step without fields. As a root, it must not be read as an object with unknown fields. */
const emptyRoot = (dialect: Dialect): JsonSchema =>
  dialect === 'gemini'
    ? { type: 'object', properties: {} }
    : { type: 'object', properties: {}, required: [], additionalProperties: false }
