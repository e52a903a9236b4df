import { canSee, findBoard } from './access.ts'
import { deleteComment, editComment } from './card-parts.ts'
import { isIncluded, matchesFilter, renderAction } from './history.ts'
import { listFormat, pageOf } from './paging.ts'
import { newId } from './ids.ts'
import * as read from './params.ts'
import type { Action, Reaction } from './records.ts'
import { pick } from './render.ts'
import { invalidValue, notFound, refuse, unauthorized } from './refusals.ts'
import { route, type Call, type Route } from './routes.ts'

export const cardActionsDefault = ['commentCard', 'updateCard:idList']

/** Reads the history: only kinds that reads include, newest first. */
export const actionsFor = (
  call: Call,
  where: (action: Action) => boolean,
  filter: string[],
  limit: number,
): unknown => {
  const { params, world } = call
  const models = read.words(params, 'idModels')
  const inModels = (action: Action): boolean =>
    !models ||
    [action.refs.idBoard, action.refs.idCard, ...(action.refs.idLists ?? [])].some(
      (id) => id !== undefined && models.includes(id),
    )
  const matchingActions = world.state.actions.filter(
    (action) => where(action) && isIncluded(action) && matchesFilter(action, filter) && inModels(action),
  )
  const page = pageOf(matchingActions, params, { limit, page: true, sinceInclusive: world.settings.sinceInclusive })
  if (listFormat(params) === 'count') return { _value: page.length }
  const fields = read.words(params, 'fields')
  const noCreator = read.flag(params, 'memberCreator') === false
  const noMember = read.flag(params, 'member') === false
  return page.map((action) => {
    const shown = renderAction(world, action)
    const extra = {
      ...(noCreator ? {} : { memberCreator: shown['memberCreator'] }),
      ...(noMember || !shown['member'] ? {} : { member: shown['member'] }),
    }
    return {
      ...pick(shown, fields),
      ...extra,
      ...(noCreator ? { memberCreator: undefined } : {}),
      ...(noMember ? { member: undefined } : {}),
    }
  })
}

export const actionOptions =
  'filter fields limit format page before since idModels member memberCreator member_fields memberCreator_fields display entities reactions'

const actionOf = (call: Call): Action => {
  const action =
    call.world.state.actions.find((candidate) => candidate.id === call.path['idAction'] && isIncluded(candidate)) ??
    notFound()
  const board = call.world.state.boards.get(action.refs.idBoard ?? '')
  if (board ? !canSee(call.world, board, call.viewer) : action.idMemberCreator !== call.viewer) unauthorized('action')
  return action
}
const commentOf = (call: Call): Action => {
  const action = actionOf(call)
  return action.type === 'commentCard' ? action : refuse(400, 'invalid action type')
}

/** The emojis that the sandbox knows; the provider has about 1,800. */
const emojis: Record<string, { native: string; unified: string; name: string }> = {
  thumbsup: { native: '\u{1F44D}', unified: '1F44D', name: 'THUMBS UP SIGN' },
  heart: { native: '\u2764\uFE0F', unified: '2764-FE0F', name: 'HEAVY BLACK HEART' },
  tada: { native: '\u{1F389}', unified: '1F389', name: 'PARTY POPPER' },
  eyes: { native: '\u{1F440}', unified: '1F440', name: 'EYES' },
  white_check_mark: { native: '\u2705', unified: '2705', name: 'WHITE HEAVY CHECK MARK' },
}
const renderReaction = (action: Action, { id, idMember, shortName }: Reaction): unknown => {
  const emoji = emojis[shortName]!
  return {
    id,
    idMember,
    idModel: action.id,
    idEmoji: emoji.unified,
    emoji: { ...emoji, shortName, skinVariation: null },
  }
}
const react = (call: Call): unknown => {
  const action = commentOf(call)
  const { unified, native, shortName } = Object.fromEntries(
    ['unified', 'native', 'shortName'].map((name) => [name, read.text(call.params, name)]),
  )
  const [name] =
    Object.entries(emojis).find(
      ([id, emoji]) => id === shortName || emoji.native === native || emoji.unified === unified,
    ) ?? invalidValue('emoji')
  const idMember = call.viewer ?? unauthorized('action')
  const existingReaction = action.reactions?.find(
    (candidate) => candidate.idMember === idMember && candidate.shortName === name,
  )
  const reaction = existingReaction ?? { id: newId(call.world), idMember, shortName: name }
  if (!existingReaction) action.reactions = [...(action.reactions ?? []), reaction]
  return renderReaction(action, reaction)
}

export const actionRoutes: Route[] = [
  route(
    'GET /actions/:idAction/reactions',
    'action',
    (call) => {
      const action = actionOf(call)
      return (action.reactions ?? []).map((reaction) => renderReaction(action, reaction))
    },
    { knows: 'member emoji' },
  ),
  route('POST /actions/:idAction/reactions', 'action', react, { knows: 'skinVariation' }),
  route(
    'GET /boards/:board/actions',
    'board',
    (call) => {
      const board = findBoard(call.world, call.viewer, call.path['board'] as string)
      return actionsFor(
        call,
        (action) => action.refs.idBoard === board.id,
        read.words(call.params, 'filter') ?? ['all'],
        50,
      )
    },
    { knows: actionOptions },
  ),
  route(
    'GET /actions/:idAction',
    'action',
    (call) => pick(renderAction(call.world, actionOf(call)), read.words(call.params, 'fields')),
    {
      knows: actionOptions,
    },
  ),
  route('PUT /actions/:idAction', 'action', (call) => {
    const text = read.needText(call.params, 'text')
    return renderAction(call.world, editComment(call.world, call.actor, commentOf(call), text))
  }),
  route('DELETE /actions/:idAction', 'action', (call) => {
    deleteComment(call.world, call.actor, commentOf(call))
    return { _value: null }
  }),
]
