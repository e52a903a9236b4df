import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'

type Row = {
  id: string
  connection: string
  state: string
  createdAt: string
  attempts?: number
  endedAt?: string | null
}
export type Change = { kind: 'event' | 'start'; row: Row }

const pageSize = 100
/** Pages read at most when more rows changed than one page holds. */
const maxPages = 10

/** Two connections that receive the same event have a row each. */
const keyOf = ({ connection, id }: Row) => `${connection} ${id}`
/** Includes `endedAt`: a start that was sent again between two reads may differ in nothing else. */
const versionOf = ({ state, attempts = 0, endedAt = null }: Row) => `${state} ${attempts} ${endedAt}`

type Listing<T extends Row> = (page: {
  limit: number
  cursor: string | undefined
}) => Promise<{ items: T[]; next?: string }>

/**
 * Each call returns the rows that are new or changed since the previous call, oldest first. The first call only reads
 * what exists.
 */
const follow = <T extends Row>(list: Listing<T>) => {
  let versionByKey: Map<string, string> | undefined
  /**
   * `createdAt` of the oldest row read. An older row that moves onto the last page, because a newer one was removed, is
   * not a change.
   */
  let oldest = ''
  return async (): Promise<T[]> => {
    const changedRows: T[] = []
    const seen = new Map<string, string>()
    let last = ''
    let cursor: string | undefined
    for (let page = 0; page < maxPages; page += 1) {
      const { items, next } = await list({ limit: pageSize, cursor })
      for (const row of items) {
        const key = keyOf(row)
        seen.set(key, versionOf(row))
        if (
          versionByKey &&
          versionByKey.get(key) !== versionOf(row) &&
          (versionByKey.has(key) || row.createdAt >= oldest)
        )
          changedRows.push(row)
      }
      cursor = next
      if (next !== undefined) last = items.at(-1)?.createdAt ?? last
      if (!versionByKey || cursor === undefined || items.some((row) => versionByKey!.has(keyOf(row)))) break
    }
    versionByKey = seen
    oldest = last
    return changedRows.reverse()
  }
}

/**
 * Events and starts of a caller as they change. They are read from the store, so that changes by other processes are
 * included.
 */
export const createChangeFeed = (pack: Pack, caller: Caller) => {
  const events = follow((page) => pack.events.list(caller, page))
  const starts = follow((page) => pack.starts.list(caller, page))
  return async (): Promise<Change[]> => {
    const [newEvents, newStarts] = await Promise.all([events(), starts()])
    return [
      ...newEvents.map((row) => ({ kind: 'event' as const, row })),
      ...newStarts.map((row) => ({ kind: 'start' as const, row })),
    ]
  }
}
