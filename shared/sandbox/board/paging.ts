import { isId, timeOfId } from './ids.ts'
import { integer, oneOf, text, type Params } from './params.ts'
import { invalidValue } from './refusals.ts'

type Mark = { id: string } | { at: number }
export type Paged = { id: string; date?: string }

/** Reads an id or an ISO date. The word `null` counts as absent. */
const markOf = (params: Params, name: string, idsOnly: boolean): Mark | undefined => {
  const value = text(params, name)
  if (value === undefined || value === '' || value === 'null') return undefined
  if (isId(value)) return { id: value }
  const at = Date.parse(value)
  return idsOnly || !/^\d{4}-\d\d-\d\d/.test(value) || Number.isNaN(at) ? invalidValue(name) : { at }
}
const timeOf = (item: Paged): number => (item.date ? Date.parse(item.date) : timeOfId(item.id))
const compare = (item: Paged, mark: Mark): number => {
  if ('at' in mark) return timeOf(item) - mark.at
  return item.id < mark.id ? -1 : item.id > mark.id ? 1 : 0
}

export type PageRules = { limit: number; page?: boolean; maxPage?: number; idsOnly?: boolean; sinceInclusive: boolean }

/**
 * One page, newest first. `before` excludes the item it names; `since` includes it unless the sandbox is set otherwise.
 */
export const pageOf = <T extends Paged>(items: readonly T[], params: Params, rules: PageRules): T[] => {
  const limit = integer(params, 'limit', 0, 1000) ?? rules.limit
  const page = rules.page ? (integer(params, 'page', 0, rules.maxPage ?? 1000) ?? 0) : 0
  const before = markOf(params, 'before', rules.idsOnly ?? false)
  const since = markOf(params, 'since', rules.idsOnly ?? false)
  const chosen = items.filter((item) => {
    if (before && compare(item, before) >= 0) return false
    if (!since) return true
    const order = compare(item, since)
    return order > 0 || (order === 0 && rules.sinceInclusive)
  })
  return chosen.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(page * limit, (page + 1) * limit)
}

/** Cards are in board order unless the request pages; then they are sorted by creation, newest first. */
export const pageOfCards = <T extends Paged & { pos: number }>(
  items: readonly T[],
  params: Params,
  sinceInclusive: boolean,
): T[] => {
  const paged = ['limit', 'before', 'since'].filter((name) => params.values.has(name)).length > 0 || items.length > 1000
  if (paged) return pageOf(items, params, { limit: 1000, sinceInclusive })
  return [...items].sort((a, b) => a.pos - b.pos)
}

export const listFormat = (params: Params): 'list' | 'count' =>
  oneOf(params, 'format', ['list', 'count'] as const) ?? 'list'
