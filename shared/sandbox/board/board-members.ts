/** Who is on a board, and what they may do there. */
import { addAction, boardRef } from './history.ts'
import { digest, newId } from './ids.ts'
import type { Actor, Board, Member, Membership, World } from './records.ts'

export const addBoardMember = (
  world: World,
  actor: Actor,
  board: Board,
  idMember: string,
  memberType: Membership['memberType'],
): void => {
  board.memberships = [
    ...board.memberships.filter((membership) => membership.idMember !== idMember),
    { id: newId(world), idMember, memberType },
  ]
  addAction(world, actor, {
    type: 'addMemberToBoard',
    refs: { idBoard: board.id },
    idMember,
    data: {
      idMemberAdded: idMember,
      memberType,
      board: boardRef(board),
      member: { id: idMember, name: world.state.members.get(idMember)?.fullName ?? '' },
    },
  })
}

export const removeBoardMember = (world: World, actor: Actor, board: Board, idMember: string): void => {
  board.memberships = board.memberships.filter((membership) => membership.idMember !== idMember)
  addAction(world, actor, {
    type: 'removeMemberFromBoard',
    refs: { idBoard: board.id },
    idMember,
    data: { idMember, deactivated: false, board: boardRef(board) },
  })
}

const made = { admin: 'makeAdminOfBoard', normal: 'makeNormalMemberOfBoard', observer: 'makeObserverOfBoard' }

export const changeBoardMember = (
  world: World,
  actor: Actor,
  board: Board,
  membership: Membership,
  memberType: Membership['memberType'],
): void => {
  if (membership.memberType === memberType) return
  membership.memberType = memberType
  const { idMember } = membership
  addAction(world, actor, {
    type: made[memberType],
    refs: { idBoard: board.id },
    idMember,
    data: {
      idMember,
      board: boardRef(board),
      member: { id: idMember, name: world.state.members.get(idMember)?.fullName ?? '' },
    },
  })
}

/** Somebody without an account: the provider keeps a member for them, who is unconfirmed until they sign up. */
const putUnconfirmed = (world: World, email: string, fullName: string): Member => {
  const id = newId(world)
  const member: Member = {
    id,
    username: `user${digest(id, 8).toLowerCase()}`,
    fullName,
    initials: fullName.charAt(0).toUpperCase(),
    email,
    bio: '',
    subscribedBoards: [],
    unconfirmed: true,
  }
  world.state.members.set(id, member)
  return member
}

export const inviteByEmail = (
  world: World,
  actor: Actor,
  board: Board,
  { email, fullName, type }: { email: string; fullName: string | undefined; type: Membership['memberType'] },
): void => {
  const known = [...world.state.members.values()].find((member) => member.email.toLowerCase() === email.toLowerCase())
  const invited = known ?? putUnconfirmed(world, email, fullName ?? email.slice(0, email.indexOf('@')))
  addBoardMember(world, actor, board, invited.id, type)
}
