import type { AuditEntry } from '../ports/index.ts'

/**
 * The longest text of each field, in characters. A row stays for a year, so what a caller wrote must not make it long.
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
/** What a database may refuse, give back changed, or show as nothing: a hash over it would not fit any more. */
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** At most `max` characters, without those. */
export const safeText = (text: unknown, max: number): string | null => {
  if (text === null || text === undefined) return null
  // Callers of the library are not checked by a schema.
  if (typeof text !== 'string') return '?'
  const short = text.length > max ? text.slice(0, max) : text
  return plain.test(short) ? short : short.replace(unsafe, '?')
}

/** The same entry where nothing changes, as in nearly every run. */
const withTexts = (entry: AuditEntry, change: (field: Field) => string | null): AuditEntry => {
  let changed = entry
  for (const field of fields) {
    const text = change(field)
    if (text !== entry[field]) changed = { ...changed, [field]: text }
  }
  return changed
}

/**
 * The row as it is written: every text short, and without characters that a database may refuse. The one place that
 * bounds an audit row.
 */
export const bounded = (entry: AuditEntry): AuditEntry =>
  withTexts(entry, (field) => safeText(entry[field], lengths[field]))

/** Texts in which a caller's own words may be. */
const free: readonly Field[] = ['actor', 'startId', 'connection', 'decision']

/** The same row for a store that refuses it for its text: what may be a caller's words is `?`. */
export const withoutFreeText = (entry: AuditEntry): AuditEntry =>
  withTexts(entry, (field) => {
    const text = entry[field]
    return text !== null && (free.includes(field) || !plain.test(text)) ? '?' : text
  })

/** Ids that exist here; the record of who did what names no others. */
export type KnownNames = { has(integration: string, step?: string): boolean }

/** An id of ours as it was given; anything else is text of a caller and does not belong in the record. */
export const idOf = (value: string | null | undefined): string | null =>
  typeof value === 'string' && /^[a-z]{2,4}_[\w-]{1,60}$/.test(value) ? value : null

const maxParts = 40

/** Names of collections whose next part is an id. */
const isCollection = (part: string) => part.length > 2 && part.endsWith('s')
const isWord = (part: string) => /^(v?\d{1,2}|[a-z]{2,32}(-[a-z]{1,32})*|[a-z]+([A-Z][a-z]+){1,4})$/.test(part)

/**
 * A provider path without what it is about: `/1/items/{id}/comments/{id}`. A part is shown only where it is a word and
 * does not follow the name of a collection, so that neither ids nor user names nor tokens are written down.
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
