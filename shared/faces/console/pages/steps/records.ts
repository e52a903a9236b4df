/** Finds what can be shown of an output as a table, and the files it refers to. */
type Row = Record<string, unknown>
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The records of an output: the output itself, or the longest list of objects one level down. */
export const recordsOf = (output: unknown): { name: string; rows: Row[] } | undefined => {
  const isList = (value: unknown): value is Row[] => Array.isArray(value) && value.length > 0 && value.every(isRow)
  if (isList(output)) return { name: 'Records', rows: output }
  if (!isRow(output)) return undefined
  const lists = Object.entries(output).filter((entry): entry is [string, Row[]] => isList(entry[1]))
  const [longest] = lists.toSorted(([, left], [, right]) => right.length - left.length)
  return longest && { name: longest[0], rows: longest[1] }
}

const maxFields = 200

/** The fields of a record, with nested fields named by dotted paths. */
export const fieldsOf = (record: Row): [field: string, value: unknown][] =>
  Object.entries(record)
    .flatMap(([name, value]): [string, unknown][] =>
      isRow(value) && Object.keys(value).length > 0
        ? Object.entries(value).map(([inner, innerValue]) => [`${name}.${inner}`, innerValue])
        : [[name, value]],
    )
    .slice(0, maxFields)

const maxColumns = 12
const isPlain = (value: unknown) => typeof value !== 'object' || value === null

const isBlank = (value: unknown) => value === undefined || value === null || value === ''

/** Fields that have a value in some record: those with plain values first, otherwise in order of appearance. */
export const columnsOf = (rows: Row[]): string[] => {
  const some = rows.slice(0, 50)
  const names = [...new Set(some.flatMap((row) => Object.keys(row).filter((name) => !isBlank(row[name]))))]
  const isPlainEverywhere = (name: string) => some.every((row) => isPlain(row[name]))
  return [...names.filter(isPlainEverywhere), ...names.filter((name) => !isPlainEverywhere(name))].slice(0, maxColumns)
}

const maxText = 200
/** The text of a value in one table cell. */
export const cellOf = (value: unknown): string => {
  if (isBlank(value)) return ''
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text
}

export type FileRef = { id: string; name: string }
const maxDepth = 6
const maxFiles = 50

/** The server's files that an output refers to as `{ file: "<id>" }`. */
export const filesIn = (output: unknown): FileRef[] => {
  const files = new Map<string, FileRef>()
  const look = (value: unknown, depth: number) => {
    if (isPlain(value) || depth > maxDepth || files.size >= maxFiles) return
    const { file, name } = value as Row
    if (typeof file === 'string' && /^file_[\w-]+$/.test(file))
      files.set(file, { id: file, name: typeof name === 'string' ? name : file })
    for (const part of Object.values(value as Row)) look(part, depth + 1)
  }
  look(output, 0)
  return [...files.values()]
}
