import { setImmediate as pause } from 'node:timers/promises'
import type { Db, Statement } from '../commit.ts'
import type { Param, Row } from '../sqlite.ts'

const rowsPerSlice = 500

/**
 * Reads many rows in slices, with a pause between them, because a database in this process blocks it while it reads.
 * `keys`: columns by which rows are ordered and told apart. `after`: values of these below the first row's. They bound
 * the range alone: beside another bound, the database may start each slice at that one.
 */
export const slicesOf = async function* (
  db: Db,
  query: { table: string; columns?: string; keys: readonly string[]; within: Statement; after: readonly Param[] },
): AsyncGenerator<Row[]> {
  const { table, columns = '*', keys, within } = query
  const names = keys.join(', ')
  const sql = `select ${columns} from ${table} where ${within.sql} and (${names}) > (${keys.map(() => '?').join(', ')})
    order by ${names} limit ?`
  let { after } = query
  for (;;) {
    const rows = await db.read(sql, [...within.params, ...after, rowsPerSlice])
    yield rows
    const end = rows.at(-1)
    if (!end || rows.length < rowsPerSlice) return
    after = keys.map((name) => end[name] as Param)
    await pause()
  }
}
