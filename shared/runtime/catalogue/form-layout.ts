import { timeUnits } from '#kit'
import type { FieldSpec, JsonSchema } from '#kit'
import type { Control, FieldManifest, Layout, LayoutField } from '../../api/manifest.ts'

export type { FieldManifest, Layout, LayoutField }

type Properties = Record<string, JsonSchema>
type KeySets = { sets: string[][]; exactlyOne: boolean }

const ofText = ({ format, enum: choices }: JsonSchema, isLong: boolean): Control => {
  if (choices !== undefined) return 'choice'
  if (format === 'date-time') return 'date-time'
  if (format === 'uri') return 'url'
  if (format === 'email') return 'email'
  return isLong ? 'long-text' : 'text'
}

const ofList = (items: JsonSchema, isLoaded: boolean): Control => {
  if (isLoaded) return 'pick-many'
  if (items.enum !== undefined) return 'choices'
  return items.type === 'object' ? 'rows' : 'list'
}

const isTime = (unit: FieldSpec['unit']) => (timeUnits as readonly unknown[]).includes(unit)

/** The schema that `fileRef` creates. */
const isFile = ({ properties }: JsonSchema) => Object.keys((properties ?? {}) as object).join() === 'file,name,base64'

const controlOf = (schema: JsonSchema, { options, long, unit }: FieldManifest): Control => {
  const isLoaded = options === true
  switch (schema.type) {
    case 'string':
      return isLoaded ? 'pick' : ofText(schema, long === true)
    case 'array':
      return ofList((schema.items ?? {}) as JsonSchema, isLoaded)
    case 'integer':
    case 'number':
      return isTime(unit) ? 'duration' : 'number'
    case 'boolean':
      return 'switch'
    case 'object':
      return isFile(schema) ? 'file' : 'json'
    default:
      return 'json'
  }
}

const choicesOf = (schema: JsonSchema) =>
  (schema.enum ?? (schema.items as JsonSchema | undefined)?.enum) as string[] | undefined

/** Zod gives every integer the bounds of a safe integer; a form should not show those. */
const boundsOf = ({ type, minimum, maximum }: JsonSchema) =>
  type === 'integer' || type === 'number'
    ? {
        ...(typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER ? { min: minimum } : {}),
        ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? { max: maximum } : {}),
      }
    : {}

const titleOf = (schema: JsonSchema, name: string) => (typeof schema.title === 'string' ? schema.title : name)

/**
 * Fields that a person must look at: required ones, that of the container, those of a "one of" rule, and those that the
 * choices of such a field depend on.
 */
const mainFields = (
  schema: JsonSchema,
  specs: Record<string, FieldManifest>,
  container: string | null | undefined,
): Set<string> => {
  const main = new Set([
    ...(container == null ? [] : [container]),
    ...((schema.required ?? []) as string[]),
    ...((schema['x-key-sets'] as KeySets | undefined)?.sets.flat() ?? []),
  ])
  for (const name of main) for (const other of specs[name]?.dependsOn ?? []) main.add(other)
  return main
}

/** Specs for the fields of a table row: its own, plus the choice labels that apply to every table. */
const rowSpecs = (
  specs: Record<string, FieldManifest>,
  own: FieldManifest['row'] = {},
): Record<string, FieldManifest> => {
  const titled = Object.entries(specs).flatMap(([name, { labels }]) =>
    labels ? [[name, { ...own[name], labels }]] : [],
  )
  return { ...own, ...(Object.fromEntries(titled) as Record<string, FieldManifest>) }
}

/** A label for each choice. Without one, the provider's word is shown capitalized. */
const labelled = (choices: string[], labels: Record<string, string> = {}) =>
  Object.fromEntries(
    choices.map((choice) => [choice, labels[choice] ?? choice.charAt(0).toUpperCase() + choice.slice(1)]),
  )

/** How a form for a flat object schema is drawn; derived from the schema and the specs of its fields. */
export const layoutOf = (
  schema: JsonSchema,
  specs: Record<string, FieldManifest> = {},
  options: { secret?: boolean; container?: string | null } = {},
): Layout => {
  const properties = (schema.properties ?? {}) as Properties
  const required = new Set((schema.required ?? []) as string[])
  const main = mainFields(schema, specs, options.container)
  const fields = Object.entries(properties).map(([name, part]): LayoutField => {
    const { options: _, long: __, rare: ___, row, labels, ...spec } = specs[name] ?? {}
    const control = options.secret ? 'secret' : controlOf(part, specs[name] ?? {})
    const choices = choicesOf(part)
    return {
      name,
      title: titleOf(part, name),
      description: typeof part.description === 'string' ? part.description : '',
      control,
      required: required.has(name),
      place: main.has(name) || main.size === 0 ? 'main' : 'more',
      ...('default' in part ? { default: part.default } : {}),
      ...(choices ? { choices, labels: labelled(choices, labels) } : {}),
      ...boundsOf(part),
      ...(control === 'rows' ? { row: layoutOf(part.items as JsonSchema, rowSpecs(specs, row)) } : {}),
      ...spec,
    }
  })
  const keySets = schema['x-key-sets'] as KeySets | undefined
  const sets = keySets?.sets.map((set) => ({
    title: set.map((name) => titleOf(properties[name] ?? {}, name)).join(' + '),
    fields: set,
  }))
  return { fields, oneOf: keySets && sets ? { exactlyOne: keySets.exactlyOne, sets } : null }
}
