import { asText } from '#kit'
import type { Ref, SentWrite } from '#kit'

/**
 * Whether an id is long and not a mere number or word, so that no two objects of a provider share it, whatever their
 * kinds.
 */
const isUnique = (text: string) => /^[A-Za-z0-9_-]{6,64}$/.test(text) && !/^([a-z]+|\d+)$/.test(text)
const isWord = (text: string | undefined): text is string => text !== undefined && /^[A-Za-z][A-Za-z_-]+$/.test(text)
/** The same kind for `issues` in a path, `idIssue` in a body and `issue` in an event. */
const kindOf = (word: string) => word.toLowerCase().replace(/s$/, '')
const maxId = 300

/** The key of an object: its id when that is unique, otherwise its kind and id; empty when they are not enough. */
const keyOf = (kind: string | undefined, id: unknown): string[] => {
  if (typeof id !== 'string' && typeof id !== 'number') return []
  const text = asText(id)
  if (isUnique(text)) return [text]
  return isWord(kind) && text !== '' && text.length <= maxId ? [`${kindOf(kind)}:${text}`] : []
}
export const keysOf = (objects: readonly Ref[]): string[] => [
  ...new Set(objects.flatMap(({ kind, id }) => keyOf(kind, id))),
]
const isShort = (text: string) => /^\d+$/.test(text) || (text.length > 0 && text.length < 6)

/**
 * Keys of the objects that a write names: in its path, in body fields named id, idSomething or something_id, and by the
 * id in its reply.
 */
export const writtenKeys = ({ path, body, reply }: Pick<SentWrite, 'path' | 'body' | 'reply'>): string[] => {
  const segments = path.split('/')
  const collection = segments.findLast((segment) => isWord(segment) && !isUnique(segment))
  const inPath = segments.flatMap((segment, n) =>
    isUnique(segment) ? [segment] : isShort(segment) ? keyOf(segments[n - 1], segment) : [],
  )
  const named = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : []
  const inBody = named.flatMap(([name, value]) => {
    const kind =
      /^id([A-Z]\w*)$/.exec(name)?.[1] ?? /^(\w+?)_?[iI]d$/.exec(name)?.[1] ?? (name === 'id' ? collection : undefined)
    return kind === undefined ? [] : keyOf(kind, value)
  })
  const answered = typeof reply === 'object' && reply !== null ? keyOf(collection, (reply as { id?: unknown }).id) : []
  return [...new Set([...answered, ...inPath, ...inBody])]
}
