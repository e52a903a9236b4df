import { valueAt } from '#kit'
import type { EndpointProfile, Json } from '#kit'
import { normalName } from '../../wire/guard/names.ts'
import type { ApiRequest } from './check-call.ts'

/** Fields that make the price of a request unknown: `unbounded` of a profile's endpoint. */

type Values = Record<string, unknown>

/** Our field that makes the price of a lookup unknown; undefined when its price is known. */
export const unboundedField = ({ unbounded = [] }: EndpointProfile, all: readonly Values[]): string | undefined =>
  unbounded.find((field) => all.some((values) => values[field] !== undefined && values[field] !== false))

const namesOf = ({ unbounded = [], fields }: EndpointProfile): string[] =>
  unbounded.flatMap((field) => {
    const wire = fields[field]
    return [wire ?? []].flat().flatMap((spec) => (typeof spec === 'string' ? spec : (spec.name ?? [])))
  })

const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The keys that are the name in another spelling, which servers may accept. */
const spellingsOf = (place: unknown, name: string): string[] =>
  isObject(place) ? Object.keys(place).filter((key) => normalName(key) === normalName(name)) : []

/**
 * The provider's name of the field that makes the price of a caller's own request unknown. Only `false` at its place in
 * the body, and nowhere else, rules that out: providers treat a missing field as true.
 */
export const unboundedName = (endpoint: EndpointProfile, { query, body }: ApiRequest): string | undefined =>
  namesOf(endpoint).find(
    (name) =>
      valueAt(body, name) !== false ||
      [...spellingsOf(query, name), ...spellingsOf(body, name)].some((key) => key !== name),
  )

/** The body, with `false` for each of these fields that the caller left out. */
export const bounded = (endpoint: EndpointProfile, { query, body }: ApiRequest): Json | undefined => {
  if (!isObject(body)) return body
  const missingNames = namesOf(endpoint).filter(
    (name) => [...spellingsOf(query, name), ...spellingsOf(body, name)].length === 0,
  )
  return missingNames.length === 0
    ? body
    : { ...body, ...Object.fromEntries(missingNames.map((name) => [name, false])) }
}
