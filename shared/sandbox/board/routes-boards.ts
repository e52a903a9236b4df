import { boardOf, findBoard, findList, findOrganization, targetList } from './access.ts'
import {
  archiveAllCards,
  changeBoard,
  changeList,
  createBoard,
  createList,
  deleteBoard,
  listsOf,
  moveAllCards,
  moveBoard,
  moveList,
} from './boards.ts'
import { cardsIn } from './cards.ts'
import { pageOfCards } from './paging.ts'
import * as read from './params.ts'
import type { Board, Card, List } from './records.ts'
import {
  boardDefaults,
  pick,
  renderAttachment,
  renderBoard,
  renderCard,
  renderChecklist,
  renderCustomField,
  renderLabel,
  renderList,
  renderOrganization,
} from './render.ts'
import { invalidValue, notFound } from './refusals.ts'
import { actionsFor } from './routes-actions.ts'
import { boardMembers } from './routes-board-members.ts'
import { route, type Call, type Route } from './routes.ts'

const board = (call: Call, kind: 'read' | 'write' = 'read'): Board =>
  findBoard(call.world, call.viewer, call.path['board'] as string, kind)
const list = (call: Call, kind: 'read' | 'write' = 'read'): List =>
  findList(call.world, call.viewer, call.path['idList'] as string, kind)

const prefNames = [
  'permissionLevel',
  'voting',
  'comments',
  'invitations',
  'selfJoin',
  'cardCovers',
  'background',
  'cardAging',
  'hideVotes',
  'calendarFeedEnabled',
  'isTemplate',
]
const prefValues: Record<string, readonly string[]> = {
  permissionLevel: ['org', 'private', 'public'],
  voting: ['disabled', 'members', 'observers', 'org', 'public'],
  comments: ['disabled', 'members', 'observers', 'org', 'public'],
  invitations: ['admins', 'members'],
  cardAging: ['pirate', 'regular'],
}
const prefsOf = (params: read.Params, separator: '_' | '/'): Record<string, unknown> =>
  Object.fromEntries(
    prefNames.flatMap((name) => {
      const parameter = `prefs${separator}${name}`
      if (!read.has(params, parameter)) return []
      const allowed = prefValues[name]
      if (allowed) return [[name, read.oneOf(params, parameter, allowed)]]
      return [[name, name === 'background' ? read.text(params, parameter) : read.flag(params, parameter)]]
    }),
  )

const readOrganization = (call: Call): string | null | undefined => {
  if (!read.has(call.params, 'idOrganization')) return undefined
  if (read.isNull(call.params, 'idOrganization') || call.params.values.get('idOrganization') === '') return null
  return findOrganization(call.world, call.viewer, read.needId(call.params, 'idOrganization')).id
}

const create = (call: Call): unknown => {
  const { params, world } = call
  const idSource = read.id(params, 'idBoardSource')
  const source = idSource ? findBoard(world, call.viewer, idSource) : undefined
  const made = createBoard(world, call.actor, {
    name: read.needText(params, 'name'),
    desc: read.text(params, 'desc'),
    idOrganization: readOrganization(call),
    defaultLabels: read.flag(params, 'defaultLabels'),
    defaultLists: read.flag(params, 'defaultLists'),
    prefs: prefsOf(params, '_'),
    source,
    keepCards: read.oneOf(params, 'keepFromSource', ['cards', 'none'] as const) === 'cards',
  })
  return { ...renderBoard(world, made), limits: {} }
}

const update = (call: Call): unknown => {
  const { params, world, actor } = call
  const changed = board(call, 'write')
  const plain = {
    name: read.has(params, 'name') ? read.needText(params, 'name') : undefined,
    desc: read.text(params, 'desc'),
    closed: read.flag(params, 'closed'),
    subscribed: read.flag(params, 'subscribed'),
  }
  const prefs = prefsOf(params, '/')
  const idOrganization = readOrganization(call)
  for (const [key, value] of Object.entries(plain))
    if (value !== undefined) changeBoard(world, actor, changed, key, value)
  for (const [key, value] of Object.entries(prefs)) changeBoard(world, actor, changed, `prefs/${key}`, value)
  if (idOrganization !== undefined) moveBoard(world, actor, changed, idOrganization)
  return renderBoard(world, changed)
}

