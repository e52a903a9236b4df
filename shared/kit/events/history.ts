import type { Event, Model } from '../event.ts'
import type { Json } from '../json.ts'
import { readPage } from '../provider-paging.ts'
import type { WatchContext } from '../trigger.ts'
import type { HistoryAsked, HistoryMark, Listing } from '../webhook.ts'
import { accountModel, kindOf, readEvent } from './read.ts'
import { isFor } from './watch.ts'
import type { EventHistory, EventsDefinition, EventWith, HistoryStart } from './definition.ts'

const usualOverlapMs = 60_000
/** No list is read further than this at once. */
const maxEntries = 50_000

/** A history with the types of the kinds that it lists. */
export type ListedKinds = { history: EventHistory; types: string[] }

/** The history of a kind; undefined where it is delivered by webhook only. */
export const historyOf = <Own>(events: EventsDefinition<Own>, type: string): EventHistory | undefined => {
  const kind = kindOf(events, type)
  return kind && kind.history !== null ? (kind.history ?? events.history) : undefined
}

export const ofKind = ({ of = accountModel.kind }: EventHistory) => of

/** Each history once, in the order of the kinds. */
export const historiesOf = <Own>(events: EventsDefinition<Own>): ListedKinds[] => {
  const typesOf = new Map<EventHistory, string[]>()
  for (const type of Object.keys(events.kinds)) {
    const history = historyOf(events, type)
    if (history) typesOf.set(history, [...(typesOf.get(history) ?? []), type])
  }
  return [...typesOf].map(([history, types]) => ({ history, types }))
}

type EntryReader = { via: Event['via']; model: Model }
type Entries<Own> = { events: EventWith<Own>[]; undecodable: Json[] }

const isWanted = (types: string[], type: string) => types.length === 0 || isFor({ on: types }, { type }, {})

/** The types that an entry may be of. */
const typesOf = ({ history: { typeOf }, types }: ListedKinds, entry: Json): string[] => {
  if (!typeOf) return types
  const type = typeOf(entry)
  return type === undefined ? [] : [type]
}

/** Adds the event of an entry, if it is wanted; returns the time of the entry in ms, where it is known. */
const readEntry = <Own>(
  events: EventsDefinition<Own>,
  listed: ListedKinds,
  entry: Json,
  source: EntryReader,
  wantedTypes: string[],
  entries: Entries<Own>,
): number | undefined => {
  try {
    for (const type of typesOf(listed, entry)) {
      const event = readEvent(events, type, entry, source)
      if (!event) continue
      if (isWanted(wantedTypes, type)) entries.events.push(event)
      return Date.parse(event.at)
    }
  } catch {
    // The entry itself is kept for a person to look at.
    entries.undecodable.push(entry)
  }
  const time = new Date(listed.history.at?.(entry) ?? NaN).getTime()
  return Number.isNaN(time) ? undefined : time
}

/**
 * How far to read: at least to `since`, `limit` events, or the first page alone. `types`: only their events, none or '*'
 * for all. `isFromNewest`: the start is not asked for, so that the address of the first page is always the same.
 */
export type Extent = HistoryStart & {
  types?: string[]
  limit?: number | undefined
  isFirstPageOnly?: boolean
  isFromNewest?: boolean
  ifNoneMatch?: string
}

/**
 * `oldest`, `newest`: the times of the oldest and newest entry read, in ms. `isCut`: the list is too long to be read as far as was asked.
 * `hasMore`: there are older entries.
 */
export type ReadList<Own> = Entries<Own> & {
  oldest: number
  newest: number
  isCut: boolean
  hasMore: boolean
  etag: string | undefined
  isUnchanged: boolean
}

const noEntries = <Own>(): Omit<ReadList<Own>, 'etag' | 'isUnchanged'> => ({
  events: [],
  undecodable: [],
  oldest: Infinity,
  newest: -Infinity,
  isCut: false,
  hasMore: false,
})

/** Without the fields that are undefined. */
const defined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [name in keyof T]?: Exclude<T[name], undefined>
  }

