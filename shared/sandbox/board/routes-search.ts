import { canSee, findBoard } from './access.ts'
import { publicMember } from './history.ts'
import { timeOfId } from './ids.ts'
import * as read from './params.ts'
import type { Card, Member } from './records.ts'
import { pick, renderAttachment, renderBoard, renderCard, renderList } from './render.ts'
import { route, type Call, type Route } from './routes.ts'
import { fits, hasWord, orderOf, termsOf } from './search-words.ts'

/** New cards are not found immediately: the provider's index lags behind. */
const search = (call: Call): unknown => {
  const { params, world } = call
  const terms = termsOf(read.needText(params, 'query'))
  const words = terms.filter(({ operator }) => operator === '')
  const partial = read.flag(params, 'partial') ?? false
  const types = read.words(params, 'modelTypes') ?? ['all']
  const wants = (type: string): boolean => types.includes('all') || types.includes(type)
  const scope = boardScope(call)
  const indexTime = world.now() - world.settings.searchLagMs * world.timeScale
  const visible = new Set(
    [...world.state.boards.values()]
      .filter((board) => canSee(world, board, call.viewer) && scope(board.id))
      .map((board) => board.id),
  )
  const isKnown = (id: string): boolean => timeOfId(id) <= indexTime
  const named = (text: string): boolean =>
    words.length > 0 && words.every(({ value, isNot }) => hasWord(text, value, partial) !== isNot)
  const limit = read.integer(params, 'cards_limit', 0, 1000) ?? 10
  const page = read.integer(params, 'cards_page', 0, 100) ?? 0
  const cards = [...world.state.cards.values()]
    .filter(
      (card) =>
        visible.has(card.idBoard) && isKnown(card.id) && fits(terms, { world, viewer: call.viewer, card, partial }),
    )
    .sort(orderOf(terms))
  const boards = [...world.state.boards.values()].filter(
    (board) => visible.has(board.id) && isKnown(board.id) && named(`${board.name} ${board.desc}`),
  )
  const members = [...world.state.members.values()].filter((member) => named(`${member.fullName} ${member.username}`))
  return {
    options: { terms: words.map(({ value }) => ({ text: value })), modifiers: [], modelTypes: types, partial },
    ...(wants('boards')
      ? {
          boards: boards
            .slice(0, read.integer(params, 'boards_limit', 0, 1000) ?? 10)
            .map((board) =>
              pick(renderBoard(world, board), read.words(params, 'board_fields'), ['name', 'idOrganization']),
            ),
        }
      : {}),
    ...(wants('cards')
      ? { cards: cards.slice(page * limit, (page + 1) * limit).map((card) => searchedCard(call, card)) }
      : {}),
    ...(wants('organizations') ? { organizations: [] } : {}),
    ...(wants('members')
      ? {
          members: members
            .slice(0, read.integer(params, 'members_limit', 0, 1000) ?? 10)
            .map((member) =>
              pick(publicMember(member), read.words(params, 'member_fields'), [
                'avatarHash',
                'fullName',
                'initials',
                'username',
              ]),
            ),
        }
      : {}),
    ...(wants('actions') ? { actions: [] } : {}),
  }
}
const boardScope = (call: Call): ((id: string) => boolean) => {
  const boardIds = read.words(call.params, 'idBoards')
  if (!boardIds || boardIds.includes('mine')) return () => true
  const ids = read.ids(call.params, 'idBoards') ?? []
  return (id) => ids.includes(id)
}
const searchedCard = (call: Call, card: Card): unknown => {
  const board = call.world.state.boards.get(card.idBoard)
  const list = call.world.state.lists.get(card.idList)
  const { params, world } = call
  return {
    ...renderCard(world, card, read.words(params, 'card_fields')),
    ...(read.flag(params, 'card_board') && board ? { board: pick(renderBoard(world, board), ['name']) } : {}),
    ...(read.flag(params, 'card_list') && list ? { list: pick(renderList(list), ['name', 'closed']) } : {}),
    ...(read.flag(params, 'card_attachments') ? { attachments: card.attachments.map(renderAttachment) } : {}),
  }
}

/** Finds people by name or user name; by e-mail address only when it is complete, because addresses are private. */
const searchMembers = (call: Call): unknown => {
  const { params, world } = call
  const query = read.needText(params, 'query').toLowerCase()
  const limit = read.integer(params, 'limit', 1, 20) ?? 8
  const idBoard = read.id(params, 'idBoard')
  const home = idBoard === undefined ? undefined : findBoard(world, call.viewer, idBoard)
  const isMeant = (member: Member): boolean =>
    member.email?.toLowerCase() === query || hasWord(`${member.fullName} ${member.username}`, query, true)
  return [...world.state.members.values()]
    .filter((member) => isMeant(member) && (!home || home.memberships.some(({ idMember }) => idMember === member.id)))
    .slice(0, limit)
    .map((member) => ({
      ...pick(publicMember(member), ['fullName', 'username', 'initials', 'avatarUrl']),
      active: true,
    }))
}

export const searchRoutes: Route[] = [
  route('GET /search', 'search', search, {
    knows:
      'idOrganizations idCards card_members card_stickers boards_limit organization_fields organizations_limit member_fields members_limit partial',
  }),
  route('GET /search/members', 'search', searchMembers, { knows: 'idOrganization onlyOrgMembers' }),
]
