/** An output as people read it first: what it is about, what is said of it, and its lists. */
import {
  isBlank,
  isForPrograms,
  isIdPath,
  isIdValue,
  isNamePath,
  isRow,
  isRows,
  leavesOf,
  lineOf,
  linkKeyOf,
  nameOf,
  valueAt,
} from './records.ts'
import type { Row } from './records.ts'
import type { TitleOf } from './titles.ts'

export type Fact = { path: string; title: string; value: unknown }
/** A record: its name, its page at the provider, and what is said of it. */
export type Thing = { name: string | undefined; link: string | undefined; id: string | undefined; facts: Fact[] }
/** `inner`: the field of each row that holds the record, where the row says how it was found. */
export type Listing = { name: string; title: string; rows: Row[]; inner: string | undefined; paths: string[] }
export type Readable = { facts: Fact[]; things: Thing[]; lists: Listing[] }

/** `names`: the known names of things, by id. */
export type Reading = { titleOf: TitleOf; names: Map<string, string> }

/** How many fields are shown at once where nobody has said which matter. */
const maxFacts = 10

/** An id as the name of what it stands for; undefined where nobody knows that. */
const namedValue = (path: string, value: unknown, { names }: Reading): unknown => {
  if (Array.isArray(value) && value.length > 0 && value.every((item) => isIdPath(path) || isIdValue(item))) {
    const known = value.map((item) => names.get(String(item))).filter((name) => name !== undefined)
    return known.length === value.length ? known : undefined
  }
  if (isIdPath(path) || isIdValue(value)) return names.get(String(value))
  return value
}

const firstOf = (path: string) => path.split('.', 1)[0]!
const below = (paths: string[], first: string) =>
  paths.flatMap((path) => (path.startsWith(`${first}.`) ? [path.slice(first.length + 1)] : []))

/** Paths as far as they lead through objects: what is inside a list belongs to its one field. */
const whole = (row: Row, paths: string[]): string[] => [
  ...new Set(
    paths.flatMap((path) => {
      const parts = path.split('.')
      for (let at = 1; at <= parts.length; at += 1) {
        const head = parts.slice(0, at).join('.')
        const value = valueAt(row, head)
        if (!isRow(value)) return [head]
        if (at === parts.length) return leavesOf(value).map(([inner]) => `${head}.${inner}`)
      }
      return [path]
    }),
  ),
]

/** Ids by name and the things themselves say the same. */
const inLines = (value: unknown): string =>
  JSON.stringify(Array.isArray(value) ? value.map((item) => (isRow(item) ? lineOf(item) : item)) : value)

/** The facts of a record that are not empty, each once. */
const factsOf = (row: Row, paths: string[], reading: Reading, without: (path: string) => boolean): Fact[] => {
  const facts: Fact[] = []
  for (const path of whole(row, paths)) {
    const stored = valueAt(row, path)
    const value = namedValue(path, stored, reading)
    if (isBlank(value) || isForPrograms(path, stored) || without(path)) continue
    const title = reading.titleOf(path)
    const same = facts.filter((fact) => fact.title === title)
    if (same.some((fact) => inLines(fact.value) === inLines(value))) continue
    const holder = path.split('.').slice(0, -1).join('.')
    facts.push({
      path,
      title: same.length > 0 && holder !== '' ? `${reading.titleOf(holder)}: ${title}` : title,
      value,
    })
  }
  return facts
}

const thingOf = (row: Row, paths: string[] | undefined, reading: Reading): Thing => {
  const name = nameOf(row)
  const linkKey = linkKeyOf(row)
  const isSaidAlready = (path: string) =>
    name !== undefined && (path === linkKey || (isNamePath(path) && !path.includes('.') && row[path] === name))
  const facts = factsOf(row, paths ?? leavesOf(row).map(([path]) => path), reading, isSaidAlready)
  return {
    name,
    link: linkKey === undefined ? undefined : String(row[linkKey]),
    id: typeof row['id'] === 'string' ? row['id'] : undefined,
    facts: paths === undefined ? facts.slice(0, maxFacts) : facts,
  }
}

/** The field that holds the record where most of what agents get is inside it, such as what a lookup found. */
const innerOf = (rows: Row[], paths: string[]): string | undefined => {
  const counts = new Map<string, number>()
  for (const path of paths) if (path.includes('.')) counts.set(firstOf(path), (counts.get(firstOf(path)) ?? 0) + 1)
  for (const [first, count] of counts)
    if (count > paths.length / 2 && rows.some((row) => isRow(row[first])) && rows.every((row) => !isRows(row[first])))
      return first
  return undefined
}

