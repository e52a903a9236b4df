import { describeKeySets, readExcluded } from '#kit'
import type { EndpointProfile, FieldWire, FieldWireSpec, Integration, JsonSchema, KeySets, WireProfile } from '#kit'
import { profileNames } from './choose-profile.ts'
import type { LoadedIntegration, LoadedStep } from './registry.ts'

/**
 * What a field may hold under the profile in force: one of `words`, or a value from a list read from the provider
 * (`choices`).
 */
export type OfferedValues = {
  words?: string[]
  labels?: Record<string, string>
  choices?: NonNullable<FieldWireSpec['choices']>
}

/** How the profile in force changes the fields of a step. */
export type Offer = {
  /** Fields that the profile has no name for in any endpoint of the step. */
  hidden: Set<string>
  /** Fields of rows of filters → the fields that these rows may name. */
  filters: Map<string, string[]>
  values: Map<string, OfferedValues>
  /** Sets of fields; the provider needs one of the sets complete. */
  requires: string[][]
  /** Whether the provider receives every identifier given, instead of only the strongest. */
  takesAll: boolean
}

const isNamed = (spec: FieldWireSpec) => spec.name !== null || spec.flags !== undefined

const specsOf = (wire: FieldWire | undefined): FieldWireSpec[] =>
  wire === undefined || wire === null
    ? []
    : [wire].flat().map((spec) => (typeof spec === 'string' ? { name: spec } : spec))

const ofEndpoint = ({ path, fields, bulk }: EndpointProfile, field: string): FieldWireSpec[] => [
  ...(path?.includes(`{${field}}`) ? [{ name: field }] : []),
  ...[...specsOf(fields[field]), ...specsOf(bulk?.fields?.[field])].filter(isNamed),
]

const fieldsOf = ({ fields, bulk }: EndpointProfile) => [...Object.keys(fields), ...Object.keys(bulk?.fields ?? {})]

const endpointsOf = ({ endpoints = {} }: WireProfile, names: string[] = []) =>
  names.flatMap((name) => endpoints[name] ?? [])

const valuesOf = (specs: FieldWireSpec[]): OfferedValues | undefined => {
  const [spec] = specs
  // A field that is sent in several ways is limited only if each of them is limited.
  if (spec === undefined || specs.some(({ map, flags, choices }) => !map && !flags && !choices)) return undefined
  if (spec.choices) return { choices: spec.choices }
  const words = [...new Set(specs.flatMap(({ map, flags }) => Object.keys({ ...map, ...flags })))]
  const labels = Object.assign({}, ...specs.map(({ labels: own }) => own)) as Record<string, string>
  return { words, ...(Object.keys(labels).length > 0 ? { labels } : {}) }
}

const made = new WeakMap<LoadedStep, Offer>()

/**
 * How the profile in force changes a step's fields. The default profile lists every field of ours that goes to an
 * endpoint, with null where the provider's documents show no name for it. Fields it does not list, such as a page size,
 * are the step's own.
 */
export const offerOf = (loadedStep: LoadedStep): Offer => {
  const cachedOffer = made.get(loadedStep)
  if (cachedOffer) return cachedOffer
  const { step, loaded } = loadedStep
  const inForce = endpointsOf(loaded.wire, step.endpoints)
  const named = new Set<string>()
  const offer: Offer = {
    hidden: new Set(),
    filters: new Map(),
    values: new Map(),
    requires: inForce.length === 1 ? (inForce[0]!.requires ?? []) : [],
    takesAll: inForce.some(({ identifiers }) => identifiers === 'all'),
  }
  for (const field of new Set(
    [...endpointsOf(loaded.integration.wire, step.endpoints), ...inForce].flatMap(fieldsOf),
  )) {
    const specs = inForce.flatMap((endpoint) => ofEndpoint(endpoint, field))
    const values = valuesOf(specs)
    if (specs.length > 0) named.add(readExcluded(field) ?? field)
    if (specs.length === 0) offer.hidden.add(field)
    else if (values) offer.values.set(field, values)
  }
  for (const [field, { filters }] of Object.entries(step.fields ?? {})) {
    if (!filters) continue
    const offered = filters.filter((name) => named.has(name))
    if (offered.length === 0) offer.hidden.add(field)
    else offer.filters.set(field, offered)
  }
  made.set(loadedStep, offer)
  return offer
}

type Properties = Record<string, JsonSchema>

const withWords = (part: JsonSchema, words: string[]): JsonSchema => {
  if (part.type === 'array') return { ...part, items: withWords((part.items ?? {}) as JsonSchema, words) }
  return part.type === 'string' ? { ...part, enum: words } : part
}

/** Limits the fields that rows of filters may name. */
const withFields = (part: JsonSchema, filters: string[]): JsonSchema => {
  const items = part.items as JsonSchema
  const { field, ...properties } = items.properties as Properties & { field: JsonSchema }
  return { ...part, items: { ...items, properties: { field: { ...field, enum: filters }, ...properties } } }
}

/** The sets that suffice for the provider; all sets when none of them suffices alone. */
const enough = (sets: string[][], requires: string[][]): string[][] => {
  const sufficientSets = sets.filter((set) => requires.some((all) => all.every((name) => set.includes(name))))
  return sufficientSets.length > 0 ? sufficientSets : sets
}

const moreIsBetter = 'Give all that you know: the provider matches better with more.'

