import type { Cost, EndpointProfile, FieldWireSpec, OperationPart, PricePart } from '#kit'
import type { LoadedIntegration, LoadedStep } from './registry.ts'

type Values = Record<string, unknown>

/** A price as the profile states it, as data and in words (`text`). */
export type EndpointPrice = Cost & { text: string }

/**
 * The price of one call before it is sent. `total`: minimum and maximum cost in credits, when the number of records is
 * known.
 */
export type Price = Cost & { text?: string; total?: [number, number] }

/**
 * A matched record, and the input values it was looked up with. `record` undefined: its content is unknown, so the full
 * price is assumed.
 */
export type FoundFor = { values: Values; record: Record<string, unknown> | undefined }
/** What is charged for: requests, requested records and matched records. */
export type Usage = { calls: number; recordCount: number; foundRecords: FoundFor[] }

const isThere = (value: unknown) =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

/** Whether a field was requested; all are when the input does not choose. */
const isAsked = (field: string, { reveal }: Values) =>
  Array.isArray(reveal) ? reveal.includes(field) : reveal === undefined || reveal === field

const counts = ({ wanted: field }: PricePart, { values, record }: FoundFor) =>
  field === undefined || (isAsked(field, values) && (record === undefined || isThere(record[field])))

/** How often a part is charged for a record that it counts for: as often as the field it goes by has values. */
const valuesOf = ({ each: field }: PricePart, values: Values): number =>
  field === undefined ? 1 : [values[field]].flat().filter(isThere).length

const timesOf = (part: PricePart, { calls, recordCount, foundRecords }: Usage): number => {
  const having = foundRecords
    .filter((foundRecord) => counts(part, foundRecord))
    .reduce((sum, { values }) => sum + valuesOf(part, values), 0)
  if (part.per === 'call') return part.wanted === undefined ? calls : Math.min(calls, having)
  return part.per === 'record' && part.wanted === undefined ? recordCount : having
}

/** The credits that a usage costs. */
export const chargeOf = (parts: PricePart[], usage: Usage): number =>
  parts.reduce((sum, part) => sum + part.credits * Math.ceil(timesOf(part, usage) / (part.of ?? 1)), 0)

/**
 * The price of one request to an endpoint; `many`: of a bulk request. Where a bulk request charges every record, a
 * price per match becomes a price per record.
 */
export const partsOf = ({ price, bulk }: EndpointProfile, many: boolean): PricePart[] | undefined => {
  if (!many || !bulk || bulk.path === null) return price
  if (bulk.price !== undefined || bulk.charge === 'match') return bulk.price ?? price
  return price?.map((part) => (part.per === 'match' && part.wanted === undefined ? { ...part, per: 'record' } : part))
}

/**
 * Minimum and maximum cost of requests for `recordCount` records. Assumes that up to `values.length` records match,
 * each looked up with one of `values`.
 */
export const quoteOf = (
  parts: PricePart[],
  { calls, recordCount, values }: { calls: number; recordCount: number; values: Values[] },
): [number, number] => [
  chargeOf(parts, { calls, recordCount, foundRecords: [] }),
  chargeOf(parts, {
    calls,
    recordCount,
    foundRecords: values.map((lookupValues) => ({ values: lookupValues, record: undefined })),
  }),
]

const resolveOf = (spec: FieldWireSpec | string | null) => (typeof spec === 'object' ? spec?.resolve : undefined)

/** The fields sent with a request; `many`: with a bulk request. */
const fieldsOf = ({ fields, bulk }: EndpointProfile, many: boolean) =>
  many && bulk && bulk.path !== null ? (bulk.fields ?? fields) : fields

/** `orElse`: credits assumed for one resolving request when its endpoint states no price. */
type Resolving = { many: boolean; orElse: number }

/**
 * Maximum cost of converting our values into the provider's. Of fields that share a wire name only one is sent, so only
 * one is converted. `values` undefined: any field may be given.
 */
