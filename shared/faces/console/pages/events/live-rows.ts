/** What a live list holds, newest first, and how what arrives becomes part of it. */

export type LiveRow = { id: string; createdAt: string }

/**
 * More rows than anybody reads: beyond it the oldest are dropped, so that a page that is left open does not fill the
 * memory.
 */
export const maxRows = 20_000

type Rules<T> = {
  keyOf(row: T): string
  /** Whether a row belongs to the list as it is filtered. */
  accepts(row: T): boolean
}

const newestFirst = (a: LiveRow, b: LiveRow) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0)

/** Rows, newest first, that are found by their key without looking through all of them. */
export const createRows = <T extends LiveRow>({ keyOf, accepts }: Rules<T>) => {
  let rows: T[] = []
  const byKey = new Map<string, T>()
  const index = (some: T[]) => {
    for (const row of some) byKey.set(keyOf(row), row)
  }

  /**
   * Puts changed rows in place of what they were; changes concern the newest rows, nearly always, so that most of a
   * long list is not looked at.
   */
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
    /** Drops the oldest. */
    cut(most: number) {
      for (const row of rows.slice(most)) byKey.delete(keyOf(row))
      rows = rows.slice(0, most)
    },
    /**
     * Replaces changed rows, puts in new ones by time, and leaves out those that no longer belong to the list.
     * `hasMore`: there are older rows that are not loaded; what is older than the last row is theirs.
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
 * Rows of another list put between them by time: `timeOf` says where each belongs. Those older than what is loaded wait
 * for their page.
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
