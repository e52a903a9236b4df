import { fail } from '#kit'
import type { Failure } from '#kit'

/** One row of a file of rows. `at`: its number, from 0. */
export type TableRow = {
  at: number
  /** Cells it has, which may be more or fewer than there are columns; 0 where rows have no cells. */
  width: number
  /** The value of a column, by its place among `columns`; undefined where the row has none. */
  value(column: number): unknown
  /** The row as it stands in the file, with what is added behind its own values. `width`: cells of the longest row. */
  line(added: readonly Added[], width: number): string
}
export type Cell = string | number | boolean | null
/** A named value that a row gains. */
export type Added = readonly [name: string, value: Cell]

/** A file of rows that is read from the beginning as often as it is wanted, never whole. */
export type Table = {
  format: 'csv' | 'jsonl'
  /** Of CSV the header; of JSONL the fields of its first rows. */
  columns: readonly string[]
  /** The place of a column by its name: `name[2]` is the second of that name, and in JSONL dots lead into objects. */
  find(name: string): number | undefined
  /** @throws Failure `invalid_input` that names the row */
  rows(): AsyncIterable<TableRow>
  /** What stands before the rows of the result. */
  head(added: readonly string[], width: number): string
}

export type Content = () => AsyncIterable<Uint8Array>

/** Longer than any row that somebody means; an unclosed quote would take the rest of the file. */
export const maxRowLength = 1_000_000

export const badFile = (message: string): Failure =>
  fail('invalid_input', message, { errors: [{ pointer: '/file', message }] })

/** The names that are added, each distinct from those that are there. */
export const distinctFrom = (present: readonly string[], added: readonly string[]): string[] =>
  added.map((name) => {
    let free = name
    for (let count = 2; present.includes(free); count += 1) free = `${name}_${count}`
    return free
  })

/** Passes bytes on while they are UTF-8. */
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
