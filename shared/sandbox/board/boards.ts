/** Boards, lists and labels. */
import { boardOf } from './access.ts'
import { cardsIn, copyCard, keepable } from './cards.ts'
import { changeCard, moveCard } from './card-updates.ts'
import { addAction, boardRef, listRef } from './history.ts'
import { isoDate, newId, newShortLink } from './ids.ts'
import type { Pos } from './params.ts'
import { placeAt } from './positions.ts'
import type { Actor, Board, Label, List, Organization, World } from './records.ts'

export const listsOf = (world: World, idBoard: string): List[] =>
  [...world.state.lists.values()].filter((list) => list.idBoard === idBoard).sort((a, b) => a.pos - b.pos)
const openPositions = (world: World, idBoard: string): number[] => listsOf(world, idBoard).map((list) => list.pos)

export type BoardInput = {
  name: string
  desc?: string | undefined
  idOrganization?: string | null | undefined
  defaultLabels?: boolean | undefined
  defaultLists?: boolean | undefined
  prefs?: Record<string, unknown> | undefined
  source?: Board | undefined
  keepCards?: boolean | undefined
}

const defaultPrefs = {
  permissionLevel: 'private',
  hideVotes: false,
  voting: 'disabled',
  comments: 'members',
  invitations: 'members',
  selfJoin: true,
  cardCovers: true,
  cardCounts: false,
  isTemplate: false,
  cardAging: 'regular',
  calendarFeedEnabled: false,
  hiddenPluginBoardButtons: [],
  background: 'blue',
  backgroundColor: '#0079BF',
  backgroundImage: null,
  backgroundTile: false,
  backgroundBrightness: 'dark',
  canBePublic: true,
  canBeEnterprise: true,
  canBeOrg: true,
  canBePrivate: true,
  canInvite: true,
}

export const createBoard = (world: World, actor: Actor, input: BoardInput): Board => {
  const board: Board = {
    id: newId(world),
    name: input.name,
    desc: input.desc ?? '',
    closed: false,
    dateClosed: null,
    idOrganization: input.idOrganization ?? null,
    idMemberCreator: actor.idMember,
    shortLink: newShortLink(world),
    memberships: [{ id: newId(world), idMember: actor.idMember, memberType: 'admin' }],
    prefs: { ...defaultPrefs, ...input.prefs },
    dateLastActivity: null,
    nextIdShort: 1,
    subscribed: false,
    starred: false,
  }
  world.state.boards.set(board.id, board)
  tellBoard(world, actor, board, input.source)
  if (input.source) copyContents(world, actor, input.source, board, input.keepCards ?? false)
  // A new board has six unnamed labels and three lists; recordings show no actions for them.
  else {
    if (input.defaultLabels ?? true)
      for (const color of ['green', 'yellow', 'orange', 'red', 'purple', 'blue']) putLabel(world, board, '', color)
    if (input.defaultLists ?? true) for (const name of ['To Do', 'Doing', 'Done']) putList(world, board, name, 'bottom')
  }
  return board
}

const tellBoard = (world: World, actor: Actor, board: Board, source: Board | undefined): void => {
  const refs = { idBoard: board.id, workspace: true }
  if (source)
    addAction(world, actor, {
      type: 'copyBoard',
      refs,
      data: { board: boardRef(board), boardSource: { id: source.id } },
    })
  else addAction(world, actor, { type: 'createBoard', refs, data: { creationMethod: null, board: boardRef(board) } })
  const organization = world.state.organizations.get(board.idOrganization ?? '')
  if (organization) tellWorkspace(world, actor, board, organization, 'addToOrganizationBoard')
}
const tellWorkspace = (world: World, actor: Actor, board: Board, organization: Organization, type: string): void => {
  addAction(world, actor, {
    type,
    refs: { idBoard: board.id, idOrganization: organization.id, workspace: true },
    data: { board: boardRef(board), organization: { id: organization.id, name: organization.displayName } },
  })
}

const copyContents = (world: World, actor: Actor, source: Board, board: Board, cards: boolean): void => {
  for (const label of world.state.labels.values())
    if (label.idBoard === source.id) putLabel(world, board, label.name, label.color)
  for (const list of listsOf(world, source.id).filter((sourceList) => !sourceList.closed)) {
    const copy = putList(world, board, list.name, 'bottom')
    if (cards)
      for (const card of cardsIn(world, list.id).filter((sourceCard) => !sourceCard.closed))
        copyCard(world, actor, card, copy, {}, keepable)
  }
}

export const changeBoard = (world: World, actor: Actor, board: Board, key: string, value: unknown): void => {
  const target = (key.startsWith('prefs/') ? board.prefs : board) as unknown as Record<string, unknown>
  const name = key.replace('prefs/', '')
  const previous = target[name]
  if (previous === value) return
  target[name] = value
  if (name === 'closed') board.dateClosed = value ? isoDate(world.now()) : null
  if (name === 'subscribed') return
  const shown = key.startsWith('prefs/') ? { prefs: { [name]: value } } : { [name]: value }
  const old = key.startsWith('prefs/') ? { prefs: { [name]: previous } } : { [name]: previous }
  addAction(world, actor, {
    type: 'updateBoard',
    refs: { idBoard: board.id, workspace: name === 'closed' },
    data: { board: { ...shown, ...boardRef(board) }, old },
  })
}

export const moveBoard = (world: World, actor: Actor, board: Board, idOrganization: string | null): void => {
  if (board.idOrganization === idOrganization) return
  const before = world.state.organizations.get(board.idOrganization ?? '')
  const after = world.state.organizations.get(idOrganization ?? '')
  if (before) tellWorkspace(world, actor, board, before, 'removeFromOrganizationBoard')
  board.idOrganization = idOrganization
  if (after) tellWorkspace(world, actor, board, after, 'addToOrganizationBoard')
}

