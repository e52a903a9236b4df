import { isFailure, valueAt } from '#kit'
import type { Cost, EndpointProfile, Json } from '#kit'
import { canonicalPath } from '../../wire/guard/paths.ts'
import type { Reply } from '../../wire/types.ts'
import type { ApiRequest } from '../catalogue/check-call.ts'
import { priceOf, shownCost } from '../catalogue/price.ts'
import type { FoundFor } from '../catalogue/price.ts'
import type { Loaded } from '../catalogue/registry.ts'
import { noMatchIn } from './answers.ts'
import { counted, countCredits } from './credits.ts'
import { quote } from './dry-run.ts'
import { readingOf } from './endpoints.ts'
import { foundRecord, takeList, takeRecord } from './records.ts'
import type { Session } from './session.ts'

/** The endpoint of the profile that a request of an API Call is, alone or in bulk, and what it costs. `asked`: how many records it asks for. */
type Priced = { name: string; endpoint: EndpointProfile; many: boolean; asked: number; cost: Cost }

const canonical = (path: string): string | undefined => {
  try {
    return canonicalPath(path)
  } catch (refusal) {
    if (!isFailure(refusal)) throw refusal
    // It is refused where all requests are.
    return undefined
  }
}

const isPath = (template: string, path: string) =>
  new RegExp(
    `^${template
      .split(/\{\w+\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^/]+')}/?$`,
  ).test(path)

const isSame = (form: { method: string; path: string | null }, method: string, path: string) =>
  form.path !== null && form.method === method && isPath(form.path.split('?')[0]!, path)

const costOf = (loaded: Loaded, name: string, many: boolean): Cost | undefined => {
  const price = priceOf(loaded, name, undefined, many)
  if (price) return price.typical[1] > 0 ? price : undefined
  for (const found of loaded.steps.values()) if (found.step.endpoints?.includes(name)) return shownCost(found)
  return undefined
}

const askedIn = ({ bulk, page }: EndpointProfile, many: boolean, { body, query }: ApiRequest): number => {
  const given = many && bulk ? valueAt(body, bulk.envelope) : undefined
  if (many) return Array.isArray(given) ? given.length : (bulk?.max ?? 1)
  if (!page) return 1
  const size = Number(page.place === 'query' ? query?.[page.size] : valueAt(body, page.size))
  return Number.isInteger(size) && size > 0 ? size : page.max
}

/** Undefined: it is none of the profile, or free. */
export const pricedAs = (loaded: Loaded, request: ApiRequest): Priced | undefined => {
  const { endpoints } = loaded.wire
  const path = endpoints && canonical(request.path)
  if (path === undefined) return undefined
  for (const [name, endpoint] of Object.entries(endpoints!)) {
    const isSingle = isSame(endpoint, request.method, path)
    const many = endpoint.bulk !== undefined && isSame({ ...endpoint.bulk, method: endpoint.bulk.method ?? 'POST' }, request.method, path)
    if (!isSingle && !many) continue
    // One path for both: a list in its place says which it is.
    const isMany = many && (!isSingle || Array.isArray(valueAt(request.body, endpoint.bulk!.envelope)))
    const cost = costOf(loaded, name, isMany)
    if (cost) return { name, endpoint, many: isMany, asked: askedIn(endpoint, isMany, request), cost }
  }
  return undefined
}

const isFine = ({ status }: Reply) => status >= 200 && status < 300

/** What was found, for the price. An answer that is not understood may hold all that was asked for. */
const foundIn = ({ loaded: { loaded } }: Session, { endpoint, many, asked }: Priced, reply: Reply): FoundFor[] => {
  const reading = readingOf(loaded, endpoint)
  const forOne = (raw: unknown): FoundFor => ({
    values: {},
    record: foundRecord(raw, reading, { provider: loaded.integration.id, endpoint: '', at: 0 }).record,
  })
  if (many) return Array.from({ length: asked }, () => ({ values: {}, record: undefined }))
  const paths = endpoint.record ?? ['']
  if (endpoint.page) return (takeList(reply.body, paths) ?? []).map(forOne)
  const taken = takeRecord(reply.body, paths, endpoint.recordIs)
  return 'found' in taken ? [forOne(taken.found)] : 'none' in taken ? [] : [{ values: {}, record: undefined }]
}

/** Sends a request that is paid for as the step would be that asks the same endpoint. */
export const sendPriced = (session: Session, priced: Priced, send: (paying: Session) => Promise<Reply>): Promise<Reply> => {
  const { name, endpoint, many, asked, cost } = priced
  const paying: Session = { ...session, cost }
  const values = Array.from({ length: asked }, () => ({}))
  quote(paying, name, { values, calls: [1, 1], asked: [endpoint.page ? 1 : asked, endpoint.page ? 1 : asked], many })
  return counted(paying, endpoint, { values, max: asked, many }, async () => {
    const reply = await send(paying)
    const missed = !many && (await noMatchIn(paying, name, reply))
    if (!missed && !isFine(reply)) return reply
    const found = missed ? [] : foundIn(paying, priced, reply)
    const charged = cost.per === 'call' ? 1 : many && endpoint.bulk?.charge === 'record' ? asked : found.length
    countCredits(paying, endpoint, reply, {
      usage: { calls: 1, asked: endpoint.page ? 1 : asked, found },
      charged,
      ...(many ? { answers: (Array.isArray(reply.body) ? (reply.body as Json[]) : [reply.body]).map((answer) => ({ answer, found: undefined })) } : {}),
    })
    return reply
  })
}
