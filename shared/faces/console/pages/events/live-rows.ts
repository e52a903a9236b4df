/** The rows of a live list, newest first, and how incoming rows are merged into it. */

export type LiveRow = { id: string; createdAt: string }

/**
 * More rows than anybody reads. Beyond this number the oldest are dropped, so that a page left open does not fill the
 * memory.
 */
export const maxRows = 20_000

type Rules<T> = {
  keyOf(row: T): string
  /** Whether a row passes the list's filters. */
  accepts(row: T): boolean
}

const newestFirst = (a: LiveRow, b: LiveRow) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0)

/** Rows, newest first, with an index by key. */
export const createRows = <T extends LiveRow>({ keyOf, accepts }: Rules<T>) => {
  let rows: T[] = []
  const byKey = new Map<string, T>()
  const index = (some: T[]) => {
    for (const row of some) byKey.set(keyOf(row), row)
  }

  /** Replaces changed rows. Changes nearly always concern the newest rows, so most of a long list is not visited. */
  const change = (changed: Map<string, T>) => {
    const kept: T[] = []
    let at = 0
    for (let left = changed.size; left > 0 && at < rows.length; at += 1) {
      const row = rows[at]!
      const now = changed.get(keyOf(row))
      if (now) left -= 1
      if (!now || accepts(now)) kept.push(now ?? row)
    }
    rows = kept.concat(rows.slice(at))
  }

  return {
    all: () => rows,
    get: (key: string) => byKey.get(key),
    replace(newRows: T[]) {
      rows = newRows
      byKey.clear()
      index(rows)
    },
    append(older: T[]) {
      rows = rows.concat(older.filter((row) => !byKey.has(keyOf(row))))
      index(older)
    },
    /** Drops the oldest rows. */
    cut(most: number) {
      for (const row of rows.slice(most)) byKey.delete(keyOf(row))
      rows = rows.slice(0, most)
    },
    /**
     * Replaces changed rows, inserts new ones by time, and removes rows that no longer pass the filters. `hasMore`:
     * older rows exist that are not loaded; incoming rows older than the last row belong to those.
     */
    merge(incoming: T[], hasMore: boolean) {
      const changed = new Map<string, T>()
      const added = new Map<string, T>()
      const oldest = rows.at(-1)?.createdAt
      for (const row of incoming) {
        const key = keyOf(row)
        if (byKey.has(key)) changed.set(key, row)
        else if (!accepts(row)) added.delete(key)
        else if (!hasMore || oldest === undefined || row.createdAt >= oldest) added.set(key, row)
      }
      if (changed.size > 0) change(changed)
      for (const [key, row] of changed) {
        if (accepts(row)) byKey.set(key, row)
        else byKey.delete(key)
      }
      if (added.size === 0) return
      const fresh = [...added.values()].sort(newestFirst)
      const newest = rows[0]?.createdAt
      rows = fresh.concat(rows)
      if (newest !== undefined && fresh.at(-1)!.createdAt < newest) rows.sort(newestFirst)
      index(fresh)
    },
  }
}

/**
 * Inserts the entries of another list between the rows by time (`timeOf`). Entries older than the loaded rows wait
 * until their page is loaded.
 */
export const interleave = <T extends LiveRow, E>(
  rows: T[],
  otherEntries: E[],
  timeOf: (other: E) => string,
  hasMore: boolean,
): (T | E)[] => {
  const oldest = rows.at(-1)?.createdAt
  const shown = otherEntries.filter((other) => !hasMore || oldest === undefined || timeOf(other) >= oldest)
  if (shown.length === 0) return rows
  const sorted = shown.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))
  const all: (T | E)[] = []
  let from = 0
  for (const other of sorted) {
    const time = timeOf(other)
    let [low, high] = [from, rows.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (rows[middle]!.createdAt > time) low = middle + 1
      else high = middle
    }
    for (; from < low; from += 1) all.push(rows[from]!)
    all.push(other)
  }
  for (; from < rows.length; from += 1) all.push(rows[from]!)
  return all
}
