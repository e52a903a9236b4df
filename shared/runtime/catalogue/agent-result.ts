import type { JsonSchema } from '#kit'

/** Fields that are kept, by name; `all`: the field as it is. */
export type Kept = Map<string, Kept | 'all'>

const keep = (kept: Kept, [name, ...innerPath]: string[]): void => {
  if (name === undefined) return
  const keptPart = kept.get(name)
  if (keptPart === 'all') return
  if (innerPath.length === 0) return void kept.set(name, 'all')
  const inner: Kept = keptPart ?? new Map()
  kept.set(name, inner)
  keep(inner, innerPath)
}

/** The fields that `agentFields` of a step name, with dots into objects and entries of lists. */
export const keptOf = (paths: string[]): Kept => {
  const kept: Kept = new Map()
  for (const path of paths) keep(kept, path.split('.'))
  return kept
}

/** An output with these fields alone. `more`: names of fields that are kept beside them, wherever they are. */
export const narrow = (value: unknown, kept: Kept, more: ReadonlySet<string>): unknown => {
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

/** The schema of such an output. It is open where fields were left out, since these may be asked for. */
export const narrowSchema = (schema: JsonSchema, kept: Kept): JsonSchema => {
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
