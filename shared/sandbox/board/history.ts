/** The history: every write records actions here; reads return only the kinds that the provider includes. */
import { isoDate, newId } from './ids.ts'
import type { Action, ActionRefs, Actor, Board, Card, List, Member, World } from './records.ts'

/** Kinds that only webhooks deliver; no read returns them. */
const excluded = new Set([
  'addLabelToCard',
  'copyChecklist',
  'createBoardInvitation',
  'createBoardPreference',
  'createCheckItem',
  'createLabel',
  'createOrganizationInvitation',
  'deleteCheckItem',
  'deleteComment',
  'deleteLabel',
  'makeAdminOfOrganization',
  'removeLabelFromCard',
  'removeMemberFromBoard',
  'removeMemberFromOrganization',
  'updateCheckItem',
  'updateComment',
  'updateLabel',
  'voteOnCard',
  'addCustomField',
  'updateCustomField',
  'deleteCustomField',
  'updateCustomFieldItem',
])
export const isIncluded = (action: Action): boolean => !excluded.has(action.type)

export const boardRef = (board: Board): object => ({ id: board.id, name: board.name, shortLink: board.shortLink })
export const cardRef = (card: Card): object => ({
  id: card.id,
  name: card.name,
  idShort: card.idShort,
  shortLink: card.shortLink,
})
export const listRef = (list: List): object => ({ id: list.id, name: list.name })

export type Entry = { type: string; data: Record<string, unknown>; refs: ActionRefs; idMember?: string }

export const addAction = (world: World, actor: Actor, entry: Entry): Action => {
  const at = world.now()
  const board = entry.refs.idBoard ? world.state.boards.get(entry.refs.idBoard) : undefined
  const action: Action = {
    id: newId(world),
    type: entry.type,
    date: isoDate(at),
    idMemberCreator: actor.idMember,
    data: structuredClone(entry.data),
    appId: actor.app?.id ?? null,
    idMember: entry.idMember ?? null,
    refs: { idOrganization: board?.idOrganization ?? null, ...entry.refs },
  }
  world.state.actions.push(action)
  if (board) board.dateLastActivity = action.date
  const card = entry.refs.idCard ? world.state.cards.get(entry.refs.idCard) : undefined
  if (card) card.dateLastActivity = action.date
  for (const listener of world.listeners) listener(action, actor)
  return action
}

/** References of an action on a card. */
export const onCard = (card: Card, extraLists: string[] = []): ActionRefs => ({
  idBoard: card.idBoard,
  idCard: card.id,
  idLists: [card.idList, ...extraLists],
})

const updateKeys: Record<string, string> = {
  name: 'action_renamed_card',
  desc: 'action_changed_description_of_card',
  due: 'action_changed_a_due_date',
  start: 'action_added_a_start_date',
  dueComplete: 'action_marked_the_due_date_complete',
  pos: 'action_moved_card_higher',
  idList: 'action_move_card_from_list_to_list',
}
const typeKeys: Record<string, string> = {
  createCard: 'action_create_card',
  commentCard: 'action_comment_on_card',
  addLabelToCard: 'action_add_label_to_card',
  removeLabelFromCard: 'action_remove_label_from_card',
  addMemberToCard: 'action_member_joined_card',
  removeMemberFromCard: 'action_member_left_card',
  addChecklistToCard: 'action_add_checklist_to_card',
  addAttachmentToCard: 'action_add_attachment_to_card',
  updateBoard: 'action_update_board_name',
  updateList: 'action_renamed_list',
}

const translationKey = (action: Action): string => {
  const old = Object.keys((action.data['old'] as object | undefined) ?? {})[0] ?? ''
  if (action.type === 'updateCard' && old === 'closed') {
    return (action.data['card'] as { closed?: boolean }).closed ? 'action_archived_card' : 'action_sent_card_to_board'
  }
  if (action.type === 'updateCard') return updateKeys[old] ?? 'unknown'
  if (action.type === 'updateCheckItemStateOnCard') {
    const complete = (action.data['checkItem'] as { state?: string }).state === 'complete'
    return complete ? 'action_completed_checkitem' : 'action_marked_checkitem_incomplete'
  }
  return typeKeys[action.type] ?? 'unknown'
}

export const publicMember = (member: Member): Record<string, unknown> => ({
  id: member.id,
  activityBlocked: false,
  avatarHash: null,
  avatarUrl: null,
  fullName: member.fullName,
  idMemberReferrer: null,
  initials: member.initials,
  nonPublic: {},
  nonPublicAvailable: true,
  username: member.username,
})

/** The action in the form of the API and of webhooks. */
export const renderAction = (world: World, action: Action): Record<string, unknown> => {
  const creator = world.state.members.get(action.idMemberCreator)
  const card = action.data['card'] as { name?: string } | undefined
  const entities = {
    ...(card ? { card: { type: 'card', ...card, text: card.name ?? '' } } : {}),
    ...(creator
      ? { memberCreator: { type: 'member', id: creator.id, username: creator.username, text: creator.fullName } }
      : {}),
  }
  const member = action.idMember ? world.state.members.get(action.idMember) : undefined
  return {
    id: action.id,
    idMemberCreator: action.idMemberCreator,
    data: structuredClone(action.data),
    appCreator: action.appId ? { id: action.appId } : null,
    agenticIdentity: null,
    type: action.type,
    date: action.date,
    limits: null,
    display: { translationKey: translationKey(action), entities },
    ...(creator ? { memberCreator: publicMember(creator) } : {}),
    ...(member ? { member: publicMember(member) } : {}),
  }
}

/** `filter`: words that are a kind, `all`, or a sub-filter such as `updateCard:idList`. */
export const matchesFilter = (action: Action, filter: string[]): boolean =>
  filter.some((word) => {
    if (word === 'all') return true
    const [type, key] = word.split(':')
    if (action.type !== type) return false
    return key === undefined || Object.hasOwn((action.data['old'] as object | undefined) ?? {}, key)
  })