const describeFitted = (rule: KeySets, takesAll: boolean) =>
  takesAll && rule.sets.length > 1 ? `${describeKeySets(rule)} ${moreIsBetter}` : describeKeySets(rule)

const fitKeySets = (schema: JsonSchema, { hidden, requires, takesAll }: Offer): JsonSchema => {
  const rule = schema['x-key-sets'] as KeySets | undefined
  if (rule === undefined) return schema
  const offered = rule.sets.filter((set) => !set.some((name) => hidden.has(name)))
  const sets = enough(offered, requires)
  if (sets.length === rule.sets.length && !takesAll) return schema
  const { description, 'x-key-sets': _, ...otherKeywords } = schema
  const said = description === describeKeySets(rule)
  if (sets.length === 0) return said || description === undefined ? otherKeywords : { ...otherKeywords, description }
  const fitted = { ...rule, sets }
  return { ...schema, description: said ? describeFitted(fitted, takesAll) : description, 'x-key-sets': fitted }
}

/** Limits an object schema, and the records in its lists, to the fields and words of the profile in force. */
const fit = (schema: JsonSchema, offer: Offer): JsonSchema => {
  const { properties, required } = schema as { properties?: Properties; required?: string[] }
  if (properties === undefined) return schema
  const fitted = Object.entries(properties).flatMap(([name, part]): [string, JsonSchema][] => {
    if (offer.hidden.has(name)) return []
    const words = offer.values.get(name)?.words
    const filters = offer.filters.get(name)
    const own = filters ? withFields(part, filters) : words === undefined ? part : withWords(part, words)
    const items = own.items as JsonSchema | undefined
    return [[name, items?.type === 'object' ? { ...own, items: fit(items, offer) } : own]]
  })
  const left = required?.filter((name) => !offer.hidden.has(name))
  const { required: _, ...otherKeywords } = schema
  return fitKeySets(
    {
      ...otherKeywords,
      properties: Object.fromEntries(fitted),
      ...(left && left.length > 0 ? { required: left } : {}),
    },
    offer,
  )
}

/** The input schema of a step, limited to what the profile in force offers. */
export const fitToProfile = (loadedStep: LoadedStep, schema: JsonSchema): JsonSchema => {
  const offer = offerOf(loadedStep)
  const isAsWritten =
    offer.hidden.size + offer.values.size + offer.filters.size + offer.requires.length === 0 && !offer.takesAll
  return isAsWritten ? schema : fit(schema, offer)
}

type Endpoints = { endpoints?: string[] | undefined }

/** Whether the profile lacks a path for an endpoint of the step. */
const isMissing = ({ endpoints = [] }: Endpoints, profile: WireProfile | undefined) =>
  endpoints.some((name) => (profile?.endpoints?.[name]?.path ?? null) === null)

const rowsOf = (value: unknown): object[] =>
  (Array.isArray(value) ? value : []).filter((item) => typeof item === 'object' && item !== null)

/** Whether an input uses only fields that the profile in force offers. */
const isOffered = (loadedStep: LoadedStep, input: unknown): boolean => {
  const { hidden, filters } = offerOf(loadedStep)
  const inputEntries = Object.entries((input ?? {}) as Record<string, unknown>)
  const isRowOffered = (name: string, row: object) =>
    Object.keys(row).every((inner) => !hidden.has(inner)) &&
    (filters.get(name)?.includes((row as { field: string }).field) ?? true)
  return inputEntries.every(
    ([name, value]) => !hidden.has(name) && rowsOf(value).every((row) => isRowOffered(name, row)),
  )
}

/**
 * The examples that the profile in force can run; all examples if it can run none, since they still show what the step
 * is for.
 */
export const offeredCases = <T extends { input: unknown }>(loadedStep: LoadedStep, cases: T[]): T[] => {
  const offered = isMissing(loadedStep.step, loadedStep.loaded.wire)
    ? []
    : cases.filter(({ input }) => isOffered(loadedStep, input))
  return offered.length > 0 ? offered : cases
}

const profileOf = (integration: Integration, name: string) =>
  name === integration.wire.profile ? integration.wire : integration.profiles?.[name]?.()

/** Whether every step that the profile in force has an endpoint for can run. */
export const isReady = ({ steps, wire }: LoadedIntegration): boolean =>
  [...steps.values()].every(({ step, needs }) => needs.length === 0 || isMissing(step, wire))

/** Why a step or trigger that needs these endpoints cannot be used, in sentences for its user; null: it can. */
export const whyNotOffered = (
  item: Endpoints,
  { integration, wire }: Pick<LoadedIntegration, 'integration' | 'wire'>,
  needs: string[],
): string | null => {
  if (needs.length === 0) return null
  const settings = `the operator has yet to set ${needs.join(', ')}`
  if (!isMissing(item, wire)) return `Not ready: ${settings}.`
  const otherProfiles = profileNames(integration).filter(
    (name) => name !== wire.profile && !isMissing(item, profileOf(integration, name)),
  )
  const elsewhere = otherProfiles.length > 0 ? ` Profiles that have it: ${otherProfiles.join(', ')}.` : ''
  return `Not ready: the profile "${wire.profile}" has no endpoint for it; ${settings}.${elsewhere}`
}

/** Why a step cannot run; null: it can run. */
export const whyNotReady = ({ step, loaded, needs }: LoadedStep): string | null => whyNotOffered(step, loaded, needs)
