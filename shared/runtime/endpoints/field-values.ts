import { asText, countryName, failField, isJsonTree, setAt } from '#kit'
import type { EndpointProfile, FieldWire, FieldWireSpec, Json, JsonTree, Scalar } from '#kit'

export type Values = Record<string, unknown>
export type Fields = EndpointProfile['fields']

/**
 * A value in the provider's own terms, used instead of ours. `unknown`: in a dry run, only a text that says where the
 * value would come from.
 */
export class ProviderValue {
  readonly value: Json
  readonly spec: FieldWireSpec
  readonly unknown: boolean
  constructor(value: Json, spec: FieldWireSpec, unknown = false) {
    this.value = value
    this.spec = spec
    this.unknown = unknown
  }
}

const fits = ({ mailHosts }: FieldWireSpec, value: unknown) =>
  mailHosts === undefined || mailHosts.includes(asText(value).split('@').at(-1)!.toLowerCase())

export const specOf = (wire: FieldWire | undefined, value: unknown): FieldWireSpec | undefined => {
  if (value instanceof ProviderValue) return value.spec
  if (wire === undefined || wire === null) return undefined
  if (typeof wire === 'string') return { name: wire }
  return Array.isArray(wire) ? wire.find((spec) => fits(spec, value)) : wire
}

/** Whether the provider's name for a field is known. Flags have their own names. */
export const isNamed = (spec: FieldWireSpec | undefined): spec is FieldWireSpec =>
  spec !== undefined && (spec.name !== null || spec.flags !== undefined)

/** Finds the word that the value means, by the word itself or by its label. */
const wordOf = (ours: string, value: unknown, words: string[], labels: { [word: string]: string } = {}): string => {
  const text = asText(value).toLowerCase()
  const word =
    words.find((candidate) => candidate.toLowerCase() === text) ??
    words.find((candidate) => labels[candidate]?.toLowerCase() === text)
  if (word !== undefined) return word
  const shown = words.map((candidate) =>
    labels[candidate] === undefined ? candidate : `${candidate} (${labels[candidate]})`,
  )
  throw failField(
    ours,
    `"${asText(value).slice(0, 60)}" is not a value of "${ours}" here. Use one of: ${shown.join(', ')}.`,
  )
}

const inCase = (value: Scalar, letters: FieldWireSpec['case']): Scalar => {
  if (typeof value !== 'string' || letters === undefined) return value
  return letters === 'lower' ? value.toLowerCase() : value.toUpperCase()
}

const scalarOf = (ours: string, value: unknown, { map, labels, as, case: letters }: FieldWireSpec): Json => {
  const wire = map ? map[wordOf(ours, value, Object.keys(map), labels)]! : inCase(value as Scalar, letters)
  if (as === 'string') return String(wire)
  if (as !== 'number') return wire
  if (Number.isFinite(Number(wire))) return Number(wire)
  throw failField(ours, `"${ours}" goes to the provider as a number; "${asText(wire)}" is none.`)
}

const endsOf = (ours: string, value: Json): { min: number | undefined; max: number | undefined } => {
  const text = asText(value).replaceAll(',', '').trim()
  const [, least, most] = /^(\d+)\s*(?:(?:-|–|to)\s*(\d+)|\+)$/i.exec(text) ?? []
  if (least === undefined)
    throw failField(
      ours,
      `"${ours}" goes to the provider as a range: give it as "11-50" or, without an upper end, "10001+".`,
    )
  return { min: Number(least), max: most === undefined ? undefined : Number(most) }
}

/** A field to send, its value, and all values it is sent with. `at`: its first place in a list that fields add to. */
export type SentField = { ours: string; spec: FieldWireSpec; value: unknown; all: Values; at?: number }

type Names = { [name: string]: Json | undefined }

const textIn = (value: Json | undefined) => (typeof value === 'object' ? '' : String(value ?? ''))

