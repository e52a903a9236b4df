import { say, valuePart } from '#kit'
import type { Sentence } from '#kit'
import {
  about,
  attachmentKind,
  board,
  card,
  changedText,
  fieldsIn,
  fieldValue,
  inChecklist,
  inList,
  isSelf,
  label,
  list,
  onBoard,
  onCard,
  quoted,
  textIn,
  the,
  theBoard,
  theCard,
  theList,
  thingPart,
  who,
  theWorkspace,
} from './event-parts.ts'
import type { Context } from './event-parts.ts'
import {
  describeBoardUpdate,
  describeCardUpdate,
  describeChecklistUpdate,
  describeFieldUpdate,
  describeItemUpdate,
  describeLabelUpdate,
  describeListUpdate,
} from './event-changes.ts'

/**
 * The kinds of actions: something is created, changed or deleted; everything else (people, moves between boards,
 * add-ons, votes) is `other`.
 */
export const kinds = ['create', 'update', 'delete', 'other'] as const
export type Kind = (typeof kinds)[number]

export type ActionType = {
  /** null: never counts by its kind, because another action of the same change counts instead. */
  kind: Kind | null
  /** Whether the action can happen on a board; the others concern workspaces, members and enterprises. */
  onBoard: boolean
  /** Whether lists of actions include it; the others are delivered by webhook only. */
  listed: boolean
  /** What happened, in words. */
  sentence(context: Context): Sentence
}
type Kinds = { [name: string]: ActionType }

const type =
  (kind: Kind | null) =>
  (sentence: ActionType['sentence'], options: { onBoard?: boolean; listed?: boolean } = {}): ActionType => ({
    kind,
    onBoard: true,
    listed: true,
    ...options,
    sentence,
  })
const [create, update, remove, other, uncounted] = [
  type('create'),
  type('update'),
  type('delete'),
  type('other'),
  type(null),
]
const hookOnly = { listed: false }
const elsewhere = { onBoard: false }

const data = ({ event }: Context) => fieldsIn(event.raw, 'data')

/** `joined` or `added Ilan Brook to`, and `left` or `removed Ilan Brook from`. */
const joins = (context: Context): Sentence =>
  isSelf(context) ? say`joined` : say`added ${about(context, 'what', 'member')} to`
const leaves = (context: Context): Sentence =>
  isSelf(context) ? say`left` : say`removed ${about(context, 'what', 'member')} from`

const fromPlace = (context: Context): Sentence => {
  const { from } = context.event
  if (from?.list && from.board) {
    const [list, board] = [from.list, from.board]
    return say`${thingPart('from', 'list', list, context.names)} on ${thingPart('from', 'board', board, context.names)}`
  }
  return [thingPart('from', 'board', from?.board, context.names, 'another board')]
}
const toBoard = ({ event, names }: Context) => thingPart('to', 'board', event.to?.board, names, 'another board')
const toPlace = (context: Context): Sentence => {
  const list = context.event.to?.list
  return list ? say`${thingPart('to', 'list', list, context.names)} on ${toBoard(context)}` : [toBoard(context)]
}

const makesMember = (what: string) => (at: Context) =>
  say`${who(at)} made ${about(at, 'what', 'member')} ${what} of ${board(at)}`
const makesWorkspaceMember = (what: string) => (at: Context) =>
  say`${who(at)} made ${about(at, 'what', 'member')} ${what} of ${theWorkspace(at)}`
/** An add-on of a board; older actions only name it as a word. */
const changesAddOn = (verb: string) => (at: Context) => {
  const name = textIn(data(at), 'value') ?? textIn(fieldsIn(data(at), 'powerUp'), 'name')
  const addOn = name === undefined ? the(at, 'what', 'plugin') : say`the add-on ${valuePart(name)}`
  return say`${who(at)} ${verb} ${addOn}${onBoard(at)}`
}

