import { isWork, statementsOf, valueDate } from '#kit'
import { entriesOf, mergedFields } from './record-fields.ts'
import type { Entry, Fields, Kind } from './record-fields.ts'

/**
 * Who gave a value, and when. `confidence` and `updatedAt` are the provider's, for the record or for the address.
 * `asOf`: how old the value is, RFC 3339: the provider's date, or when it was read where the provider has none.
 */
export type Source = {
  provider: string
  connection: string
  at: string
  asOf: string
  confidence?: string | number
  updatedAt?: string
}
/** The record of one provider. */
export type Part = { source: Source; record: Fields }
/** Values on which providers disagree; the combined record has the first one. */
export type Conflict = { field: string; values: ({ value: unknown } & Source)[] }
export type CombinedRecord = { record: Fields; sources: { [field: string]: Source[] }; conflicts: Conflict[] }

const lists: { [list: string]: string } = { emails: 'value', phones: 'number', socialProfiles: 'url' }
/** Fields derived from other fields of the combined record. */
const derived = new Set(['email'])

const plain = (value: unknown): unknown =>
  typeof value === 'string' ? value.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase() : value
const isSame = (value: unknown, other: unknown) => JSON.stringify(plain(value)) === JSON.stringify(plain(other))

const digits = (phone: string) => phone.replace(/\D/g, '').replace(/^0+/, '')
/** Whether two texts are one number: written nationally, and with the country code. */
const isSamePhone = (phone: string, other: string) => {
  const [short, long] = [digits(phone), digits(other)].toSorted((left, right) => left.length - right.length) as [
    string,
    string,
  ]
  return short.length >= 7 ? long.endsWith(short) : phone === other
}
const isSameEntry = (key: string, entry: Entry, other: Entry) =>
  entry.e164 !== undefined && other.e164 !== undefined
    ? entry.e164 === other.e164
    : key === 'number'
      ? isSamePhone(String(entry[key]), String(other[key]))
      : isSame(entry[key], other[key])

/** The source of a value, or of a whole record, with what the provider says of it. */
export const sourceOf = <T extends Omit<Source, 'asOf'> & { asOf?: string }>(
  source: T,
  { confidence, updatedAt }: Entry,
): T & Source => ({
  ...source,
  asOf: valueDate([updatedAt], source.asOf ?? source.at),
  ...(confidence === undefined ? {} : { confidence: confidence as string | number }),
  ...(updatedAt === undefined ? {} : { updatedAt: String(updatedAt) }),
})

const strict = ['unknown', 'no', 'yes']
const stricter = (value: unknown, other: unknown) =>
  strict[Math.max(strict.indexOf(String(value)), strict.indexOf(String(other)), 0)]!

type SourcedEntry = { entry: Entry; from: (Source & Entry)[] }

const isStated = (value: unknown) => value !== undefined && value !== 'unknown'

/** Joins the statements of two providers: the first that says something, and the stricter do-not-call flag. */
const joinStatements = (first: Entry, other: Entry): Entry => ({
  ...other,
  ...Object.fromEntries(Object.entries(first).filter(([name, value]) => isStated(value) || other[name] === undefined)),
  ...('doNotCall' in first ? { doNotCall: stricter(first.doNotCall, other.doNotCall) } : {}),
})

const disputable = ['deliverable', 'line', 'doNotCall']
const statementNames = [...disputable, 'e164']

const sourceAlone = (source: Source & Entry): Source =>
  Object.fromEntries(Object.entries(source).filter(([name]) => !statementNames.includes(name))) as Source

/** Statements on which the providers of one entry disagree. */
const conflictsOf = (title: string, from: (Source & Entry)[]): Conflict[] =>
  disputable.flatMap((name) => {
    const statingSources = from.filter((source) => isStated(source[name]))
    return new Set(statingSources.map((source) => source[name])).size < 2
      ? []
      : [
          {
            field: `${name} of ${title}`,
            values: statingSources.map((source) => ({ value: source[name], ...sourceAlone(source) })),
          },
        ]
  })

/**
 * One entry per address or number, with everybody who gave it. A number that any provider marks do-not-call is marked
 * so.
 */
const mergeList = (list: string, key: string, all: Part[], conflicts: Conflict[]): Entry[] => {
  const mergedEntries: SourcedEntry[] = []
  for (const { source, record } of all) {
    for (const entry of entriesOf(record, list)) {
      const statements = statementsOf(list, entry, record)
      const from = { ...sourceOf(source, entry), ...statements }
      const mergedEntry = mergedEntries.find((candidate) =>
        isSameEntry(key, candidate.entry, { ...entry, ...statements }),
      )
      if (!mergedEntry) mergedEntries.push({ entry: { ...entry, ...statements }, from: [from] })
      else {
        mergedEntry.from.push(from)
        mergedEntry.entry = {
          ...entry,
          ...mergedEntry.entry,
          ...joinStatements(statementsIn(mergedEntry.entry), statements),
        }
      }
    }
  }
  for (const { entry, from } of mergedEntries) conflicts.push(...conflictsOf(String(entry[key]), from))
  return mergedEntries.map(({ entry, from }) => ({ ...entry, asOf: newestOf(from), from }))
}

const statementsIn = (entry: Entry): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => statementNames.includes(name)))
const newestOf = (from: Source[]): string =>
  from
    .map(({ asOf }) => asOf)
    .toSorted()
    .at(-1)!

const isList = (value: unknown): value is string[] => Array.isArray(value)

const mergeField = (name: string, all: Part[], { record, sources, conflicts }: CombinedRecord) => {
  const having = all.filter((part) => part.record[name] !== undefined)
  const [first] = having
  if (!first) return
  const value = first.record[name]
  if (isList(value)) {
    record[name] = having
      .flatMap((part) => part.record[name] as string[])
      .filter((item, index, items) => items.findIndex((candidate) => isSame(candidate, item)) === index)
    sources[name] = having.map(({ source }) => source)
    return
  }
  record[name] = value
  sources[name] = having.filter((part) => isSame(part.record[name], value)).map(({ source }) => source)
  if (sources[name].length < having.length)
    conflicts.push({ field: name, values: having.map((part) => ({ value: part.record[name], ...part.source })) })
}

/**
 * Combines the records of several providers, in their order: of single values the first is used, and lists are joined.
 */
export const merge = (kind: Kind, all: Part[]): CombinedRecord => {
  const merged: CombinedRecord = { record: {}, sources: {}, conflicts: [] }
  for (const name of mergedFields(kind)) {
    const key = lists[name]
    if (derived.has(name)) continue
    if (key === undefined) mergeField(name, all, merged)
    else {
      const entries = mergeList(name, key, all, merged.conflicts)
      if (entries.length > 0) merged.record[name] = entries
    }
  }
  const emails = entriesOf(merged.record, 'emails')
  const email = emails.find(isWork) ?? emails[0]
  if (kind === 'person' && email) merged.record.email = email.value
  return merged
}
