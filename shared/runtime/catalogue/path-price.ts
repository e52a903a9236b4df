import { isFailure, valueAt } from '#kit'
import type { ApiOperation, Cost, CreditSignal, EndpointProfile, OperationPart, PricePart } from '#kit'
import { normalName } from '../../wire/guard/names.ts'
import { canonicalPath, pathPattern } from '../../wire/guard/paths.ts'
import type { PathPattern } from '../../wire/guard/paths.ts'
import type { ApiRequest } from './check-call.ts'
import { describeCost } from './describe-cost.ts'
import { inWords } from './operations.ts'
import type { ShownPrice } from './operations.ts'
import { partsOf, priceOf, quoteOf, shownCost, stated } from './price.ts'
import type { EndpointPrice } from './price.ts'
import type { LoadedIntegration } from './registry.ts'
import { unboundedName } from './unbounded.ts'

/**
 * What a request addresses: a single or bulk endpoint of the profile, or (`name` undefined) one that only API Call
 * knows.
 */
type Form = { name: string | undefined; endpoint: EndpointProfile; many: boolean }

/**
 * The price of a request for `recordCount` records, from `least` to `most` credits. `cost` and `text`: the price per
 * unit. `unbounded`: the parameter that makes the price unknown, so that `most` may be exceeded.
 */
export type Priced = Form & {
  recordCount: number
  cost: Cost
  text: string
  least: number
  most: number
  unbounded?: string
}
export type PathPrice = Priced | 'free' | 'unknown'

/** A priced path and method: an operation that the provider documents, or an endpoint of the profile. */
type Row = { method: string; fits: PathPattern; rank: string; operation?: ApiOperation; form?: Form }

const charges = new WeakMap<LoadedIntegration, boolean>()

const costs = (parts: PricePart[] | undefined) => parts?.some(({ credits }) => credits > 0) ?? false

/** Whether the provider charges for anything under this profile. */
export const isPaid = (loaded: LoadedIntegration): boolean => {
  const cachedVerdict = charges.get(loaded)
  if (cachedVerdict !== undefined) return cachedVerdict
  const { endpoints, operations = [] } = loaded.wire
  const isAny =
    endpoints !== undefined &&
    (Object.values(endpoints).some(({ price, bulk }) => costs(price) || costs(bulk?.price)) ||
      operations.some(({ price }) => typeof price === 'object' && costs(price)) ||
      [...loaded.steps.values()].some(({ step }) => step.cost !== undefined))
  charges.set(loaded, isAny)
  return isAny
}

const canonical = (path: string): string | undefined => {
  try {
    return canonicalPath(path)
  } catch (refusal) {
    if (!isFailure(refusal)) throw refusal
    // Every request with such a path is refused later.
    return undefined
  }
}

/**
 * Matches paths as providers' routers do: ignoring case, a trailing slash and a file extension. Fixed parts rank before
 * placeholders: `/people/bulk` before `/people/{id}`.
 */
const rowAt = (method: string, pattern: string, more: Pick<Row, 'operation' | 'form'>): Row => ({
  method,
  fits: pathPattern(pattern, true),
  rank: pattern
    .split('/')
    .map((part) => (part === '*' ? '1' : '0'))
    .join(''),
  ...more,
})

/** A template as patterns: a placeholder matches any part, or one of its documented choices. */
const patternsOf = (template: string, parameters: ApiOperation['parameters'] = []): string[] => {
  const name = /\{(\w+)\}/.exec(template)
  if (!name) return [template]
  const choices = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name[1])?.choices ?? [
    '*',
  ]
  return choices.flatMap((choice) => patternsOf(template.replace(name[0], choice), parameters))
}

const rowsOf = ({ wire: { endpoints = {} } }: LoadedIntegration, operations: ApiOperation[]): Row[] => {
  const listed = operations.flatMap((operation) =>
    patternsOf(operation.path, operation.parameters).map((pattern) => rowAt(operation.method, pattern, { operation })),
  )
  const forms = Object.entries(endpoints).flatMap(([name, endpoint]) => {
    const { method, path, bulk } = endpoint
    const at = (by: string, template: string | null | undefined, many: boolean) =>
      patternsOf(template?.split('?')[0] ?? '').map((pattern) => rowAt(by, pattern, { form: { name, endpoint, many } }))
    const single = path === null ? [] : at(method, path, false)
    const many = bulk?.path ? at(bulk.method ?? 'POST', bulk.path, true) : []
    return [...single, ...many]
  })
  return [...listed, ...forms]
}

