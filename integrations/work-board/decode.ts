import { cleanJson } from '#kit'
import type { Actor, Decoded, Event, Json, Model, Ref } from '#kit'
import type { BoardEvent, NamedObject, Place } from './event.ts'

type Row = { [field: string]: Json }

const maxIdLength = 64
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)
/** Own properties only: an inherited `data.constructor` is not something the provider sent. */
const own = (row: Row, name: string): Json | undefined => (Object.hasOwn(row, name) ? row[name] : undefined)
const rowIn = (row: Row, name: string): Row | undefined => {
  const value = own(row, name)
  return isRow(value) ? value : undefined
}
const textIn = (row: Row | undefined, name: string): string | undefined => {
  const value = row && own(row, name)
  return typeof value === 'string' ? value : undefined
}
/** Ids must be text: a number this long has already lost digits in JSON parsing. */
const idIn = (row: Row | undefined, name = 'id'): string | undefined => {
  const value = textIn(row, name)
  return value !== undefined && value !== '' && value.length <= maxIdLength ? value : undefined
}

/** A thing that an action names by a record, or by its id alone. */
const named = (row: Row | undefined, otherId?: string): NamedObject | undefined => {
  const id = idIn(row) ?? otherId
  if (id === undefined) return undefined
  const namedObject: NamedObject = { id }
  const name = textIn(row, 'name')
  const shortLink = textIn(row, 'shortLink')
  if (name !== undefined) namedObject.name = name
  if (shortLink !== undefined) namedObject.shortLink = shortLink
  return namedObject
}

const place = (board: NamedObject | undefined, list: NamedObject | undefined): Place => ({
  ...(board ? { board } : {}),
  ...(list ? { list } : {}),
})

/** The first 8 characters of an id are its creation time in Unix seconds, in hexadecimal. */
const timeOfId = (id: string) => (/^[0-9a-f]{24}$/i.test(id) ? Number.parseInt(id.slice(0, 8), 16) * 1000 : NaN)

