import { path } from '#kit'
import type { Path, ProviderRequest, ScopeRules, Touched } from '#kit'

type ScopedRequest = { method: string; path: string; query?: Record<string, unknown> | undefined; body?: unknown }

/** Records that belong to one board, by the first part of their path, with the address that returns their board. */
const placed: Record<string, (id: string) => Path> = {
  cards: (id) => path`/1/cards/${id}`,
  lists: (id) => path`/1/lists/${id}`,
  checklists: (id) => path`/1/checklists/${id}`,
  labels: (id) => path`/1/labels/${id}`,
  customFields: (id) => path`/1/customFields/${id}`,
}
const throughRecord = (collection: string, id: string): ProviderRequest => ({
  method: 'GET',
  path: placed[collection]!(id),
  // The definition of a custom field, whose board is `idModel`, is always returned whole.
  ...(collection === 'customFields' ? {} : { query: { fields: 'idBoard' } }),
})
const throughAction = (id: string): ProviderRequest => ({
  method: 'GET',
  path: path`/1/actions/${id}/board`,
  query: { fields: 'id,shortLink' },
})

/**
 * Request fields that name a record, wherever they are, in lower case, because the board ignores the case of a field
 * that is part of a path.
 */
const named = new Map([
  ['idboard', 'boards'],
  ['idboardsource', 'boards'],
  // A custom field belongs to a model, which is always a board.
  ['idmodel', 'boards'],
  ['idlist', 'lists'],
  ['idlistsource', 'lists'],
  ['idcard', 'cards'],
  ['idcardsource', 'cards'],
  ['idchecklist', 'checklists'],
  ['idchecklistsource', 'checklists'],
])
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined for a path that is not in the form of the board's documentation. */
const partsOf = (requestPath: string): string[] | undefined => {
  const [, version, ...parts] = requestPath.replace(/\/$/, '').split('/')
  if (version !== '1' || parts.some((part) => part === '' || /[;%]/.test(part))) return undefined
  return parts
}

/**
 * Kind and id of every record that query and body name. A field that is in both is returned twice, because it is
 * unknown which of the two the board reads.
 */
const recordIdsIn = (last: string, { query = {}, body }: ScopedRequest): [string, unknown][] =>
  [...Object.entries(query), ...(isObject(body) ? Object.entries(body) : [])].flatMap(
    ([name, value]): [string, unknown][] => {
      // PUT /1/cards/{id}/idList takes its one property as `value`.
      const kind = named.get((name === 'value' ? last : name).toLowerCase())
      return kind === undefined || value === undefined || value === null || value === '' ? [] : [[kind, value]]
    },
  )

/** Whether a request for a member returns nothing but that member. */
const isPlainMember = ({ method, query = {} }: ScopedRequest) =>
  method === 'GET' && Object.keys(query).every((name) => name === 'fields')

/**
 * The boards that a search reaches: known for a search for cards that names its boards. Searches for boards and members
 * are never limited to the named boards.
 */
const searched = ({ method, query = {} }: ScopedRequest, below: string | undefined): Touched => {
  const { idBoards, modelTypes } = query
  const isOfCards = method === 'GET' && below === undefined && modelTypes === 'cards'
  if (!isOfCards || typeof idBoards !== 'string') return 'unknown'
  const containers = idBoards.split(',')
  return containers.every((id) => /^[0-9a-f]{24}$/.test(id)) ? { containers, through: [] } : 'unknown'
}

/**
 * The boards that a request reaches. Known for boards, lists, cards, checklists, labels, custom fields and actions, searches for cards
 * of named boards, and the account's own member. Other searches, organizations, notifications and other members may
 * reach any board, so the answer for those is `unknown`.
 */
const of = (request: ScopedRequest): Touched => {
  const parts = partsOf(request.path)
  const [collection = '', id, ...remainingParts] = parts ?? []
  if (!parts) return 'unknown'
  if (collection === 'members' && id === 'me') {
    if (remainingParts.length === 0 && isPlainMember(request)) return 'none'
    return remainingParts.join() === 'boards' && request.method === 'GET' ? 'lists' : 'unknown'
  }
  if (collection === 'search') return searched(request, id)
  const isKnown = collection === 'boards' || collection === 'actions' || Object.hasOwn(placed, collection)
  // A request that creates a board reaches a board outside the scope.
  if (!isKnown || (id === undefined && collection === 'boards')) return 'unknown'
  const touchedObjects: Extract<Touched, object> = { containers: [], through: [] }
  const add = (kind: string, ref: string) => {
    if (kind === 'boards') touchedObjects.containers.push(ref)
    else touchedObjects.through.push(kind === 'actions' ? throughAction(ref) : throughRecord(kind, ref))
  }
  if (id !== undefined) add(collection, id)
  for (const [kind, ref] of recordIdsIn(remainingParts.at(-1) ?? '', request)) {
    if (typeof ref !== 'string') return 'unknown'
    add(kind, ref)
  }
  return touchedObjects.containers.length + touchedObjects.through.length > 0 ? touchedObjects : 'unknown'
}

/** A record names its board by `idBoard`, a custom field and a token's webhook by `idModel`; a board itself has an id and a short link. */
const idsIn = (reply: unknown): string[] => {
  const { idBoard, idModel, id, shortLink } = isObject(reply) ? reply : {}
  const ids = idBoard === undefined && idModel === undefined ? [id, shortLink] : [idBoard, idModel]
  return ids.filter((part): part is string => typeof part === 'string')
}

export const scopes: ScopeRules = {
  kind: 'board',
  of,
  byId: (id) => ({ method: 'GET', path: path`/1/boards/${id}`, query: { fields: 'id,shortLink' } }),
  idsIn,
}