const rows = new WeakMap<LoadedIntegration, { operations: ApiOperation[]; rows: Row[] }>()
const knownRows = (loaded: LoadedIntegration, operations: ApiOperation[]): Row[] => {
  const cachedRows = rows.get(loaded)
  if (cachedRows?.operations === operations) return cachedRows.rows
  const made = rowsOf(loaded, operations)
  rows.set(loaded, { operations, rows: made })
  return made
}

/** Values of a parameter in query and body, since providers may read either. A dotted name is a path in the body. */
const valuesOf = ({ query, body }: ApiRequest, name: string): unknown[] => {
  if (name === '') return [body]
  const isTop = !name.includes('.')
  const top = [query, body].flatMap((place) =>
    isTop && typeof place === 'object' && place !== null && !Array.isArray(place)
      ? Object.entries(place).flatMap(([key, value]) =>
          normalName(key) === normalName(name) ? [value as unknown] : [],
        )
      : [],
  )
  return isTop ? top : [valueAt(body, name)]
}

const off: unknown[] = [undefined, null, false]
const isGiven = (request: ApiRequest, name: string) =>
  valuesOf(request, name).some((value) => !off.includes(value) && String(value).toLowerCase() !== 'false')

/** Length of a list. Objects count too: servers may read them as lists. */
const lengthOf = (value: unknown): number =>
  Object.keys(typeof value === 'object' && value !== null ? value : []).length

const itemsAt = (request: ApiRequest, names: string[]): number =>
  names.flatMap((name) => valuesOf(request, name)).reduce((sum: number, value) => sum + lengthOf(value), 0)

const askedIn = ({ endpoint: { bulk, page }, many }: Form, request: ApiRequest): number => {
  if (many) return itemsAt(request, [bulk!.envelope]) || (bulk!.max ?? 1)
  if (!page) return 1
  const sizeValues = [request.query?.[page.size], ...valuesOf(request, page.size)].filter((size) => size !== undefined)
  const sizes = sizeValues.map(Number)
  const isSize = sizes.length > 0 && sizes.every((size) => Number.isInteger(size) && size > 0)
  return isSize ? Math.min(Math.max(...sizes, page.min ?? 1), page.max) : page.max
}

/** The price of the steps that use an endpoint, for profiles that state none. */
const stepPrice = (loaded: LoadedIntegration, { name, endpoint, many }: Form, recordCount: number): PathPrice => {
  const asking = [...loaded.steps.values()].filter(({ step }) => step.endpoints?.includes(name!))
  const loadedStep = asking.find((candidate) => shownCost(candidate)?.per === (many ? 'record' : 'match')) ?? asking[0]
  const cost = loadedStep && shownCost(loadedStep)
  if (!loadedStep || (!cost && loadedStep.step.cost !== undefined)) return 'unknown'
  if (!cost || cost.typical[1] === 0) return 'free'
  const most = cost.typical[1] * (cost.per === 'call' ? 1 : recordCount)
  return { name, endpoint, many, recordCount, cost, text: describeCost(cost), least: cost.typical[0], most }
}

const withParts = (form: Form, parts: PricePart[], recordCount: number, price: EndpointPrice): PathPrice => {
  const { text, ...cost } = price
  const records = form.endpoint.page && !form.many ? 1 : recordCount
  const [least, most] = quoteOf(parts, {
    calls: 1,
    recordCount: records,
    values: Array.from({ length: recordCount }, () => ({})),
  })
  return most === 0 ? 'free' : { ...form, recordCount, cost, text, least, most }
}

const formPrice = (loaded: LoadedIntegration, form: Form, request: ApiRequest): PathPrice => {
  const recordCount = askedIn(form, request)
  const parts = partsOf(form.endpoint, form.many)
  if (!parts) return stepPrice(loaded, form, recordCount)
  return withParts(form, parts, recordCount, priceOf(loaded, form.name!, {}, form.many)!)
}

