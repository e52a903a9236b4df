/** What a user has entered into a form, and the values that are sent from it. Pure: nothing here touches the page. */
import type { Layout, LayoutField } from '../../../api/manifest.ts'

export type { Layout, LayoutField }
export type Values = Record<string, unknown>
/** `values`: by field name, as they are sent, or `Unreadable`. */
export type Draft = { values: Values }

/** Text that is not a value yet, such as half of a number; kept so that users do not lose what they typed. */
export class Unreadable {
  readonly text: string
  /** What to enter instead, as a sentence. */
  readonly reason: string
  constructor(text: string, reason: string) {
    this.text = text
    this.reason = reason
  }
}

export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

const byName = ({ fields }: Layout, name: string) => fields.find((field) => field.name === name)

/** Names of the fields of the sets of which one must be filled. */
export const setFields = ({ oneOf }: Layout): Set<string> => new Set(oneOf?.sets.flatMap(({ fields }) => fields))

/** The titles of the filled fields that exclude this one, where exactly one set may be filled; none: it may be filled. */
export const excludedBy = (layout: Layout, { values }: Draft, name: string): string[] => {
  if (!layout.oneOf?.exactlyOne || !isEmpty(values[name])) return []
  const { sets } = layout.oneOf
  const filled = [...setFields(layout)].filter((field) => !isEmpty(values[field]))
  const isPossible = sets.some(({ fields }) => fields.includes(name) && filled.every((field) => fields.includes(field)))
  return isPossible || !setFields(layout).has(name) ? [] : filled.map((field) => byName(layout, field)?.title ?? field)
}

/** The set that lacks least, of those of which something is filled; else the first. */
export const nearestSet = ({ oneOf }: Layout, { values }: Draft) => {
  const filled = ({ fields }: { fields: string[] }) => fields.filter((name) => !isEmpty(values[name])).length
  const begun = oneOf?.sets.filter((set) => filled(set) > 0) ?? []
  const [nearest] = begun.toSorted(
    (left, right) => left.fields.length - filled(left) - right.fields.length + filled(right),
  )
  return nearest ?? oneOf?.sets[0]
}

/** Whether a field is shown; guards against conditions that name each other. */
const isShown = (layout: Layout, draft: Draft, field: LayoutField, above: string[] = []): boolean => {
  const { showWhen } = field
  if (!showWhen || above.includes(field.name)) return true
  const other = byName(layout, showWhen.field)
  if (other && !isShown(layout, draft, other, [...above, field.name])) return false
  const value = draft.values[showWhen.field]
  return showWhen.is ? (showWhen.is as unknown[]).includes(isEmpty(value) ? other?.default : value) : !isEmpty(value)
}

export const visibleFields = (layout: Layout, draft: Draft): LayoutField[] =>
  layout.fields.filter((field) => isShown(layout, draft, field))

/** The fields shown at once and those folded away. */
export const sectionsOf = (layout: Layout, draft: Draft) => {
  const ofSets = setFields(layout)
  const visible = visibleFields(layout, draft)
  const isMain = ({ name, place }: LayoutField) => place !== 'more' || ofSets.has(name)
  return { main: visible.filter(isMain), more: visible.filter((field) => !isMain(field)) }
}

/** The layout of a table's row, which shows the fields of every set. */
export const rowLayout = ({ row }: LayoutField): Layout => ({ fields: row?.fields ?? [], oneOf: null })

const clean = (field: LayoutField, value: unknown): unknown => {
  if (!Array.isArray(value)) return value
  if (field.control === 'rows') return value.map((row) => valuesOf(rowLayout(field), { values: row as Values }))
  return field.control === 'list' || field.control === 'pick-many' ? value.filter((item) => !isEmpty(item)) : value
}

/**
 * All values that are entered and visible, including those of fields that only narrow choices: sent when choices are
 * loaded.
 */
export const valuesOf = (layout: Layout, draft: Draft): Values =>
  Object.fromEntries(
    visibleFields(layout, draft)
      .map((field) => [field.name, clean(field, draft.values[field.name])] as const)
      .filter(([, value]) => !isEmpty(value) && !(value instanceof Unreadable)),
  )

/** The values to send: without empty or hidden fields, and without fields that only narrow choices. */
export const toInput = (layout: Layout, draft: Draft): Values =>
  Object.fromEntries(Object.entries(valuesOf(layout, draft)).filter(([name]) => byName(layout, name)?.scope !== true))

/** A draft with the values of an earlier input, or an empty one. */
export const fromInput = (input: Values = {}): Draft => ({ values: { ...input } })

/** The fields that decide which choices a field has: those it depends on, and earlier ones that only narrow them. */
export const narrowedBy = (layout: Layout, { name, dependsOn = [] }: LayoutField): string[] => {
  const before = layout.fields.slice(
    0,
    layout.fields.findIndex((field) => field.name === name),
  )
  const narrowing = before.filter((field) => field.scope && !dependsOn.includes(field.name))
  return [...dependsOn, ...narrowing.map((field) => field.name)]
}

const isPick = ({ control }: LayoutField) => control === 'pick' || control === 'pick-many'

const dependents = (layout: Layout, name: string): LayoutField[] =>
  layout.fields.filter((field) => (isPick(field) ? narrowedBy(layout, field) : (field.dependsOn ?? [])).includes(name))

/**
 * Sets one value; `undefined` removes it. Choices that depend on the previous value are removed with it. A choice that
 * was made before there was any value (by its id) stays.
 */
export const setValue = (layout: Layout, draft: Draft, name: string, value: unknown): Draft => {
  const { [name]: former, ...otherValues } = draft.values
  const changed: Draft = { ...draft, values: isEmpty(value) ? otherValues : { ...otherValues, [name]: value } }
  if (isEmpty(former) || JSON.stringify(former) === JSON.stringify(value)) return changed
  return dependents(layout, name)
    .filter((field) => field.name !== name && !isEmpty(changed.values[field.name]))
    .reduce((nextDraft, field) => setValue(layout, nextDraft, field.name, undefined), changed)
}

/** Removes the choices loaded from an account, because another account was chosen. */
export const forgetChoices = (layout: Layout, draft: Draft): Draft => {
  const loaded = new Set(layout.fields.filter(isPick).map(({ name }) => name))
  return { ...draft, values: Object.fromEntries(Object.entries(draft.values).filter(([name]) => !loaded.has(name))) }
}

/** Titles of the fields to fill before this field's choices can be loaded. */
export const missingParents = (
  layout: Layout,
  { dependsOn = [] }: Pick<LayoutField, 'dependsOn'>,
  values: Values,
): string[] => dependsOn.filter((name) => isEmpty(values[name])).map((name) => byName(layout, name)?.title ?? name)
