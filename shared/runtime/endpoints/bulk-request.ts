import { asText, setAt, valueAt } from '#kit'
import type { EndpointProfile, Json } from '#kit'
import type { Reply } from '../../wire/types.ts'
import type { LoadedIntegration } from '../catalogue/registry.ts'
import { bulkFields, endpointOf, requireFields } from './endpoint-request.ts'
import { sentFields, setConstants, wireOf } from './field-values.ts'
import type { Fields, SentField, Values } from './field-values.ts'
import type { OutgoingRequest } from '../gate/pass.ts'

export type Bulk = NonNullable<EndpointProfile['bulk']>

export const hasBulk = (bulk: Bulk | undefined): bulk is Bulk => bulk !== undefined && bulk.path !== null

/**
 * One record of a bulk request. `beside`: its values that are sent beside the list. Records that differ in those go in
 * different requests (`group`).
 */
export type Item = { sets: Values[]; values: Values; body: Json; beside: { [wire: string]: Json }; group: string }

const pick = (fields: Fields, takes: (ours: string) => boolean): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([ours]) => takes(ours)))

/** The value of a field without the list that a single request would put it in. */
const bareValue = (field: SentField): Json => {
  const { as, ...spec } = field.spec
  return wireOf({ ...field, spec: as === undefined || as === 'list' ? spec : { ...spec, as } })[0]![1]
}

const bodyOf = (bulk: Bulk, fields: Fields, values: Values): Json => {
  const presentFields = sentFields(fields, values)
  if (bulk.items === 'value') return bareValue(presentFields[0]!)
  const sent = presentFields.flatMap(wireOf)
  const body: { [wire: string]: Json } = {}
  setConstants(body, bulk.itemConstants)
  for (const [wire, value] of sent) setAt(body, wire, value)
  return body
}

/** Builds the item of a record. @throws Failure saying why the record cannot be sent */
export const itemOf = (loaded: LoadedIntegration, name: string, bulk: Bulk, sets: Values[], values: Values): Item => {
  const at = bulkFields(loaded, name)
  requireFields(loaded, name, at, values)
  const isBeside = (ours: string) => bulk.beside?.includes(ours) ?? false
  const beside: Item['beside'] = {}
  if (bulk.beside)
    for (const [wire, value] of sentFields(pick(at.fields, isBeside), values).flatMap(wireOf))
      setAt(beside, wire, value)
  const fields = bulk.beside ? pick(at.fields, (ours) => !isBeside(ours)) : at.fields
  return { sets, values, body: bodyOf(bulk, fields, values), beside, group: bulk.beside ? JSON.stringify(beside) : '' }
}

/** The key by which the answer to an item is found, where answers name their items. */
const keyOf = (bulk: Bulk, { body }: Item, index: number) => (bulk.items === 'value' ? asText(body) : asText(index))

export const bulkRequest = (loaded: LoadedIntegration, name: string, bulk: Bulk, items: Item[]): OutgoingRequest => {
  const list = items.map((item, index) => {
    if (bulk.itemId !== undefined && bulk.items !== 'value')
      setAt(item.body as { [wire: string]: Json }, bulk.itemId, keyOf(bulk, item, index))
    return item.body
  })
  const body: { [wire: string]: Json } = {}
  setConstants(body, bulk.constants)
  setConstants(body, items[0]?.beside)
  if (bulk.envelope !== '') setAt(body, bulk.envelope, list)
  return {
    method: bulk.method ?? 'POST',
    path: bulk.path!,
    endpoint: name,
    body: bulk.envelope === '' ? list : body,
    redirects: endpointOf(loaded, name).redirects,
  }
}

const listIn = (bulk: Bulk, reply: Reply): unknown => {
  const paths = typeof bulk.answers === 'string' ? [bulk.answers] : (bulk.answers ?? [''])
  return paths
    .map((path) => valueAt(reply.body, path))
    .find((value) =>
      bulk.answer === 'array'
        ? Array.isArray(value)
        : typeof value === 'object' && value !== null && !Array.isArray(value),
    )
}

/**
 * The answers in the order of the items, undefined where one is missing. Undefined as a whole when they cannot be
 * assigned to the items.
 */
export const answersOf = (bulk: Bulk, reply: Reply, items: Item[]): unknown[] | undefined => {
  const list = listIn(bulk, reply)
  const keys = items.map((item, index) => keyOf(bulk, item, index))
  if (bulk.answer === 'byId' && list !== undefined)
    return keys.map((key) => (Object.hasOwn(list as object, key) ? (list as Values)[key] : undefined))
  const id = bulk.answerId ?? (bulk.items === 'value' ? undefined : bulk.itemId)
  if (Array.isArray(list) && id !== undefined) {
    const byKey = new Map(list.map((item) => [asText(valueAt(item, id)), item as unknown] as const))
    return keys.map((key) => byKey.get(key))
  }
  return Array.isArray(list) && list.length === items.length ? (list as unknown[]) : undefined
}
