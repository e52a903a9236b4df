type Schema = { [keyword: string]: any }

/** `#/$defs/name` → its schema; other schemas as they are. */
const resolved = (schema: Schema, root: Schema): Schema => (schema.$ref ? (root.$defs[schema.$ref.split('/').at(-1)] as Schema) : schema)

const kindsOf = (schema: Schema, root: Schema): string[] => {
  const found = resolved(schema, root)
  if (found.anyOf) return found.anyOf.flatMap((one: Schema) => kindsOf(one, root))
  if (found.enum) return found.enum.map((value: unknown) => JSON.stringify(value))
  if ('const' in found) return [JSON.stringify(found.const)]
  return [found.type ?? 'any'].flat()
}

/** Every field of a schema by its path, `?` behind an optional one, with what it may hold. */
export const flatten = (root: Schema): { [path: string]: string[] } => {
  const fields: { [path: string]: string[] } = {}
  const visit = (schema: Schema, path: string, above: string[]) => {
    for (const part of [schema, ...(schema.anyOf ?? [])] as Schema[]) {
      // A form may hold rows, which are drawn like a form.
      if (part.$ref && above.filter((name) => name === part.$ref).length > 1) continue
      const found = resolved(part, root)
      const seen = part.$ref ? [...above, part.$ref as string] : above
      if (found !== part && found.anyOf) visit(found, path, seen)
      if (found.items) {
        fields[`${path}[]`] = [...new Set(kindsOf(found.items, root))].sort()
        visit(found.items, `${path}[]`, seen)
      }
      if (typeof found.additionalProperties === 'object') visit(found.additionalProperties, `${path}{}`, seen)
      for (const [name, child] of Object.entries((found.properties ?? {}) as { [name: string]: Schema })) {
        const at = `${path}${path === '' ? '' : '.'}${name}`
        fields[found.required?.includes(name) ? at : `${at}?`] = [...new Set(kindsOf(child, root))].sort()
        visit(child, at, seen)
      }
    }
  }
  visit(root, '', [])
  return fields
}
