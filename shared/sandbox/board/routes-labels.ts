import { findBoard, findCard, findCheckItem, findChecklist, findLabel } from './access.ts'
import { changeLabel, createLabel, deleteLabel } from './boards.ts'
import { changeChecklist, createCheckItem, createChecklist, deleteCheckItem, deleteChecklist } from './checklists.ts'
import * as read from './params.ts'
import { labelColours, pick, renderCard, renderCheckItem, renderChecklist, renderLabel } from './render.ts'
import { invalidValue } from './refusals.ts'
import { route, type Call, type Route } from './routes.ts'

/** A colour of the palette, or null for a label without colour; undefined when the parameter is absent. */
const colour = (params: read.Params): string | null | undefined => {
  if (!read.has(params, 'color')) return undefined
  return read.isNull(params, 'color') ? null : (read.oneOf(params, 'color', labelColours) ?? null)
}
export const needColour = (params: read.Params): string | null => {
  const value = colour(params)
  return value === undefined ? invalidValue('color') : value
}

const labelOf = (call: Call, kind: 'read' | 'write' = 'read') =>
  findLabel(call.world, call.viewer, call.path['idLabel'] as string, kind)
const checklistOf = (call: Call, kind: 'read' | 'write' = 'read') =>
  findChecklist(call.world, call.viewer, call.path['idChecklist'] as string, kind)

export const labelRoutes: Route[] = [
  route('POST /labels', 'label', (call) => {
    const name = read.needText(call.params, 'name', 16384, 0)
    const color = needColour(call.params)
    const board = findBoard(call.world, call.viewer, read.needId(call.params, 'idBoard'), 'write')
    return { ...renderLabel(call.world, createLabel(call.world, call.actor, board, name, color)), limits: {} }
  }),
  route('GET /labels/:idLabel', 'label', (call) =>
    pick(renderLabel(call.world, labelOf(call)), read.words(call.params, 'fields')),
  ),
  route('PUT /labels/:idLabel', 'label', (call) => {
    const label = labelOf(call, 'write')
    changeLabel(call.world, call.actor, label, { name: read.text(call.params, 'name'), color: colour(call.params) })
    return renderLabel(call.world, label)
  }),
  route('DELETE /labels/:idLabel', 'label', (call) => {
    deleteLabel(call.world, call.actor, labelOf(call, 'write'))
    return { limits: {} }
  }),
  route('GET /boards/:board/labels', 'board', (call) => {
    const board = findBoard(call.world, call.viewer, call.path['board'] as string)
    const limit = read.integer(call.params, 'limit', 0, 1000) ?? 50
    const labels = [...call.world.state.labels.values()].filter((label) => label.idBoard === board.id).slice(0, limit)
    return labels.map((label) => pick(renderLabel(call.world, label), read.words(call.params, 'fields')))
  }),
  route('POST /boards/:board/labels', 'board', (call) => {
    const name = read.needText(call.params, 'name', 16384, 0)
    const color = needColour(call.params)
    const board = findBoard(call.world, call.viewer, call.path['board'] as string, 'write')
    return renderLabel(call.world, createLabel(call.world, call.actor, board, name, color))
  }),
]

export const checklistRoutes: Route[] = [
  route('POST /checklists', 'checklist', (call) => {
    const { world, params } = call
    const idCard = read.needId(params, 'idCard')
    const name = read.text(params, 'name') ?? 'Checklist'
    const position = read.pos(params) ?? 'bottom'
    const idSource = read.id(params, 'idChecklistSource')
    const card = findCard(world, call.viewer, idCard, 'write')
    return {
      ...renderChecklist(
        createChecklist(
          world,
          call.actor,
          card,
          name || 'Checklist',
          position,
          idSource ? findChecklist(world, call.viewer, idSource) : undefined,
        ),
      ),
      limits: {},
    }
  }),
  route(
    'GET /checklists/:idChecklist',
    'checklist',
    (call) => {
      const checklist = checklistOf(call)
      const items = read.text(call.params, 'checkItems') === 'none' ? { checkItems: [] } : {}
      const card = call.world.state.cards.get(checklist.idCard)
      const cards =
        ['all', 'open', 'visible'].includes(read.text(call.params, 'cards') ?? '') && card
          ? { cards: [renderCard(call.world, card)] }
          : {}
      return { ...pick(renderChecklist(checklist), read.words(call.params, 'fields')), ...items, ...cards }
    },
    { knows: 'checkItem_fields' },
  ),
  route('PUT /checklists/:idChecklist', 'checklist', (call) => {
    const checklist = checklistOf(call, 'write')
    const name = read.has(call.params, 'name') ? read.needText(call.params, 'name') : undefined
    changeChecklist(call.world, call.actor, checklist, { name, pos: read.pos(call.params) })
    return renderChecklist(checklist)
  }),
  route('DELETE /checklists/:idChecklist', 'checklist', (call) => {
    deleteChecklist(call.world, call.actor, checklistOf(call, 'write'))
    return { limits: {} }
  }),
  route(
    'GET /checklists/:idChecklist/checkItems',
    'checklist',
    (call) =>
      checklistOf(call).checkItems.map((checkItem) =>
        pick(renderCheckItem(checkItem), read.words(call.params, 'fields')),
      ),
    { knows: 'filter' },
  ),
  route('POST /checklists/:idChecklist/checkItems', 'checklist', (call) => {
    const { params } = call
    const input = {
      name: read.needText(params, 'name'),
      pos: read.pos(params),
      checked: read.flag(params, 'checked'),
      due: read.date(params, 'due', call.world.settings.zonelessShiftMs),
      dueReminder: read.integer(params, 'dueReminder', -1, 1_000_000),
      idMember: read.isNull(params, 'idMember') ? null : read.id(params, 'idMember'),
    }
    return {
      ...renderCheckItem(createCheckItem(call.world, call.actor, checklistOf(call, 'write'), input)),
      creationMethod: null,
      limits: {},
    }
  }),
  route('GET /checklists/:idChecklist/checkItems/:idCheckItem', 'checklist', (call) =>
    pick(
      renderCheckItem(findCheckItem([checklistOf(call)], call.path['idCheckItem'] as string).item),
      read.words(call.params, 'fields'),
    ),
  ),
  route('DELETE /checklists/:idChecklist/checkItems/:idCheckItem', 'checklist', (call) => {
    const { checklist, item } = findCheckItem([checklistOf(call, 'write')], call.path['idCheckItem'] as string)
    deleteCheckItem(call.world, call.actor, checklist, item)
    return { limits: {} }
  }),
]
