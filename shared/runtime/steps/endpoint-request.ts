import { fail, failField, fillPath } from '#kit'
import type { EndpointProfile, FieldWire, FieldWireSpec, Json, Query, Scalar } from '#kit'
import type { SessionRequest } from './session.ts'
import type { Loaded } from '../catalogue/registry.ts'

type Values = Record<string, unknown>

export const endpointOf = (loaded: Loaded, name: string): EndpointProfile => {
  const endpoint = loaded.wire.endpoints?.[name]
  if (!endpoint) throw fail('internal', `The wire profile of ${loaded.integration.id} has no endpoint "${name}".`)
  return endpoint
}

export const unset = (loaded: Loaded, ...parts: string[]) =>
  fail(
    'wire_unset',
    `The provider's documents do not show this: the operator has to set "wire.${[loaded.integration.id, ...parts].join('.')}" in the wire override. Nothing was sent.`,
  )

const fits = ({ mailHosts }: FieldWireSpec, value: unknown) => mailHosts === undefined || mailHosts.includes(String(value).split('@').at(-1)!.toLowerCase())

const specOf = (wire: FieldWire | undefined, value: unknown): FieldWireSpec | undefined => {
  if (wire === undefined || wire === null) return undefined
  if (typeof wire === 'string') return { name: wire }
  return Array.isArray(wire) ? wire.find((spec) => fits(spec, value)) : wire
}

const cast = (ours: string, value: unknown, spec: FieldWireSpec): Json => {
  if (Array.isArray(value)) {
    const { as, ...single } = spec
    const items = value.map((item) => cast(ours, item, as === 'number' ? spec : single))
    return as === 'string' ? items.join(',') : items
  }
  let wire = value as Scalar
  if (spec.map) {
    const word = Object.keys(spec.map).find((known) => known.toLowerCase() === String(value).toLowerCase())
    if (word === undefined) throw failField(ours, `"${String(value)}" is not a value of "${ours}" here. Use one of: ${Object.keys(spec.map).join(', ')}.`)
    wire = spec.map[word]!
  }
  if (spec.as === 'string') return String(wire)
  if (spec.as === 'number') {
    if (!Number.isFinite(Number(wire))) throw failField(ours, `"${ours}" goes to the provider as a number; "${String(wire)}" is none.`)
    return Number(wire)
  }
  return spec.as === 'list' ? [wire] : wire
}

/** Sets a dotted name in a tree: `filters.title` → `{ filters: { title } }`. */
export const setAt = (tree: { [name: string]: Json }, dotted: string, value: Json) => {
  const names = dotted.split('.')
  const last = names.pop()!
  let at = tree
  for (const name of names) at = (at[name] ??= {}) as { [name: string]: Json }
  at[last] = value
}

const inPath = ({ path }: EndpointProfile, ours: string) => path?.includes(`{${ours}}`) ?? false

/** The first of the values for which the provider's name is not known. */
const unnamed = (endpoint: EndpointProfile, values: Values): string | undefined =>
  Object.keys(values).find(
    (ours) => values[ours] !== undefined && !inPath(endpoint, ours) && (specOf(endpoint.fields[ours], values[ours])?.name ?? null) === null,
  )

/** Our values as the endpoint wants them: wire names, words and types. Throws `wire_unset` where a name is not known. */
export const wireValues = (loaded: Loaded, name: string, values: Values): { [wire: string]: Json } => {
  const endpoint = endpointOf(loaded, name)
  const missing = unnamed(endpoint, values)
  if (missing !== undefined) throw unset(loaded, 'endpoints', name, 'fields', missing)
  const out: { [wire: string]: Json } = {}
  const put = (wire: string, value: Json) => (endpoint.place === 'json' ? setAt(out, wire, value) : (out[wire] = value))
  for (const [wire, value] of Object.entries(endpoint.constants ?? {})) put(wire, value)
  for (const [ours, value] of Object.entries(values)) {
    const spec = specOf(endpoint.fields[ours], value)
    if (value !== undefined && !inPath(endpoint, ours) && spec?.name) put(spec.name, cast(ours, value, spec))
  }
  return out
}

/** The identifier sets this provider has names for. Throws `wire_unset` for the strongest where it has them for none. */
export const usableSets = (loaded: Loaded, name: string, sets: Values[]): Values[] => {
  const endpoint = endpointOf(loaded, name)
  const usable = sets.filter((set) => unnamed(endpoint, set) === undefined)
  if (usable.length > 0) return usable
  if (endpoint.path === null) throw unset(loaded, 'endpoints', name, 'path')
  const missing = unnamed(endpoint, sets[0] ?? {})
  throw missing === undefined ? fail('internal', `A lookup of "${name}" was asked without an identifier.`) : unset(loaded, 'endpoints', name, 'fields', missing)
}

/** The request of one endpoint call. `extra` holds wire values beside our fields (paging). */
export const endpointRequest = (loaded: Loaded, name: string, values: Values, extra?: { json?: { [dotted: string]: Json }; query?: Query }): SessionRequest => {
  const endpoint = endpointOf(loaded, name)
  if (endpoint.path === null) throw unset(loaded, 'endpoints', name, 'path')
  const wire = wireValues(loaded, name, values)
  for (const [dotted, value] of Object.entries(extra?.json ?? {})) setAt(wire, dotted, value)
  const query = { ...(endpoint.place === 'query' ? (wire as Query) : {}), ...extra?.query }
  return {
    method: endpoint.method,
    path: fillPath(endpoint.path, values as Record<string, string>),
    ...(Object.keys(query).length > 0 ? { query } : {}),
    ...(endpoint.place === 'json' ? { body: wire } : {}),
    redirects: endpoint.redirects,
  }
}
