import { findBoard, findMember } from './access.ts'
import { addBoardMember, changeBoardMember, inviteByEmail, removeBoardMember } from './board-members.ts'
import { publicMember } from './history.ts'
import * as read from './params.ts'
import type { Board } from './records.ts'
import { pick, renderBoard, renderMembership } from './render.ts'
import { invalidValue, modelNotFound, unauthorized } from './refusals.ts'
import { route, type Call, type Route } from './routes.ts'

const board = (call: Call, kind: 'read' | 'write' = 'read'): Board =>
  findBoard(call.world, call.viewer, call.path['board'] as string, kind)
const isAdmin = (home: Board, idMember: string | null): boolean =>
  home.memberships.some((membership) => membership.idMember === idMember && membership.memberType === 'admin')
/** Roles and removals are for admins; anybody may leave. */
const guardAdmin = (call: Call, home: Board): void => {
  if (!isAdmin(home, call.viewer)) unauthorized('board')
}
export const boardMembers = (call: Call, home: Board): unknown[] =>
  home.memberships
    .flatMap((membership) => call.world.state.members.get(membership.idMember) ?? [])
    .map((member) => pick(publicMember(member), read.words(call.params, 'member_fields'), ['fullName', 'username']))

const roles = ['admin', 'normal', 'observer'] as const
const readRole = (call: Call) => read.oneOf(call.params, 'type', roles) ?? invalidValue('type')

const invite = (call: Call): unknown => {
  const home = board(call, 'write')
  const email = read.needText(call.params, 'email', 254)
  const [name, domain, ...more] = email.split('@')
  if (!name || !domain?.includes('.') || more.length > 0 || /\s/.test(email)) invalidValue('email')
  const fullName = read.text(call.params, 'fullName')
  if (fullName !== undefined && (fullName === '' || fullName !== fullName.trim())) invalidValue('fullName')
  const type = read.oneOf(call.params, 'type', roles) ?? 'normal'
  if (home.prefs['invitations'] === 'admins') guardAdmin(call, home)
  inviteByEmail(call.world, call.actor, home, { email, fullName, type })
  return {
    id: home.id,
    members: boardMembers(call, home),
    memberships: home.memberships.map((membership) => renderMembership(call.world, membership)),
  }
}

const changeRole = (call: Call): unknown => {
  const home = board(call, 'write')
  guardAdmin(call, home)
  const type = readRole(call)
  const membership = home.memberships.find(({ id }) => id === call.path['idMembership']) ?? modelNotFound()
  changeBoardMember(call.world, call.actor, home, membership, type)
  return renderMembership(call.world, membership)
}

const remove = (call: Call): unknown => {
  const home = board(call, 'read')
  const idMember = call.path['idMember'] as string
  if (idMember !== call.viewer) guardAdmin(call, home)
  if (!home.memberships.some((membership) => membership.idMember === idMember)) modelNotFound()
  removeBoardMember(call.world, call.actor, home, idMember)
  return { id: home.id, members: boardMembers(call, home) }
}

/** Routes for the members of boards. */
export const boardMemberRoutes: Route[] = [
  route('GET /boards/:board/members', 'board', (call) => boardMembers(call, board(call)), { knows: 'fields' }),
  route('PUT /boards/:board/members', 'board', invite, { scope: 'board:membership' }),
  route(
    'PUT /boards/:board/members/:idMember',
    'board',
    (call) => {
      const home = board(call, 'write')
      const type = readRole(call)
      const { id } = findMember(call.world, call.viewer, call.path['idMember'] as string)
      addBoardMember(call.world, call.actor, home, id, type)
      return renderBoard(call.world, home)
    },
    { scope: 'board:membership' },
  ),
  route('DELETE /boards/:board/members/:idMember', 'board', remove, { scope: 'board:membership' }),
  route(
    'GET /boards/:board/memberships',
    'board',
    (call) => board(call).memberships.map((membership) => renderMembership(call.world, membership)),
    { knows: 'filter activity orgMemberType member member_fields' },
  ),
  route('PUT /boards/:board/memberships/:idMembership', 'board', changeRole, {
    scope: 'board:membership',
    knows: 'member_fields',
  }),
]
