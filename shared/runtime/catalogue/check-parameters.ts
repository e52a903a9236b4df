import { nearestName } from '#kit'
import type { ApiOperation, ApiParameter, FieldError, Json, Query } from '#kit'

type Place = 'query' | 'body'
/** What is wrong with a call of a documented endpoint, and what its caller should know. */
export type Findings = { errors: FieldError[]; warnings: string[] }
export type CallParameters = { query?: Query | undefined; body?: Json | undefined }

const maxWarnings = 10
/** More errors would repeat the same mistake, and they are both sent and stored. */
const maxErrors = 20
const shown = (name: string) => `"${name.slice(0, 60)}"`
export const pointerTo = (...parts: (string | number)[]) =>
  parts.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const kinds: Record<ApiParameter['type'], string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  any: 'any value',
}

/** Providers read text that spells a number, true or false as that value, and an empty text as "none". */
const spells = { number: /^-?\d+(\.\d+)?$/, integer: /^-?\d+$/, boolean: /^(true|false)$/i }

const isScalar = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const fitsType = (type: ApiParameter['type'], value: unknown, place: Place): boolean => {
  if (value === null || value === '' || type === 'any') return true
  // All values of a query are text.
  if (type === 'string') return typeof value === 'string' || (place === 'query' && isScalar(value))
  if (type === 'object') return isObject(value) || (place === 'query' && typeof value === 'string')
  if (typeof value === 'string') return spells[type].test(value.trim())
  if (type === 'boolean') return typeof value === 'boolean'
  return type === 'integer' ? Number.isInteger(value) : typeof value === 'number'
}

const pieces = (value: unknown): unknown[] =>
  typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value]

const checkType = (
  parameter: ApiParameter,
  value: unknown,
  { place, isRead }: { place: Place; isRead: boolean },
): string | undefined => {
  const kind = kinds[parameter.type]
  if (parameter.list)
    return pieces(value).every((item) => fitsType(parameter.type, item, place))
      ? undefined
      : `is a list whose items are each ${kind}.`
  // Filters of a read often accept several words, although the documentation types them as one text.
  if (Array.isArray(value) && isRead && parameter.type === 'string') return undefined
  if (!Array.isArray(value) || parameter.type === 'any')
    return fitsType(parameter.type, value, place) ? undefined : `is ${kind}.`
  return `is ${kind}, not a list.`
}

const checkChoice = ({ name, choices, list }: ApiParameter, value: unknown): string | undefined => {
  if (
    !choices ||
    list ||
    typeof value !== 'string' ||
    value === '' ||
    choices.includes(value) ||
    spells.number.test(value)
  )
    return undefined
  return `${shown(name)} is not among the documented values: ${choices.slice(0, 12).join(', ')}${choices.length > 12 ? ' …' : ''}.`
}

/** Checks the parameters of a call against the documentation of its endpoint. */
export const checkParameters = (operation: ApiOperation, { query, body }: CallParameters): Findings => {
  const { method, path, parameters } = operation
  const what = `${method} ${path}`
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const taken = parameters.filter((parameter) => parameter.in !== 'path').map(({ name }) => name)
  const findings: Findings = { errors: [], warnings: [] }
  const refuse = (pointer: string, message: string) => {
    if (findings.errors.length < maxErrors) findings.errors.push({ pointer, message })
  }
  const warn = (message: string) => {
    if (findings.warnings.length < maxWarnings) findings.warnings.push(message)
  }

  const checkUnknown = (name: string, pointer: string) => {
    const meant = nearestName(name, taken)
    if (meant === undefined)
      return warn(`${shown(name)} is not among the documented parameters of ${what}; it goes out as given.`)
    refuse(pointer, `${shown(name)} is not a parameter of ${what}. Did you mean "${meant}"?`)
  }
  const checkOne = (name: string, value: unknown, pointer: string, place: Place) => {
    const parameter = byName.get(name)
    if (parameter === undefined) return checkUnknown(name, pointer)
    if (parameter.in === 'path')
      return refuse(pointer, `"${name}" of ${what} is part of the path. Remove it from the ${place}.`)
    if (parameter.in !== 'either' && parameter.in !== place)
      return refuse(pointer, `"${name}" of ${what} goes in "${parameter.in}", not in "${place}".`)
    const wrong = checkType(parameter, value, { place, isRead: method === 'GET' })
    if (wrong !== undefined) return refuse(pointer, `"${name}" of ${what} ${wrong}`)
    const unusual = checkChoice(parameter, value)
    if (unusual !== undefined) warn(unusual)
  }
  const checkAll = (values: unknown, place: Place, ...at: number[]) => {
    if (!isObject(values)) return
    for (const [name, value] of Object.entries(values as object))
      if (value !== undefined) checkOne(name, value, pointerTo(place, ...at, name), place)
  }

  checkAll(query, 'query')
  if (operation.body !== 'list') checkAll(body, 'body')
  else if (Array.isArray(body)) for (const [at, item] of body.entries()) checkAll(item, 'body', at)
  else if (body !== undefined) refuse('/body', `The body of ${what} is a list of objects.`)
  return findings
}