const cards: Kinds = {
  createCard: create((at) => say`${who(at)} created ${theCard(at)}${inList(at)}`),
  copyCard: create(
    (at) => say`${who(at)} copied ${about(at, 'from', 'card', 'cardSource')} to ${theCard(at)}${inList(at)}`,
  ),
  emailCard: create((at) => say`${who(at)} created ${theCard(at)}${inList(at)} by e-mail`),
  convertToCardFromCheckItem: create(
    (at) =>
      say`${who(at)} made ${theCard(at)}${inList(at)} from an item of ${the(at, 'from', 'checklist')} on ${about(at, 'from', 'card', 'cardSource')}`,
  ),
  updateCard: update(describeCardUpdate),
  deleteCard: remove(
    (at) => say`${who(at)} deleted ${theCard(at)}${at.event.list ? say` from ${list(at)}` : onBoard(at)}`,
  ),
  moveCardToBoard: other((at) => say`${who(at)} moved ${card(at)} from ${fromPlace(at)} to ${toPlace(at)}`),
  moveCardFromBoard: other((at) => say`${who(at)} moved ${card(at)} from ${fromPlace(at)} to ${toPlace(at)}`),
}

const comments: Kinds = {
  commentCard: create((at) => say`${who(at)} commented on ${card(at)}${quoted(at.event.text)}`),
  copyCommentCard: create((at) => say`${who(at)} copied a comment to ${card(at)}${quoted(at.event.text)}`),
  updateComment: update((at) => say`${who(at)} edited a comment on ${card(at)}${quoted(at.event.text)}`, hookOnly),
  deleteComment: remove((at) => say`${who(at)} deleted a comment on ${card(at)}`, hookOnly),
}

const partsOfCards: Kinds = {
  addMemberToCard: other((at) => say`${who(at)} ${joins(at)} ${theCard(at)}`),
  removeMemberFromCard: other((at) => say`${who(at)} ${leaves(at)} ${theCard(at)}`),
  addLabelToCard: uncounted((at) => say`${who(at)} added ${label(at)} to ${card(at, 'where')}`, hookOnly),
  removeLabelFromCard: uncounted((at) => say`${who(at)} removed ${label(at)} from ${card(at, 'where')}`, hookOnly),
  createLabel: create((at) => say`${who(at)} created ${label(at)}${onBoard(at)}`, hookOnly),
  updateLabel: update(describeLabelUpdate, hookOnly),
  deleteLabel: remove((at) => say`${who(at)} deleted ${label(at)}${onBoard(at)}`, hookOnly),
  addAttachmentToCard: create((at) => {
    const kind = attachmentKind(at.event.about['attachment'] ?? {})
    return say`${who(at)} attached the ${kind} ${about(at, 'what', 'attachment')} to ${card(at, 'where')}`
  }),
  deleteAttachmentFromCard: remove(
    (at) => say`${who(at)} removed ${the(at, 'what', 'attachment')} from ${card(at, 'where')}`,
  ),
  addChecklistToCard: create((at) => say`${who(at)} added ${the(at, 'what', 'checklist')} to ${card(at, 'where')}`),
  copyChecklist: create(
    (at) =>
      say`${who(at)} copied ${about(at, 'from', 'checklist', 'checklistSource')} to ${the(at, 'what', 'checklist')}${onCard(at)}`,
    hookOnly,
  ),
  updateChecklist: update(describeChecklistUpdate),
  removeChecklistFromCard: remove(
    (at) => say`${who(at)} removed ${the(at, 'what', 'checklist')} from ${card(at, 'where')}`,
  ),
  createCheckItem: create(
    (at) => say`${who(at)} added ${the(at, 'what', 'checkItem')}${inChecklist(at, 'to')}`,
    hookOnly,
  ),
  updateCheckItem: update(describeItemUpdate, hookOnly),
  updateCheckItemStateOnCard: update((at) =>
    at.event.about['checkItem']?.['state'] === 'complete'
      ? say`${who(at)} completed ${the(at, 'what', 'checkItem')}${inChecklist(at)}`
      : say`${who(at)} marked ${the(at, 'what', 'checkItem')} as not complete${inChecklist(at)}`,
  ),
  deleteCheckItem: remove(
    (at) => say`${who(at)} deleted ${the(at, 'what', 'checkItem')}${inChecklist(at, 'from')}`,
    hookOnly,
  ),
}