const listing = (name: string, rows: Row[], paths: string[], { titleOf }: Reading): Listing => ({
  name,
  title: name === '' ? 'Records' : titleOf(name),
  rows,
  inner: innerOf(rows, paths),
  paths,
})

/** A list of one record is that record. */
const asThing = ({ rows, inner, paths }: Listing, reading: Reading): Thing | undefined => {
  const [row] = rows
  if (rows.length !== 1 || !row) return undefined
  const record = inner === undefined ? row : row[inner]
  if (!isRow(record) || nameOf(record) === undefined) return undefined
  const own = inner === undefined ? paths : below(paths, inner)
  const thing = thingOf(record, own.length > 0 ? own : undefined, reading)
  const beside = inner === undefined ? [] : paths.filter((path) => firstOf(path) !== inner)
  return { ...thing, facts: [...factsOf(row, beside, reading, () => false), ...thing.facts] }
}

/** `fields`: what agents get, as dotted paths; null: all. */
export const readOutput = (output: unknown, fields: string[] | null, reading: Reading): Readable => {
  const lists: Listing[] = isRows(output) ? [listing('', output, [], reading)] : []
  if (!isRow(output)) return split({ facts: [], things: [], lists }, reading)
  const paths = fields ?? []
  const inner = innerOf([output], paths)
  if (nameOf(output) !== undefined)
    return { facts: [], things: [thingOf(output, fields ?? undefined, reading)], lists: [] }
  for (const [name, value] of Object.entries(output))
    if (isRows(value)) lists.push(listing(name, value, below(paths, name), reading))
  const record = inner === undefined ? undefined : output[inner]
  const isApart = (path: string) => firstOf(path) === inner || lists.some(({ name }) => name === firstOf(path))
  const facts = factsOf(output, fields ?? leavesOf(output).map(([path]) => path), reading, isApart)
  const things = isRow(record) && inner !== undefined ? [thingOf(record, below(paths, inner), reading)] : []
  return split({ facts: fields === null ? facts.slice(0, maxFacts) : facts, things, lists }, reading)
}

const split = ({ facts, things, lists }: Readable, reading: Reading): Readable => {
  const alone = lists.map((list) => ({ list, thing: asThing(list, reading) }))
  return {
    facts,
    things: [...things, ...alone.flatMap(({ thing }) => thing ?? [])],
    lists: alone.flatMap(({ list, thing }) => (thing ? [] : [list])),
  }
}

const maxColumns = 6
const maxRead = 50

/** Every column that a list can have: fields with a value in some row, those that agents get first. */
export const columnsOf = ({ rows, inner, paths }: Listing): { all: string[]; usual: string[] } => {
  const some = rows.slice(0, maxRead)
  const isFilled = (path: string) => some.some((row) => !isBlank(valueAt(row, path)))
  const own = [...new Set(some.flatMap((row) => whole(row, paths)))].filter(isFilled)
  const others = [...new Set(some.flatMap((row) => leavesOf(row).map(([path]) => path)))].filter(
    (path) => isFilled(path) && !own.includes(path),
  )
  const all = [...own, ...others]
  const record = inner === undefined ? '' : `${inner}.`
  const isNameOrLink = (path: string) =>
    path.startsWith(record) &&
    !path.slice(record.length).includes('.') &&
    (isNamePath(path) || some.some((row) => linkKeyOf(recordOf(row, inner)) === path.slice(record.length)))
  const isUsual = (path: string) =>
    !isNameOrLink(path) &&
    !isIdPath(path) &&
    !some.some((row) => isIdValue(valueAt(row, path)) || isForPrograms(path, valueAt(row, path)))
  return { all, usual: (paths.length > 0 ? own : all).filter(isUsual).slice(0, maxColumns) }
}

export const recordOf = (row: Row, inner: string | undefined): Row => {
  const record = inner === undefined ? row : row[inner]
  return isRow(record) ? record : {}
}

/** The value of a cell, with the names of what its ids stand for where they are known. */
export const cellAt = (row: Row, path: string, reading: Reading): unknown => {
  const value = valueAt(row, path)
  return namedValue(path, value, reading) ?? value
}