/** The last segment of a URL's path: `https://www.linkedin.com/in/name-123` → `name-123`. */
const lastPartOf = (value: Json) =>
  textIn(value)
    .split(/[?#]/, 1)[0]!
    .split('/')
    .findLast((part) => part !== '')

/** Fills the names into a template; undefined when it consists only of a name without a value. */
const fill = (template: Json, names: Names): Json | undefined => {
  if (typeof template === 'string') {
    const whole = /^\{(\w+)\}$/.exec(template)?.[1]
    return whole === undefined ? template.replace(/\{(\w+)\}/g, (_, name: string) => textIn(names[name])) : names[whole]
  }
  if (typeof template !== 'object' || template === null) return template
  if (Array.isArray(template)) return template.map((item) => fill(item, names)).filter((item) => item !== undefined)
  return Object.fromEntries(
    Object.entries(template)
      .map(([name, part]) => [name, fill(part, names)] as const)
      .filter((entry): entry is readonly [string, Json] => entry[1] !== undefined),
  )
}

const inTemplate = ({ ours, spec, all }: SentField, value: Json, template: Json, unknown: boolean): Json => {
  const namedValues = Object.fromEntries(
    Object.entries(all).map(([name, fieldValue]) => [
      name,
      fieldValue instanceof ProviderValue ? fieldValue.value : fieldValue,
    ]),
  ) as Names
  const text = JSON.stringify(template)
  const isRange = !unknown && /\{(min|max)\}/.test(text)
  const namesOf = (item: Json): Names => ({
    ...namedValues,
    value: item,
    ...(text.includes('{lastPart}') ? { lastPart: lastPartOf(item) } : {}),
    ...(text.includes('{countryName}')
      ? { countryName: inCase(countryName(textIn(item)) ?? textIn(item), spec.case) }
      : {}),
    ...(isRange ? endsOf(ours, item) : {}),
  })
  const put = (item: Json, into: Json): Json => fill(into, namesOf(item)) ?? null
  if (!Array.isArray(value)) return put(value, template)
  const [only] = Array.isArray(template) && template.length === 1 ? template : [template]
  return value.map((item) => put(item, only!))
}

/** Converts a value to the provider's words, type and shape. @throws Failure `invalid_input` naming the field */
const castValue = (sent: SentField): Json => {
  const { ours, value, spec } = sent
  const { as, template, any, single: takesOne } = spec
  const plainValue = value instanceof ProviderValue ? value.value : value
  const unknown = value instanceof ProviderValue && value.unknown
  const words = value instanceof ProviderValue ? { ...spec, map: undefined as never } : spec
  const single = (item: unknown) => (unknown ? (item as Json) : scalarOf(ours, item, words))
  if (takesOne && Array.isArray(plainValue) && plainValue.length > 1)
    throw failField(ours, `"${ours}" takes one value at this provider, not ${plainValue.length}.`)
  let wire = Array.isArray(plainValue) ? plainValue.map(single) : single(plainValue)
  if (template !== undefined) wire = inTemplate(sent, wire, template, unknown)
  if (any !== undefined && Array.isArray(wire) && wire.length > 1) return fill(any, { items: wire })!
  if (as === 'list') return Array.isArray(wire) ? wire : [wire]
  return as === 'string' && Array.isArray(wire) ? wire.join(',') : wire
}

/** How many items a field adds to a list. */
const countOf = ({ any }: FieldWireSpec, value: unknown): number => {
  const plainValue = value instanceof ProviderValue ? value.value : value
  return Array.isArray(plainValue) && any === undefined ? plainValue.length : 1
}

/**
 * The fields to send. Of fields with the same wire name, the first with a value is sent, otherwise the first with a
 * default, unless they add to a list or are parts of the same objects.
 */
export const sentFields = (fields: Fields, values: Values): SentField[] => {
  const taken = new Map<string, number>()
  const sent: SentField[] = []
  const add = (ours: string, spec: FieldWireSpec | undefined, value: unknown) => {
    if (value === undefined || !isNamed(spec)) return
    if (spec.flags !== undefined) return void sent.push({ ours, spec, value, all: values })
    const before = taken.get(spec.name!) ?? 0
    if (before > 0 && !spec.add && spec.part === undefined) return
    taken.set(spec.name!, before + countOf(spec, value))
    sent.push({ ours, spec, value, all: values, ...(spec.add ? { at: before } : {}) })
  }
  let hasDefaults = false
  for (const ours in fields) {
    const wire = fields[ours]
    add(ours, specOf(wire, values[ours]), values[ours])
    hasDefaults ||= typeof wire === 'object' && wire !== null
  }
  if (!hasDefaults) return sent
  for (const ours in fields) {
    if (values[ours] !== undefined) continue
    const spec = specOf(fields[ours], undefined)
    add(ours, spec, spec?.default)
  }
  return sent
}

/** The wire names and values of a field. */
export const wireOf = (sent: SentField): [wire: string, value: Json][] => {
  const { ours, spec, value, at } = sent
  const { flags, labels } = spec
  if (flags === undefined) {
    const wire = castValue(sent)
    if (at === undefined) return [[spec.name!, wire]]
    return (Array.isArray(wire) ? wire : [wire]).map((item, index) => [`${spec.name!}.${at + index}`, item])
  }
  return (Array.isArray(value) ? value : [value]).map((word) => [
    flags[wordOf(ours, word, Object.keys(flags), labels)]!,
    true,
  ])
}

const maxCombined = 1000

/** An object for each combination of the values of fields that are parts of the same objects. */
const combine = (parts: SentField[]): Json => {
  let objects: JsonTree[] = [{}]
  for (const sent of parts) {
    const wire = castValue(sent)
    const items = (Array.isArray(wire) ? wire : [wire]).map((item): JsonTree =>
      sent.spec.part === '' && isJsonTree(item) ? item : { [sent.spec.part!]: item },
    )
    if (objects.length * items.length > maxCombined)
      throw failField(
        sent.ours,
        `${parts.map(({ ours }) => `"${ours}"`).join(', ')} have more than ${maxCombined} combinations. Give fewer values.`,
      )
    objects = objects.flatMap((object) => items.map((item) => ({ ...object, ...item })))
  }
  return objects
}

/** The wire names and values of all fields to send. */
export const wiresOf = (fields: SentField[]): [wire: string, value: Json][] => {
  if (fields.every(({ spec }) => spec.part === undefined)) return fields.flatMap(wireOf)
  const parts = Map.groupBy(
    fields.filter(({ spec }) => spec.part !== undefined),
    ({ spec }) => spec.name!,
  )
  return [
    ...fields.filter(({ spec }) => spec.part === undefined).flatMap(wireOf),
    ...[...parts].map(([name, group]): [string, Json] => [name, combine(group)]),
  ]
}

/** Sets fixed values at dotted names. Objects are copied, since they belong to the profile. */
export const setConstants = (tree: JsonTree, constants: { [wire: string]: Json } = {}) => {
  for (const [wire, value] of Object.entries(constants))
    setAt(tree, wire, isJsonTree(value) ? structuredClone(value) : value)
}
