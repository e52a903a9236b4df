import { boardOf } from './access.ts'
import { addAction, boardRef, cardRef, onCard } from './history.ts'
import { newId } from './ids.ts'
import * as read from './params.ts'
import type { Card, CustomField } from './records.ts'
import { invalidValue } from './refusals.ts'
import type { Call } from './routes.ts'

const valueKey = { text: 'text', number: 'number', date: 'date', checkbox: 'checked' } as const

/** Values are strings whatever the field's type; empty value and empty idValue clear the field. */
export const setCustomField = (call: Call, card: Card, field: CustomField): unknown => {
  if (field.idModel !== card.idBoard) return invalidValue('idCustomField')
  const clears = call.params.values.get('value') === '' || call.params.values.get('idValue') === ''
  const given = clears ? undefined : read.record(call.params, 'value')
  const idValue = clears ? undefined : read.id(call.params, 'idValue')
  read.has(call.params, 'idValue')
  card.customFieldItems = card.customFieldItems.filter((item) => item.idCustomField !== field.id)
  const item = { id: newId(call.world), idCustomField: field.id, idModel: card.id, modelType: 'card' as const, ...valueOf(field, given, idValue, clears) }
  if (!clears) card.customFieldItems.push(item)
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
  return clears ? {} : structuredClone(item)
}

const valueOf = (
  field: CustomField,
  given: Record<string, unknown> | undefined,
  idValue: string | undefined,
  clears: boolean,
): { value: Record<string, string> | null; idValue: string | null } => {
  if (clears) return { value: null, idValue: null }
  if (field.type === 'list') return { value: null, idValue: field.options.find((one) => one.id === idValue)?.id ?? invalidValue('idValue') }
  const key = valueKey[field.type]
  const value = given?.[key]
  return typeof value === 'string' ? { value: { [key]: value }, idValue: null } : invalidValue('value')
}
