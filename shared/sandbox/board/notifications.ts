/** Notifications of a member: created for other members' actions, or added by the control functions. */
import { findCard, findMember } from './access.ts'
import { boardRef, cardRef } from './history.ts'
import { isoDate, newId } from './ids.ts'
import type { Action, ActionListener, Notification, World } from './records.ts'

export type NotificationInput = {
  type: string
  member?: string
  by?: string
  idCard?: string
  text?: string
  unread?: boolean
}

const put = (
  world: World,
  idMember: string,
  type: string,
  data: Record<string, unknown>,
  by: string | null,
  idAction: string | null,
): Notification => {
  const notification: Notification = {
    id: newId(world),
    idMember,
    unread: true,
    type,
    date: isoDate(world.now()),
    dateRead: null,
    idAction,
    idMemberCreator: by,
    data: structuredClone(data),
  }
  world.state.notifications.push(notification)
  return notification
}

/** `member` and `by` are ids or user names; by default, the second member notifies the first. */
export const addNotification = (world: World, input: NotificationInput): Notification => {
  const [first, second] = [...world.state.members.keys()] as [string, string]
  const to = findMember(world, first, input.member ?? 'me').id
  const by = input.by ? findMember(world, first, input.by).id : second
  const card = input.idCard ? findCard(world, to, input.idCard) : undefined
  const board = card ? world.state.boards.get(card.idBoard) : undefined
  const data = {
    ...(card ? { card: cardRef(card) } : {}),
    ...(board ? { board: boardRef(board) } : {}),
    ...(input.text === undefined ? {} : { text: input.text }),
  }
  const notification = put(world, to, input.type, data, by, null)
  notification.unread = input.unread ?? true
  return notification
}

const recipientsOf = (world: World, action: Action): [string, string][] => {
  if (action.type === 'addMemberToCard' && action.idMember) return [[action.idMember, 'addedToCard']]
  if (action.type === 'addMemberToBoard' && action.idMember) return [[action.idMember, 'addedToBoard']]
  if (action.type === 'removeMemberFromCard' && action.idMember) return [[action.idMember, 'removedFromCard']]
  if (action.type !== 'commentCard') return []
  const text = String(action.data['text'])
  const named = [...world.state.members.values()]
    .filter((member) => text.includes(`@${member.username}`))
    .map((member) => member.id)
  const on = world.state.cards.get(action.refs.idCard ?? '')?.idMembers ?? []
  return [
    ...named.map((id): [string, string] => [id, 'mentionedOnCard']),
    ...on.filter((id) => !named.includes(id)).map((id): [string, string] => [id, 'commentCard']),
  ]
}

/** Members are not notified of their own actions. */
export const notifyOtherMembers =
  (world: World): ActionListener =>
  (action) => {
    for (const [idMember, type] of recipientsOf(world, action)) {
      if (idMember !== action.idMemberCreator)
        put(world, idMember, type, action.data, action.idMemberCreator, action.id)
    }
  }
