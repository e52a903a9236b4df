import { canSee, findBoard } from './access.ts'
import { deleteComment, editComment } from './card-parts.ts'
import { isIncluded, matchesFilter, renderAction } from './history.ts'
import { listFormat, pageOf } from './paging.ts'
import * as read from './params.ts'
import type { Action } from './records.ts'
import { pick } from './render.ts'
import { notFound, refuse, unauthorized } from './refusals.ts'
import { route, type Call, type Route } from './routes.ts'

export const cardActionsDefault = ['commentCard', 'updateCard:idList']

/** A read of the history: included kinds only, newest first. */
export const actionsFor = (call: Call, where: (action: Action) => boolean, filter: string[], limit: number): unknown => {
  const { params, world } = call
  const models = read.words(params, 'idModels')
  const inModels = (one: Action): boolean =>
    !models || [one.refs.idBoard, one.refs.idCard, ...(one.refs.idLists ?? [])].some((id) => id !== undefined && models.includes(id))
  const found = world.state.actions.filter((one) => where(one) && isIncluded(one) && matchesFilter(one, filter) && inModels(one))
  const page = pageOf(found, params, { limit, page: true, sinceInclusive: world.settings.sinceInclusive })
  if (listFormat(params) === 'count') return { _value: page.length }
  const fields = read.words(params, 'fields')
  const noCreator = read.flag(params, 'memberCreator') === false
  const noMember = read.flag(params, 'member') === false
  return page.map((one) => {
    const shown = renderAction(world, one)
    const extra = { ...(noCreator ? {} : { memberCreator: shown['memberCreator'] }), ...(noMember || !shown['member'] ? {} : { member: shown['member'] }) }
    return { ...pick(shown, fields), ...extra, ...(noCreator ? { memberCreator: undefined } : {}), ...(noMember ? { member: undefined } : {}) }
  })
}

export const actionOptions =
  'filter fields limit format page before since idModels member memberCreator member_fields memberCreator_fields display entities reactions'

const actionOf = (call: Call): Action => {
  const action = call.world.state.actions.find((one) => one.id === call.path['idAction'] && isIncluded(one)) ?? notFound()
  const board = call.world.state.boards.get(action.refs.idBoard ?? '')
  if (board ? !canSee(call.world, board, call.viewer) : action.idMemberCreator !== call.viewer) unauthorized('action')
  return action
}
const commentOf = (call: Call): Action => {
  const action = actionOf(call)
  return action.type === 'commentCard' ? action : refuse(400, 'invalid action type')
}

export const actionRoutes: Route[] = [
  route(
    'GET /boards/:board/actions',
    'board',
    (call) => {
      const board = findBoard(call.world, call.viewer, call.path['board'] as string)
      return actionsFor(call, (one) => one.refs.idBoard === board.id, read.words(call.params, 'filter') ?? ['all'], 50)
    },
    { knows: actionOptions },
  ),
  route('GET /actions/:idAction', 'action', (call) => pick(renderAction(call.world, actionOf(call)), read.words(call.params, 'fields')), {
    knows: actionOptions,
  }),
  route('PUT /actions/:idAction', 'action', (call) => {
    const text = read.needText(call.params, 'text')
    return renderAction(call.world, editComment(call.world, call.actor, commentOf(call), text))
  }),
  route('DELETE /actions/:idAction', 'action', (call) => {
    deleteComment(call.world, call.actor, commentOf(call))
    return { _value: null }
  }),
]