const fields: Kinds = {
  addCustomField: create((at) => say`${who(at)} added ${the(at, 'what', 'customField')}${onBoard(at)}`, hookOnly),
  updateCustomField: update(describeFieldUpdate, hookOnly),
  updateCustomFieldItem: update((at) => {
    const field = the(at, 'what', 'customField')
    const value = fieldValue(at.event.about['customFieldItem'], at.names)
    return value === undefined
      ? say`${who(at)} cleared ${field} of ${card(at, 'where')}`
      : say`${who(at)} set ${field} of ${card(at, 'where')} to ${value}`
  }, hookOnly),
  deleteCustomField: remove((at) => say`${who(at)} deleted ${the(at, 'what', 'customField')}${onBoard(at)}`, hookOnly),
  voteOnCard: other(
    (at) =>
      data(at)?.['voted'] === false
        ? say`${who(at)} took back a vote for ${theCard(at)}`
        : say`${who(at)} voted for ${theCard(at)}`,
    hookOnly,
  ),
}

const lists: Kinds = {
  createList: create((at) => say`${who(at)} created ${theList(at)}${onBoard(at)}`),
  updateList: update(describeListUpdate),
  moveListToBoard: other((at) => say`${who(at)} moved ${theList(at)} from ${fromPlace(at)} to ${toBoard(at)}`),
  moveListFromBoard: other((at) => {
    const from = thingPart('from', 'board', at.event.from?.board, at.names)
    return say`${who(at)} moved ${theList(at)} from ${from} to ${toBoard(at)}`
  }),
}

const boards: Kinds = {
  createBoard: create((at) => say`${who(at)} created ${theBoard(at)}`),
  copyBoard: create((at) => {
    const source = thingPart('from', 'board', fieldsIn(data(at), 'boardSource'), at.names)
    return say`${who(at)} copied ${source} to ${theBoard(at)}`
  }),
  updateBoard: update(describeBoardUpdate),
  addToOrganizationBoard: other((at) => say`${who(at)} added ${theBoard(at)} to ${theWorkspace(at)}`),
  removeFromOrganizationBoard: other((at) => say`${who(at)} removed ${theBoard(at)} from ${theWorkspace(at)}`),
  addMemberToBoard: other((at) => say`${who(at)} ${joins(at)} ${theBoard(at)}`),
  removeMemberFromBoard: other((at) => say`${who(at)} ${leaves(at)} ${theBoard(at)}`, hookOnly),
  makeAdminOfBoard: other(makesMember('an administrator')),
  makeNormalMemberOfBoard: other(makesMember('a normal member')),
  makeObserverOfBoard: other(makesMember('an observer')),
  createBoardInvitation: create(
    (at) => say`${who(at)} invited ${about(at, 'what', 'member')} to ${theBoard(at)}`,
    hookOnly,
  ),
  deleteBoardInvitation: remove((at) => say`${who(at)} withdrew an invitation to ${theBoard(at)}`),
  unconfirmedBoardInvitation: other((at) => say`${who(at)} invited somebody new to ${theBoard(at)}`),
  createBoardPreference: create((at) => say`${who(at)} changed the settings of ${theBoard(at)}`, hookOnly),
  enablePlugin: other(changesAddOn('enabled')),
  disablePlugin: other(changesAddOn('disabled')),
  enablePowerUp: other(changesAddOn('enabled')),
  disablePowerUp: other(changesAddOn('disabled')),
}