/** Deletes a board for good, with everything on it. */
export const deleteBoard = (world: World, board: Board): void => {
  const { state } = world
  for (const all of [state.lists, state.cards, state.labels, state.checklists] as Map<string, { idBoard: string }>[]) {
    for (const [id, record] of all) if (record.idBoard === board.id) all.delete(id)
  }
  state.boards.delete(board.id)
}

const putList = (world: World, board: Board, name: string, position: Pos): List => {
  const list: List = {
    id: newId(world),
    name,
    closed: false,
    idBoard: board.id,
    pos: placeAt(openPositions(world, board.id), position),
    subscribed: false,
  }
  world.state.lists.set(list.id, list)
  return list
}
export const createList = (
  world: World,
  actor: Actor,
  board: Board,
  name: string,
  position: Pos,
  source?: List,
): List => {
  const list = putList(world, board, name, position)
  addAction(world, actor, {
    type: 'createList',
    refs: { idBoard: board.id, idLists: [list.id] },
    data: { list: listRef(list), board: boardRef(board) },
  })
  if (source)
    for (const card of cardsIn(world, source.id).filter((sourceCard) => !sourceCard.closed))
      copyCard(world, actor, card, list, {}, keepable)
  return list
}

export type ListChanges = {
  name?: string | undefined
  closed?: boolean | undefined
  pos?: Pos | undefined
  subscribed?: boolean | undefined
}
/** Archiving a list leaves its cards unchanged; only the list's own action is recorded. */
export const changeList = (world: World, actor: Actor, list: List, changes: ListChanges): void => {
  const board = boardOf(world, list)
  const otherPositions = listsOf(world, board.id)
    .filter((sibling) => sibling.id !== list.id)
    .map((sibling) => sibling.pos)
  const placedChanges = {
    ...changes,
    ...(changes.pos === undefined ? {} : { pos: placeAt(otherPositions, changes.pos) }),
  }
  const target = list as unknown as Record<string, unknown>
  for (const [key, value] of Object.entries(placedChanges)) {
    if (value === undefined || target[key] === value) continue
    const old = target[key]
    target[key] = value
    if (key === 'subscribed') continue
    addAction(world, actor, {
      type: 'updateList',
      refs: { idBoard: board.id, idLists: [list.id] },
      data: { list: { [key]: value, ...listRef(list) }, old: { [key]: old }, board: boardRef(board) },
    })
  }
}

/** Moves a whole list to another board: records list actions on both boards, and none for its cards. */
export const moveList = (world: World, actor: Actor, list: List, to: Board): void => {
  if (list.idBoard === to.id) return
  const from = boardOf(world, list)
  list.idBoard = to.id
  for (const card of cardsIn(world, list.id)) {
    Object.assign(card, { idBoard: to.id, idLabels: [] })
    for (const checklist of world.state.checklists.values()) if (checklist.idCard === card.id) checklist.idBoard = to.id
  }
  const member = { id: actor.idMember, name: world.state.members.get(actor.idMember)?.fullName ?? '' }
  const both = { idLists: [list.id] }
  addAction(world, actor, {
    type: 'moveListFromBoard',
    refs: { idBoard: from.id, ...both },
    data: { list: listRef(list), board: boardRef(from), boardTarget: { id: to.id, name: to.name }, member },
  })
  addAction(world, actor, {
    type: 'moveListToBoard',
    refs: { idBoard: to.id, ...both },
    data: { list: listRef(list), board: boardRef(to), boardSource: { id: from.id, name: from.name }, member },
  })
}

export const archiveAllCards = (world: World, actor: Actor, list: List): void => {
  for (const card of cardsIn(world, list.id).filter((candidate) => !candidate.closed))
    changeCard(world, actor, card, { closed: true })
}
export const moveAllCards = (world: World, actor: Actor, from: List, to: List): void => {
  for (const card of cardsIn(world, from.id).filter((candidate) => !candidate.closed)) moveCard(world, actor, card, to)
}

const putLabel = (world: World, board: Board, name: string, color: string | null): Label => {
  const label = { id: newId(world), idBoard: board.id, name, color }
  world.state.labels.set(label.id, label)
  return label
}
const labelRef = (label: Label): object => ({
  id: label.id,
  name: label.name,
  ...(label.color ? { color: label.color } : {}),
})

export const createLabel = (world: World, actor: Actor, board: Board, name: string, color: string | null): Label => {
  const label = putLabel(world, board, name, color)
  addAction(world, actor, {
    type: 'createLabel',
    refs: { idBoard: board.id },
    data: { label: labelRef(label), board: boardRef(board) },
  })
  return label
}
export const changeLabel = (
  world: World,
  actor: Actor,
  label: Label,
  changes: { name?: string | undefined; color?: string | null | undefined },
): void => {
  for (const key of ['name', 'color'] as const) {
    const value = changes[key]
    if (value === undefined || label[key] === value) continue
    const old = label[key]
    Object.assign(label, { [key]: value })
    addAction(world, actor, {
      type: 'updateLabel',
      refs: { idBoard: label.idBoard },
      data: { label: labelRef(label), old: { [key]: old }, board: boardRef(boardOf(world, label)) },
    })
  }
}
export const deleteLabel = (world: World, actor: Actor, label: Label): void => {
  world.state.labels.delete(label.id)
  for (const card of world.state.cards.values()) card.idLabels = card.idLabels.filter((id) => id !== label.id)
  addAction(world, actor, {
    type: 'deleteLabel',
    refs: { idBoard: label.idBoard },
    data: { label: { id: label.id }, board: boardRef(boardOf(world, label)) },
  })
}
