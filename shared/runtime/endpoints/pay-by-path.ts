import type { EndpointProfile, Method } from '#kit'
import { pathPattern } from '../../wire/guard/paths.ts'
import type { Reply } from '../../wire/types.ts'
import type { ApiRequest } from '../catalogue/check-call.ts'
import { operationsOf } from '../catalogue/operations.ts'
import { isPaid, priceOfPath, signalsOf } from '../catalogue/path-price.ts'
import type { PathPrice, Priced } from '../catalogue/path-price.ts'
import { describeCost } from '../catalogue/describe-cost.ts'
import type { FoundFor } from '../catalogue/price.ts'
import { noMatchIn } from './answers.ts'
import { addCredits, counted, countCredits, creditsIn } from '../gate/charge.ts'
import { readingOf } from './endpoints.ts'
import { foundRecord, takeList, takeRecord } from './records.ts'
import type { OutgoingRequest } from '../gate/pass.ts'
import type { Session } from '../session/session.ts'

type Send = (paying: Session) => Promise<Reply>

const isFine = ({ status }: Reply) => status >= 200 && status < 300

/** What was found, for the price. An answer that is not understood may hold all that was asked for. */
const foundIn = ({ loaded: { loaded } }: Session, { name, endpoint, many, asked }: Priced, reply: Reply): FoundFor[] => {
  const reading = readingOf(loaded, endpoint)
  const forOne = (raw: unknown): FoundFor => ({
    values: {},
    record: foundRecord(raw, reading, { provider: loaded.integration.id, endpoint: '', at: 0 }).record,
  })
  if (many || name === undefined) return Array.from({ length: asked }, () => ({ values: {}, record: undefined }))
  const paths = endpoint.record ?? ['']
  if (endpoint.page) return (takeList(reply.body, paths) ?? []).map(forOne)
  const taken = takeRecord(reply.body, paths, endpoint.recordIs)
  return 'found' in taken ? [forOne(taken.found)] : 'none' in taken ? [] : [{ values: {}, record: undefined }]
}

/** Sends a request that is paid for as the step would be that asks the same endpoint. */
const sendPriced = (session: Session, priced: Priced, send: Send): Promise<Reply> => {
  const { name, endpoint, many, asked, cost, text, least, most } = priced
  const paying: Session = { ...session, cost }
  if (session.dry) session.dry.price = { ...cost, text, total: [least, most] }
  else session.spend.reserve(most, least)
  const values = Array.from({ length: asked }, () => ({}))
  return counted(paying, endpoint, { values, max: asked, many }, async () => {
    const reply = await send(paying)
    const missed = !many && name !== undefined && (await noMatchIn(paying, name, reply))
    if (!missed && !isFine(reply)) return reply
    const found = missed ? [] : foundIn(paying, priced, reply)
    const charged = cost.per === 'call' ? 1 : many && endpoint.bulk?.charge === 'record' ? asked : found.length
    countCredits(paying, endpoint, reply, {
      usage: { calls: 1, asked: endpoint.page ? 1 : asked, found },
      charged,
      ...(many ? { answers: [reply.body].flat().map((answer) => ({ answer, found: undefined })) } : {}),
    })
    return reply
  })
}

const unknownPrice = 'Nobody knows the price of this request: within a budget or maxCredits it is refused, unless the operator allows it.'

/**
 * Sends a request of which nobody knows what it costs: once, and where nothing limits that. What the answer says it charged is counted.
 */
const sendUnpriced = async (session: Session, { method, path }: ApiRequest, send: Send): Promise<Reply> => {
  const { loaded } = session.loaded
  session.notes.warnings = [...(session.notes.warnings ?? []), unknownPrice]
  const isAllowed = session.opened.unpriced?.some((pattern) => pathPattern(pattern, false)(path)) ?? false
  if (!isAllowed) session.spend.reserveUnknown(`${method} ${path.slice(0, 100)}`)
  const reply = await send({ ...session, cost: { unit: 'credit', per: 'call', typical: [0, 0] } })
  const credits = signalsOf(loaded)
    .map((signal) => creditsIn(signal, reply))
    .find((said) => said !== undefined)
  if (credits !== undefined && credits > 0) addCredits(session, credits, false)
  return reply
}

const priceIn = async ({ loaded: { loaded } }: Session, request: ApiRequest): Promise<PathPrice> =>
  isPaid(loaded) ? priceOfPath(loaded, await operationsOf(loaded), request) : 'free'

/** What a step says that it costs, for a request of which the profile knows nothing. */
const ownPrice = ({ cost }: Session, { method, path }: OutgoingRequest): Priced | undefined => {
  if (!cost) return undefined
  const endpoint: EndpointProfile = { method: method as Method, path, place: 'query', fields: {} }
  const [least, most] = cost.typical
  return { name: undefined, endpoint, many: false, asked: 1, cost, text: describeCost(cost), least, most }
}

/** Sends a request of a step by its path: paid for as by API Call, or as the step says where the profile knows nothing of it. */
export const sendOfStep = async (session: Session, request: OutgoingRequest, send: Send): Promise<Reply> => {
  const price = await priceIn(session, request)
  const priced = price === 'unknown' ? ownPrice(session, request) : price
  return typeof priced === 'object' ? sendPriced(session, priced, send) : send(session)
}

/** Sends a request of a caller's own, paid for by its path. */
export const sendPaid = async (session: Session, request: ApiRequest, send: Send): Promise<Reply> => {
  const price = await priceIn(session, request)
  if (price === 'free') return send(session)
  return price === 'unknown' ? sendUnpriced(session, request, send) : sendPriced(session, price, send)
}
