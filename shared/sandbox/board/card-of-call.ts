import { findCard } from './access.ts'
import { publicMember } from './history.ts'
import type { Card } from './records.ts'
import { pick } from './render.ts'
import type { Call } from './routes.ts'

/** What the routes of cards and of their parts share. */

export const cardOf = (call: Call, kind: 'read' | 'write' = 'read'): Card =>
  findCard(call.world, call.viewer, call.path['card'] as string, kind)

export const shift = (call: Call): number => call.world.settings.zonelessShiftMs

export const membersOf = (
  call: Call,
  card: Card,
  fields = ['fullName', 'username', 'initials', 'avatarHash', 'avatarUrl'],
): unknown[] =>
  card.idMembers
    .flatMap((id) => call.world.state.members.get(id) ?? [])
    .map((member) => pick(publicMember(member), fields))