/** The price that the operation itself states. `form`: the profile's endpoint that its replies are read by, if any. */
const ownPrice = (operation: ApiOperation, form: Form | undefined, request: ApiRequest): PathPrice => {
  const { method, path, price, credits, records } = operation
  if (price === 'free') return 'free'
  const parts = (price as OperationPart[]).filter(
    ({ given: parameter }) => parameter === undefined || isGiven(request, parameter),
  )
  const base: EndpointProfile = form?.endpoint ?? { method: method, path, place: 'query', fields: {} }
  const bulk = form?.many ? { ...base.bulk!, price: parts } : base.bulk
  const endpoint = { ...base, price: parts, ...(bulk ? { bulk } : {}), ...(credits ? { credits } : {}) }
  const own: Form = { name: form?.name, endpoint, many: form?.many ?? false }
  const recordCount = records ? itemsAt(request, records.in) || records.most : form ? askedIn(own, request) : 1
  return withParts(own, parts, recordCount, stated(parts, endpoint, { many: own.many }))
}

/** Single and bulk requests may share a path: a list at the envelope's place makes it a bulk request. */
const formOf = (fittingRows: Row[], request: ApiRequest): Form | undefined => {
  const forms = fittingRows.flatMap(({ form }) => form ?? [])
  const [single, many] = [forms.find((form) => !form.many), forms.find((form) => form.many)]
  return many && (!single || itemsAt(request, [many.endpoint.bulk!.envelope]) > 0) ? many : single
}

const methodPrice = (loaded: LoadedIntegration, fittingRows: Row[], request: ApiRequest): PathPrice => {
  const operations = fittingRows.flatMap(({ operation }) => operation ?? [])
  if (operations.some(({ unpriced = [] }) => unpriced.some((name) => isGiven(request, name)))) return 'unknown'
  const form = formOf(fittingRows, request)
  const own = operations.find(({ price }) => price === 'free' || typeof price === 'object')
  const price = own ? ownPrice(own, form, request) : form ? formPrice(loaded, form, request) : 'unknown'
  const unbounded = form && unboundedName(form.endpoint, request)
  return typeof price === 'object' && unbounded !== undefined ? { ...price, unbounded } : price
}

const dearer = (price: PathPrice, other: PathPrice): PathPrice => {
  if (price === 'unknown' || other === 'free') return price
  if (other === 'unknown' || price === 'free') return other
  return price.most >= other.most ? price : other
}

/**
 * The price of a request by its path, however that is spelt: for its method if known there, otherwise that of the most
 * expensive method. `unknown`: the provider charges, but has not stated a price. The only place where a path is priced.
 * @param operations the result of `operationsOf`
 */
export const priceOfPath = (loaded: LoadedIntegration, operations: ApiOperation[], request: ApiRequest): PathPrice => {
  if (!isPaid(loaded)) return 'free'
  const path = canonical(request.path)
  const fitting = path === undefined ? [] : knownRows(loaded, operations).filter(({ fits }) => fits(path))
  const first = fitting.map(({ rank }) => rank).toSorted()[0]
  const bestRows = fitting.filter(({ rank }) => rank === first)
  const byMethod = Map.groupBy(bestRows, ({ method }) => method)
  const exact = byMethod.get(String(request.method).toUpperCase())
  if (exact) return methodPrice(loaded, exact, request)
  return (
    [...byMethod.values()]
      .map((some) => methodPrice(loaded, some, request))
      .reduce<PathPrice | undefined>((most, price) => (most === undefined ? price : dearer(most, price)), undefined) ??
    'unknown'
  )
}

const exampleOf = ({ method, path, parameters }: ApiOperation): ApiRequest => ({
  method,
  path: patternsOf(path, parameters)[0]!.replaceAll('*', 'x'),
})

/** The price of an operation as lists show it: in words, and as data (`cost: null`: free). */
export const shownPrice = (
  loaded: LoadedIntegration,
  operations: ApiOperation[],
  operation: ApiOperation,
): ShownPrice => {
  const words = inWords(operation)
  if (!isPaid(loaded)) return words
  const price = priceOfPath(loaded, operations, exampleOf(operation))
  if (price === 'unknown') return words
  if (price === 'free') return { price: 'free', cost: null }
  const { unit, per, typical } = price.cost
  return { price: price.text, ...words, cost: { unit, per, typical } }
}

/** The signals by which replies under this profile report what they charged. */
export const signalsOf = ({ wire }: LoadedIntegration): CreditSignal[] => {
  const { endpoints = {}, operations = [] } = wire
  const ofEndpoints = Object.values(endpoints).flatMap(({ credits, bulk }) => [credits, bulk?.credits])
  return [...ofEndpoints, ...operations.map(({ credits }) => credits)].filter((signal) => signal !== undefined)
}
