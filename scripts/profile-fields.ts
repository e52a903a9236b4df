import { failures, z } from '#kit'
import { profileSettings } from '../shared/kit/profile.ts'

/**
 * Tables of docs/wire-profile.md: every field of a wire profile, generated from its schema. A field without a
 * description throws.
 */
type Schema = {
  description?: string
  type?: string | string[]
  enum?: string[]
  const?: string | boolean
  anyOf?: Schema[]
  properties?: { [name: string]: Schema }
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema | boolean
  prefixItems?: Schema[]
}

/** Placeholders for names that the profile's author or the operator chooses. */
const chosen: { [path: string]: string } = {
  auth: '<type>',
  endpoints: '<endpoint>',
  'endpoints.<endpoint>.fields': '<field>',
  'endpoints.<endpoint>.bulk.fields': '<field>',
  records: '<kind>',
  'records.<kind>': '<field>',
}

/** Lists and objects whose fields are described only once, elsewhere. */
const sameAs: { [path: string]: string } = {
  'endpoints.<endpoint>.noMatch': 'errors',
  'endpoints.<endpoint>.noMatchOnceMatched': 'errors',
  'endpoints.<endpoint>.errors': 'errors',
  'endpoints.<endpoint>.pending.when': 'errors',
  'endpoints.<endpoint>.bulk.fields': 'endpoints.<endpoint>.fields',
  'endpoints.<endpoint>.bulk.price': 'endpoints.<endpoint>.price',
  'endpoints.<endpoint>.bulk.credits': 'endpoints.<endpoint>.credits',
  validKey: 'errors',
  'endpoints.<endpoint>.bulk.itemNoMatch': 'errors',
  'endpoints.<endpoint>.bulk.itemErrors': 'errors',
}

/** Short descriptions for rows whose meaning is that of an earlier row. */
const saidAbove: { [path: string]: string } = {
  'pace.resets[].as': 'Its form, as above.',
  'operations[].price[].per': 'As in `endpoints`.',
  'operations[].price[].of': 'As in `endpoints`.',
  'operations[].price[].wanted': 'As in `endpoints`.',
}

const isObject = (schema: Schema) => schema.properties !== undefined || typeof schema.additionalProperties === 'object'
const isSchema = (schema: Schema | boolean | undefined): schema is Schema => typeof schema === 'object'
const alternatives = (schema: Schema): Schema[] => schema.anyOf ?? [schema]

/** The type in words, such as `"a" | "b"`, `list of string` or `integer, null`. */
const typeOf = (schema: Schema): string => {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(', ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum)
    return schema.enum.length === Object.keys(failures).length
      ? 'failure code'
      : schema.enum.map((value) => JSON.stringify(value)).join(', ')
  if (schema.prefixItems) return 'list of two'
  if (schema.type === 'array') return isSchema(schema.items) ? `list of ${typeOf(schema.items)}` : 'list'
  if (schema.properties) return 'object'
  if (isSchema(schema.additionalProperties)) return `map of ${typeOf(schema.additionalProperties)}`
  return [schema.type ?? 'any'].flat().join(', ')
}

type Field = { path: string; type: string; isRequired: boolean; meaning: string | undefined }

const fieldsBelow = (schema: Schema, path: string): Field[] =>
  alternatives(schema).flatMap((alternative): Field[] => {
    if (alternative.properties)
      return Object.entries(alternative.properties).flatMap(([name, child]) =>
        fieldsAt(child, path === '' ? name : `${path}.${name}`, !!alternative.required?.includes(name)),
      )
    if (isSchema(alternative.items))
      return alternatives(alternative.items).some(isObject)
        ? fieldsBelow(alternative.items, `${path}[]`.replace('<field>[]', '<field>'))
        : []
    const child = alternative.additionalProperties
    if (!isSchema(child)) return []
    const below = fieldsBelow(child, `${path}.${chosen[path] ?? '<name>'}`)
    return below.length === 0 ? [] : fieldsAt(child, `${path}.${chosen[path] ?? '<name>'}`, false)
  })

const fieldsAt = (schema: Schema, path: string, isRequired: boolean): Field[] => [
  { path, type: typeOf(schema), isRequired, meaning: schema.description },
  ...fieldsBelow(schema, path),
]

/** Every field of the profile that `settings` describe, without repetitions. */
export const profileFields = (settings: { [name: string]: () => z.ZodType } = profileSettings): Field[] => {
  const all = Object.entries(settings).flatMap(([name, make]) => {
    const schema = make()
    return fieldsAt(z.toJSONSchema(schema) as Schema, name, !schema.safeParse(undefined).success)
  })
  const fieldsByPath = new Map(all.map((field) => [field.path, field]))
  return [...fieldsByPath.values()].filter(({ path, type, meaning }) => {
    const [from, to] =
      Object.entries(sameAs).find(([start]) => path.startsWith(`${start}[]`) || path.startsWith(`${start}.`)) ?? []
    if (from === undefined) return true
    const twin = fieldsByPath.get(`${to}${path.slice(from.length)}`)
    if (twin?.type !== type || twin.meaning !== meaning)
      throw new Error(`${path} is not described by ${to}: take it out of sameAs in scripts/profile-fields.ts.`)
    return false
  })
}

/** Rows of the tables: field, type, meaning. @throws Error when a field has no description */
export const profileRows = (fields: Field[] = profileFields()): string[][] => {
  // A name that the author chooses gets a row only when it has a description of its own.
  const shown = fields.filter(({ path, meaning }) => !path.endsWith('>') || meaning !== undefined)
  const missing = shown.filter(({ meaning }) => meaning === undefined).map(({ path }) => path)
  if (missing.length > 0)
    throw new Error(`Describe ${missing.join(', ')} in shared/kit/profile.ts or shared/kit/profile/.`)
  const unneeded = Object.keys(saidAbove).filter((path) => {
    const at = shown.findIndex((field) => field.path === path)
    return !shown.slice(0, Math.max(at, 0)).some(({ meaning }) => meaning === shown[at]!.meaning)
  })
  if (unneeded.length > 0)
    throw new Error(
      `No row above that of ${unneeded.join(', ')} says the same: take it out of saidAbove in scripts/profile-fields.ts.`,
    )
  return shown.map(({ path, type, isRequired, meaning }) => {
    const twin = sameAs[path]
    return [
      `\`${path}\`${isRequired ? ' *' : ''}`,
      type,
      `${saidAbove[path] ?? meaning}${twin ? ` Entries as in \`${twin}\`.` : ''}`,
    ]
  })
}

type Table = (head: string[], rows: string[][]) => string

/** A table of the settings that are one value, then one for each setting that has fields of its own. */
export const profileFieldTables = (table: Table): string => {
  const settingOf = ([path = '']: string[]) => /^`(\w+)/.exec(path)![1]!
  const rowsBySetting = Map.groupBy(profileRows(), settingOf)
  const [single, sections] = [
    [...rowsBySetting].filter(([, rows]) => rows.length === 1),
    [...rowsBySetting].filter(([, rows]) => rows.length > 1),
  ]
  const head = ['Field', 'Type', 'Meaning']
  return [
    `## Single values\n\n${table(
      head,
      single.flatMap(([, rows]) => rows),
    )}`,
    ...sections.map(([setting, rows]) => `## ${setting}\n\n${table(head, rows)}`),
  ].join('\n\n')
}
