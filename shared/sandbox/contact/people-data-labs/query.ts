/** The part of Elasticsearch's query language that this sandbox implements. */

type Clause = Record<string, unknown>
export type Test = (record: Record<string, unknown>) => boolean

/** Thrown for an invalid query, with a message for the caller. */
export class QueryProblem extends Error {}

const isObject = (value: unknown): value is Clause =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const valuesAt = (record: unknown, path: string): unknown[] => {
  const foundValues = path
    .split('.')
    .reduce<unknown[]>(
      (values, part) => values.flatMap((value) => (isObject(value) ? [value[part]].flat() : [])),
      [record],
    )
  return foundValues.filter((value) => value !== undefined && value !== null)
}

/** Reads `{ field: operand }` with exactly one field. */
const only = (name: string, value: unknown): [field: string, operand: unknown] => {
  const entries = isObject(value) ? Object.entries(value) : []
  const [entry, other] = entries
  if (entry === undefined || other !== undefined) throw new QueryProblem(`"${name}" has to name one field.`)
  return entry
}

const inner = (operand: unknown, key: string): unknown => (isObject(operand) ? operand[key] : operand)
const words = (text: unknown) =>
  String(text)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

const leaf = (name: string, value: unknown, test: (fieldValue: unknown, operand: unknown) => boolean): Test => {
  const [field, operand] = only(name, value)
  return (record) => valuesAt(record, field).some((fieldValue) => test(fieldValue, operand))
}

const compare = (fieldValue: unknown, operand: unknown): boolean => {
  if (!isObject(operand)) throw new QueryProblem('"range" needs gte, gt, lte or lt.')
  const { gte, gt, lte, lt } = operand as Record<string, number>
  const value = fieldValue as number
  return (
    (gte === undefined || value >= gte) &&
    (gt === undefined || value > gt) &&
    (lte === undefined || value <= lte) &&
    (lt === undefined || value < lt)
  )
}

const kinds: Record<string, (value: unknown) => Test> = {
  bool: (value) => {
    if (!isObject(value)) throw new QueryProblem('"bool" has to be an object.')
    const unknown = Object.keys(value).find((name) => !['must', 'filter', 'should', 'must_not'].includes(name))
    if (unknown !== undefined) throw new QueryProblem(`"bool" does not know "${unknown}".`)
    const { must = [], filter = [], should = [], must_not: mustNot = [] } = value
    const all = [must, filter].flat().map(testOf)
    const any = [should].flat().map(testOf)
    const none = [mustNot].flat().map(testOf)
    return (record) =>
      all.every((test) => test(record)) &&
      (any.length === 0 || all.length > 0 || any.some((test) => test(record))) &&
      !none.some((test) => test(record))
  },
  // Terms are neither lower-cased nor split into words: records are lower-case, so terms must be too.
  term: (value) => leaf('term', value, (fieldValue, operand) => fieldValue === inner(operand, 'value')),
  terms: (value) =>
    leaf('terms', value, (fieldValue, operand) => Array.isArray(operand) && operand.includes(fieldValue)),
  prefix: (value) =>
    leaf('prefix', value, (fieldValue, operand) => String(fieldValue).startsWith(String(inner(operand, 'value')))),
  match: (value) =>
    leaf('match', value, (fieldValue, operand) =>
      words(inner(operand, 'query')).some((word) => words(fieldValue).includes(word)),
    ),
  match_phrase: (value) =>
    leaf('match_phrase', value, (fieldValue, operand) =>
      words(fieldValue)
        .join(' ')
        .includes(words(inner(operand, 'query')).join(' ')),
    ),
  range: (value) => leaf('range', value, compare),
  exists: (value) => {
    const [key, field] = only('exists', value)
    if (key !== 'field') throw new QueryProblem('"exists" has to name a "field".')
    return (record) => valuesAt(record, String(field)).length > 0
  },
}

export const testOf = (clause: unknown): Test => {
  const [kind, value] = only('a clause', clause)
  const make = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (make === undefined)
    throw new QueryProblem(`[${kind}] is not a query that is read here. Known: ${Object.keys(kinds).join(', ')}.`)
  return make(value)
}
