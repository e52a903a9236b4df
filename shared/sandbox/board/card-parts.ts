/** The parts of a card: comments, labels, members, attachments. */
import { boardOf, listOf } from './access.ts'
import { addAction, boardRef, cardRef, listRef, onCard } from './history.ts'
import { isoDate, newId } from './ids.ts'
import { placeAt } from './positions.ts'
import type { Action, Actor, Attachment, Card, Label, World } from './records.ts'
import { notFound, refuse } from './refusals.ts'

export const addComment = (world: World, actor: Actor, card: Card, text: string): Action => {
  card.comments += 1
  return addAction(world, actor, {
    type: 'commentCard',
    refs: onCard(card),
    data: {
      idCard: card.id,
      idAuthor: actor.idMember,
      text,
      textData: { emoji: {} },
      card: cardRef(card),
      board: boardRef(boardOf(world, card)),
      list: listRef(listOf(world, card)),
    },
  })
}

/** A comment may be changed only by its author. */
export const editComment = (world: World, actor: Actor, comment: Action, text: string): Action => {
  if (comment.idMemberCreator !== actor.idMember) refuse(401, 'unauthorized action permission requested')
  const old = comment.data['text']
  comment.data['text'] = text
  comment.data['dateLastEdited'] = isoDate(world.now())
  const { card, board } = comment.data
  addAction(world, actor, {
    type: 'updateComment',
    refs: comment.refs,
    data: { action: { id: comment.id, text }, old: { text: old }, card, board },
  })
  return comment
}

export const deleteComment = (world: World, actor: Actor, comment: Action): void => {
  if (comment.idMemberCreator !== actor.idMember) refuse(401, 'unauthorized action permission requested')
  world.state.actions = world.state.actions.filter((action) => action.id !== comment.id)
  const commented = world.state.cards.get(comment.refs.idCard ?? '')
  if (commented) commented.comments -= 1
  const { card, board } = comment.data
  addAction(world, actor, {
    type: 'deleteComment',
    refs: comment.refs,
    data: { action: { id: comment.id }, card, board },
  })
}

/** Records two actions for each label: the label's own, then updateCard with the previous set. */
const changeLabels = (
  world: World,
  actor: Actor,
  card: Card,
  label: Label,
  type: 'addLabelToCard' | 'removeLabelFromCard',
  after: string[],
): void => {
  const before = card.idLabels
  card.idLabels = after
  const board = boardRef(boardOf(world, card))
  addAction(world, actor, {
    type,
    refs: onCard(card),
    data: {
      ...(label.color ? { value: label.color } : {}),
      text: label.name,
      card: cardRef(card),
      board,
      label: { id: label.id, name: label.name, ...(label.color ? { color: label.color } : {}) },
    },
  })
  addAction(world, actor, {
    type: 'updateCard',
    refs: onCard(card),
    data: {
      card: { idLabels: after, ...cardRef(card) },
      old: { idLabels: before },
      board,
      list: listRef(listOf(world, card)),
    },
  })
}

export const addLabel = (world: World, actor: Actor, card: Card, label: Label): void => {
  if (card.idLabels.includes(label.id)) refuse(400, 'that label is already on the card')
  changeLabels(world, actor, card, label, 'addLabelToCard', [...card.idLabels, label.id])
}
export const removeLabel = (world: World, actor: Actor, card: Card, label: Label): void => {
  if (!card.idLabels.includes(label.id)) refuse(400, 'label is not on the card')
  changeLabels(
    world,
    actor,
    card,
    label,
    'removeLabelFromCard',
    card.idLabels.filter((id) => id !== label.id),
  )
}
/** Replaces the card's set of labels, one label at a time. */
export const setLabels = (world: World, actor: Actor, card: Card, labelIds: string[]): void => {
  const requireLabel = (id: string): Label => world.state.labels.get(id) ?? notFound()
  for (const id of card.idLabels.filter((labelId) => !labelIds.includes(labelId)))
    removeLabel(world, actor, card, requireLabel(id))
  for (const id of labelIds.filter((labelId) => !card.idLabels.includes(labelId)))
    addLabel(world, actor, card, requireLabel(id))
}

export const changeMember = (world: World, actor: Actor, card: Card, idMember: string, on: boolean): void => {
  if (card.idMembers.includes(idMember) === on)
    return void refuse(400, on ? 'member is already on the card' : 'member is not on the card')
  card.idMembers = on ? [...card.idMembers, idMember] : card.idMembers.filter((id) => id !== idMember)
  const member = { id: idMember, name: world.state.members.get(idMember)?.fullName ?? '' }
  addAction(world, actor, {
    type: on ? 'addMemberToCard' : 'removeMemberFromCard',
    refs: onCard(card),
    idMember,
    data: {
      idMember,
      ...(on ? {} : { deactivated: false }),
      card: cardRef(card),
      board: boardRef(boardOf(world, card)),
      member,
    },
  })
}
export const setMembers = (world: World, actor: Actor, card: Card, memberIds: string[]): void => {
  for (const id of card.idMembers.filter((memberId) => !memberIds.includes(memberId)))
    changeMember(world, actor, card, id, false)
  for (const id of memberIds.filter((memberId) => !card.idMembers.includes(memberId)))
    changeMember(world, actor, card, id, true)
}

export type AttachmentInput = { name: string; url: string | null; mimeType: string; content: Uint8Array | null }

/** A link has no content; the content of an upload can be fetched only with credentials in a header. */
export const putAttachment = (world: World, actor: Actor, card: Card, input: AttachmentInput): Attachment => {
  const id = newId(world)
  const fileName = input.name.replace(/[^A-Za-z0-9._-]+/g, '_')
  const attachment: Attachment = {
    id,
    name: input.name,
    url: input.url ?? `${world.origin}/1/cards/${card.id}/attachments/${id}/download/${fileName}`,
    bytes: input.content?.length ?? null,
    date: isoDate(world.now()),
    idMember: actor.idMember,
    isUpload: input.content !== null,
    mimeType: input.mimeType,
    fileName,
    pos: placeAt(
      card.attachments.map((sibling) => sibling.pos),
      'bottom',
    ),
    content: input.content,
  }
  card.attachments.push(attachment)
  const image = input.content !== null && input.mimeType.startsWith('image/')
  const preview = image
    ? { previewUrl: `${attachment.url}?preview=1`, previewUrl2x: `${attachment.url}?preview=2` }
    : {}
  addAction(world, actor, {
    type: 'addAttachmentToCard',
    refs: onCard(card),
    data: {
      attachment: { id, name: attachment.name, url: attachment.url, ...preview },
      card: cardRef(card),
      list: listRef(listOf(world, card)),
      board: boardRef(boardOf(world, card)),
    },
  })
  return attachment
}

export const dropAttachment = (world: World, actor: Actor, card: Card, id: string): void => {
  const attachment = card.attachments.find((candidate) => candidate.id === id) ?? notFound()
  card.attachments = card.attachments.filter((candidate) => candidate.id !== id)
  addAction(world, actor, {
    type: 'deleteAttachmentFromCard',
    refs: onCard(card),
    data: { attachment: { id, name: attachment.name }, card: cardRef(card), board: boardRef(boardOf(world, card)) },
  })
}
