/** The first rows of a list, as far as a browser needs them to show what was chosen; the server reads the file itself. */

export type Preview = { columns: string[]; rows: string[][]; hasMore: boolean }

const maxRows = 5
/** How much of a file is read for its preview, in bytes. */
export const previewBytes = 65_536

const delimiters = [',', '\t', ';', '|']
const delimiterOf = (line: string) =>
  delimiters.toSorted((a, b) => line.split(b).length - line.split(a).length)[0] ?? ','

/** The cells of the first rows; a cell in quotes may contain delimiters, quotes written twice, and line breaks. */
const cellsIn = (text: string, delimiter: string, most: number): string[][] => {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    row.push(cell)
    cell = ''
  }
  for (let at = 0; at < text.length && rows.length < most; at += 1) {
    const sign = text[at]!
    if (isQuoted) {
      if (sign !== '"') cell += sign
      else if (text[at + 1] === '"') cell += text[(at += 1)]!
      else isQuoted = false
    } else if (sign === '"' && cell === '') isQuoted = true
    else if (sign === delimiter) endCell()
    else if (sign === '\n') {
      endCell()
      rows.push(row)
      row = []
    } else if (sign !== '\r') cell += sign
  }
  if (rows.length < most && (cell !== '' || row.length > 0)) {
    endCell()
    rows.push(row)
  }
  return rows.filter((cells) => cells.some((text) => text.trim() !== ''))
}

/** Undefined for an empty text, and for JSON lines, which have no columns to see. */
export const previewOf = (text: string): Preview | undefined => {
  const start = text.replace(/^\uFEFF/, '').trimStart()
  if (start === '' || start.startsWith('{')) return undefined
  const [columns, ...rows] = cellsIn(start, delimiterOf(start.split('\n', 1)[0]!), maxRows + 2)
  return columns && { columns, rows: rows.slice(0, maxRows), hasMore: rows.length > maxRows }
}