/** Reads a list as far as necessary. */
export const readList = async <Own>(
  ctx: WatchContext,
  events: EventsDefinition<Own>,
  listed: ListedKinds,
  source: EntryReader,
  { since, position, types = [], limit = Infinity, isFirstPageOnly, isFromNewest, ifNoneMatch }: Extent,
): Promise<ReadList<Own>> => {
  const { history } = listed
  const start = isFromNewest ? {} : defined({ since, position })
  const request = { ...history.request(source.model, start), ...defined({ ifNoneMatch }) }
  const list: ReadList<Own> = { ...noEntries(), etag: undefined, isUnchanged: false }
  let next: string | undefined
  let count = 0
  do {
    const page = await readPage(ctx, request, history.paging, { items: history.items ?? '', next })
    if (page.status === 304) return { ...list, isUnchanged: true }
    if (count === 0) list.etag = page.headers['etag']
    for (const entry of page.items) {
      const at = readEntry(events, listed, entry, source, types, list)
      if (at === undefined) continue
      list.oldest = Math.min(list.oldest, at)
      list.newest = Math.max(list.newest, at)
    }
    count += page.items.length
    next = page.next
    list.hasMore = next !== undefined
    const isFar = (since !== undefined && list.oldest < since.getTime()) || list.events.length >= limit
    if (isFirstPageOnly || (isFar && history.order !== 'any')) return list
  } while (next !== undefined && count < maxEntries)
  return { ...list, isCut: list.hasMore }
}

const byTime = (a: Event, b: Event) => (a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at < b.at ? -1 : 1)

/** Times at the provider may have whole seconds, so the start has, too. */
export const startOf = (
  { overlapMs = usualOverlapMs }: EventHistory,
  { at, position }: HistoryMark,
): HistoryStart & { since: Date } => ({
  since: new Date(Math.floor((at - overlapMs) / 1000) * 1000),
  ...(position === undefined ? {} : { position }),
})

/**
 * Whether a list that drops old entries still goes back to the mark: an entry at or before it proves that. The marked
 * one may have been deleted, so where none was listed, the list is read again from its newest page.
 */
const reaches = async <Own>(
  ctx: WatchContext,
  events: EventsDefinition<Own>,
  list: ListedKinds,
  source: EntryReader,
  mark: HistoryMark,
  oldest: number,
): Promise<boolean> => {
  if (list.history.keepsAll !== false || mark.id === undefined || oldest <= mark.at) return true
  const again = await readList(ctx, events, list, source, { since: new Date(mark.at + 1), isFromNewest: true })
  return again.oldest <= mark.at
}

/** Lists what happened to a model, from all histories of things of its kind; undefined when there is none. */
export const listHistory = async <Own>(
  ctx: WatchContext,
  events: EventsDefinition<Own>,
  model: Model,
  { since: mark, limit, types = [], via }: HistoryAsked,
): Promise<Listing | undefined> => {
  const ofModel = historiesOf(events).filter(({ history }) => ofKind(history) === model.kind)
  if (ofModel.length === 0) return undefined
  const byId = new Map<string, Event>()
  const listing: Listing = { events: [], reached: true, undecodable: [] }
  for (const listed of ofModel) {
    if (types.length > 0 && !types.some((type) => type === '*' || historyOf(events, type) === listed.history)) continue
    const start = mark ? startOf(listed.history, mark) : undefined
    const list = await readList(ctx, events, listed, { model, via }, { ...start, types, limit })
    for (const event of list.events)
      if (!start || Date.parse(event.at) >= start.since.getTime()) byId.set(event.id, event)
    listing.undecodable.push(...list.undecodable)
    if (list.isCut || (mark && !(await reaches(ctx, events, listed, { model, via }, mark, list.oldest))))
      listing.reached = false
  }
  const all = [...byId.values()].sort(byTime)
  listing.events = limit === undefined ? all : all.slice(-limit)
  const newest = listing.events.at(-1)
  if (newest) listing.newest = markOf(newest)
  return listing
}

const markOf = ({ id, at, position }: Event): Listing['newest'] & object => ({
  id,
  at: Date.parse(at),
  ...(position === undefined ? {} : { position }),
})
