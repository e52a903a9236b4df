/** Reads an output: its records, their names and links, what is empty, and what is an id. Pure, and of any provider. */
import { isId } from '../../ui/words.ts'

export type Row = Record<string, unknown>

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isRows = (value: unknown): value is Row[] => Array.isArray(value) && value.length > 0 && value.every(isRow)
const isPlain = (value: unknown) => typeof value !== 'object' || value === null

const maxDepth = 6

/** Whether there is nothing in a value, however deep. */
export const isBlank = (value: unknown, depth = 0): boolean => {
  if (value === undefined || value === null || value === '') return true
  if (typeof value !== 'object' || depth > maxDepth) return false
  return Object.values(value).every((part) => isBlank(part, depth + 1))
}

export const valueAt = (row: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (isRow(value) ? value[name] : undefined), row)

const maxFields = 400

/** The fields of a record by dotted paths: those inside its objects, and its lists as a whole. */
export const leavesOf = (row: Row, depth = 0): [path: string, value: unknown][] =>
  Object.entries(row)
    .flatMap(([name, value]): [string, unknown][] =>
      isRow(value) && depth < maxDepth && Object.keys(value).length > 0
        ? leavesOf(value, depth + 1).map(([inner, innerValue]) => [`${name}.${inner}`, innerValue])
        : [[name, value]],
    )
    .slice(0, maxFields)

const nameKeys = ['name', 'fullName', 'displayName', 'title']
const linkKeys = ['url', 'htmlUrl', 'html_url', 'link', 'website', 'linkedinUrl']
const textKeys = [...nameKeys, 'text', 'message', 'value', 'number', 'username']

const lastOf = (path: string) => path.slice(path.lastIndexOf('.') + 1)
export const isNamePath = (path: string) => nameKeys.includes(lastOf(path))

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

const isWeb = (value: unknown): value is string => typeof value === 'string' && /^https?:\/\//i.test(value)
/** What people know a record as. */
export const nameOf = (row: Row): string | undefined => nameKeys.map((key) => row[key]).find(isText)

/** The field that holds the page of a record at the provider. */
export const linkKeyOf = (row: Row) => linkKeys.find((key) => isWeb(row[key]))

/** Whether a field holds ids, by its name. */
export const isIdPath = (path: string) => /^(?:ids?|id[A-Z].*|.*(?:Ids?|_ids?|Slug))$/.test(lastOf(path))
/** Whether a field is for programs alone: the id of the record itself, the mark of the next page, a checksum. */
export const isForPrograms = (path: string, value: unknown) =>
  /^(?:id|next|cursor|untrusted|.*(?:[hH]ash|sha\d+))$/.test(lastOf(path)) || (path.endsWith('Link') && !isWeb(value))
/** Whether a value can only be an id. */
export const isIdValue = (value: unknown): boolean => typeof value === 'string' && isId(value)

const maxNamed = 5_000

/** The names of the records of an output, by id. */
export const namesIn = (output: unknown): Map<string, string> => {
  const names = new Map<string, string>()
  const look = (value: unknown, depth: number) => {
    if (isPlain(value) || depth > maxDepth || names.size > maxNamed) return
    const { id } = value as Row
    const name = isRow(value) ? nameOf(value) : undefined
    if (typeof id === 'string' && name !== undefined) names.set(id, name)
    for (const part of Object.values(value as Row)) look(part, depth + 1)
  }
  look(output, 0)
  return names
}

/** A record in one line: its name, or the first of its texts, with what kind it is. */
export const lineOf = (row: Row): string => {
  const key = textKeys.find((textKey) => isText(row[textKey]) || typeof row[textKey] === 'number')
  const leaf = leavesOf(row).find(([path, value]) => isText(value) && !isIdPath(path) && !isIdValue(value))
  const text = key === undefined ? leaf?.[1] : row[key]
  const { type } = row
  return text === undefined ? '' : `${String(text)}${isText(type) && key !== undefined ? ` (${type})` : ''}`
}

export type FileRef = { id: string; name: string }
const maxFiles = 50

/** The server's files that an output refers to as `{ file: "<id>" }`. */
export const filesIn = (output: unknown): FileRef[] => {
  const files = new Map<string, FileRef>()
  const look = (value: unknown, depth: number) => {
    if (isPlain(value) || depth > maxDepth || files.size >= maxFiles) return
    const { file, name } = value as Row
    if (typeof file === 'string' && /^fil_[\w-]+$/.test(file))
      files.set(file, { id: file, name: typeof name === 'string' ? name : 'the file' })
    for (const part of Object.values(value as Row)) look(part, depth + 1)
  }
  look(output, 0)
  return [...files.values()]
}
