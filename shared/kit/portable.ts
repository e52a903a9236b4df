import * as z from 'zod'

export type JsonSchema = { [key: string]: unknown }

/**
 * Caches the JSON Schema of each zod schema, which never changes but is requested by every face and profile. Each
 * caller gets a copy of its own.
 */
const keptSchemas = (write: (schema: z.ZodType) => JsonSchema) => {
  const kept = new WeakMap<z.ZodType, JsonSchema>()
  return (schema: z.ZodType): JsonSchema => {
    let written = kept.get(schema)
    if (written === undefined) {
      written = write(schema)
      delete written.$schema
      kept.set(schema, written)
    }
    return structuredClone(written)
  }
}

/** For whom fields are described: for agents, `agentDescription` of a field's meta replaces `description`. */
type Reader = 'agent' | 'person'

const writeInput = (reader: Reader) => (input: z.ZodType) =>
  z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // Patterns of formats contain lookarounds that some hosts refuse; parsing enforces the strict rule anyway.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
      const { agentDescription } = jsonSchema
      if (typeof agentDescription !== 'string') return
      if (reader === 'agent') jsonSchema.description = agentDescription
      delete jsonSchema.agentDescription
    },
  }) as JsonSchema
const inputSchemas = keptSchemas(writeInput('agent'))
const formSchemas = keptSchemas(writeInput('person'))
const outputSchemas = keptSchemas(
  (output) => z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }) as JsonSchema,
)

/**
 * JSON Schema of a step input in the portable form that every model host accepts: flat root object, no unions, no $ref,
 * every field described. `hide` leaves out fields that only narrow dropdowns.
 */
export const inputJsonSchema = (input: z.ZodType, hide: string[] = []): JsonSchema =>
  withoutFields(inputSchemas(input), hide)

/** The same, with all fields, described for the people who fill in a form. */
export const formJsonSchema = (input: z.ZodType): JsonSchema => withoutFields(formSchemas(input), [])

const withoutFields = (schema: JsonSchema, hide: string[]): JsonSchema => {
  schema.additionalProperties = false
  const properties = schema.properties as JsonSchema | undefined
  for (const name of hide) if (properties) delete properties[name]
  if (Array.isArray(schema.required)) {
    schema.required = schema.required.filter((name) => !hide.includes(String(name)))
    if ((schema.required as unknown[]).length === 0) delete schema.required
  }
  return schema
}

/** JSON Schema of a step output: loose records, as the faces describe results. */
export const outputJsonSchema = (output: z.ZodType): JsonSchema => outputSchemas(output)

const forbidden = [
  '$ref',
  '$defs',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'const',
  'prefixItems',
  'dependentRequired',
  'patternProperties',
  'propertyNames',
]

/** What the strictest host takes in a tool. */
const maxOptional = 24

/**
 * Problems that would make a host refuse the schema; empty when portable. Allowed: string, integer, number, boolean,
 * arrays of these, objects with fixed properties, one array of flat objects, and a field without type (any JSON value).
 */
export const portabilityProblems = (schema: JsonSchema): string[] => {
  const problems: string[] = []
  if (schema.type !== 'object') problems.push('the root must be a plain object')
  const optional =
    Object.keys((schema.properties as JsonSchema) ?? {}).length - ((schema.required as unknown[]) ?? []).length
  if (optional > maxOptional) problems.push(`has ${optional} optional fields; at most ${maxOptional} are portable`)
  const walk = (part: JsonSchema, where: string, depth: number) => {
    for (const word of forbidden) if (word in part) problems.push(`${where} uses "${word}"`)
    if (Array.isArray(part.type)) problems.push(`${where} has several types`)
    if (depth > 3) {
      problems.push(`${where} is nested too deeply`)
      return
    }
    if (part.enum !== undefined && !(part.enum as unknown[]).every((value) => typeof value === 'string'))
      problems.push(`${where} has an enum of other than strings`)
    if (part.format !== undefined && part.pattern !== undefined) problems.push(`${where} has both format and pattern`)
    for (const [name, child] of Object.entries((part.properties as Record<string, JsonSchema>) ?? {})) {
      if (typeof child.description !== 'string' || child.description.length < 8)
        problems.push(`${where}/${name} has no description`)
      walk(child, `${where}/${name}`, depth + 1)
    }
    if (part.items !== undefined) walk(part.items as JsonSchema, `${where}[]`, depth + 1)
  }
  walk(schema, '', 0)
  return problems
}