const timeOf = (action: Row, id: string): string | undefined => {
  const date = Date.parse(textIn(action, 'date') ?? '')
  const at = Number.isNaN(date) ? timeOfId(id) : date
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

/** The public fields of a member: in some deliveries, member records contain private data. */
const publicMember = (member: Row): Row => {
  const shown: Row = {}
  for (const name of ['id', 'fullName', 'username', 'initials']) {
    const value = own(member, name)
    if (typeof value === 'string') shown[name] = value
  }
  return shown
}

/** The action as delivered, without private member records. */
const rawOf = (action: Row): Row => {
  const raw: Row = {}
  for (const [name, value] of Object.entries(action)) {
    raw[name] = (name === 'memberCreator' || name === 'member') && isRow(value) ? publicMember(value) : value
  }
  return raw
}

const actorOf = (action: Row): Actor | undefined => {
  const member = rowIn(action, 'memberCreator')
  const id = idIn(action, 'idMemberCreator') ?? idIn(member)
  if (id === undefined) return undefined
  const name = textIn(member, 'fullName')
  const username = textIn(member, 'username')
  return { id, ...(name === undefined ? {} : { name }), ...(username === undefined ? {} : { username }) }
}

/**
 * The kind of the watched model. Deliveries do not name it, so it is derived from the fields of its record, otherwise
 * from what the action says about the same id.
 */
const kindOfModel = (model: Row, data: Row): string => {
  if (Object.hasOwn(model, 'username')) return 'member'
  if (Object.hasOwn(model, 'idList')) return 'card'
  if (Object.hasOwn(model, 'displayName')) return 'organization'
  if (Object.hasOwn(model, 'idBoard')) return 'list'
  if (Object.hasOwn(model, 'prefs') || Object.hasOwn(model, 'labelNames')) return 'board'
  const id = idIn(model)
  return ['board', 'organization', 'card', 'list'].find((kind) => idIn(rowIn(data, kind)) === id) ?? 'unknown'
}

const modelOf = (delivery: Row, data: Row): Model => {
  const model = rowIn(delivery, 'model')
  const id = idIn(model) ?? idIn(rowIn(delivery, 'webhook'), 'idModel')
  if (id === undefined) {
    const board = idIn(rowIn(data, 'board'))
    return board === undefined ? { kind: 'unknown', id: '' } : { kind: 'board', id: board }
  }
  // Our own models have a kind and an id alone; the board's records have more fields.
  const kind = model && Object.keys(model).length <= 2 ? textIn(model, 'kind') : undefined
  return { kind: kind ?? kindOfModel({ ...model, id }, data), id }
}

/** Parts of an action's data that the event holds under other names. */
const elsewhere = new Set([
  'board',
  'card',
  'list',
  'listBefore',
  'listAfter',
  'old',
  'organization',
  'boardSource',
  'boardTarget',
  'textData',
])

const aboutOf = (action: Row, data: Row): BoardEvent['about'] => {
  const about: BoardEvent['about'] = {}
  for (const [name, value] of Object.entries(data))
    if (isRow(value) && !elsewhere.has(name)) about[name === 'action' ? 'comment' : name] = value
  const member = rowIn(action, 'member')
  const idMember = idIn(data, 'idMember') ?? idIn(data, 'idMemberAdded') ?? idIn(about.member) ?? idIn(member)
  if (idMember !== undefined) {
    const name = textIn(about.member, 'name') ?? textIn(member, 'fullName')
    const username = textIn(member, 'username')
    about.member = {
      id: idMember,
      ...(name === undefined ? {} : { name }),
      ...(username === undefined ? {} : { username }),
    }
  }
  const colour = textIn(data, 'value')
  if (about.label && colour !== undefined && !('color' in about.label)) about.label = { ...about.label, color: colour }
  return about
}

/** The thing that an update changed: for `updateCheckItem`, `data.checkItem`. */
const changedThing = (type: string, data: Row, property: string): Row | undefined => {
  const word = type.startsWith('update') ? type.charAt(6).toLowerCase() + type.slice(7) : ''
  const row = rowIn(data, word === 'comment' ? 'action' : word)
  if (row && Object.hasOwn(row, property)) return row
  return Object.entries(data).find(
    (entry): entry is [string, Row] => entry[0] !== 'old' && isRow(entry[1]) && Object.hasOwn(entry[1], property),
  )?.[1]
}

const changesOf = (type: string, data: Row): Pick<BoardEvent, 'before' | 'after'> => {
  const before = rowIn(data, 'old')
  if (before === undefined) return {}
  const after: Row = {}
  for (const property of Object.keys(before)) {
    const value = changedThing(type, data, property)?.[property]
    if (value !== undefined) after[property] = value
  }
  return { before, after }
}

/** Where something moved from and to: between lists by `old.idList`; between boards by the action on either board. */
const moveOf = (type: string, data: Row, board: NamedObject | undefined): { from?: Place; to?: Place } => {
  const list = named(rowIn(data, 'list'))
  if (type === 'moveCardToBoard' || type === 'moveListToBoard')
    return { from: place(named(rowIn(data, 'boardSource')), undefined), to: place(board, list) }
  if (type === 'moveCardFromBoard' || type === 'moveListFromBoard')
    return { from: place(board, list), to: place(named(rowIn(data, 'boardTarget')), undefined) }
  const before = named(rowIn(data, 'listBefore'), idIn(rowIn(data, 'old'), 'idList'))
  if (type !== 'updateCard' || before === undefined) return {}
  const after = named(rowIn(data, 'listAfter'), idIn(rowIn(data, 'card'), 'idList'))
  return { from: place(board, before), to: place(board, after) }
}

const textOf = (type: string, data: Row): string | undefined => {
  if (type === 'updateComment') return textIn(rowIn(data, 'action'), 'text')
  // In an action about a label, `text` is the label's name.
  return isRow(own(data, 'label')) ? undefined : textIn(data, 'text')
}

const modelsOf = (model: Model, organization: NamedObject | undefined, board: NamedObject | undefined): Model[] => {
  const models = model.id === '' ? [] : [model]
  if (board && (model.kind !== 'board' || model.id !== board.id)) models.push({ kind: 'board', id: board.id })
  if (organization && (model.kind !== 'organization' || model.id !== organization.id))
    models.push({ kind: 'organization', id: organization.id })
  return models
}

/**
 * The objects that a write causing this event would have named. Every write on a board touches the board, so it counts
 * only when there is nothing narrower.
 */
const objectsOf = (
  id: string,
  { about, card, list, board }: Pick<BoardEvent, 'about' | 'card' | 'list' | 'board'>,
): Ref[] => {
  const parts = Object.entries(about).flatMap(([kind, part]) => refOf(kind, idIn(part)))
  const narrow = [...parts, ...refOf('card', card?.id), ...(card ? [] : refOf('list', list?.id))]
  return [{ kind: 'action', id }, ...narrow, ...(narrow.length > 0 ? [] : refOf('board', board?.id))]
}
const refOf = (kind: string, id: string | undefined): Ref[] => (id === undefined ? [] : [{ kind, id }])
const withName = (kind: string, { id, name }: NamedObject): Ref => ({
  kind,
  id,
  ...(name === undefined ? {} : { name }),
})

const eventOf = (action: Row, delivery: Row, via: Event['via'], id: string, at: string): BoardEvent => {
  const data = rowIn(action, 'data') ?? {}
  const type = textIn(action, 'type') ?? 'unknown'
  const board = named(rowIn(data, 'board'))
  const organization = named(rowIn(data, 'organization'))
  const card = named(rowIn(data, 'card'), idIn(data, 'idCard'))
  const moved = moveOf(type, data, board)
  const list =
    type === 'moveCardFromBoard'
      ? undefined
      : (moved.to?.list ?? named(rowIn(data, 'list'), idIn(rowIn(data, 'card'), 'idList')))
  const app = idIn(rowIn(action, 'appCreator'))
  const text = textOf(type, data)
  const about = aboutOf(action, data)
  const model = modelOf(delivery, data)
  const event: BoardEvent = {
    id,
    type,
    at,
    actor: actorOf(action),
    model,
    models: modelsOf(model, organization, board),
    ...moved,
    about,
    objects: objectsOf(id, {
      about,
      ...(card ? { card } : {}),
      ...(list ? { list } : {}),
      ...(board ? { board } : {}),
    }),
    via,
    causedByUs: 'unknown',
    ...changesOf(type, data),
    raw: rawOf(action),
  }
  if (app !== undefined) event.app = app
  else if (own(action, 'appCreator') === null) event.app = null
  if (organization) event.organization = organization
  if (board) {
    event.board = board
    event.container = withName('board', board)
  }
  if (card) {
    event.card = card
    event.subject = withName('card', card)
  }
  if (list) event.list = list
  if (text !== undefined) event.text = text
  return event
}

const undecodable = (why: string): Decoded => ({ events: [], undecodable: why })

/**
 * Decodes one delivery (`{ action, model, webhook? }`), or one action of a history or an event's `raw`, with our own
 * model (`{ action, model: { kind, id } }`). Never throws: an action without an id (which could not be deduplicated) or
 * without a time is `undecodable`; every other action becomes an event with the data that is there. Of `model`, which
 * on a member's hook is the member's whole private record, only kind and id are kept.
 */
export const decode = ({ body: delivery }: { body: unknown }, via: Event['via']): Decoded => {
  if (!isRow(delivery)) return undecodable('The delivery is not a JSON object.')
  const rawAction = own(delivery, 'action')
  if (!isRow(rawAction)) return undecodable('The delivery has no action.')
  // Without the parts made for the vendor's own pages, which are most of an action's size.
  const { display: _, limits: __, ...parts } = rawAction
  const action = cleanJson(parts) as Row
  const id = idIn(action)
  if (id === undefined) return undecodable('The action has no id, so its repeats could not be distinguished from it.')
  const at = timeOf(action, id)
  if (at === undefined) return undecodable('The action has no readable date.')
  return { events: [eventOf(action, delivery, via, id, at)] }
}
