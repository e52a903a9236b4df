import type { JsonSchema } from '#kit'
import { manifestJsonSchema } from '../shared/api/manifest.ts'

/** Tables of docs/manifest.md, generated from the JSON Schema of a manifest. */
type Table = (head: string[], rows: string[][]) => string
type Properties = Record<string, JsonSchema>

const schema = manifestJsonSchema()
const definitions = schema.$defs as Properties
const nameOf = ({ $ref }: JsonSchema) => (typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined)

/** Links to the section in which a definition is described. */
const places: Record<string, string> = {
  connectionType: '[connection type](#connections)',
  connectionField: '[connection field](#controls)',
  step: '[step](#steps)',
  trigger: '[trigger](#triggers)',
  layout: '[layout](#forms)',
  layoutField: '[field](#forms)',
  row: '[layout](#forms)',
  rowField: '[field](#forms)',
  control: '[control](#controls)',
  field: '[extras](#extras-of-fields)',
  operation: '[operation](#api-call-and-tool-sets)',
  schema: 'JSON Schema',
}

const code = (value: unknown) => `\`${String(value)}\``

const typeOf = (part: JsonSchema): string => {
  const name = nameOf(part)
  if (name !== undefined && places[name]) return places[name]
  if (name !== undefined) return typeOf(definitions[name]!)
  if (part.anyOf) return (part.anyOf as JsonSchema[]).map(typeOf).join(' or ')
  if (part.enum) return (part.enum as unknown[]).map(code).join(', ')
  if ('const' in part) return code(part.const)
  if (part.type === 'array') return `list: ${typeOf(part.items as JsonSchema)}`
  if (part.type === 'object' && typeof part.additionalProperties === 'object')
    return `map: ${typeOf(part.additionalProperties as JsonSchema)}`
  return part.type === undefined ? 'any' : [part.type].flat().join(' or ')
}

const described = (part: JsonSchema): unknown => {
  const name = nameOf(part)
  return (
    part.description ??
    (name
      ? described(definitions[name]!)
      : ((part.anyOf ?? []) as JsonSchema[]).map(described).find((text) => text !== undefined))
  )
}

const meaningOf = (part: JsonSchema, path: string): string => {
  const own = described(part)
  if (typeof own !== 'string')
    throw new Error(`"${path}" of the manifest has no meaning: describe it in shared/api/manifest.ts.`)
  return own
}

/** The object inside a field that is described in the same table, unless it has a section of its own. */
const innerOf = (part: JsonSchema): { inner: JsonSchema; mark: string } | undefined => {
  const name = nameOf(part)
  if (name !== undefined) return places[name] ? undefined : innerOf(definitions[name]!)
  if (part.anyOf) return (part.anyOf as JsonSchema[]).map(innerOf).find((innerPart) => innerPart !== undefined)
  if (part.type === 'array') {
    const innerPart = innerOf(part.items as JsonSchema)
    return innerPart && { ...innerPart, mark: `[]${innerPart.mark}` }
  }
  return part.properties ? { inner: part, mark: '' } : undefined
}

const rowsOf = (object: JsonSchema, path = ''): string[][] => {
  const required = new Set((object.required ?? []) as string[])
  return Object.entries((object.properties ?? {}) as Properties).flatMap(([name, part]) => {
    const at = `${path}${name}`
    const innerPart = innerOf(part)
    return [
      [code(required.has(name) ? at : `${at}?`), typeOf(part), meaningOf(part, at)],
      ...(innerPart ? rowsOf(innerPart.inner, `${at}${innerPart.mark}.`) : []),
    ]
  })
}

const head = ['Field', 'Type', 'Meaning']
const definition = (name: string) => (table: Table) => table(head, rowsOf(definitions[name]!))

const elsewhere = new Set(['apiCall', 'toolSets', 'wire'])
const properties = schema.properties as Properties
const some = (holds: (name: string) => boolean): JsonSchema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(properties).filter(([name]) => holds(name))),
})

/** The generated parts of the page, in page order. */
export const manifestParts: Record<string, (table: Table) => string> = {
  manifest: (table) =>
    table(head, [
      ...rowsOf(some((name) => !elsewhere.has(name))),
      ...[...elsewhere].map((name) => [
        code(name),
        '[below](#api-call-and-tool-sets)',
        meaningOf(properties[name]!, name),
      ]),
    ]),
  connection: definition('connectionType'),
  step: definition('step'),
  trigger: definition('trigger'),
  layout: (table) =>
    `A layout:\n\n${definition('layout')(table)}\n\nA field of it:\n\n${definition('layoutField')(table)}`,
  field: definition('field'),
  rest: (table) =>
    `${table(head, rowsOf(some((name) => elsewhere.has(name))))}\n\nAn operation:\n\n${definition('operation')(table)}`,
}
