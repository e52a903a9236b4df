import type { JsonSchema } from '#kit'

/** Output fields to keep, by name; `all`: the whole field. */
export type FieldSelection = Map<string, FieldSelection | 'all'>

const keep = (kept: FieldSelection, [name, ...innerPath]: string[]): void => {
  if (name === undefined) return
  const keptPart = kept.get(name)
  if (keptPart === 'all') return
  if (innerPath.length === 0) return void kept.set(name, 'all')
  const inner: FieldSelection = keptPart ?? new Map()
  kept.set(name, inner)
  keep(inner, innerPath)
}

/** Parses the `agentFields` of a step: dotted paths into objects and into the entries of lists. */
export const keptOf = (paths: string[]): FieldSelection => {
  const kept: FieldSelection = new Map()
  for (const path of paths) keep(kept, path.split('.'))
  return kept
}

/** Reduces an output to the kept fields. `more`: names of fields that are kept in addition, at any depth. */
export const narrow = (value: unknown, kept: FieldSelection, more: ReadonlySet<string>): unknown => {
  if (Array.isArray(value)) return value.map((entry) => narrow(entry, kept, more))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
      if (more.has(name)) return [[name, part]]
      const inner = kept.get(name)
      return inner === undefined ? [] : [[name, inner === 'all' ? part : narrow(part, inner, more)]]
    }),
  )
}

/**
 * The schema of an output reduced by `narrow`. Left open where fields were removed, since a caller may request them.
 */
export const narrowSchema = (schema: JsonSchema, kept: FieldSelection): JsonSchema => {
  if (schema.items !== undefined) return { ...schema, items: narrowSchema(schema.items as JsonSchema, kept) }
  const { properties, required, ...otherKeywords } = schema as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  } & JsonSchema
  if (properties === undefined) return schema
  const left = Object.entries(properties).flatMap(([name, part]): [string, JsonSchema][] => {
    const inner = kept.get(name)
    return inner === undefined ? [] : [[name, inner === 'all' ? part : narrowSchema(part, inner)]]
  })
  const needed = required?.filter((name) => kept.has(name)) ?? []
  const { additionalProperties: _, ...open } = otherKeywords
  return {
    ...(left.length === Object.keys(properties).length ? otherKeywords : open),
    properties: Object.fromEntries(left),
    ...(needed.length > 0 ? { required: needed } : {}),
  }
}
