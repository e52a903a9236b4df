import { recordShapes, setAt, valueAt, withAges } from '#kit'
import type { EndpointProfile, FieldReader, Found, Json, RecordAlias, RecordShape } from '#kit'

type Aliases = { [ours: string]: RecordAlias }

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const asIs: FieldReader = (value) => (value === undefined || value === null || value === '' ? undefined : value)
const none: RecordShape = { fields: {}, finish: (record) => record }
const shapeOf = (kind: string | undefined): RecordShape | undefined =>
  kind !== undefined && Object.hasOwn(recordShapes, kind) ? recordShapes[kind] : undefined

/** The value at the first path that the reader accepts. */
const firstOf = (raw: unknown, paths: string[], read: FieldReader): unknown => {
  for (const path of paths) {
    const rawValue = asIs(valueAt(raw, path))
    const value = rawValue === undefined ? undefined : read(rawValue)
    if (value !== undefined) return value
  }
  return undefined
}

const listOf = (raw: unknown, alias: Exclude<RecordAlias, string[]>, readers: { [ours: string]: FieldReader }) =>
  alias.lists.flatMap(({ at, item, set }) => {
    const rawList = asIs(valueAt(raw, at))
    const items = Array.isArray(rawList) ? rawList : rawList === undefined ? [] : [rawList]
    return items.flatMap((rawItem) => {
      const entries = Object.entries(item).map(
        ([ours, paths]) => [ours, firstOf(rawItem, paths, readers[ours] ?? asIs)] as const,
      )
      const presentEntries = entries.filter(([, value]) => value !== undefined)
      return presentEntries.length > 0 ? [{ ...set, ...Object.fromEntries(presentEntries) }] : []
    })
  })

const readField = (raw: unknown, alias: RecordAlias, reader: RecordShape['fields'][string] | undefined): unknown => {
  if (Array.isArray(alias)) return firstOf(raw, alias, typeof reader === 'function' ? reader : asIs)
  const entries = listOf(raw, alias, typeof reader === 'object' ? reader : {})
  return entries.length > 0 ? entries : undefined
}

/**
 * Our record from the provider's, read by the profile's alias paths into the shape of its kind. A missing value is
 * omitted: it is unknown, not "none".
 */
export const normaliseRecord = (raw: unknown, kind: string | undefined, aliases: Aliases): Record<string, unknown> => {
  const shape = shapeOf(kind) ?? none
  const record: Record<string, unknown> = {}
  for (const [ours, alias] of Object.entries(aliases)) {
    const value = readField(raw, alias, shape.fields[ours])
    if (value !== undefined) record[ours] = value
  }
  return shape.finish(record)
}

/**
 * A found record in the common shape of results. Text from the provider is marked untrusted: it may contain
 * instructions.
 */
export const foundRecord = (
  raw: unknown,
  as: { kind: string | undefined; aliases: Aliases },
  from: { provider: string; endpoint: string; at: number; matchedBy?: string | undefined },
): Found => {
  const at = new Date(from.at).toISOString()
  const record = normaliseRecord(raw, as.kind, as.aliases)
  return {
    matched: true,
    ...(from.matchedBy === undefined ? {} : { matchedBy: from.matchedBy }),
    record: shapeOf(as.kind) ? withAges(record, at) : record,
    raw: raw as Json,
    provenance: { provider: from.provider, endpoint: from.endpoint, at, untrusted: true },
  }
}

/** A record with those of its parts that are elsewhere in the answer. */
export const withJoins = ({ joins }: Pick<EndpointProfile, 'joins'>, raw: unknown, whole: unknown): unknown => {
  if (!joins || !isTree(raw)) return raw
  const joined = (joins.some(({ into }) => into.includes('.')) ? structuredClone(raw) : { ...raw }) as {
    [name: string]: Json
  }
  for (const { into, from, by } of joins) {
    const [key, parts] = [valueAt(raw, by), valueAt(whole, from)]
    const name = typeof key === 'number' ? String(key) : key
    if (typeof name === 'string' && isTree(parts) && Object.hasOwn(parts, name))
      setAt(joined, into, parts[name] as Json)
  }
  return joined
}

export type RecordReading = { record: unknown; at: string } | { none: true } | { unclear: string }

const isBlank = (value: unknown) =>
  value === null ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (isTree(value) && Object.keys(value).length === 0)

/** The value at a dotted path; `blank` when the path ends early in null or in something empty. */
const partAt = (body: unknown, dotted: string): { value: unknown } | 'blank' | undefined => {
  let at = body
  for (const name of dotted === '' ? [] : dotted.split('.')) {
    if (at !== body && isBlank(at)) return 'blank'
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Record<string, unknown>)[name]
  }
  return isBlank(at) || at === undefined ? 'blank' : { value: at }
}

/**
 * The single record of an answer. The first path that is present decides: null or an empty value there means no record,
 * so that `{ person: null, message: "…" }` does not become a record itself. With `recordIs` "object", a list is not a
 * record.
 */
export const takeRecord = (body: unknown, paths: string[], recordIs?: 'object'): RecordReading => {
  for (const at of paths) {
    if (recordIs === 'object' && Array.isArray(valueAt(body, at)))
      return { unclear: 'The provider answered with a list where the wire profile expects one object.' }
    const part = partAt(body, at)
    // Only a rule may declare an empty body a no match: many servers return one for a wrong address.
    if (part === undefined || (at === '' && part === 'blank')) continue
    if (part === 'blank') return { none: true }
    const { value } = part
    if (isTree(value)) return { record: value, at }
    // A text under that name belongs to a record without a wrapper: { "company": "…", "domain": "…" }.
    if (!Array.isArray(value)) continue
    if (value.length > 1)
      return { unclear: `The provider answered with ${value.length} records where one was asked for.` }
    return isBlank(value[0]) ? { none: true } : { record: value[0], at }
  }
  return { unclear: 'The provider answered, but not with a record where the wire profile expects one.' }
}

/** The list of records in an answer; undefined when it contains none. */
export const takeList = (body: unknown, paths: string[]): unknown[] | undefined => {
  if (Array.isArray(body) && paths.includes('')) return body
  for (const at of paths) {
    const part = partAt(body, at)
    if (at === '' && part === 'blank') continue
    if (part === 'blank') return []
    if (part !== undefined && Array.isArray(part.value)) return part.value
  }
  return undefined
}
