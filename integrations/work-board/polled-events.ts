import { momentPart, say, valuePart } from '#kit'
import type { Json, Names, Sentence } from '#kit'
import { actorPart, fieldsIn, quoted, textIn, thingPart, withNoun } from './event-parts.ts'

/** Sentences made from the data of a trigger: of what polls find, and of starts that say more than their event. */

type Describe = (data: Json, names: Names) => Sentence
type Part = 'board' | 'list' | 'card' | 'checklist' | 'checkItem'

const who = (data: Json, names: Names) => actorPart(fieldsIn(data, 'by'), names)
const the = (data: Json, kind: Part, names: Names) =>
  withNoun(kind, thingPart('what', kind, fieldsIn(data, kind), names))
const where = (data: Json, kind: Part, names: Names) => thingPart('where', kind, fieldsIn(data, kind), names)

const describeReminder: Describe = (data, names) => {
  const card = thingPart('what', 'card', fieldsIn(data, 'card'), names, 'A card')
  return say`${card.unnamed || card.ref === undefined ? card : say`The card ${card}`} is due on ${momentPart(textIn(data, 'due') ?? '')}`
}

const describeNewBoard: Describe = (data, names) => {
  const id = textIn(data, 'idOrganization')
  const workspace =
    id === undefined ? [] : say` in ${withNoun('organization', thingPart('where', 'organization', { id }, names))}`
  return say`${who(data, names)} created ${the(data, 'board', names)}${workspace}`
}

/** What a notification reports, by type; `you` is the connected account. */
const notifications: { [type: string]: Describe } = {
  addAdminToBoard: (data, names) => say` made you an administrator of ${where(data, 'board', names)}`,
  addAdminToOrganization: () => say` made you an administrator of a workspace`,
  addedAttachmentToCard: (data, names) => say` attached something to ${where(data, 'card', names)}`,
  addedMemberToCard: (data, names) => say` added somebody to ${where(data, 'card', names)}`,
  addedToBoard: (data, names) => say` added you to ${the(data, 'board', names)}`,
  addedToCard: (data, names) => say` added you to ${the(data, 'card', names)}`,
  addedToOrganization: () => say` added you to a workspace`,
  changeCard: (data, names) => say` changed ${the(data, 'card', names)}`,
  closeBoard: (data, names) => say` closed ${the(data, 'board', names)}`,
  commentCard: (data, names) => say` commented on ${where(data, 'card', names)}${quoted(textIn(data, 'text'))}`,
  createdCard: (data, names) => say` created ${the(data, 'card', names)}`,
  declinedInvitationToBoard: (data, names) => say` declined an invitation to ${the(data, 'board', names)}`,
  declinedInvitationToOrganization: () => say` declined an invitation to a workspace`,
  invitedToBoard: (data, names) => say` invited you to ${the(data, 'board', names)}`,
  invitedToOrganization: () => say` invited you to a workspace`,
  makeAdminOfBoard: (data, names) => say` made you an administrator of ${where(data, 'board', names)}`,
  makeAdminOfOrganization: () => say` made you an administrator of a workspace`,
  memberJoinedTrello: () => say` opened an account`,
  mentionedOnCard: (data, names) => say` mentioned you on ${where(data, 'card', names)}${quoted(textIn(data, 'text'))}`,
  reactionAdded: (data, names) => say` reacted to a comment on ${where(data, 'card', names)}`,
  removedFromBoard: (data, names) => say` removed you from ${the(data, 'board', names)}`,
  removedFromCard: (data, names) => say` removed you from ${the(data, 'card', names)}`,
  removedFromOrganization: () => say` removed you from a workspace`,
  removedMemberFromCard: (data, names) => say` removed somebody from ${where(data, 'card', names)}`,
  unconfirmedInvitedToBoard: (data, names) => say` invited you to ${the(data, 'board', names)}`,
  unconfirmedInvitedToOrganization: () => say` invited you to a workspace`,
  updateCheckItemStateOnCard: (data, names) => say` ticked or unticked an item on ${where(data, 'card', names)}`,
}

const placeOf: Describe = (data, names) => {
  const kind = (['card', 'list', 'board'] as const).find((part) => fieldsIn(data, part) !== undefined)
  return kind === undefined ? [] : say` about ${the(data, kind, names)}`
}

const describeNotification: Describe = (data, names) => {
  const type = textIn(data, 'type') ?? 'unknown'
  if (type === 'cardDueSoon') return say`You were notified that ${the(data, 'card', names)} is due soon`
  const describe = Object.hasOwn(notifications, type) ? notifications[type] : undefined
  if (describe) return say`${who(data, names)}${describe(data, names)}`
  const text = quoted(textIn(data, 'text'))
  return say`${who(data, names)} caused a notification the board calls ${valuePart(type)}${placeOf(data, names)}${text}`
}

/** Of what a poll finds, by trigger. */
export const polledEvents: Record<string, Describe> = {
  'card-due-date-reminder': describeReminder,
  'new-board': describeNewBoard,
  'new-notification': describeNotification,
}

/** Of starts whose trigger knows more than the event says, by trigger. */
export const starts: Record<string, Describe> = {
  'checklist-completed': (data, names) => {
    const onCard = fieldsIn(data, 'card') ? say` on ${where(data, 'card', names)}` : []
    return say`${who(data, names)} completed ${the(data, 'checklist', names)}${onCard}: the last item was ${thingPart('value', 'checkItem', fieldsIn(data, 'checkItem'), names)}`
  },
  'mentioned-in-a-comment': (data, names) => {
    const mentioned = valuePart(`@${textIn(data, 'mentioned') ?? ''}`)
    return say`${who(data, names)} mentioned ${mentioned} in a comment on ${where(data, 'card', names)}${quoted(textIn(data, 'text'))}`
  },
}