const workspaces: Kinds = {
  createOrganization: create((at) => say`${who(at)} created ${theWorkspace(at)}`, elsewhere),
  updateOrganization: update((at) => {
    const former = at.event.before?.['displayName'] ?? at.event.before?.['name']
    return typeof former === 'string'
      ? say`${who(at)} renamed the workspace ${changedText('from', former)} to ${thingPart('to', 'organization', at.event.organization, at.names)}`
      : say`${who(at)} changed the settings of ${theWorkspace(at)}`
  }, elsewhere),
  addMemberToOrganization: other((at) => say`${who(at)} ${joins(at)} ${theWorkspace(at)}`, elsewhere),
  removeMemberFromOrganization: other((at) => say`${who(at)} ${leaves(at)} ${theWorkspace(at)}`, {
    ...elsewhere,
    ...hookOnly,
  }),
  makeAdminOfOrganization: other(makesWorkspaceMember('an administrator'), { ...elsewhere, ...hookOnly }),
  makeNormalMemberOfOrganization: other(makesWorkspaceMember('a normal member'), elsewhere),
  createOrganizationInvitation: create(
    (at) => say`${who(at)} invited ${about(at, 'what', 'member')} to ${theWorkspace(at)}`,
    { ...elsewhere, ...hookOnly },
  ),
  deleteOrganizationInvitation: remove(
    (at) => say`${who(at)} withdrew an invitation to ${theWorkspace(at)}`,
    elsewhere,
  ),
  unconfirmedOrganizationInvitation: other(
    (at) => say`${who(at)} invited somebody new to ${theWorkspace(at)}`,
    elsewhere,
  ),
  updateMember: update((at) => say`${who(at)} changed a profile`, elsewhere),
  memberJoinedTrello: other((at) => say`${who(at)} opened an account`, elsewhere),
  acceptEnterpriseJoinRequest: other((at) => say`${who(at)} let ${theWorkspace(at)} join an enterprise`, elsewhere),
  addOrganizationToEnterprise: other((at) => say`${who(at)} added ${theWorkspace(at)} to an enterprise`, elsewhere),
  removeOrganizationFromEnterprise: other(
    (at) => say`${who(at)} removed ${theWorkspace(at)} from an enterprise`,
    elsewhere,
  ),
  addToEnterprisePluginWhitelist: other(
    (at) => say`${who(at)} allowed ${the(at, 'what', 'plugin')} in an enterprise`,
    elsewhere,
  ),
  removeFromEnterprisePluginWhitelist: other(
    (at) => say`${who(at)} no longer allows ${the(at, 'what', 'plugin')} in an enterprise`,
    elsewhere,
  ),
  enableEnterprisePluginWhitelist: other(
    (at) => say`${who(at)} limited an enterprise to the add-ons that it allows`,
    elsewhere,
  ),
  disableEnterprisePluginWhitelist: other((at) => say`${who(at)} allowed all add-ons in an enterprise`, elsewhere),
}

/**
 * All known action types, from the vendor's list and from recordings. The list is open: types that the vendor adds are
 * passed on unchanged.
 *
 * Adding a label to a card (or removing it) produces two actions: addLabelToCard, then updateCard with the labels
 * before and after. The second counts, because lists of actions include it too, so that it is also found after downtime
 * and by polling. The first counts only where a subscription selects it by name.
 */
export const actionTypes: Kinds = {
  ...cards,
  ...comments,
  ...partsOfCards,
  ...fields,
  ...lists,
  ...boards,
  ...workspaces,
}

const placeOf = (context: Context): Sentence => {
  const { card, list, board, organization } = context.event
  if (card) return onCard(context)
  if (list) return inList(context)
  return board === undefined && organization ? say` in ${theWorkspace(context)}` : onBoard(context)
}

/** Of a type that has no sentence of its own. */
export const describeUnknown = (at: Context): Sentence =>
  say`${who(at)} did something the board calls ${valuePart(at.event.type)}${placeOf(at)}`
