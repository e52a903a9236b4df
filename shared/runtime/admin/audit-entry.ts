import type { AuditEntry } from '../ports/index.ts'

/**
 * Maximum length of each text field, in characters. A row is stored for a year, so a caller must not be able to make it
 * long.
 */
const lengths = {
  actor: 256,
  startId: 256,
  runId: 64,
  integration: 64,
  connection: 64,
  method: 10,
  path: 512,
  outcome: 32,
  decision: 2_000,
  keyId: 64,
} as const
type Field = keyof typeof lengths
const fields = Object.keys(lengths) as Field[]

const plain = /^[\x20-\x7e]*$/
/**
 * Characters that a database may refuse, return changed or show as nothing. A hash over them would not match any more.
 */
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** A text of at most `max` characters, with unsafe characters replaced by `?`. */
export const safeText = (text: unknown, max: number): string | null => {
  if (text === null || text === undefined) return null
  // Library callers are not checked by a schema.
  if (typeof text !== 'string') return '?'
  const short = text.length > max ? text.slice(0, max) : text
  return plain.test(short) ? short : short.replace(unsafe, '?')
}

/** Returns the same object when no text changes, as in nearly every run. */
const withTexts = (entry: AuditEntry, change: (field: Field) => string | null): AuditEntry => {
  let changed = entry
  for (const field of fields) {
    const text = change(field)
    if (text !== entry[field]) changed = { ...changed, [field]: text }
  }
  return changed
}

/**
 * The entry as it is written: every text short, and without characters that a database may refuse. The only place that
 * bounds audit rows.
 */
export const bounded = (entry: AuditEntry): AuditEntry =>
  withTexts(entry, (field) => safeText(entry[field], lengths[field]))

/** Fields that may contain text written by a caller. */
const free: readonly Field[] = ['actor', 'startId', 'connection', 'decision']

/** The same entry for a store that refuses its text: everything a caller may have written becomes `?`. */
export const withoutFreeText = (entry: AuditEntry): AuditEntry =>
  withTexts(entry, (field) => {
    const text = entry[field]
    return text !== null && (free.includes(field) || !plain.test(text)) ? '?' : text
  })

/** Names that exist here; the audit log names no others. */
export type KnownNames = { has(integration: string, step?: string): boolean }

/** The value if it has the form of our ids; anything else is a caller's text and does not belong in the audit log. */
export const idOf = (value: string | null | undefined): string | null =>
  typeof value === 'string' && /^[a-z]{2,4}_[\w-]{1,60}$/.test(value) ? value : null

const maxParts = 40

/** Whether a part names a collection, so that the next part is an id. */
const isCollection = (part: string) => part.length > 2 && part.endsWith('s')
const isWord = (part: string) => /^(v?\d{1,2}|[a-z]{2,32}(-[a-z]{1,32})*|[a-z]+([A-Z][a-z]+){1,4})$/.test(part)

/**
 * A provider path without ids: `/1/items/{id}/comments/{id}`. A part is kept only if it is a word and does not follow
 * the name of a collection, so that no ids, user names or tokens are recorded.
 */
export const pathTemplate = (path: string): string => {
  let [shown, before, at] = ['', '', 1]
  for (let count = 0; count < maxParts && at <= path.length; count += 1) {
    const next = path.indexOf('/', at)
    const part = path.slice(at, next === -1 ? path.length : next)
    const keep = part === '' || (isWord(part) && !isCollection(before))
    before = keep ? part : ''
    shown += keep ? `/${part}` : '/{id}'
    at += part.length + 1
  }
  return shown === '' ? '/' : shown
}
