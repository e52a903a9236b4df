import { fail, fillPath, readExcluded, setAt, treeAt } from '#kit'
import type { EndpointProfile, Json, Query, Scalar } from '#kit'
import type { OutgoingRequest } from '../gate/pass.ts'
import type { LoadedIntegration } from '../catalogue/registry.ts'
import { isNamed, ProviderValue, sentFields, setConstants, specOf, wiresOf } from './field-values.ts'
import type { Fields, SentField, Values } from './field-values.ts'

const setIt = ({ setting }: LoadedIntegration, parts: string[]) =>
  `the operator sets "${[setting, ...parts].join('.')}" in the wire override`

export const unset = (loaded: LoadedIntegration, ...parts: string[]) =>
  fail(
    'wire_unset',
    `The profile "${loaded.wire.profile}" of ${loaded.integration.id} does not say this: ${setIt(loaded, parts)}, or chooses another profile. Nothing was sent.`,
  )

/** What the fields of a request can say, as a sentence. */
const describeFields = (fields: Fields): string => {
  const named = Object.keys(fields).filter((ours) => isNamed(specOf(fields[ours], undefined)))
  const [takes, excludes] = [
    named.filter((ours) => !readExcluded(ours)),
    named.flatMap((ours) => readExcluded(ours) ?? []),
  ]
  const other = excludes.length > 0 ? `; it can exclude ${excludes.join(', ')}` : ''
  return takes.length > 0 ? ` It takes ${takes.join(', ')}${other}.` : ''
}

/** Names the field for the caller that passed it, and says what the provider has instead. */
const noSuchField = (loaded: LoadedIntegration, { fields, setting }: FieldsAt, ours: string) => {
  const filter = readExcluded(ours)
  const cannot = filter === undefined ? `"${ours}" cannot be used here` : `"${filter}" cannot be excluded here`
  const message = `${cannot}: the profile "${loaded.wire.profile}" of ${loaded.integration.id} has no such field.${describeFields(fields)} Leave it out, or ${setIt(loaded, [...setting, ours])}. Nothing was sent.`
  return fail('wire_unset', message, { errors: [{ pointer: `/${ours}`, message }] })
}

export const endpointOf = (loaded: LoadedIntegration, name: string): EndpointProfile => {
  const endpoint = loaded.wire.endpoints?.[name]
  if (!endpoint) throw unset(loaded, 'endpoints', name, 'path')
  return endpoint
}

/** Where the fields of a request are defined: in the endpoint, or in its bulk form. */
export type FieldsAt = { fields: Fields; setting: string[] }

export const singleFields = (loaded: LoadedIntegration, name: string): FieldsAt => ({
  fields: endpointOf(loaded, name).fields,
  setting: ['endpoints', name, 'fields'],
})
export const bulkFields = (loaded: LoadedIntegration, name: string): FieldsAt => {
  const { fields } = endpointOf(loaded, name).bulk ?? {}
  return fields ? { fields, setting: ['endpoints', name, 'bulk', 'fields'] } : singleFields(loaded, name)
}

const inPath = ({ path }: EndpointProfile, ours: string) => path?.includes(`{${ours}}`) ?? false

/** The first value for which the provider's field name is unknown. */
const unnamed = (endpoint: EndpointProfile, { fields }: FieldsAt, values: Values): string | undefined =>
  Object.keys(values).find(
    (ours) => values[ours] !== undefined && !inPath(endpoint, ours) && !isNamed(specOf(fields[ours], values[ours])),
  )

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== ''

const isEnough = ({ requires }: EndpointProfile, values: Values) =>
  !requires || requires.some((set) => set.every((ours) => isGiven(values[ours])))

const tooLittle = ({ requires = [] }: EndpointProfile) => {
  const message = `This provider needs more to go by. Give one of: ${requires.map((set) => set.join(' + ')).join(', ')}. Nothing was sent.`
  return fail('invalid_input', message, {
    errors: [...new Set(requires.flat())].map((ours) => ({ pointer: `/${ours}`, message })),
  })
}

/**
 * @throws Failure `wire_unset` when the profile has no path for the endpoint, or no name for one of the fields, and
 * `invalid_input` for a value that the provider has no word for
 */
export const requireNamed = (loaded: LoadedIntegration, name: string, values: Values) => {
  const endpoint = endpointOf(loaded, name)
  const at = singleFields(loaded, name)
  if (endpoint.path === null) throw unset(loaded, 'endpoints', name, 'path')
  const missing = unnamed(endpoint, at, values)
  if (missing !== undefined) throw noSuchField(loaded, at, missing)
  wiresOf(sentFields(at.fields, values))
}

