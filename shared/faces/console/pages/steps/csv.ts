/** Records as a CSV file. */
import { isRow, isRows, leavesOf } from './records.ts'
import type { Row } from './records.ts'

/** Where a spreadsheet takes a cell for a formula: as in the files of jobs. */
const needsGuard = /^'*[=+\-@\t\r\n＝＋－＠]/
/** Where a program that splits at another delimiter would begin such a cell. */
const needsQuotes = /["\r\n,;\t|]|^\s|\s$/

const cellOf = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  // Numbers and booleans are ours; a text that looks like a formula is somebody else's.
  const text =
    typeof value === 'string'
      ? value
      : Array.isArray(value) && value.every((item) => typeof item !== 'object')
        ? value.join('; ')
        : JSON.stringify(value)
  const guarded = typeof value !== 'number' && needsGuard.test(text) ? `'${text}` : text
  return needsQuotes.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** A column for every field of the records, named by its path. */
export const toCsv = (rows: Row[]): string => {
  const read = rows.map((row) => new Map(leavesOf(row)))
  const columns = [...new Set(read.flatMap((fields) => [...fields.keys()]))]
  return [columns, ...read.map((fields) => columns.map((column) => fields.get(column)))]
    .map((cells) => `${cells.map(cellOf).join(',')}\r\n`)
    .join('')
}

/** What of an output is a table: its longest list, or else the output as one row. */
export const tableIn = (output: unknown): Row[] => {
  if (isRows(output)) return output
  if (!isRow(output)) return []
  const lists = Object.values(output).filter(isRows)
  const [longest] = lists.toSorted((left, right) => right.length - left.length)
  return longest ?? [output]
}
