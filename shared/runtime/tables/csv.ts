import { Readable } from 'node:stream'
import type { Parser } from 'csv-parse'
import { formulaStart, guardCell, unguardCell } from '../csv-cells.ts'
import { badFile, distinctFrom, headOf, maxRowLength, requireUtf8 } from './table.ts'
import type { Cell, Content, Table, TableRow } from './table.ts'

const bom = '\uFEFF'
const headBytes = 65_536
const delimiters = [',', ';', '\t', '|']
/** A row with more columns cannot be meant as part of a table. */
const maxColumns = 2_000
/**
 * How many characters of padding the result may have beyond the length of the file: all rows get as many cells as the
 * longest one has.
 */
const maxPadding = 10_000_000

/** Matches where a program that splits at another usual delimiter would begin a cell, and compute it. */
const hidesFormula = new RegExp(`[,;\\t|]['" \\u00a0]*[${formulaStart}]`)

/** Imported when the first file is read: most processes never read one. */
const load = async () => {
  const [{ parse }, { stringify }] = await Promise.all([import('csv-parse'), import('csv-stringify/sync')])
  return { parse, stringify }
}

type Raw = { record: string[]; raw: string }
type ParseError = Error & { code?: string; lines?: number; records?: number }

const explain = (error: unknown): unknown => {
  const { code, lines, records } = error as ParseError
  if (code === undefined || !code.startsWith('CSV_')) return error
  const where = `after row ${Math.max(0, (records ?? 1) - 1)}${lines === undefined ? '' : `, near line ${lines}`}`
  if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE')
    return badFile(
      `A quoted cell ${where} is not closed, or longer than ${maxRowLength} characters. Close the quote; a quote inside a cell is doubled ("").`,
    )
  return badFile(`The file cannot be read as CSV ${where}: ${(error as Error).message}. Check quotes and "delimiter".`)
}

/** The usual delimiter that occurs most often in the first line, outside quotes. */
const findDelimiter = (head: string): string => {
  const line = head.replace(/"(?:[^"]|"")*"/g, '').split(/\r\n|\n|\r/, 1)[0]!
  const counted = delimiters.map((delimiter) => ({ delimiter, count: line.split(delimiter).length - 1 }))
  return counted.reduce((best, candidate) => (candidate.count > best.count ? candidate : best)).delimiter
}

const lineEnd = (head: string): string => /\r\n|\n|\r/.exec(head.replace(/"(?:[^"]|"")*"/g, ''))?.[0] ?? '\n'

/** A row without its line ends and without blank lines before it. */
const withoutEnds = (raw: string) => raw.replace(/^[\r\n]+|(?<![\r\n])[\r\n]+$/g, '')

/** Matches a row that all programs parse alike: quotes only around whole cells, and doubled within these. */
const plainRow = (delimiter: string) => {
  const end = `\\u{${delimiter.codePointAt(0)!.toString(16)}}`
  return new RegExp(`^(?:"(?:[^"]|"")*"|[^"\\r\\n${end}]*)(?:${end}(?:"(?:[^"]|"")*"|[^"\\r\\n${end}]*))*$`, 'u')
}

const requireColumns = (count: number, where: string) => {
  const remedy = 'Check "delimiter" and the quotes.'
  if (count > maxColumns) throw badFile(`${where} has ${count} columns; at most ${maxColumns} are read. ${remedy}`)
}

/** Returns a function that refuses rows with too many columns, and rows that would make all others far longer. */
const createWidths = (columns: number) => {
  let widest = { at: -1, width: columns }
  let cells = 0
  let length = 0
  return ({ record, raw }: Raw, at: number) => {
    const { length: width } = record
    requireColumns(width, `Row ${at + 1}`)
    if (width > widest.width) widest = { at, width }
    cells += width
    length += raw.length
    if (widest.at < 0 || widest.width * (at + 1) - cells <= maxPadding + length) return
    throw badFile(
      `Row ${widest.at + 1} has ${widest.width} columns, the first line ${columns}: every row of the result would be ` +
        'filled up to as many. Check the separators and quotes of that row.',
    )
  }
}