/**
 * @throws Failure `wire_unset` for a value whose field name is unknown, `invalid_input` when the values do not satisfy
 * `requires`
 */
export const requireFields = (loaded: LoadedIntegration, name: string, at: FieldsAt, values: Values) => {
  const endpoint = endpointOf(loaded, name)
  const missing = unnamed(endpoint, at, values)
  if (missing !== undefined) throw noSuchField(loaded, at, missing)
  if (!isEnough(endpoint, values)) throw tooLittle(endpoint)
}

/**
 * The identifier sets that this provider has names for and accepts. @throws Failure `wire_unset` for the strongest set
 * when it has names for none, `invalid_input` when none satisfies `requires`
 */
export const usableSets = (
  loaded: LoadedIntegration,
  name: string,
  sets: Values[],
  at = singleFields(loaded, name),
): Values[] => {
  const endpoint = endpointOf(loaded, name)
  const named = sets.filter((set) => unnamed(endpoint, at, set) === undefined)
  const together = endpoint.identifiers === 'all' && isEnough(endpoint, Object.assign({}, ...named) as Values)
  const usable = together ? named : named.filter((set) => isEnough(endpoint, set))
  if (usable.length > 0) return usable
  if (endpoint.path === null) throw unset(loaded, 'endpoints', name, 'path')
  if (named.length > 0) throw tooLittle(endpoint)
  const missing = unnamed(endpoint, at, sets[0] ?? {})
  throw missing === undefined
    ? fail('internal', `A lookup of "${name}" was asked without an identifier.`)
    : noSuchField(loaded, at, missing)
}

const pathValues = (values: Values) =>
  Object.fromEntries(
    Object.entries(values).map(([ours, value]) => [ours, value instanceof ProviderValue ? value.value : value]),
  ) as Record<string, string>

const bodyOf = (endpoint: EndpointProfile, values: Values): { [wire: string]: Json } => {
  const { constants, envelope, fields } = endpoint
  const body: { [wire: string]: Json } = {}
  setConstants(body, constants)
  const at = envelope ? treeAt(body, envelope.as === 'list' ? `${envelope.at}.0` : envelope.at) : body
  setConstants(at, envelope?.constants)
  const sent = sentFields(fields, values).filter(({ ours }) => !inPath(endpoint, ours))
  const isBeside = ({ ours }: SentField) => envelope?.beside?.includes(ours) ?? false
  for (const [wire, value] of wiresOf(sent.filter(isBeside))) setAt(body, wire, value)
  for (const [wire, value] of wiresOf(sent.filter((field) => !isBeside(field)))) setAt(at, wire, value)
  return body
}

const queryOf = (endpoint: EndpointProfile, values: Values): Query => {
  const query: Query = { ...(endpoint.constants as { [wire: string]: Scalar } | undefined) }
  const sent = sentFields(endpoint.fields, values).filter(({ ours }) => !inPath(endpoint, ours))
  for (const [wire, value] of wiresOf(sent)) query[wire] = value as Scalar
  return query
}

/** The request of one endpoint call. `extra`: wire values beyond our fields, for paging. */
export const endpointRequest = (
  loaded: LoadedIntegration,
  name: string,
  values: Values,
  extra?: { json?: { [dotted: string]: Json }; query?: Query },
): OutgoingRequest => {
  const endpoint = endpointOf(loaded, name)
  if (endpoint.path === null) throw unset(loaded, 'endpoints', name, 'path')
  requireFields(loaded, name, singleFields(loaded, name), values)
  const query = { ...(endpoint.place === 'query' ? queryOf(endpoint, values) : {}), ...extra?.query }
  const body = endpoint.place === 'json' ? bodyOf(endpoint, values) : undefined
  for (const [dotted, value] of Object.entries(extra?.json ?? {})) if (body) setAt(body, dotted, value)
  return {
    method: endpoint.method,
    path: fillPath(endpoint.path, pathValues(values)),
    endpoint: name,
    ...(endpoint.effect === undefined ? {} : { effect: endpoint.effect, effectSource: endpoint.effectSource }),
    ...(Object.keys(query).length > 0 ? { query } : {}),
    ...(body ? { body } : {}),
    redirects: endpoint.redirects,
  }
}
