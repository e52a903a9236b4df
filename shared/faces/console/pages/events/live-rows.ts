/** What a live list holds, newest first, and how what arrives becomes part of it. */

export type LiveRow = { id: string; createdAt: string }

/** More rows than anybody reads: beyond it the oldest are dropped, so that a page that is left open does not fill the memory. */
export const maxRows = 20_000

type Merge<T> = {
  keyOf(row: T): string
  /** Whether a row belongs to the list as it is filtered. */
  accepts(row: T): boolean
  /** There are older rows that are not loaded: what is older than the last row is theirs. */
  hasMore: boolean
}

const newestFirst = (a: LiveRow, b: LiveRow) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0)

/** The rows with changed ones replaced, new ones put in by time, and those that no longer belong to the list left out. */
export const mergeRows = <T extends LiveRow>(rows: T[], incoming: Iterable<T>, { keyOf, accepts, hasMore }: Merge<T>): T[] => {
  const latest = new Map<string, T>()
  for (const row of incoming) latest.set(keyOf(row), row)
  if (latest.size === 0) return rows
  const known = new Set<string>()
  let at = 0
  // Changes concern the newest rows, nearly always, so that most of a long list is not looked at.
  const kept: T[] = []
  for (; at < rows.length && known.size < latest.size; at += 1) {
    const row = rows[at]!
    const key = keyOf(row)
    const changed = latest.get(key)
    if (changed) known.add(key)
    if (!changed) kept.push(row)
    else if (accepts(changed)) kept.push(changed)
  }
  const oldest = rows.at(-1)?.createdAt
  const added = [...latest].flatMap(([key, row]) =>
    !known.has(key) && accepts(row) && (!hasMore || oldest === undefined || row.createdAt >= oldest) ? [row] : [],
  )
  if (added.length === 0) return kept.concat(rows.slice(at))
  added.sort(newestFirst)
  const all = added.concat(kept, rows.slice(at))
  const next = kept[0]?.createdAt ?? rows[at]?.createdAt
  return next === undefined || added.at(-1)!.createdAt >= next ? all : all.sort(newestFirst)
}

/** Rows of another list put between them by time: `timeOf` says where each belongs. Those older than what is loaded wait for their page. */
export const interleave = <T extends LiveRow, E>(rows: T[], others: E[], timeOf: (other: E) => string, hasMore: boolean): (T | E)[] => {
  const oldest = rows.at(-1)?.createdAt
  const shown = others.filter((other) => !hasMore || oldest === undefined || timeOf(other) >= oldest)
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
