import { boardOf } from './access.ts'
import { addAction, boardRef, cardRef, onCard } from './history.ts'
import { newId } from './ids.ts'
import type { Board, Card, CustomField, CustomFieldItem, World } from './records.ts'
import { invalidValue, refuse } from './refusals.ts'
import type { Call } from './routes.ts'

/** The values that a request contains for one field: `value`, or `idValue` for a list. */
export type GivenItem = { value: unknown; idValue: unknown }
type Content = Pick<CustomFieldItem, 'value' | 'idValue'>

const zoned = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/

/** Values are text whatever the field's type, under a key for the type. */
const kinds: Record<
  Exclude<CustomField['type'], 'list'>,
  { key: string; read: (text: string) => string | undefined }
> = {
  text: { key: 'text', read: (text) => (text === '' || text.length > 16384 ? undefined : text) },
  number: { key: 'number', read: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? text : undefined) },
  date: {
    key: 'date',
    read: (text) => (zoned.test(text) && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined),
  },
  checkbox: { key: 'checked', read: (text) => (text === 'true' || text === 'false' ? text : undefined) },
}

/** An empty value and an empty idValue clear the field; the result is then null. */
const contentOf = (field: CustomField, { value, idValue }: GivenItem): Content | null => {
  if ((value === '' || value === undefined) && (idValue === '' || idValue === undefined)) {
    return value === undefined && idValue === undefined ? invalidValue('value') : null
  }
  if (field.type === 'list')
    return {
      value: null,
      idValue: field.options.find((option) => option.id === idValue)?.id ?? invalidValue('idValue'),
    }
  const { key, read } = kinds[field.type]
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== key) return invalidValue('value')
  const text = (value as Record<string, unknown>)[key]
  return {
    value: { [key]: (typeof text === 'string' ? read(text) : undefined) ?? invalidValue('value') },
    idValue: null,
  }
}

const put = (call: Call, card: Card, field: CustomField, content: Content | null): CustomFieldItem => {
  card.customFieldItems = card.customFieldItems.filter((item) => item.idCustomField !== field.id)
  const item: CustomFieldItem = {
    id: newId(call.world),
    idCustomField: field.id,
    idModel: card.id,
    modelType: 'card',
    ...(content ?? { value: null, idValue: null }),
  }
  if (content) card.customFieldItems.push(item)
  addAction(call.world, call.actor, {
    type: 'updateCustomFieldItem',
    refs: onCard(card),
    data: {
      customField: { id: field.id, name: field.name, type: field.type },
      customFieldItem: item,
      card: cardRef(card),
      board: boardRef(boardOf(call.world, card)),
    },
  })
  return item
}

/** Sets or clears fields of a card. All are checked before any is changed. */
export const setCustomFields = (
  call: Call,
  card: Card,
  items: (GivenItem & { idCustomField: string })[],
): CustomFieldItem[] => {
  const checked = items.map((item) => {
    const field = call.world.state.customFields.get(item.idCustomField) ?? refuse(404, 'model not found')
    if (field.idModel !== card.idBoard) return invalidValue('idCustomField')
    return { field, content: contentOf(field, item) }
  })
  return checked.map(({ field, content }) => put(call, card, field, content))
}

export type NewField = {
  name: string
  type: CustomField['type']
  pos: number
  options: { text: string; color: string }[]
}

export const createCustomField = (world: World, board: Board, { options, ...field }: NewField): CustomField => {
  const id = newId(world)
  const made: CustomField = { id, idModel: board.id, ...field, options: [] }
  for (const option of options) addOption(world, made, option)
  world.state.customFields.set(id, made)
  return made
}

/** Adds an option after the others. */
export const addOption = (world: World, field: CustomField, { text, color }: { text: string; color: string }) => {
  const pos = Math.max(0, ...field.options.map((option) => option.pos)) + 16384
  const option = { id: newId(world), idCustomField: field.id, value: { text }, color, pos }
  field.options.push(option)
  return option
}

/** Removes an option, and the value of each card that had it. */
export const removeOption = (world: World, field: CustomField, idOption: string): void => {
  field.options = field.options.filter(({ id }) => id !== idOption)
  for (const card of world.state.cards.values())
    card.customFieldItems = card.customFieldItems.filter((item) => item.idValue !== idOption)
}

export const fieldsOf = (world: World, board: Board): CustomField[] =>
  [...world.state.customFields.values()].filter((field) => field.idModel === board.id)