const requireText = (head: Buffer) => {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff))
    throw badFile('The file is UTF-16 text. Save it as "CSV UTF-8", or convert it with: iconv -f utf-16 -t utf-8')
  if (head.includes(0))
    throw badFile(
      'The file holds zero bytes, so it is no text. Export the table as CSV (UTF-8) or JSONL; spreadsheets such as .xlsx are not read.',
    )
}

const findColumn = (columns: readonly string[], name: string): number | undefined => {
  const [, base = '', count = '1'] = /^(.*)\[(\d+)\]$/s.exec(name) ?? []
  const all = (columnName: string) =>
    columns.flatMap((column, place) => (column.trim() === columnName.trim() ? [place] : []))
  return all(name)[0] ?? all(base)[Number(count) - 1]
}

/** Opens a CSV file with a header. @throws Failure `invalid_input` */
export const openCsv = async (content: Content, options: { delimiter?: string | undefined } = {}): Promise<Table> => {
  const { parse, stringify } = await load()
  const first = await headOf(content, headBytes)
  requireText(first)
  const head = first.toString('utf8')
  const hasBom = head.startsWith(bom)
  const text = hasBom ? head.slice(1) : head
  const delimiter = options.delimiter ?? findDelimiter(text)
  const end = lineEnd(text)

  const parser = (): Parser =>
    parse({
      delimiter,
      bom: true,
      raw: true,
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: maxRowLength,
    })
  const records = async function* (): AsyncGenerator<Raw> {
    const input = Readable.from(requireUtf8(content()), { objectMode: false })
    const parsed = parser()
    input.once('error', (error) => parsed.destroy(error))
    try {
      for await (const record of input.pipe(parsed)) yield record as Raw
    } catch (error) {
      throw explain(error)
    } finally {
      input.destroy()
      parsed.destroy()
    }
  }

  const header = async (): Promise<Raw> => {
    for await (const record of records()) return record
    throw badFile('The file is empty. Its first line names the columns.')
  }
  const top = await header()
  const columns = top.record.map(unguardCell)
  requireColumns(columns.length, 'The first line')

  const write = (cells: readonly Cell[]) =>
    stringify([cells.map((cell) => (typeof cell === 'string' ? guardCell(cell) : cell === null ? '' : String(cell)))], {
      delimiter,
      eof: false,
      // A cell with a line end other than the file's is quoted too.
      quoted_match: [/[\r\n]/, hidesFormula],
      record_delimiter: end,
    })
  const isPlain = plainRow(delimiter)
  /**
   * The row as it is in the file, unless a spreadsheet would compute one of its cells or split it differently. Shorter
   * rows are padded, so that added cells are in their columns.
   */
  const own = ({ record, raw }: Raw, width: number) => {
    const text = withoutEnds(raw)
    const isHarmless = record.every((cell) => guardCell(unguardCell(cell)) === cell && !hidesFormula.test(cell))
    const filled = delimiter.repeat(Math.max(0, width - record.length))
    return (isHarmless && isPlain.test(text) ? text : write(record.map(unguardCell))) + filled
  }
  const rowOf = (rawRecord: Raw, at: number): TableRow => ({
    at,
    width: rawRecord.record.length,
    value(column) {
      const cell = rawRecord.record[column]
      return cell === undefined ? undefined : unguardCell(cell).trim()
    },
    line: (added, width) => `${own(rawRecord, width)}${delimiter}${write(added.map(([, cell]) => cell))}${end}`,
  })

  return {
    format: 'csv',
    columns,
    find: (name) => findColumn(columns, name),
    async *rows() {
      const checkWidth = createWidths(columns.length)
      let at = -1
      for await (const rawRecord of records()) {
        if (at >= 0) {
          checkWidth(rawRecord, at)
          yield rowOf(rawRecord, at)
        }
        at += 1
      }
    },
    head: (added, width) =>
      `${hasBom ? bom : ''}${own(top, width)}${delimiter}${write(distinctFrom(columns, added))}${end}`,
  }
}
