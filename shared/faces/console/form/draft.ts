/** What a user has entered into a form, and the values that are sent from it. Pure: nothing here touches the page. */
import type { Layout, LayoutField } from '../../../api/manifest.ts'

export type { Layout, LayoutField }
export type Values = Record<string, unknown>
/** `values`: by field name, as they are sent, or `Unreadable`. `set`: index of the chosen set in `layout.oneOf`. */
export type Draft = { values: Values; set: number }

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

/** Names of the fields in all sets but the chosen one. */
const otherSets = ({ oneOf }: Layout, set: number) => {
  const chosen = new Set(oneOf?.sets[set]?.fields)
  return new Set(oneOf?.sets.flatMap(({ fields }) => fields).filter((name) => !chosen.has(name)))
}

/** Whether a field is shown; guards against conditions that name each other. */
const isShown = (layout: Layout, draft: Draft, field: LayoutField, above: string[] = []): boolean => {
  if (layout.oneOf?.exactlyOne && otherSets(layout, draft.set).has(field.name)) return false
  const { showWhen } = field
  if (!showWhen || above.includes(field.name)) return true
  const other = byName(layout, showWhen.field)
  if (other && !isShown(layout, draft, other, [...above, field.name])) return false
  const value = draft.values[showWhen.field]
  return showWhen.is ? (showWhen.is as unknown[]).includes(isEmpty(value) ? other?.default : value) : !isEmpty(value)
}

export const visibleFields = (layout: Layout, draft: Draft): LayoutField[] =>
  layout.fields.filter((field) => isShown(layout, draft, field))

/**
 * The fields shown at once and those folded away. Where several sets may be filled, the fields of the sets that are not
 * chosen are folded.
 */
export const sectionsOf = (layout: Layout, draft: Draft) => {
  const otherSetFields = otherSets(layout, draft.set)
  const visible = visibleFields(layout, draft)
  const isMain = ({ name, place }: LayoutField) => place !== 'more' && !otherSetFields.has(name)
  return { main: visible.filter(isMain), more: visible.filter((field) => !isMain(field)) }
}

/** The layout of a table's row, which shows the fields of every set. */
export const rowLayout = ({ row }: LayoutField): Layout => ({ fields: row?.fields ?? [], oneOf: null })

const clean = (field: LayoutField, value: unknown): unknown => {
  if (!Array.isArray(value)) return value
  if (field.control === 'rows') return value.map((row) => valuesOf(rowLayout(field), { values: row as Values, set: 0 }))
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

/** A draft with the values of an earlier input, or an empty one. The chosen set is the first that the input fills. */
export const fromInput = (layout: Layout, input: Values = {}): Draft => {
  const filled = layout.oneOf?.sets.findIndex(({ fields }) => fields.every((name) => !isEmpty(input[name]))) ?? 0
  return { values: { ...input }, set: Math.max(filled, 0) }
}

const dependents = (layout: Layout, name: string): LayoutField[] =>
  layout.fields.filter(({ dependsOn = [] }) => dependsOn.includes(name))

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
  const loaded = new Set(
    layout.fields.filter(({ control }) => control === 'pick' || control === 'pick-many').map(({ name }) => name),
  )
  return { ...draft, values: Object.fromEntries(Object.entries(draft.values).filter(([name]) => !loaded.has(name))) }
}

/** Titles of the fields to fill before this field's choices can be loaded. */
export const missingParents = (
  layout: Layout,
  { dependsOn = [] }: Pick<LayoutField, 'dependsOn'>,
  values: Values,
): string[] => dependsOn.filter((name) => isEmpty(values[name])).map((name) => byName(layout, name)?.title ?? name)
