import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'

type Row = { id: string; connection: string; state: string; createdAt: string; attempts?: number }
export type News = { kind: 'event' | 'start'; row: Row }

const pageSize = 100
/** So many pages are looked through when more came than one holds. */
const mostPages = 10

/** Two accounts that see the same fact each have it. */
const keyOf = ({ connection, id }: Row) => `${connection} ${id}`
const markOf = ({ state, attempts = 0 }: Row) => `${state} ${attempts}`

type Listing<T extends Row> = (page: { limit: number; cursor: string | undefined }) => Promise<{ items: T[]; next?: string }>

/** Gives, at each look, the rows that are new or changed since the look before, oldest first. The first look only learns what is there. */
const follow = <T extends Row>(list: Listing<T>) => {
  let known: Map<string, string> | undefined
  /** What slides into view from behind because a newer row went away is no news. */
  let oldest = ''
  return async (): Promise<T[]> => {
    const found: T[] = []
    const seen = new Map<string, string>()
    let last = ''
    let cursor: string | undefined
    for (let page = 0; page < mostPages; page += 1) {
      const { items, next } = await list({ limit: pageSize, cursor })
      for (const row of items) {
        const key = keyOf(row)
        seen.set(key, markOf(row))
        if (known && known.get(key) !== markOf(row) && (known.has(key) || row.createdAt >= oldest)) found.push(row)
      }
      cursor = next
      if (next !== undefined) last = items.at(-1)?.createdAt ?? last
      if (!known || cursor === undefined || items.some((row) => known!.has(keyOf(row)))) break
    }
    known = seen
    oldest = last
    return found.reverse()
  }
}

/** What arrives for a caller and what it starts. The store is asked, so what other processes on it take in is told too. */
export const createNews = (pack: Pack, caller: Caller) => {
  const events = follow((page) => pack.events.list(caller, page))
  const starts = follow((page) => pack.starts.list(caller, page))
  return async (): Promise<News[]> => {
    const [newEvents, newStarts] = await Promise.all([events(), starts()])
    return [...newEvents.map((row) => ({ kind: 'event' as const, row })), ...newStarts.map((row) => ({ kind: 'start' as const, row }))]
  }
}
