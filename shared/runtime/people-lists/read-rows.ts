import { failField, fail } from '#kit'
import { openTable } from '../tables/open-table.ts'
import type { Content } from '../tables/table.ts'
import type { TableOptions } from '../tables/open-table.ts'

/** One person or company: texts by column. */
export type ListValues = { [column: string]: string }

export const maxRows = 10_000
const maxColumns = 100
const maxColumnName = 200
export const maxRowBytes = 20_000
const maxListBytes = 10_000_000

const tooManyRows = (field: string) =>
  failField(
    field,
    `A list has at most ${maxRows.toLocaleString('en')} rows. Split them into several lists.`,
    'too_large',
  )

/** Names every text, number and boolean of a row by its path, such as `phones.0.number`. */
const flatten = (row: object): ListValues => {
  const values: ListValues = {}
  const pending = Object.entries(row).toReversed()
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [path, value] = next as [string, unknown]
    if (typeof value === 'object' && value !== null)
      pending.push(
        ...Object.entries(value)
          .toReversed()
          .map(([name, part]): [string, unknown] => [`${path}.${name}`, part]),
      )
    else if (value !== null && value !== undefined && value !== '') values[path] = String(value)
  }
  return values
}

/** Takes rows one by one. @throws Failure `invalid_input` or `too_large`, naming the row and the remedy */
export const createCollector = (field: string) => {
  const rows: ListValues[] = []
  const columns = new Set<string>()
  let bytes = 0
  const requireColumns = (values: ListValues, at: number) => {
    for (const column of Object.keys(values)) columns.add(column)
    if (columns.size > maxColumns)
      throw failField(field, `The rows have more than ${maxColumns} columns, from row ${at + 1} on. Leave some out.`)
    const long = Object.keys(values).find((column) => column.length > maxColumnName)
    if (long !== undefined)
      throw failField(field, `Row ${at + 1} has a column whose name is longer than ${maxColumnName} characters.`)
  }
  return {
    add(row: object) {
      const at = rows.length
      if (at >= maxRows) throw tooManyRows(field)
      const values = flatten(row)
      requireColumns(values, at)
      const size = Buffer.byteLength(JSON.stringify(values))
      bytes += size
      if (size > maxRowBytes)
        throw failField(
          field,
          `Row ${at + 1} has ${size} bytes; a row may have at most ${maxRowBytes}. Leave out columns.`,
          'too_large',
        )
      if (bytes > maxListBytes)
        throw failField(
          field,
          `The rows take more than ${maxListBytes / 1_000_000} MB. Leave out columns, or make several lists.`,
          'too_large',
        )
      if (Object.keys(values).length > 0) rows.push(values)
    },
    rows: () => {
      if (rows.length === 0) throw failField(field, 'There are no rows with values. Give at least one.')
      return { rows, columns: [...columns] }
    },
  }
}
export type ListContent = { rows: ListValues[]; columns: string[] }

/** @throws Failure `invalid_input`, `too_large` */
export const readObjectRows = (rows: readonly object[], field: string): ListContent => {
  const collector = createCollector(field)
  for (const row of rows) {
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      throw failField(field, 'Each row is an object with values by column, such as { "email": "ada@example.com" }.')
    collector.add(row)
  }
  return collector.rows()
}

/** Names that occur more than once in the header of a file get a number. */
const distinctNames = (columns: readonly string[]): string[] => {
  const seen = new Map<string, number>()
  return columns.map((column) => {
    const name = column.trim() === '' ? 'column' : column.trim()
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? name : `${name}[${count}]`
  })
}

/** Reads a CSV or JSONL file. @throws Failure `invalid_input`, `too_large` */
export const readFileRows = async (content: Content, name: string, options: TableOptions): Promise<ListContent> => {
  const table = await openTable(content, name, options)
  if (table.columns.length > maxColumns)
    throw fail(
      'invalid_input',
      `The file has ${table.columns.length} columns; a list may have at most ${maxColumns}.`,
      {
        errors: [{ pointer: '/file', message: `A list may have at most ${maxColumns} columns. Leave some out.` }],
      },
    )
  const names = distinctNames(table.columns)
  const collector = createCollector('file')
  for await (const row of table.rows())
    collector.add(Object.fromEntries(names.map((column, place) => [column, row.value(place)])))
  return collector.rows()
}
