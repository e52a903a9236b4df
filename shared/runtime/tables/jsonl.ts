import { valueAt } from '#kit'
import { badFile, distinctFrom, maxRowLength, requireUtf8 } from './table.ts'
import type { Content, Table, TableRow } from './table.ts'

const bom = '\uFEFF'
/** How many rows are read to find the names of fields. */
const firstRows = 100
/** The field of a result row that contains what is added to it. */
const addedKey = 'toolyard'

type JsonLine = { text: string; object: Record<string, unknown> }

async function* linesOf(content: Content): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let unfinishedLine = ''
  for await (const bytes of requireUtf8(content())) {
    const lines = (unfinishedLine + decoder.decode(bytes, { stream: true })).split('\n')
    unfinishedLine = lines.pop()!
    if (unfinishedLine.length > maxRowLength)
      throw badFile(`A line is longer than ${maxRowLength} characters. JSONL has one JSON object on each line.`)
    yield* lines
  }
  yield unfinishedLine
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parseLine = (text: string, number: number): JsonLine => {
  let object: unknown
  try {
    object = JSON.parse(text)
  } catch {
    throw badFile(`Line ${number} is not JSON. JSONL has one JSON object on each line.`)
  }
  if (!isObject(object)) throw badFile(`Line ${number} is not a JSON object. JSONL has one JSON object on each line.`)
  return { text, object }
}

async function* objectsOf(content: Content): AsyncGenerator<JsonLine> {
  let number = 0
  for await (const line of linesOf(content)) {
    number += 1
    const text = (number === 1 && line.startsWith(bom) ? line.slice(1) : line).trim()
    if (text !== '') yield parseLine(text, number)
  }
}

/**
 * Adds a field to the text of an object. The rest stays exactly as it is, including numbers with more digits than
 * JavaScript can represent.
 */
const withField = (text: string, key: string, value: unknown, isEmpty: boolean) =>
  `${text.slice(0, -1).trimEnd()}${isEmpty ? '' : ','}${JSON.stringify(key)}:${JSON.stringify(value)}}`

const fieldOf = (object: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : valueAt(object, name)

/** Opens a file with one JSON object per line. @throws Failure `invalid_input` */
export const openJsonl = async (content: Content): Promise<Table> => {
  const first: JsonLine[] = []
  for await (const line of objectsOf(content)) if (first.push(line) >= firstRows) break
  const columns = [...new Set(first.flatMap(({ object }) => Object.keys(object)))]
  if (columns.length === 0) throw badFile('The file has no rows with fields. JSONL has one JSON object on each line.')
  /** The columns, and nested fields that `find` was asked for. */
  const names = [...columns]

  const rowOf = ({ text, object }: JsonLine, at: number): TableRow => ({
    at,
    width: 0,
    value: (column) => fieldOf(object, names[column]!),
    line(added) {
      const keys = Object.keys(object)
      return `${withField(text, distinctFrom(keys, [addedKey])[0]!, Object.fromEntries(added), keys.length === 0)}\n`
    },
  })

  return {
    format: 'jsonl',
    columns,
    find(name) {
      const present = names.indexOf(name)
      if (present !== -1) return present
      return first.some(({ object }) => valueAt(object, name) !== undefined) ? names.push(name) - 1 : undefined
    },
    async *rows() {
      let at = 0
      for await (const line of objectsOf(content)) {
        yield rowOf(line, at)
        at += 1
      }
    },
    head: () => '',
  }
}