/** `visible` hides the cards of archived lists; `open` does not, because archiving a list leaves its cards open. */
const cardFilters: Record<string, (card: Card, home: List | undefined) => boolean> = {
  all: () => true,
  closed: (card) => card.closed,
  open: (card) => !card.closed,
  none: () => false,
  visible: (card, home) => !card.closed && home?.closed === false,
  complete: (card) => card.dueComplete,
  incomplete: (card) => !card.dueComplete,
}
const showCards = (call: Call, cards: Card[], filter: string): unknown[] => {
  const { world, params } = call
  const keep = cardFilters[filter] ?? invalidValue('filter')
  const fields = read.words(params, 'fields')
  const chosen = cards.filter((card) => keep(card, world.state.lists.get(card.idList)))
  const withItems = read.flag(params, 'customFieldItems')
  const withFiles = read.text(params, 'attachments') === 'true'
  return pageOfCards(chosen, params, world.settings.sinceInclusive).map((card) => ({
    ...renderCard(world, card, fields),
    ...(withItems ? { customFieldItems: structuredClone(card.customFieldItems) } : {}),
    ...(withFiles ? { attachments: card.attachments.map(renderAttachment) } : {}),
  }))
}
const cardExtras =
  'filter fields limit before since customFieldItems attachments attachment_fields members member_fields checklists checkItemStates stickers pluginData'

const listFilters: Record<string, (boardList: List) => boolean> = {
  all: () => true,
  closed: (boardList) => boardList.closed,
  open: (boardList) => !boardList.closed,
  none: () => false,
}
const showLists = (call: Call, home: Board, filter: string): unknown[] => {
  const keep = listFilters[filter] ?? invalidValue('filter')
  return listsOf(call.world, home.id)
    .filter(keep)
    .map((boardList) => pick(renderList(boardList), read.words(call.params, 'fields')))
}
const boardCards = (call: Call, home: Board): Card[] =>
  [...call.world.state.cards.values()].filter((card) => card.idBoard === home.id)
const nested = (call: Call, home: Board): Record<string, unknown> => {
  const { params, world } = call
  const readChoice = (name: string): string | undefined => {
    const value = read.text(params, name)
    return value === undefined || value === 'none' || value === 'false' ? undefined : value
  }
  const cards = readChoice('cards')
  const lists = readChoice('lists')
  const actions = readChoice('actions')
  const organization = world.state.organizations.get(home.idOrganization ?? '')
  return {
    ...(cards
      ? {
          cards: boardCards(call, home)
            .filter((card) => (cardFilters[cards] ?? invalidValue('cards'))(card, world.state.lists.get(card.idList)))
            .map((card) => renderCard(world, card, read.words(params, 'card_fields'))),
        }
      : {}),
    ...(lists
      ? {
          lists: listsOf(world, home.id)
            .filter(listFilters[lists] ?? invalidValue('lists'))
            .map((boardList) => pick(renderList(boardList), read.words(params, 'list_fields'))),
        }
      : {}),
    ...(readChoice('labels')
      ? {
          labels: [...world.state.labels.values()]
            .filter((label) => label.idBoard === home.id)
            .slice(0, 50)
            .map((label) => renderLabel(world, label)),
        }
      : {}),
    ...(readChoice('checklists')
      ? {
          checklists: [...world.state.checklists.values()]
            .filter((checklist) => checklist.idBoard === home.id)
            .map(renderChecklist),
        }
      : {}),
    ...(readChoice('customFields')
      ? {
          customFields: [...world.state.customFields.values()]
            .filter((customField) => customField.idModel === home.id)
            .map(renderCustomField),
        }
      : {}),
    ...(readChoice('members') ? { members: boardMembers(call, home) } : {}),
    ...(readChoice('memberships') ? { memberships: renderBoard(world, home)['memberships'] } : {}),
    ...(actions
      ? { actions: actionsFor(call, (action) => action.refs.idBoard === home.id, actions.split(','), 50) }
      : {}),
    ...(readChoice('organization') && organization ? { organization: renderOrganization(world, organization) } : {}),
  }
}

const createListIn = (call: Call, home: Board): unknown => {
  const { params, world } = call
  const name = read.needText(params, 'name')
  const idSource = read.id(params, 'idListSource')
  const source = idSource ? findList(world, call.viewer, idSource) : undefined
  return { ...renderList(createList(world, call.actor, home, name, read.pos(params) ?? 'top', source)), limits: {} }
}
const changeOneList = (call: Call): unknown => {
  const { params, world } = call
  const changed = list(call, 'write')
  const field = call.path['field']
  if (field !== undefined && !['closed', 'idBoard', 'name', 'pos', 'subscribed'].includes(field)) return notFound()
  // Routes for a single field take its value under the name `value`.
  const at = (name: string): string | undefined => (field === undefined ? name : field === name ? 'value' : undefined)
  const readField = <T>(name: string, reader: (params: read.Params, as: string) => T): T | undefined => {
    const as = at(name)
    if (as === undefined) return undefined
    return read.has(params, as) ? reader(params, as) : field === undefined ? undefined : invalidValue('value')
  }
  const changes = {
    name: readField('name', read.needText),
    closed: readField('closed', read.flag),
    pos: readField('pos', read.pos),
    subscribed: readField('subscribed', read.flag),
  }
  const idBoard = readField('idBoard', read.needId)
  const to = idBoard ? findBoard(world, call.viewer, idBoard, 'write') : undefined
  changeList(world, call.actor, changed, changes)
  if (to) moveList(world, call.actor, changed, to)
  return renderList(changed)
}

