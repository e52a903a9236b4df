/** Rows pasted from a spreadsheet, or from a CSV file. Pure. */
import { isEmpty } from './draft.ts'
import type { LayoutField, Values } from './draft.ts'
import { readNumber } from './numbers.ts'

/** An apostrophe with which our files guard a cell that looks like a formula. */
const unguard = (cell: string) => (/^'+[=+\-@]/.test(cell) ? cell.slice(1) : cell)

/** The cells of a table as text: separated by tabs, as spreadsheets copy them, or else by commas or semicolons. */
export const readCells = (text: string): string[][] => {
  const [line = ''] = text.split(/\r?\n/, 1)
  const delimiter = text.includes('\t')
    ? '\t'
    : (line.match(/;/g)?.length ?? 0) > (line.match(/,/g)?.length ?? 0)
      ? ';'
      : ','
  const rows: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    rows.at(-1)!.push(unguard(cell.trim()))
    cell = ''
  }
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]!
    if (isQuoted && letter === '"' && text[at + 1] === '"') {
      cell += '"'
      at += 1
    } else if (letter === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted
    else if (isQuoted) cell += letter
    else if (letter === delimiter) endCell()
    else if (letter === '\n') {
      endCell()
      rows.push([])
    } else if (letter !== '\r') cell += letter
  }
  endCell()
  return rows.filter((cells) => cells.some((part) => part !== ''))
}

const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
const yes = new Set(['yes', 'true', '1', 'x'])
const no = new Set(['no', 'false', '0'])

/** The value of a cell, as the control of its column would read it. */
const valueOf = ({ control, choices = [], labels = {} }: LayoutField, text: string): unknown => {
  if (text === '') return undefined
  if (control === 'number' || control === 'duration') return readNumber(text)
  if (control === 'switch') return yes.has(text.toLowerCase()) ? true : no.has(text.toLowerCase()) ? false : undefined
  const chosen = (part: string) =>
    choices.find((choice) => plain(choice) === plain(part) || plain(labels[choice] ?? '') === plain(part)) ?? part
  if (control === 'choice') return chosen(text)
  if (control === 'choices' || control === 'list' || control === 'pick-many')
    return text
      .split(/[;,]/)
      .map((part) => chosen(part.trim()))
      .filter((part) => part !== '')
  return text
}

/** `first`: the column of the first cell where the text has no header, which names columns by title or name. */
export const readRows = (columns: LayoutField[], text: string, first = 0): Values[] => {
  const cells = readCells(text)
  const columnOf = (title: string) =>
    title === ''
      ? undefined
      : columns.find((column) => [plain(column.title), plain(column.name)].includes(plain(title)))
  const named = cells[0]?.map(columnOf) ?? []
  const hasHeader = named.some((column) => column !== undefined) && cells.length > 1
  const of = hasHeader ? named : columns.slice(first)
  return cells.slice(hasHeader ? 1 : 0).map((row) =>
    Object.fromEntries(
      row.flatMap((cell, at): [string, unknown][] => {
        const column = of[at]
        const value = column && valueOf(column, cell)
        return column && !isEmpty(value) ? [[column.name, value]] : []
      }),
    ),
  )
}

/** The rows with the pasted ones from a place on: what is pasted replaces what is there, and adds rows below. */
export const fillRows = (rows: Values[], pasted: Values[], at: number): Values[] => [
  ...rows.slice(0, at),
  ...pasted.map((row, index) => ({ ...rows[at + index], ...row })),
  ...rows.slice(at + pasted.length),
]
