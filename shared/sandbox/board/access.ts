/**
 * Finds a record on behalf of a member. As at the provider, a missing record answers 404, and one the member may not
 * see answers 401.
 */
import { isShortLink } from './ids.ts'
import type { Board, Card, Checklist, CheckItem, Label, List, Member, Organization, World } from './records.ts'
import { invalidValue, modelNotFound, notFound, refuse, unauthorized } from './refusals.ts'

/** Id of the requesting member; null for a request without a token, which sees public boards only. */
export type Viewer = string | null

const inOrganization = (world: World, id: string | null, viewer: Viewer): boolean =>
  id !== null &&
  (world.state.organizations.get(id)?.memberships.some((membership) => membership.idMember === viewer) ?? false)

export const canSee = (world: World, board: Board, viewer: Viewer): boolean => {
  if (board.memberships.some((membership) => membership.idMember === viewer)) return true
  const level = board.prefs['permissionLevel']
  return level === 'public' || (level === 'org' && inOrganization(world, board.idOrganization, viewer))
}
export const canChange = (board: Board, viewer: Viewer): boolean =>
  board.memberships.some((membership) => membership.idMember === viewer && membership.memberType !== 'observer')

const byIdOrShortLink = <T extends { id: string; shortLink: string }>(
  all: Map<string, T>,
  key: string,
): T | undefined => {
  if (!isShortLink(key)) return all.get(key)
  for (const record of all.values()) if (record.shortLink === key) return record
  return undefined
}

export type BoardAccess = { kind: 'read' | 'write'; of: string }
const guard = (world: World, board: Board, viewer: Viewer, access: BoardAccess): void => {
  const allowed = canSee(world, board, viewer) && (access.kind === 'read' || canChange(board, viewer))
  if (!allowed) unauthorized(access.of)
}

export const findBoard = (world: World, viewer: Viewer, key: string, kind: BoardAccess['kind'] = 'read'): Board => {
  const board = byIdOrShortLink(world.state.boards, key) ?? notFound()
  guard(world, board, viewer, { kind, of: 'board' })
  return board
}
export const boardOf = (world: World, record: { idBoard: string }): Board =>
  world.state.boards.get(record.idBoard) ?? notFound()
export const listOf = (world: World, card: Card): List => world.state.lists.get(card.idList) ?? notFound()

export const findList = (world: World, viewer: Viewer, id: string, kind: BoardAccess['kind'] = 'read'): List => {
  const list = world.state.lists.get(id) ?? notFound()
  guard(world, boardOf(world, list), viewer, { kind, of: 'list' })
  return list
}
export const findCard = (world: World, viewer: Viewer, key: string, kind: BoardAccess['kind'] = 'read'): Card => {
  const card = byIdOrShortLink(world.state.cards, key) ?? notFound()
  guard(world, boardOf(world, card), viewer, { kind, of: 'card' })
  return card
}
export const findChecklist = (
  world: World,
  viewer: Viewer,
  id: string,
  kind: BoardAccess['kind'] = 'read',
): Checklist => {
  const checklist = world.state.checklists.get(id) ?? notFound()
  guard(world, boardOf(world, checklist), viewer, { kind, of: 'checklist' })
  return checklist
}
export const findCheckItem = (checklists: Checklist[], id: string): { checklist: Checklist; item: CheckItem } => {
  for (const checklist of checklists) {
    const item = checklist.checkItems.find((checkItem) => checkItem.id === id)
    if (item) return { checklist, item }
  }
  return notFound()
}
export const findLabel = (world: World, viewer: Viewer, id: string, kind: BoardAccess['kind'] = 'read'): Label => {
  const label = world.state.labels.get(id) ?? notFound()
  guard(world, boardOf(world, label), viewer, { kind, of: 'label' })
  return label
}
export const findMember = (world: World, viewer: Viewer, key: string): Member => {
  if (key === 'me') return (viewer ? world.state.members.get(viewer) : undefined) ?? unauthorized('member')
  const byName = [...world.state.members.values()].find((member) => member.username === key)
  return world.state.members.get(key) ?? byName ?? modelNotFound()
}
export const findOrganization = (world: World, viewer: Viewer, key: string): Organization => {
  const byName = [...world.state.organizations.values()].find((candidate) => candidate.name === key)
  const organization = world.state.organizations.get(key) ?? byName ?? modelNotFound()
  if (!inOrganization(world, organization.id, viewer)) unauthorized('organization')
  return organization
}

/** The list that a write names in its body. An unknown list has its own error message. */
export const targetList = (world: World, viewer: Viewer, idList: string): List => {
  const list = world.state.lists.get(idList) ?? refuse(404, 'could not find the board that the card belongs to')
  guard(world, boardOf(world, list), viewer, { kind: 'write', of: 'list' })
  return list
}
export const labelsOnBoard = (world: World, idBoard: string, ids: string[]): string[] => {
  for (const id of ids) if (world.state.labels.get(id)?.idBoard !== idBoard) invalidValue('idLabels')
  return [...new Set(ids)]
}
export const membersOnBoard = (world: World, idBoard: string, ids: string[], name = 'idMembers'): string[] => {
  const board = world.state.boards.get(idBoard)
  for (const id of ids) if (!board?.memberships.some((membership) => membership.idMember === id)) invalidValue(name)
  return [...new Set(ids)]
}
