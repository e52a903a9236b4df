type Schema = { [keyword: string]: any }

/** `#/$defs/name` → its schema; other schemas as they are. */
const resolved = (schema: Schema, root: Schema): Schema =>
  schema.$ref ? (root.$defs[schema.$ref.split('/').at(-1)] as Schema) : schema

const kindsOf = (schema: Schema, root: Schema): string[] => {
  const resolvedSchema = resolved(schema, root)
  if (resolvedSchema.anyOf) return resolvedSchema.anyOf.flatMap((choice: Schema) => kindsOf(choice, root))
  if (resolvedSchema.enum) return resolvedSchema.enum.map((value: unknown) => JSON.stringify(value))
  if ('const' in resolvedSchema) return [JSON.stringify(resolvedSchema.const)]
  return [resolvedSchema.type ?? 'any'].flat()
}

/** Every field of a schema by its path, `?` behind an optional one, with what it may hold. */
export const flatten = (root: Schema): { [path: string]: string[] } => {
  const fields: { [path: string]: string[] } = {}
  const visit = (schema: Schema, path: string, above: string[]) => {
    for (const part of [schema, ...(schema.anyOf ?? [])] as Schema[]) {
      // A form may hold rows, which are drawn like a form.
      if (part.$ref && above.filter((name) => name === part.$ref).length > 1) continue
      const resolvedSchema = resolved(part, root)
      const seen = part.$ref ? [...above, part.$ref as string] : above
      if (resolvedSchema !== part && resolvedSchema.anyOf) visit(resolvedSchema, path, seen)
      if (resolvedSchema.items) {
        fields[`${path}[]`] = [...new Set(kindsOf(resolvedSchema.items, root))].sort()
        visit(resolvedSchema.items, `${path}[]`, seen)
      }
      if (typeof resolvedSchema.additionalProperties === 'object')
        visit(resolvedSchema.additionalProperties, `${path}{}`, seen)
      for (const [name, child] of Object.entries((resolvedSchema.properties ?? {}) as { [name: string]: Schema })) {
        const at = `${path}${path === '' ? '' : '.'}${name}`
        fields[resolvedSchema.required?.includes(name) ? at : `${at}?`] = [...new Set(kindsOf(child, root))].sort()
        visit(child, at, seen)
      }
    }
  }
  visit(root, '', [])
  return fields
}
