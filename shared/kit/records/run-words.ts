import type { NamedRef, Names, Sentence } from '../sentence.ts'
import { namePart, say } from '../sentence.ts'

/** What a run with records of people and companies has done, in words; every provider returns the same shapes. */

export type RecordKind = 'person' | 'company'
type Fields = { [field: string]: unknown }

const nouns = { person: ['person', 'people'], company: ['company', 'companies'] } as const
/** No event or run teaches more names than this. */
const maxNames = 50

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const textIn = (value: unknown, field: string): string => {
  const text = fieldsOf(value)[field]
  return typeof text === 'string' ? text : ''
}
const numberIn = (value: unknown, field: string): number | undefined => {
  const number = fieldsOf(value)[field]
  return typeof number === 'number' ? number : undefined
}
const rowsIn = (output: unknown): unknown[] => {
  const { results } = fieldsOf(output)
  return Array.isArray(results) ? results : []
}

const nounOf = (kind: RecordKind, count: number) => nouns[kind][count === 1 ? 0 : 1]
const counted = (kind: RecordKind, count: number) => `${count === 0 ? 'no' : count} ${nounOf(kind, count)}`

/** The thing of a record; undefined without an id, since a person is never referred to by anything else. */
const refOf = (kind: RecordKind, record: unknown): NamedRef | undefined => {
  const id = textIn(record, 'id')
  if (id === '') return undefined
  const whole = [textIn(record, 'firstName'), textIn(record, 'lastName')].join(' ').trim()
  return { kind, id, name: textIn(record, kind === 'person' ? 'fullName' : 'name') || (kind === 'person' ? whole : '') }
}

/** `Found Wattlebird Freight`, or that there is no match. */
export const describeLookup = (kind: RecordKind, output: unknown, names: Names): Sentence => {
  const { matched, record } = fieldsOf(output)
  if (matched !== true) return say`Found no matching ${nouns[kind][0]}`
  const ref = refOf(kind, record)
  return say`Found ${ref === undefined ? `1 ${nouns[kind][0]}` : namePart('what', ref, `a ${nouns[kind][0]}`, names)}`
}

/** `Found 25 people`, with how many there are in all where the provider says so. */
export const describeRecordSearch = (kind: RecordKind, output: unknown): Sentence => {
  const count = rowsIn(output).length
  const total = numberIn(output, 'total')
  return total !== undefined && total > count
    ? say`Found ${`${count} of ${counted(kind, total)}`}`
    : say`Found ${counted(kind, count)}`
}

/** `Enriched 40 of 50 companies`, with how many failed. */
export const describeMany = (verb: string, kind: RecordKind, output: unknown): Sentence => {
  const { summary } = fieldsOf(output)
  const records = numberIn(summary, 'records') ?? rowsIn(output).length
  const [matched, failed] = [numberIn(summary, 'matched') ?? 0, numberIn(summary, 'failed') ?? 0]
  const result = matched === 0 && records > 0 ? 'none' : matched
  return say`${verb} ${`${result} of ${counted(kind, records)}${failed === 0 ? '' : `; ${failed} failed`}`}`
}

/** The people and companies of a result that have an id, and the employers of the people. */
export const namesOfRecords = (kind: RecordKind, output: unknown): NamedRef[] => {
  const byKey = new Map<string, NamedRef>()
  const add = (ref: NamedRef | undefined) => {
    if (ref && ref.name !== '' && byKey.size < maxNames) byKey.set(`${ref.kind}:${ref.id}`, ref)
  }
  for (const result of [output, ...rowsIn(output)]) {
    const { record } = fieldsOf(result)
    add(refOf(kind, record))
    const [id, name] = [textIn(record, 'companyId'), textIn(record, 'company')]
    if (kind === 'person' && id !== '') add({ kind: 'company', id, name })
    if (byKey.size === maxNames) break
  }
  return [...byKey.values()]
}

/** The words of paths that providers of such records use; any other segment may name somebody, and is not shown. */
const segments = new Set(
  'account api api_search autocomplete bulk bulk_match combined companies company contact contacts credits discover domain-search email-count email-finder email-verifier enrich find identify match mixed_companies mixed_people organizations people person prospecting retrieve reveal search search-and-enrich usage usage_stats v1 v2 v3 v5'.split(
    ' ',
  ),
)
const methodWord = /^[A-Z]{3,7}$/

/** `Called POST /person/bulk`: the method, and the path without what it names. */
export const describeRecordCall = (input: unknown, output: unknown): Sentence => {
  const [method, path] = [textIn(input, 'method'), textIn(input, 'path')]
  const [before = ''] = path.slice(0, 400).split('?')
  const shown = before.split('/').map((segment) => (segment === '' || segments.has(segment) ? segment : '…'))
  const status = numberIn(output, 'status') ?? 0
  const answer = status >= 400 ? `, which answered ${status}` : ''
  return say`Called ${methodWord.test(method) ? method : 'a method of'} ${shown.join('/')}${answer}`
}

/** `Found 2 endpoints` */
export const describeEndpoints = (output: unknown): Sentence => {
  const { endpoints } = fieldsOf(output)
  const count = Array.isArray(endpoints) ? endpoints.length : 0
  return say`Found ${`${count === 0 ? 'no' : count} ${count === 1 ? 'endpoint' : 'endpoints'}`}`
}
