import { cardOf } from './card-of-call.ts'
import { boardOf, findMember } from './access.ts'
import { addAction, boardRef, cardRef, onCard, publicMember } from './history.ts'
import * as read from './params.ts'
import type { Card } from './records.ts'
import { pick } from './render.ts'
import { refuse, unauthorized } from './refusals.ts'
import { route, type Call, type Route } from './routes.ts'

const votersOf = (call: Call, card: Card): unknown[] =>
  card.idMembersVoted
    .flatMap((id) => call.world.state.members.get(id) ?? [])
    .map((member) =>
      pick(publicMember(member), read.words(call.params, 'fields'), ['avatarHash', 'fullName', 'initials', 'username']),
    )

/** Who may vote is a preference of the board; everybody votes for themselves. Observers may where the board says so. */
const guardVote = (call: Call, card: Card, idMember: string): void => {
  const { prefs } = boardOf(call.world, card)
  if (prefs['voting'] === 'disabled' || idMember !== call.viewer) unauthorized('card')
}

const tell = (call: Call, card: Card, voted: boolean): void =>
  void addAction(call.world, call.actor, {
    type: 'voteOnCard',
    refs: onCard(card),
    data: { voted, card: cardRef(card), board: boardRef(boardOf(call.world, card)) },
  })

/** Routes for the votes on cards. */
export const voteRoutes: Route[] = [
  route('GET /cards/:card/membersVoted', 'card', (call) => votersOf(call, cardOf(call))),
  route('POST /cards/:card/membersVoted', 'card', (call) => {
    const { id } = findMember(call.world, call.viewer, read.needId(call.params, 'value'))
    const card = cardOf(call)
    guardVote(call, card, id)
    if (card.idMembersVoted.includes(id)) refuse(400, 'member has already voted on the card')
    card.idMembersVoted.push(id)
    tell(call, card, true)
    return votersOf(call, card)
  }),
  route('DELETE /cards/:card/membersVoted/:idMember', 'card', (call) => {
    const idMember = call.path['idMember'] as string
    const card = cardOf(call)
    guardVote(call, card, idMember)
    if (!card.idMembersVoted.includes(idMember)) refuse(400, 'member has not voted on the card')
    card.idMembersVoted = card.idMembersVoted.filter((id) => id !== idMember)
    tell(call, card, false)
    return votersOf(call, card)
  }),
]
