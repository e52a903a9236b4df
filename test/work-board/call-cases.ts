/**
 * Calls of the board's operations, right ones and wrong ones, made from the table that the tests have of the vendor's
 * description.
 */
import { readFileSync } from 'node:fs'
import type { Parameter, ParameterTable } from '../../scripts/board-parameters.ts'

export type Call = { method: string; path: string; query?: Record<string, unknown>; body?: Record<string, unknown> }
/** `field`: pointer to what is wrong. */
export type WrongCall = { call: Call; kind: 'type' | 'place' | 'name'; field: string }

const table = JSON.parse(readFileSync(new URL('parameters.json', import.meta.url), 'utf8')) as ParameterTable

const id = '5abbe4b7ddc1b351ef961414'
/** Values for parts of a path of which the description lists the choices. */
const inPath: Record<string, string> = { channel: 'email', blockedKeys: 'notification_comment_card' }
const fieldsOf: Record<string, string> = {
  actions: 'data',
  boards: 'name',
  cards: 'name',
  checklists: 'name',
  labels: 'name',
  lists: 'name',
  members: 'username',
  notifications: 'date',
  organizations: 'name',
  webhooks: 'active',
}

const fill = (path: string) =>
  path.replaceAll('${', '{').replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'field') return fieldsOf[path.split('/')[2]!]!
    return name === 'filter' ? 'open' : (inPath[name] ?? id)
  })

const values: Record<string, unknown> = {
  id,
  string: 'text',
  boolean: true,
  number: 2.5,
  integer: 3,
  object: { text: 'x' },
  'id[]': [id],
  'string[]': ['a'],
}
const rightValue = ({ type }: Parameter): unknown =>
  type === 'object[]'
    ? [{ idCustomField: id }]
    : values[type.split('|').find((typeName) => typeName in values) ?? 'string']

export type Operation = { name: string; method: string; path: string; parameters: [string, Parameter][] }
export const operations: Operation[] = Object.entries(table).map(([name, parameters]) => {
  const [method = '', path = ''] = name.split(' ')
  return { name, method, path: `/1${path}`, parameters: Object.entries(parameters) }
})

const isWrite = (method: string) => method === 'POST' || method === 'PUT'
/** Where a parameter may go: those that the description puts into the query of a write are taken in the body too. */
const placesOf = ({ method }: Operation, { in: place }: Parameter) =>
  place === 'query' && isWrite(method) ? (['query', 'body'] as const) : ([place as 'query' | 'body'] as const)

/** A right call with these parameters, each where it may go. */
export const callOf = (
  operation: Operation,
  parameters: [string, Parameter][],
  pick: <T>(from: readonly T[]) => T,
): Call => {
  const call: Call = { method: operation.method, path: fill(operation.path) }
  for (const [name, parameter] of parameters) {
    if (parameter.in === 'path') continue
    const value = rightValue(parameter)
    // A query holds no objects.
    const places =
      typeof value === 'object' && !Array.isArray(value)
        ? placesOf(operation, parameter).filter((placeName) => placeName === 'body')
        : placesOf(operation, parameter)
    const place = pick(places)
    ;(call[place] ??= {})[name] = value
  }
  return call
}

/** mulberry32: the same numbers on every run. */
export const seeded = (seed: number) => {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { below, pick: <T>(from: readonly T[]): T => from[below(from.length)]! }
}

const wrongValues: Record<string, unknown[]> = {
  boolean: ['perhaps', 7, ['x'], { a: 1 }],
  integer: ['three', 1.5, true, { a: 1 }],
  number: ['many', true, { a: 1 }],
  string: [{ a: 1 }, 5, true],
  id: [{ a: 1 }, 5, false],
  object: [5, true, ['x'], 'text'],
}
/** In a query a number or a truth value is the text that spells it, and a text may be the form of an object. */
const inQuery = (type: string, value: unknown) =>
  type === 'string' || type === 'id' ? typeof value === 'object' : type !== 'object'

const misspell = (name: string, { below }: ReturnType<typeof seeded>): string => {
  const at = below(name.length)
  const cut = name.slice(0, at) + name.slice(at + 1)
  return [
    cut,
    `${name.slice(0, at)}q${name.slice(at)}`,
    `${name.slice(0, at)}Q${name.slice(at + 1)}`,
    cut.slice(0, -1),
  ][below(4)]!
}

/** The description says text, but the service takes more: see `types` in scripts/board-operations.ts. */
const looser = new Set(['POST /customFields options', 'PUT /notifications/{id}/unread value'])

/** One wrong call, if the operation has a parameter for it. */
export const wrongCallOf = (
  operation: Operation,
  kind: WrongCall['kind'],
  random: ReturnType<typeof seeded>,
): WrongCall | undefined => {
  const parameters = operation.parameters.filter(([, { in: place }]) => place !== 'path')
  if (parameters.length === 0) return undefined
  const [name, parameter] = random.pick(parameters)
  const call = callOf(
    operation,
    parameters.filter(([other]) => other !== name && random.below(3) === 0),
    random.pick,
  )
  const put = (place: 'query' | 'body', field: string, value: unknown): WrongCall => {
    ;(call[place] ??= {})[field] = value
    return { call, kind, field: `/${place}/${field.replaceAll('~', '~0').replaceAll('/', '~1')}` }
  }
  const place = random.pick(placesOf(operation, parameter))
  if (kind === 'type') {
    // `pos` is a place or a number; the description calls some lists and choices by the type of one value.
    if (
      name === 'pos' ||
      looser.has(`${operation.name} ${name}`) ||
      !(parameter.type in wrongValues) ||
      /fields$/i.test(name)
    )
      return undefined
    const value = random.pick(wrongValues[parameter.type]!)
    return place === 'query' && !inQuery(parameter.type, value) ? undefined : put(place, name, value)
  }
  if (kind === 'place') {
    const places = placesOf(operation, parameter)
    if (places.length === 2) {
      const path = random.pick([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part!))
      // A parameter of the body may have the name of one of the path.
      return path === undefined || parameters.some(([other]) => other === path) ? undefined : put(place, path, id)
    }
    const other = places[0] === 'query' ? 'body' : 'query'
    // A GET request has no body at all.
    return other === 'query' && parameter.type.startsWith('object')
      ? undefined
      : put(other, name, rightValue(parameter))
  }
  const wrong = misspell(name, random)
  if (wrong.length < 2 || operation.parameters.some(([knownName]) => knownName === wrong)) return undefined
  return put(place, wrong, rightValue(parameter))
}
