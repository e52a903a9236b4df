import type { EndpointProfile, FieldWireSpec, WireProfile } from '#kit'

/** A wrong setting, as a dotted path, and why its value is not possible. */
export type Wrong = { where: string; why: string }

type Endpoints = NonNullable<WireProfile['endpoints']>
type Fields = EndpointProfile['fields']

/** Every spec object of every field; a field may be sent in several ways. */
export const specsOf = (fields: Fields = {}): [field: string, spec: FieldWireSpec][] =>
  Object.entries(fields).flatMap(([field, wire]) =>
    (Array.isArray(wire) ? wire : [wire]).flatMap((spec): [string, FieldWireSpec][] =>
      typeof spec === 'object' && spec !== null ? [[field, spec]] : [],
    ),
  )

const unknownWord = ({ map, flags, labels = {}, default: defaultValue }: FieldWireSpec): string | undefined => {
  const words = map ?? flags
  if (words === undefined || defaultValue === undefined) return undefined
  const knownWords = [...Object.keys(words), ...Object.values(labels)].map((word) => word.toLowerCase())
  return [defaultValue]
    .flat()
    .map(String)
    .find((word) => !knownWords.includes(word.toLowerCase()))
}

const wrongField = (at: string, field: string, spec: FieldWireSpec, inQuery: boolean): Wrong | undefined => {
  const word = unknownWord(spec)
  if (word !== undefined)
    return { where: `${at}.${field}.default`, why: `"${word}" is none of the words of "${spec.map ? 'map' : 'flags'}"` }
  const [shape] = [spec.template].flat()
  if (inQuery && typeof shape === 'object' && shape !== null)
    return { where: `${at}.${field}.template`, why: 'a query holds texts and numbers, no objects' }
  return undefined
}

const wrongBulk = (at: string, { bulk, fields }: EndpointProfile): Wrong | undefined => {
  if (!bulk) return undefined
  const own = bulk.fields ?? fields
  const stray = bulk.beside?.find((field) => !Object.hasOwn(own, field))
  if (stray !== undefined)
    return {
      where: `${at}.bulk.beside`,
      why: `there is no field "${stray}" in "${bulk.fields ? 'bulk.fields' : 'fields'}"`,
    }
  const beside = bulk.constants ? 'constants' : bulk.beside?.length ? 'beside' : undefined
  if (bulk.envelope === '' && beside !== undefined)
    return { where: `${at}.bulk.${beside}`, why: 'nothing can be beside the list where "envelope" is empty' }
  return undefined
}

/** The circle of endpoints that resolve each other's values, starting from `name`; undefined: there is none. */
const circleFrom = (endpoints: Endpoints, name: string, before: string[] = []): string[] | undefined => {
  if (before.includes(name)) return [...before, name]
  const { fields, bulk } = endpoints[name] ?? {}
  for (const [, { resolve, choices }] of [...specsOf(fields), ...specsOf(bulk?.fields)]) {
    const endpointName = (choices ?? resolve)?.endpoint
    const circle = endpointName === undefined ? undefined : circleFrom(endpoints, endpointName, [...before, name])
    if (circle) return circle
  }
  return undefined
}

/** A GET request has no body, so nothing that belongs into a body would be sent. */
const wrongPlace = (at: string, { method, place, page, bulk }: EndpointProfile): Wrong | undefined => {
  if (method === 'GET' && place === 'json')
    return { where: `${at}.place`, why: 'a GET request has no body: "place" has to be "query", or "method" another' }
  if (page?.place === 'json' && place !== 'json')
    return { where: `${at}.page.place`, why: 'this request has no body: it has to be "query"' }
  if (bulk?.method === 'GET')
    return { where: `${at}.bulk.method`, why: 'a GET request has no body, which the list of a bulk request goes into' }
  return undefined
}

/** What could not be sent to an endpoint. Each part must already be valid by itself. */
export const wrongRequest = (endpoints: Endpoints, name: string, endpoint: EndpointProfile): Wrong | undefined => {
  const at = `endpoints.${name}`
  const { fields, bulk, envelope, place, path, requires } = endpoint
  const misplaced = wrongPlace(at, endpoint)
  if (misplaced) return misplaced
  if (envelope && place !== 'json')
    return { where: `${at}.envelope`, why: 'a query has no envelope: "place" has to be "json"' }
  const besideNone = envelope?.beside?.find((field) => !Object.hasOwn(fields, field))
  if (besideNone !== undefined)
    return { where: `${at}.envelope.beside`, why: `there is no field "${besideNone}" in "fields"` }
  const stray = requires?.flat().find((field) => !Object.hasOwn(fields, field) && !path?.includes(`{${field}}`))
  if (stray !== undefined) return { where: `${at}.requires`, why: `there is no field "${stray}" in "fields"` }
  const circle = circleFrom(endpoints, name)
  if (circle) return { where: `${at}.fields`, why: `values are asked for in a circle: ${circle.join(' → ')}` }
  const wrong = [
    ...specsOf(fields).map(([field, spec]) => wrongField(`${at}.fields`, field, spec, place === 'query')),
    ...specsOf(bulk?.fields).map(([field, spec]) => wrongField(`${at}.bulk.fields`, field, spec, false)),
  ]
  return wrong.find((problem) => problem !== undefined) ?? wrongBulk(at, endpoint)
}
