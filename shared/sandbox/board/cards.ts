/** Creates, copies and deletes cards. */
import { boardOf, listOf } from './access.ts'
import { addAction, boardRef, cardRef, listRef, onCard } from './history.ts'
import { isoDate, newId, newShortLink } from './ids.ts'
import { copyChecklist } from './checklists.ts'
import type { Pos } from './params.ts'
import { placeAt } from './positions.ts'
import type { Actor, Card, CheckItem, Checklist, List, World } from './records.ts'
import { checklistsOf } from './render.ts'

export type CardInput = {
  name: string
  desc?: string | undefined
  pos?: Pos | undefined
  due?: string | null | undefined
  start?: string | null | undefined
  dueComplete?: boolean | undefined
  dueReminder?: number | null | undefined
  idLabels?: string[] | undefined
  idMembers?: string[] | undefined
  address?: string | undefined
  locationName?: string | undefined
  coordinates?: string | undefined
  cardRole?: string | undefined
}

export const cardsIn = (world: World, idList: string): Card[] =>
  [...world.state.cards.values()].filter((card) => card.idList === idList)

export const takeIdShort = (world: World, idBoard: string): number => {
  const board = boardOf(world, { idBoard })
  board.nextIdShort += 1
  return board.nextIdShort - 1
}

const makeCard = (world: World, list: List, input: CardInput): Card => {
  const card: Card = {
    id: newId(world),
    name: input.name,
    desc: input.desc ?? '',
    closed: false,
    idBoard: list.idBoard,
    idList: list.id,
    idShort: takeIdShort(world, list.idBoard),
    shortLink: newShortLink(world),
    pos: placeAt(
      cardsIn(world, list.id).map((sibling) => sibling.pos),
      input.pos ?? 'bottom',
    ),
    due: input.due ?? null,
    start: input.start ?? null,
    dueComplete: input.dueComplete ?? false,
    dueReminder: input.dueReminder ?? null,
    dateLastActivity: isoDate(world.now()),
    idMembers: [...(input.idMembers ?? [])],
    idMembersVoted: [],
    idLabels: [...(input.idLabels ?? [])],
    attachments: [],
    idAttachmentCover: null,
    cover: {
      idAttachment: null,
      color: null,
      idUploadedBackground: null,
      size: 'normal',
      brightness: 'dark',
      yPosition: 0.5,
      idPlugin: null,
    },
    subscribed: false,
    cardRole: input.cardRole ?? null,
    address: input.address ?? null,
    locationName: input.locationName ?? null,
    coordinates: input.coordinates ?? null,
    customFieldItems: [],
    comments: 0,
  }
  world.state.cards.set(card.id, card)
  return card
}

const placeData = (world: World, card: Card): Record<string, unknown> => ({
  card: cardRef(card),
  list: listRef(listOf(world, card)),
  board: boardRef(boardOf(world, card)),
})

/** Labels and members given at creation are recorded as actions of their own, after the card's action. */
const tellParts = (world: World, actor: Actor, card: Card): void => {
  const board = boardRef(boardOf(world, card))
  for (const id of card.idLabels) {
    const label = world.state.labels.get(id)
    if (label)
      addAction(world, actor, {
        type: 'addLabelToCard',
        refs: onCard(card),
        data: { ...labelData(label), card: cardRef(card), board },
      })
  }
  for (const id of card.idMembers) {
    const member = { id, name: world.state.members.get(id)?.fullName ?? '' }
    addAction(world, actor, {
      type: 'addMemberToCard',
      refs: onCard(card),
      idMember: id,
      data: { idMember: id, card: cardRef(card), board, member },
    })
  }
}
const labelData = (label: { id: string; name: string; color: string | null }): Record<string, unknown> => ({
  ...(label.color ? { value: label.color } : {}),
  text: label.name,
  label: { id: label.id, name: label.name, ...(label.color ? { color: label.color } : {}) },
})

/** The action's type is emailCard when the card was created by e-mail; the record is the same. */
export const createCard = (
  world: World,
  actor: Actor,
  list: List,
  input: CardInput,
  type: 'createCard' | 'emailCard' = 'createCard',
): Card => {
  const card = makeCard(world, list, input)
  addAction(world, actor, { type, refs: onCard(card), data: placeData(world, card) })
  tellParts(world, actor, card)
  return card
}

export const keepable = [
  'attachments',
  'checklists',
  'comments',
  'customFields',
  'due',
  'start',
  'labels',
  'members',
  'stickers',
] as const
export type Keep = (typeof keepable)[number]

/** A copy has a new id and its own history: one copyCard action, then its copied comments. */
export const copyCard = (
  world: World,
  actor: Actor,
  source: Card,
  list: List,
  input: Partial<CardInput>,
  keep: readonly Keep[],
): Card => {
  const sameBoard = source.idBoard === list.idBoard
  const card = makeCard(world, list, {
    desc: source.desc,
    due: keep.includes('due') ? source.due : null,
    start: keep.includes('start') ? source.start : null,
    idLabels: keep.includes('labels') && sameBoard ? source.idLabels : [],
    idMembers: keep.includes('members') && sameBoard ? source.idMembers : [],
    ...Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)),
    name: input.name || source.name,
  })
  if (keep.includes('customFields') && sameBoard) {
    card.customFieldItems = source.customFieldItems.map((item) => ({
      ...structuredClone(item),
      id: newId(world),
      idModel: card.id,
    }))
  }
  if (keep.includes('attachments'))
    card.attachments = source.attachments.map((attachment) => ({ ...attachment, id: newId(world) }))
  addAction(world, actor, {
    type: 'copyCard',
    refs: onCard(card),
    data: { ...placeData(world, card), cardSource: cardRef(source) },
  })
  if (keep.includes('checklists')) {
    for (const checklist of checklistsOf(world, source.id)) copyChecklist(world, actor, checklist, card)
  }
  if (keep.includes('comments')) copyComments(world, actor, source, card)
  return card
}

const copyComments = (world: World, actor: Actor, source: Card, card: Card): void => {
  const comments = world.state.actions.filter(
    (action) => action.type === 'commentCard' && action.refs.idCard === source.id,
  )
  for (const comment of comments) {
    const data = {
      ...placeData(world, card),
      text: comment.data['text'],
      textData: { emoji: {} },
      idOriginalCommenter: comment.idMemberCreator,
      cardSource: cardRef(source),
    }
    addAction(world, actor, { type: 'copyCommentCard', refs: onCard(card), data })
  }
}

/** Turns a check item into a card of the same list, and removes the item. */
export const convertCheckItem = (world: World, actor: Actor, checklist: Checklist, item: CheckItem): Card => {
  const source = world.state.cards.get(checklist.idCard) as Card
  checklist.checkItems = checklist.checkItems.filter((checkItem) => checkItem.id !== item.id)
  const card = makeCard(world, listOf(world, source), { name: item.name, due: item.due })
  const data = {
    ...placeData(world, card),
    cardSource: cardRef(source),
    checklist: { id: checklist.id, name: checklist.name },
  }
  addAction(world, actor, { type: 'convertToCardFromCheckItem', refs: onCard(card), data })
  return card
}

export const deleteCard = (world: World, actor: Actor, card: Card): void => {
  const list = listOf(world, card)
  const data = {
    card: { id: card.id, idShort: card.idShort, shortLink: card.shortLink },
    list: listRef(list),
    board: boardRef(boardOf(world, card)),
  }
  for (const checklist of checklistsOf(world, card.id)) world.state.checklists.delete(checklist.id)
  world.state.cards.delete(card.id)
  addAction(world, actor, { type: 'deleteCard', refs: onCard(card), data })
}
