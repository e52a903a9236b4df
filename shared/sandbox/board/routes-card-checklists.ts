import { findCheckItem, findChecklist } from './access.ts'
import { changeCheckItem, createChecklist, deleteCheckItem, deleteChecklist } from './checklists.ts'
import * as read from './params.ts'
import { checklistsOf, pick, renderCheckItem, renderChecklist } from './render.ts'
import { invalidValue, notFound } from './refusals.ts'
import { route, type Call, type Route } from './routes.ts'
import { cardOf, shift } from './card-of-call.ts'

const checkItemUpdate = (call: Call): unknown => {
  const { world, params } = call
  const card = cardOf(call, 'write')
  const { checklist, item } = findCheckItem(checklistsOf(world, card.id), call.path['idCheckItem'] as string)
  const idChecklist = read.id(params, 'idChecklist')
  if (idChecklist && !checklistsOf(world, card.id).some((candidate) => candidate.id === idChecklist))
    invalidValue('idChecklist')
  const changes = {
    name: read.has(params, 'name') ? read.needText(params, 'name') : undefined,
    state: read.oneOf(params, 'state', ['complete', 'incomplete'] as const),
    pos: read.pos(params),
    idChecklist,
    due: read.date(params, 'due', shift(call)),
    dueReminder: read.integer(params, 'dueReminder', -1, 1_000_000),
    idMember: read.isNull(params, 'idMember') ? null : read.id(params, 'idMember'),
  }
  changeCheckItem(
    world,
    call.actor,
    checklist,
    item,
    Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)),
  )
  return { ...renderCheckItem(item), limits: {} }
}

export const cardChecklistRoutes: Route[] = [
  route(
    'GET /cards/:card/checklists',
    'card',
    (call) => {
      const items = read.text(call.params, 'checkItems') !== 'none'
      return checklistsOf(call.world, cardOf(call).id).map((checklist) => ({
        ...pick(renderChecklist(checklist), read.words(call.params, 'fields')),
        ...(items ? {} : { checkItems: [] }),
      }))
    },
    { knows: 'filter checkItem_fields' },
  ),
  route('POST /cards/:card/checklists', 'card', (call) => {
    const { world, params } = call
    const card = cardOf(call, 'write')
    const source = read.id(params, 'idChecklistSource')
    const name = read.text(params, 'name') ?? 'Checklist'
    return renderChecklist(
      createChecklist(
        world,
        call.actor,
        card,
        name,
        read.pos(params) ?? 'bottom',
        source ? findChecklist(world, call.viewer, source) : undefined,
      ),
    )
  }),
  route('DELETE /cards/:card/checklists/:idChecklist', 'card', (call) => {
    const checklist =
      checklistsOf(call.world, cardOf(call, 'write').id).find(
        (candidate) => candidate.id === call.path['idChecklist'],
      ) ?? notFound()
    deleteChecklist(call.world, call.actor, checklist)
    return { limits: {} }
  }),
  route('GET /cards/:card/checkItem/:idCheckItem', 'card', (call) =>
    pick(
      renderCheckItem(
        findCheckItem(checklistsOf(call.world, cardOf(call).id), call.path['idCheckItem'] as string).item,
      ),
      read.words(call.params, 'fields'),
    ),
  ),
  route('PUT /cards/:card/checkItem/:idCheckItem', 'card', checkItemUpdate),
  route('DELETE /cards/:card/checkItem/:idCheckItem', 'card', (call) => {
    const { checklist, item } = findCheckItem(
      checklistsOf(call.world, cardOf(call, 'write').id),
      call.path['idCheckItem'] as string,
    )
    deleteCheckItem(call.world, call.actor, checklist, item)
    return { limits: {} }
  }),
]
