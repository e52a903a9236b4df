import { cardOf } from './card-of-call.ts'
import { findBoard } from './access.ts'
import { addOption, createCustomField, fieldsOf, removeOption, setCustomFields } from './custom-fields.ts'
import type { GivenItem } from './custom-fields.ts'
import { boardRef, addAction } from './history.ts'
import { isId } from './ids.ts'
import * as read from './params.ts'
import { placeAt } from './positions.ts'
import type { Board, CustomField } from './records.ts'
import { invalidValue, refuse } from './refusals.ts'
import { renderCustomField } from './render.ts'
import { route, type Call, type Route } from './routes.ts'

const boardOf = (call: Call, id: string, kind: 'read' | 'write' = 'read'): Board =>
  findBoard(call.world, call.viewer, id, kind)
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fieldOf = (call: Call, kind: 'read' | 'write' = 'read'): { field: CustomField; board: Board } => {
  const field =
    call.world.state.customFields.get(call.path['idCustomField'] as string) ?? refuse(404, 'model not found')
  return { field, board: boardOf(call, field.idModel, kind) }
}

/** Reads the raw value, because an item may be a text (to clear it) or a record. */
const readRaw = (call: Call, name: string): unknown =>
  read.has(call.params, name) ? call.params.values.get(name) : undefined

const itemsOf = (call: Call): (GivenItem & { idCustomField: string })[] => {
  const items = readRaw(call, 'customFieldItems')
  if (!Array.isArray(items) || items.length === 0) return invalidValue('customFieldItems')
  return items.map((item: unknown) => {
    if (!isRecord(item) || typeof item['idCustomField'] !== 'string' || !isId(item['idCustomField']))
      return invalidValue('idCustomField')
    return { idCustomField: item['idCustomField'], value: item['value'], idValue: item['idValue'] }
  })
}

const types = ['text', 'number', 'date', 'checkbox', 'list'] as const
const optionOf = (value: unknown, color: unknown, name: string): { text: string; color: string } => {
  const text = isRecord(value) ? value['text'] : undefined
  return typeof text === 'string' && text !== '' && typeof color === 'string' ? { text, color } : invalidValue(name)
}
const optionsOf = (call: Call): { text: string; color: string }[] => {
  const options = readRaw(call, 'options') ?? []
  if (!Array.isArray(options)) return invalidValue('options')
  return options.map((option: unknown) =>
    isRecord(option) ? optionOf(option['value'], option['color'] ?? 'none', 'options') : invalidValue('options'),
  )
}
/** In answers about options alone, the board names them by `_id`. */
const showOption = ({ id, ...more }: CustomField['options'][number]) => structuredClone({ _id: id, ...more })
const namedOption = (call: Call, field: CustomField) =>
  field.options.find(({ id }) => id === call.path['idOption']) ?? refuse(404, 'model not found')

const update = (call: Call): unknown => {
  const { params } = call
  const { field, board } = fieldOf(call, 'write')
  const old: Record<string, unknown> = {}
  if (read.has(params, 'name')) {
    old['name'] = field.name
    field.name = read.needText(params, 'name')
  }
  const pos = read.pos(params)
  if (pos !== undefined) {
    const siblings = fieldsOf(call.world, board).filter(({ id }) => id !== field.id)
    old['pos'] = field.pos
    field.pos = placeAt(
      siblings.map((sibling) => sibling.pos),
      pos,
    )
  }
  read.flag(params, 'display/cardFront')
  note(call, board, field, 'updateCustomField', old)
  return renderCustomField(field)
}

const addOptionTo = (call: Call): unknown => {
  const { field, board } = fieldOf(call, 'write')
  if (field.type !== 'list') return invalidValue('type')
  read.pos(call.params)
  const option = addOption(
    call.world,
    field,
    optionOf(readRaw(call, 'value'), readRaw(call, 'color') ?? 'none', 'value'),
  )
  note(call, board, field, 'updateCustomField')
  return showOption(option)
}

const removeOptionFrom = (call: Call): unknown => {
  const { field, board } = fieldOf(call, 'write')
  removeOption(call.world, field, namedOption(call, field).id)
  note(call, board, field, 'updateCustomField')
  return {}
}

const create = (call: Call): unknown => {
  const { params } = call
  const board = boardOf(call, read.needId(params, 'idModel'), 'write')
  if (!read.oneOf(params, 'modelType', ['board'] as const)) return invalidValue('modelType')
  const type = read.oneOf(params, 'type', types) ?? invalidValue('type')
  const pos = read.pos(params) ?? invalidValue('pos')
  read.flag(params, 'display_cardFront')
  const taken = fieldsOf(call.world, board).map((sibling) => sibling.pos)
  const options = optionsOf(call)
  if (options.length > 0 && type !== 'list') return invalidValue('options')
  const field = createCustomField(call.world, board, {
    name: read.needText(params, 'name'),
    type,
    pos: placeAt(taken, pos),
    options,
  })
  note(call, board, field, 'addCustomField')
  return renderCustomField(field)
}

const note = (
  call: Call,
  board: Board,
  { id, name, type }: CustomField,
  what: 'addCustomField' | 'updateCustomField' | 'deleteCustomField',
  old?: Record<string, unknown>,
): void =>
  void addAction(call.world, call.actor, {
    type: what,
    refs: { idBoard: board.id, idLists: [] },
    data: { customField: { id, name, type }, board: boardRef(board), ...(old === undefined ? {} : { old }) },
  })

const remove = (call: Call): unknown => {
  const { field, board } = fieldOf(call, 'write')
  call.world.state.customFields.delete(field.id)
  for (const card of call.world.state.cards.values())
    card.customFieldItems = card.customFieldItems.filter((item) => item.idCustomField !== field.id)
  note(call, board, field, 'deleteCustomField')
  return {}
}

/** Routes for the custom fields of boards and for their items on cards. */
export const customFieldRoutes: Route[] = [
  route('GET /boards/:board/customFields', 'board', (call) =>
    fieldsOf(call.world, boardOf(call, call.path['board'] as string)).map(renderCustomField),
  ),
  route('POST /customFields', 'board', create),
  route('GET /customFields/:idCustomField', 'board', (call) => renderCustomField(fieldOf(call).field)),
  route('DELETE /customFields/:idCustomField', 'board', remove),
  route('PUT /customFields/:idCustomField', 'board', update),
  route('GET /customFields/:idCustomField/options', 'board', (call) => fieldOf(call).field.options.map(showOption)),
  route('POST /customFields/:idCustomField/options', 'board', addOptionTo),
  route('GET /customFields/:idCustomField/options/:idOption', 'board', (call) =>
    showOption(namedOption(call, fieldOf(call).field)),
  ),
  route('DELETE /customFields/:idCustomField/options/:idOption', 'board', removeOptionFrom),
  route('GET /cards/:card/customFieldItems', 'card', (call) => structuredClone(cardOf(call).customFieldItems)),
  route('PUT /cards/:card/customField/:idCustomField/item', 'card', (call) => {
    const newItem = {
      idCustomField: call.path['idCustomField'] as string,
      value: readRaw(call, 'value'),
      idValue: readRaw(call, 'idValue'),
    }
    const [item] = setCustomFields(call, cardOf(call, 'write'), [newItem])
    return item!.value === null && item!.idValue === null ? {} : structuredClone(item)
  }),
  // The real answer is not documented; a client that reads anything from it would rely on a guess.
  route('PUT /cards/:card/customFields', 'card', (call) => {
    setCustomFields(call, cardOf(call, 'write'), itemsOf(call))
    return {}
  }),
]
