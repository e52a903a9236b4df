/** Changes a card: one action per changed key, as recorded from the live service. */
import { boardOf, listOf } from './access.ts'
import { cardsIn, takeIdShort } from './cards.ts'
import { addAction, boardRef, cardRef, listRef, onCard } from './history.ts'
import type { Pos } from './params.ts'
import { placeAt } from './positions.ts'
import type { Actor, Card, List, World } from './records.ts'
import { checklistsOf } from './render.ts'

/** Simple keys, reported as `updateCard` with the previous value in `old`. */
export type CardChanges = Partial<
  Pick<
    Card,
    | 'name'
    | 'desc'
    | 'due'
    | 'start'
    | 'dueComplete'
    | 'dueReminder'
    | 'closed'
    | 'idAttachmentCover'
    | 'cover'
    | 'address'
    | 'locationName'
    | 'coordinates'
    | 'subscribed'
  >
>

const tellChange = (world: World, actor: Actor, card: Card, key: string, previous: unknown, value: unknown): void => {
  addAction(world, actor, {
    type: 'updateCard',
    refs: onCard(card),
    data: {
      card: { [key]: value, ...cardRef(card) },
      old: { [key]: previous },
      board: boardRef(boardOf(world, card)),
      list: listRef(listOf(world, card)),
    },
  })
}

export const changeCard = (world: World, actor: Actor, card: Card, changes: CardChanges): void => {
  for (const [key, value] of Object.entries(changes)) {
    const target = card as unknown as Record<string, unknown>
    const previous = target[key]
    if (value === undefined || JSON.stringify(previous) === JSON.stringify(value)) continue
    target[key] = value
    if (key !== 'subscribed') tellChange(world, actor, card, key, previous, value)
  }
}

export const repositionCard = (world: World, actor: Actor, card: Card, position: Pos): void => {
  const previous = card.pos
  card.pos = placeAt(
    cardsIn(world, card.idList)
      .filter((sibling) => sibling.id !== card.id)
      .map((sibling) => sibling.pos),
    position,
  )
  if (card.pos !== previous) tellChange(world, actor, card, 'pos', previous, card.pos)
}

/**
 * Within a board, records updateCard with both lists and no `list`; to another board, a pair of actions of other types.
 */
export const moveCard = (world: World, actor: Actor, card: Card, target: List): void => {
  if (card.idList === target.id) return
  if (card.idBoard !== target.idBoard) return moveToBoard(world, actor, card, target)
  const before = listOf(world, card)
  card.idList = target.id
  addAction(world, actor, {
    type: 'updateCard',
    refs: onCard(card, [before.id]),
    data: {
      card: { idList: target.id, ...cardRef(card) },
      old: { idList: before.id },
      board: boardRef(boardOf(world, card)),
      listBefore: listRef(before),
      listAfter: listRef(target),
    },
  })
}

const moveToBoard = (world: World, actor: Actor, card: Card, target: List): void => {
  const from = boardOf(world, card)
  const to = boardOf(world, target)
  const before = listOf(world, card)
  const leaving = cardRef(card)
  Object.assign(card, {
    idBoard: to.id,
    idList: target.id,
    idShort: takeIdShort(world, to.id),
    idLabels: sameLabels(world, card, to.id),
    customFieldItems: [],
    idMembers: card.idMembers.filter((id) => to.memberships.some((membership) => membership.idMember === id)),
    pos: placeAt(
      cardsIn(world, target.id)
        .filter((sibling) => sibling.id !== card.id)
        .map((sibling) => sibling.pos),
      'bottom',
    ),
  })
  for (const checklist of checklistsOf(world, card.id)) checklist.idBoard = to.id
  addAction(world, actor, {
    type: 'moveCardFromBoard',
    refs: { idBoard: from.id, idCard: card.id, idLists: [before.id] },
    idMember: actor.idMember,
    data: {
      card: leaving,
      list: listRef(before),
      board: boardRef(from),
      boardTarget: { id: to.id, name: to.name },
      member: { id: actor.idMember, name: world.state.members.get(actor.idMember)?.fullName ?? '' },
    },
  })
  addAction(world, actor, {
    type: 'moveCardToBoard',
    refs: onCard(card),
    data: {
      card: cardRef(card),
      list: listRef(target),
      board: boardRef(to),
      boardSource: { id: from.id, name: from.name },
    },
  })
}

/** A card keeps the labels that also exist on the other board, by name and colour. */
const sameLabels = (world: World, card: Card, idBoard: string): string[] =>
  card.idLabels.flatMap((id) => {
    const label = world.state.labels.get(id)
    const twin = [...world.state.labels.values()].find(
      (candidate) =>
        candidate.idBoard === idBoard && candidate.name === label?.name && candidate.color === label?.color,
    )
    return twin ? [twin.id] : []
  })