export const boardRoutes: Route[] = [
  route('POST /boards', 'board', create, { knows: 'powerUps' }),
  route(
    'GET /boards/:board',
    'board',
    (call) => {
      const home = board(call)
      return {
        ...pick(renderBoard(call.world, home), read.words(call.params, 'fields'), boardDefaults),
        ...nested(call, home),
      }
    },
    { knows: 'boardStars boardPlugins card_pluginData myPrefs pluginData tags list_fields card_fields member_fields' },
  ),
  route('PUT /boards/:board', 'board', update),
  route('DELETE /boards/:board', 'board', (call) => {
    deleteBoard(call.world, board(call, 'write'))
    return { _value: null }
  }),
  route(
    'GET /boards/:board/lists',
    'board',
    (call) => showLists(call, board(call), read.text(call.params, 'filter') ?? 'open'),
    {
      knows: 'cards card_fields',
    },
  ),
  route('GET /boards/:board/lists/:filter', 'board', (call) =>
    showLists(call, board(call), call.path['filter'] as string),
  ),
  route('POST /boards/:board/lists', 'board', (call) => createListIn(call, board(call, 'write'))),
  route(
    'GET /boards/:board/cards',
    'board',
    (call) => showCards(call, boardCards(call, board(call)), read.text(call.params, 'filter') ?? 'visible'),
    {
      knows: cardExtras,
    },
  ),
  route(
    'GET /boards/:board/cards/:filter',
    'board',
    (call) => showCards(call, boardCards(call, board(call)), call.path['filter'] as string),
    {
      knows: cardExtras,
    },
  ),
  route('GET /boards/:board/checklists', 'board', (call) => {
    const home = board(call)
    return [...call.world.state.checklists.values()]
      .filter((checklist) => checklist.idBoard === home.id)
      .map((checklist) => pick(renderChecklist(checklist), read.words(call.params, 'fields')))
  }),
]

export const listRoutes: Route[] = [
  route('POST /lists', 'list', (call) => {
    const idBoard = read.needId(call.params, 'idBoard')
    return createListIn(call, findBoard(call.world, call.viewer, idBoard, 'write'))
  }),
  route('GET /lists/:idList', 'list', (call) =>
    pick(renderList(list(call)), read.words(call.params, 'fields'), ['name', 'closed', 'idBoard', 'pos']),
  ),
  route('PUT /lists/:idList', 'list', changeOneList),
  route('PUT /lists/:idList/:field', 'list', changeOneList),
  route(
    'GET /lists/:idList/cards',
    'list',
    (call) => {
      const home = list(call)
      const filter = read.text(call.params, 'filter') ?? 'visible'
      // Here `visible` only means that the card itself is not archived, because the request names the list.
      return showCards(call, cardsIn(call.world, home.id), filter === 'visible' ? 'open' : filter)
    },
    { knows: cardExtras },
  ),
  route('GET /lists/:idList/board', 'list', (call) =>
    pick(renderBoard(call.world, boardOf(call.world, list(call))), read.words(call.params, 'fields')),
  ),
  route('GET /lists/:idList/actions', 'list', (call) => {
    const home = list(call)
    return actionsFor(
      call,
      (action) => action.refs.idLists?.includes(home.id) ?? false,
      read.words(call.params, 'filter') ?? ['all'],
      50,
    )
  }),
  route('POST /lists/:idList/archiveAllCards', 'list', (call) => {
    archiveAllCards(call.world, call.actor, list(call, 'write'))
    return {}
  }),
  route('POST /lists/:idList/moveAllCards', 'list', (call) => {
    const idBoard = read.needId(call.params, 'idBoard')
    const to = targetList(call.world, call.viewer, read.needId(call.params, 'idList'))
    if (to.idBoard !== idBoard) invalidValue('idList')
    moveAllCards(call.world, call.actor, list(call, 'write'), to)
    return []
  }),
]
