import type { Table, TableRow } from '../tables/table.ts'

/** Number of rows that are looked up and stored together. */
export const chunkRows = 100

export type RowChunk = { number: number; rows: TableRow[] }

/** Number of rows in a chunk; the first one is the paid sample, if there is one. */
const sizeOf = (number: number, sample: number) => (number === 0 && sample > 0 ? sample : chunkRows)

/** The rows of a file in chunks, which are the same each time the file is read. */
export async function* chunksOf(table: Table, sample: number): AsyncGenerator<RowChunk> {
  let number = 0
  let rows: TableRow[] = []
  for await (const row of table.rows()) {
    rows.push(row)
    if (rows.length < sizeOf(number, sample)) continue
    yield { number, rows }
    number += 1
    rows = []
  }
  if (rows.length > 0) yield { number, rows }
}
