import type { JsonSchema } from '#kit'

/**
 * What each model host is known to refuse in the schema of a tool; each check gives sentences, empty when the host
 * takes it.
 */
export type HostRule = (schema: JsonSchema) => string[]

type Place = { part: JsonSchema; where: string; depth: number }

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every schema in a schema, whatever the keyword it stands under. */
export const partsOf = (schema: JsonSchema, where = '', depth = 0): Place[] => {
  const below: Place[] = []
  for (const [word, value] of Object.entries(schema)) {
    const at = `${where}/${word}`
    if (
      ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'].includes(word) &&
      isSchema(value)
    ) {
      for (const [name, child] of Object.entries(value))
        if (isSchema(child)) below.push(...partsOf(child, `${at}/${name}`, depth + 1))
    } else if (['oneOf', 'anyOf', 'allOf', 'prefixItems'].includes(word) && Array.isArray(value)) {
      value.forEach((child: JsonSchema, index) => below.push(...partsOf(child, `${at}/${index}`, depth)))
    } else if (
      ['items', 'not', 'if', 'then', 'else', 'additionalProperties', 'contains', 'propertyNames'].includes(word) &&
      isSchema(value)
    ) {
      below.push(...partsOf(value, at, depth + 1))
    }
  }
  return [{ part: schema, where: where || '/', depth }, ...below]
}

const propertiesOf = (part: JsonSchema) => Object.keys((part.properties ?? {}) as object)

const uses = (words: string[]) => (places: Place[]) =>
  places.flatMap(({ part, where }) => words.filter((word) => word in part).map((word) => `${where} uses "${word}"`))

const openaiWords = new Set([
  'type',
  'title',
  'description',
  'enum',
  'const',
  'anyOf',
  'properties',
  'required',
  'additionalProperties',
  'items',
  '$ref',
  '$defs',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
])
const openaiFormats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']

/** OpenAI structured tool calls (`strict: true`). */
export const openaiStrict: HostRule = (schema) => {
  const places = partsOf(schema)
  const problems = places.flatMap(({ part, where, depth }) => {
    const messages: string[] = []
    for (const word of Object.keys(part)) if (!openaiWords.has(word)) messages.push(`${where} uses "${word}"`)
    const types = [part.type].flat()
    if (part.type === undefined && part.anyOf === undefined && part.$ref === undefined)
      messages.push(`${where} has no type`)
    if (types.includes('object')) {
      if (part.additionalProperties !== false) messages.push(`${where} allows other fields`)
      const missing = propertiesOf(part).filter((name) => !((part.required ?? []) as string[]).includes(name))
      if (missing.length > 0) messages.push(`${where} does not require ${missing.join(', ')}`)
    }
    if (types.includes('array') && part.items === undefined) messages.push(`${where} has no items`)
    if (types.includes('null') && Array.isArray(part.enum) && !part.enum.includes(null))
      messages.push(`${where} may be null, which its enum refuses`)
    if (part.format !== undefined && !openaiFormats.includes(String(part.format)))
      messages.push(`${where} has the format "${String(part.format)}"`)
    if (depth > 10) messages.push(`${where} is deeper than 10 levels`)
    return messages
  })
  const names = places.flatMap(({ part }) => propertiesOf(part))
  if (names.length > 5000) problems.push('more than 5000 properties')
  const values = places.flatMap(({ part }) => (Array.isArray(part.enum) ? (part.enum as unknown[]) : []))
  if (values.length > 1000) problems.push('more than 1000 enum values')
  if (schema.type !== 'object') problems.push('the root is not a plain object')
  if ('anyOf' in schema) problems.push('the root is an anyOf')
  return problems
}

/** Anthropic tools without strict mode. */
export const anthropic: HostRule = (schema) => {
  const problems = uses(['oneOf', 'anyOf', 'allOf'])([{ part: schema, where: '/', depth: 0 }])
  if (schema.type !== 'object') problems.push('the root is not an object')
  for (const name of propertiesOf(schema))
    if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) problems.push(`"${name}" cannot be the name of a field`)
  return problems
}

const geminiWords = new Set([
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'properties',
  'required',
  'items',
  'anyOf',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'pattern',
  'minProperties',
  'maxProperties',
  'default',
  'example',
  'propertyOrdering',
])

/** Gemini's `parameters`: a subset of OpenAPI 3.0. */
export const gemini: HostRule = (schema) => {
  const problems = partsOf(schema).flatMap(({ part, where }) => {
    const messages = Object.keys(part)
      .filter((word) => !geminiWords.has(word))
      .map((word) => `${where} uses "${word}"`)
    if (typeof part.type !== 'string') messages.push(`${where} has not exactly one type`)
    if (part.type === 'array' && part.items === undefined) messages.push(`${where} has no items`)
    if (part.type === 'object' && where !== '/' && propertiesOf(part).length === 0)
      messages.push(`${where} is an object without fields`)
    if (part.type === 'string' && part.format !== undefined && part.format !== 'date-time')
      messages.push(`${where} has the format "${String(part.format)}"`)
    if (Array.isArray(part.enum) && !part.enum.every((value) => typeof value === 'string'))
      messages.push(`${where} has an enum of other than texts`)
    for (const name of (part.required ?? []) as string[])
      if (!propertiesOf(part).includes(name)) messages.push(`${where} requires "${name}", which it does not have`)
    return messages
  })
  if (schema.type !== 'object') problems.push('the root is not an object')
  return problems
}

/** Names of tools that every host takes. */
export const isToolName = (name: string) => /^[a-z][a-z0-9_]{0,63}$/.test(name)