const resolvePrice = (
  loaded: LoadedIntegration,
  endpoint: EndpointProfile,
  values: Values | undefined,
  { many, orElse }: Resolving,
): number => {
  const byName = new Map<string, number>()
  for (const [ours, wire] of Object.entries(fieldsOf(endpoint, many))) {
    if (values !== undefined && values[ours] === undefined) continue
    for (const spec of Array.isArray(wire) ? wire : [wire]) {
      const resolve = resolveOf(spec)
      if (!resolve || typeof spec !== 'object' || spec?.name == null) continue
      const parts = loaded.wire.endpoints?.[resolve.endpoint]?.price
      const fieldValue = values?.[ours]
      const all = Array.isArray(fieldValue) ? fieldValue : [fieldValue]
      const most = parts
        ? quoteOf(parts, { calls: all.length, recordCount: all.length, values: all.map(() => ({})) })[1]
        : orElse * all.length
      byName.set(spec.name, Math.max(byName.get(spec.name) ?? 0, most))
    }
  }
  return [...byName.values()].reduce((sum, most) => sum + most, 0)
}

const credits = (count: number) => `${count} ${count === 1 ? 'credit' : 'credits'}`
const perText: Record<PricePart['per'], string> = {
  call: 'a request',
  match: 'a match',
  record: 'a record asked for',
  results: 'a result',
}
const manyText: Record<PricePart['per'], string> = {
  call: 'requests',
  match: 'matches',
  record: 'records asked for',
  results: 'results',
}

const sayPart = ({ per, credits: count, of = 1, wanted: field, each, given: parameter }: OperationPart) => {
  const condition = field ?? each ?? parameter
  return `${credits(count)} ${of === 1 ? perText[per] : `for each ${of} ${manyText[per]} begun`}${condition === undefined ? '' : ` with ${condition}`}`
}

/**
 * The unit a price is stated in: calls if a request costs anything by itself, records if they are charged or a page
 * holds several, otherwise matches.
 */
const unitOf = (parts: PricePart[], resolve: number, { page }: EndpointProfile): Cost['per'] => {
  if (resolve > 0 || parts.length === 0 || parts.some(({ per }) => per === 'call')) return 'call'
  return page !== undefined || parts.some(({ per }) => per === 'record') ? 'record' : 'match'
}

/**
 * Minimum and maximum cost of one unit. Groups are charged whole once begun; in a request for many records, one record
 * counts as its share of a group.
 */
const typicalOf = (
  parts: PricePart[],
  per: Cost['per'],
  values: Values,
  { results, many }: { results: number; many: boolean },
): [number, number] => {
  if (per === 'call')
    return quoteOf(parts, { calls: 1, recordCount: 1, values: Array.from({ length: results }, () => values) })
  const [, most] = quoteOf(parts, { calls: 0, recordCount: 1, values: [values] })
  const certain = parts.filter(
    (part) => part.wanted === undefined && (per === 'match' || part.per === 'record' || results > 1),
  )
  return [
    certain.reduce((sum, { credits: count, of = 1 }) => sum + (many || results > 1 ? count / of : count), 0),
    most,
  ]
}

type Stating = {
  values?: Values | undefined
  many: boolean
  /** Credits for looking up ids in addition. */ resolve?: number
}

/** Values for showing a price that depends only on the values of fields: one value of each field. */
const anyValues = (all: OperationPart[]): Values =>
  all.every(({ each }) => each !== undefined) ? Object.fromEntries(all.map(({ each }) => [each!, true])) : {}

/** Combines the parts of a price into one, for a request to `endpoint`. */
export const stated = (
  all: OperationPart[],
  endpoint: EndpointProfile,
  { values = anyValues(all), many, resolve = 0 }: Stating,
): EndpointPrice => {
  const parts = all.filter(
    (part) =>
      part.credits > 0 && (part.wanted === undefined || isAsked(part.wanted, values)) && valuesOf(part, values) > 0,
  )
  const per = unitOf(parts, resolve, endpoint)
  const [least, most] = typicalOf(parts, per, values, { results: endpoint.page?.max ?? 1, many })
  const said = [...parts.map(sayPart), ...(resolve > 0 ? [`up to ${credits(resolve)} to look up an id`] : [])]
  return { unit: 'credit', per, typical: [least, most + resolve], text: said.length === 0 ? 'free' : said.join(', ') }
}

/**
 * The price that the profile states for an endpoint; undefined when it states none and the price of the step applies.
 * @param values the requested values, by our field names; absent: any
 * @param many whether it is a bulk request
 */
export const priceOf = (
  loaded: LoadedIntegration,
  name: string,
  values?: Values,
  many = false,
): EndpointPrice | undefined => {
  const endpoint = loaded.wire.endpoints?.[name]
  const all = endpoint && partsOf(endpoint, many)
  if (!all) return undefined
  return stated(all, endpoint, { values, many, resolve: resolvePrice(loaded, endpoint, values, { many, orElse: 0 }) })
}

