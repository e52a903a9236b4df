import { setImmediate as pause } from 'node:timers/promises'
import type { Db, Statement } from '../commit.ts'
import type { Param, Row } from '../sqlite.ts'

/** Rows that one statement examines, in the first slice and at most: some milliseconds of the event loop. */
const firstRows = 250
const maxRows = 2_000

/**
 * `columns`: those that are read; absent: all. `keys`: columns the list is sorted by, descending, in the order in which an index has them after `within`. `within`:
 * conditions that this index answers. `filter`: conditions that are checked row by row. `after`: values of `keys` where
 * the page before ended.
 */
type NewestQuery = {
  table: string
  columns?: readonly string[]
  keys: readonly string[]
  within: Statement
  filter: Statement
  after: readonly Param[] | undefined
  rows: number
}

/**
 * The newest rows that match the filter. If few or none of a million match, they are examined in slices, so that other
 * work runs in between; a filter costs nothing as long as the first slice fills the page.
 */
export const newest = async (
  db: Db,
  { table, columns = ['*'], keys, within, filter, after, rows }: NewestQuery,
): Promise<Row[]> => {
  const key = `(${keys.join(', ')})`
  const places = `(${keys.map(() => '?').join(', ')})`
  const order = `order by ${keys.map((name) => `${name} desc`).join(', ')} limit ?`
  const foundRows: Row[] = []
  let from = after
  for (let size = firstRows; ; size = Math.min(maxRows, size * 2)) {
    const where = `where ${within.sql}${from ? ` and ${key} < ${places}` : ''}`
    const params = [...within.params, ...(from ?? [])]
    const sliced = filter.sql !== ''
    const [last] = sliced
      ? await db.read(`select ${keys.join(', ')} from ${table} ${where} ${order} offset ?`, [...params, 1, size])
      : []
    const until = last ? keys.map((name) => last[name] as Param) : undefined
    const sql = `select ${columns.join(', ')} from ${table} ${where}${until ? ` and ${key} >= ${places}` : ''}${filter.sql} ${order}`
    foundRows.push(...(await db.read(sql, [...params, ...(until ?? []), ...filter.params, rows - foundRows.length])))
    if (!until || foundRows.length >= rows) return foundRows
    from = until
    await pause()
  }
}
