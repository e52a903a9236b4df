import { fail } from '#kit'
import type { Failure } from '#kit'

/** One row of a file. `at`: its number, from 0. */
export type TableRow = {
  at: number
  /** Number of its cells, which may differ from the number of columns; 0 where rows have no cells. */
  width: number
  /** The value in a column, by the column's index in `columns`; undefined where the row has none. */
  value(column: number): unknown
  /** The row as it is in the file, followed by the added values. `width`: the number of cells of the longest row. */
  line(added: readonly AddedCell[], width: number): string
}
export type Cell = string | number | boolean | null
/** A value to add to a row, with the name of its column. */
export type AddedCell = readonly [name: string, value: Cell]

/** A file of rows that can be read from the beginning repeatedly, and is never held in memory as a whole. */
export type Table = {
  format: 'csv' | 'jsonl'
  /** The header of a CSV file; the fields in the first rows of a JSONL file. */
  columns: readonly string[]
  /** Index of a column by its name: `name[2]` is the second one of that name, and in JSONL dots lead into objects. */
  find(name: string): number | undefined
  /** @throws Failure `invalid_input` naming the row */
  rows(): AsyncIterable<TableRow>
  /** The text before the rows of the result. */
  head(added: readonly string[], width: number): string
}

export type Content = () => AsyncIterable<Uint8Array>

/** Longer than any intended row; an unclosed quote would otherwise read the rest of the file into memory. */
export const maxRowLength = 1_000_000

export const badFile = (message: string): Failure =>
  fail('invalid_input', message, { errors: [{ pointer: '/file', message }] })

/** The added names, each made distinct from those present. */
export const distinctFrom = (present: readonly string[], added: readonly string[]): string[] =>
  added.map((name) => {
    let free = name
    for (let count = 2; present.includes(free); count += 1) free = `${name}_${count}`
    return free
  })

/** Passes bytes through as long as they are UTF-8. */
export async function* requireUtf8(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const check = (bytes?: Uint8Array) => {
    try {
      decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw badFile(
        'The file is not UTF-8 text. Save it as "CSV UTF-8", or convert it with: iconv -f <encoding> -t utf-8',
      )
    }
  }
  for await (const bytes of content) {
    check(bytes)
    yield bytes
  }
  check()
}

/** The first bytes of a file. */
export const headOf = async (content: Content, most: number): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const bytes of content()) {
    parts.push(bytes)
    size += bytes.length
    if (size >= most) break
  }
  return Buffer.concat(parts).subarray(0, most)
}