const priceAt = (loaded: LoadedIntegration, name: string, input: Values | undefined): EndpointPrice | undefined => {
  const singlePrice = priceOf(loaded, name, input)
  if (singlePrice !== undefined && singlePrice.typical[1] > 0) return singlePrice
  return priceOf(loaded, name, input, true) ?? singlePrice
}

/** The price of a step that uses several endpoints in turn, by the last of them, which costs most. */
const joined = (prices: EndpointPrice[]): EndpointPrice | undefined => {
  const paid = prices.filter(({ typical }) => typical[1] > 0)
  const last = paid.at(-1)
  if (last === undefined || paid.length === 1) return last ?? prices[0]
  const sum = (end: 0 | 1) => paid.reduce((total, { typical }) => total + typical[end], 0)
  return { ...last, typical: [sum(0), sum(1)], text: paid.map(({ text }) => text).join('; then ') }
}

/**
 * The price of a step with this input (absent: any), as the profile states it for the endpoints that the step uses.
 * Undefined where it states none for one of them: that one may cost what the step does.
 */
export const statedPrice = ({ loaded, step }: LoadedStep, input?: Values): EndpointPrice | undefined => {
  const prices = (step.endpoints ?? []).map((name) => priceAt(loaded, name, input))
  const statedPrices = prices.filter((price) => price !== undefined)
  return statedPrices.length === prices.length ? joined(statedPrices) : undefined
}

const unlessFree = ({ text: _, ...cost }: EndpointPrice): Cost | undefined => (cost.typical[1] > 0 ? cost : undefined)

const ownCost = ({ step }: LoadedStep): Cost | undefined => (typeof step.cost === 'object' ? step.cost : undefined)

/** The price of a lookup that a step makes for one value; undefined: free. */
export const valueCost = (loadedStep: LoadedStep, name: string): Cost | undefined => {
  const price = priceOf(loadedStep.loaded, name)
  return price ? unlessFree(price) : ownCost(loadedStep)
}

/** Maximum cost of converting the values of one record into the provider's. */
export const valuesPrice = (loadedStep: LoadedStep, endpoint: EndpointProfile, values: Values, many: boolean): number =>
  resolvePrice(loadedStep.loaded, endpoint, values, { many, orElse: ownCost(loadedStep)?.typical[1] ?? 0 })

/**
 * Fields of ours that a price depends on: `reveal`, those whose values are each charged, and those whose values are
 * converted into the provider's.
 */
const pricedBy = ({ loaded, step }: LoadedStep): string[] => {
  const endpoints = (step.endpoints ?? []).map((name) => loaded.wire.endpoints?.[name])
  const fields = endpoints.flatMap((endpoint) => Object.entries({ ...endpoint?.fields, ...endpoint?.bulk?.fields }))
  return [
    'reveal',
    ...endpoints.flatMap((endpoint) => endpoint?.price?.flatMap(({ each }) => each ?? []) ?? []),
    ...fields.filter(([, wire]) => (Array.isArray(wire) ? wire : [wire]).some(resolveOf)).map(([ours]) => ours),
  ]
}

type Plain = { fields: string[]; isStated: boolean; cost: Cost | undefined }
/** The price without any of those fields, cached because most runs use none. */
const plains = new WeakMap<LoadedStep, Plain>()
const plainOf = (loadedStep: LoadedStep): Plain => {
  let plain = plains.get(loadedStep)
  if (plain) return plain
  const price = statedPrice(loadedStep, {})
  plain = { fields: pricedBy(loadedStep), isStated: price !== undefined, cost: price && unlessFree(price) }
  plains.set(loadedStep, plain)
  return plain
}

/** The price of a step with an input: as the profile states it, otherwise as the step does. Undefined: free. */
export const stepCost = (loadedStep: LoadedStep, input: Values): Cost | undefined => {
  const { fields, isStated, cost } = plainOf(loadedStep)
  const { step } = loadedStep
  if (!isStated) return typeof step.cost === 'function' ? step.cost(input) : step.cost
  return fields.every((field) => input[field] === undefined) ? cost : unlessFree(statedPrice(loadedStep, input)!)
}

/** The price shown before any input is known; undefined when it depends on the input, or nothing is charged. */
export const shownCost = (loadedStep: LoadedStep): Cost | undefined => {
  const price = statedPrice(loadedStep)
  if (price !== undefined) return unlessFree(price)
  return ownCost(loadedStep)
}
