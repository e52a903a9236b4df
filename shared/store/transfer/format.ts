/**
 * An export is a text of lines, each a JSON value. The first line names format and schema. Each table then has a line
 * with its columns, followed by one line per row. The last line holds the number of rows and a checksum of all lines
 * before it. The same rows give the same bytes, whatever database they came from.
 */
import { createHash } from 'node:crypto'
import { fail } from '#kit'
import type { Param, Row } from '../sqlite.ts'
import { schemaNumber, transferTables } from './tables.ts'
import type { TransferTable } from './tables.ts'

const format = 'toolyard export'
const version = 1

export type Transferred = { schema: number; rows: Record<string, number> }

const encode = (value: unknown): unknown =>
  value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value
const decode = (value: unknown): Param =>
  typeof value === 'object' && value !== null
    ? new Uint8Array(Buffer.from((value as { bytes: string }).bytes, 'base64'))
    : (value as Param)

/**
 * Yields the lines of an export. `rowsOf` returns the rows of a table, ordered by key. `counts` receives the number of
 * rows per table.
 */
export async function* exportLines(
  rowsOf: (table: TransferTable) => AsyncIterable<Row> | Iterable<Row>,
  counts: Record<string, number>,
): AsyncGenerator<string> {
  const sum = createHash('sha256')
  const line = (value: unknown) => {
    const text = `${JSON.stringify(value)}\n`
    sum.update(text)
    return text
  }
  yield line({ format, version, schema: schemaNumber })
  let rows = 0
  for (const table of transferTables()) {
    counts[table.name] = 0
    yield line({ table: table.name, columns: table.columns })
    for await (const row of rowsOf(table)) {
      rows += 1
      counts[table.name]! += 1
      yield line(table.columns.map((column) => encode(row[column])))
    }
  }
  yield `${JSON.stringify({ end: true, rows, sha256: sum.digest('hex') })}\n`
}

const damaged = (where: string) =>
  fail('invalid_input', `This is not a complete export of toolyard: ${where}. Make the export again.`)

const parse = (text: string, number: number): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw damaged(`line ${number} is not JSON`)
  }
}

const requireHeader = (value: unknown): void => {
  const header = value as { format?: unknown; version?: unknown; schema?: unknown } | null
  if (header?.format !== format) throw damaged('it does not begin like one')
  if (header.version !== version || header.schema !== schemaNumber)
    throw fail(
      'invalid_input',
      `The export has schema ${String(header.schema)}, and this version of toolyard imports ${schemaNumber} only. Export and import with the same version.`,
    )
}

/**
 * Reads an export and passes its rows to `take`, in order. If this throws, discard all of them.
 * @throws Failure `invalid_input` if the text is not a complete export of this version
 */
export const readExport = async (
  lines: AsyncIterable<string>,
  take: (table: TransferTable, values: Param[]) => Promise<void> | void,
): Promise<Transferred> => {
  const tables = new Map(transferTables().map((table) => [table.name, table]))
  const sum = createHash('sha256')
  const rows: Record<string, number> = {}
  let table: TransferTable | undefined
  let count = 0
  let total = 0
  let isComplete = false
  for await (const text of lines) {
    count += 1
    if (isComplete) throw damaged(`line ${count} follows its end`)
    const value = parse(text, count)
    if (count === 1) requireHeader(value)
    else if (Array.isArray(value)) {
      if (!table || value.length !== table.columns.length)
        throw damaged(`line ${count} is no row of ${table?.name ?? 'a table'}`)
      await take(table, value.map(decode))
      rows[table.name]! += 1
      total += 1
    } else {
      const {
        table: name,
        columns,
        end,
        rows: said,
        sha256,
      } = value as { table?: string; columns?: string[]; end?: true; rows?: number; sha256?: string }
      if (end) {
        if (said !== total || sha256 !== sum.digest('hex')) throw damaged('its checksum does not fit its lines')
        isComplete = true
        continue
      }
      table = tables.get(name ?? '')
      if (!table || table.columns.join() !== columns?.join())
        throw damaged(`line ${count} names a table that this version does not have`)
      rows[table.name] = 0
    }
    sum.update(`${text}\n`)
  }
  if (!isComplete) throw damaged('its end is missing')
  return { schema: schemaNumber, rows }
}
