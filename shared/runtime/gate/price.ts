import { fail } from '#kit'
import type { EndpointProfile, Method } from '#kit'
import { pathPattern } from '../../wire/guard/paths.ts'
import type { Reply } from '../../wire/types.ts'
import { describeCost } from '../catalogue/describe-cost.ts'
import { operationsOf } from '../catalogue/operations.ts'
import { isPaid, priceOfPath, signalsOf } from '../catalogue/path-price.ts'
import type { PathPrice, Priced } from '../catalogue/path-price.ts'
import { addCredits, counted, countCredits, creditsIn } from './charge.ts'
import type { FindCharged, OutgoingRequest, Pass } from './pass.ts'

type Send = (paying: Pass) => Promise<Reply>

const isFine = ({ status }: Reply) => status >= 200 && status < 300

/** Sends a request of known price, and pays for it like a step that uses the same endpoint. */
const sendPriced = (pass: Pass, priced: Priced, findCharged: FindCharged, send: Send): Promise<Reply> => {
  const { endpoint, many, recordCount: asked, cost, least, most, unbounded } = priced
  const unsaid = unbounded === undefined ? undefined : most
  const paying: Pass = { ...pass, cost }
  pass.spend.reserve(most, least)
  const values = Array.from({ length: asked }, () => ({}))
  return counted(paying, endpoint, { values, max: asked, many, most: unsaid }, async () => {
    const reply = await send(paying)
    const found = await findCharged(paying, priced, reply)
    if (found === 'missed' || isFine(reply)) {
      const matches = found === 'missed' ? [] : found
      const charged = cost.per === 'call' ? 1 : many && endpoint.bulk?.charge === 'record' ? asked : matches.length
      countCredits(paying, endpoint, reply, {
        usage: { calls: 1, recordCount: endpoint.page ? 1 : asked, foundRecords: matches },
        charged,
        most: unsaid,
        ...(many ? { answers: [reply.body].flat().map((answer) => ({ answer, foundRecord: undefined })) } : {}),
      })
    }
    return reply
  })
}

const isAllowed = ({ opened }: Pass, path: string) =>
  opened.unpriced?.some((pattern) => pathPattern(pattern, false)(path)) ?? false

/**
 * The maximum for a request of unknown price: all that the run may still cost. `known`: what it costs without `field`,
 * which makes its price unknown.
 * @throws Failure `budget_exceeded` unless the operator allows the path without a price and the run has a limit
 */
export const restOf = (
  pass: Pass,
  { method, path }: Pick<OutgoingRequest, 'method' | 'path'>,
  field: string,
  known: number,
): number => {
  const rest = isAllowed(pass, path) ? pass.spend.rest() : undefined
  if (rest !== undefined) return Math.max(known, rest)
  throw fail(
    'budget_exceeded',
    `The price of "${field}" is not known beforehand. It needs both: the operator must allow ${method} ${path.slice(0, 100)} in the policy ("apiCallUnpriced"), ` +
      `and the run must have a limit ("maxCredits"), all of which is reserved. Nothing was sent for it. Otherwise set "${field}" to false.`,
  )
}

const unknownPrice =
  'Nobody knows the price of this request: within a budget or maxCredits it is refused, unless the operator allows it.'

/** Tells the caller that the price is unknown. The request is retried only as cautiously as one that is charged. */
export const passUnpriced = (pass: Pass): Pass => {
  pass.notes.warnings = [...(pass.notes.warnings ?? []), unknownPrice]
  return { ...pass, cost: { unit: 'credit', per: 'call', typical: [0, 0] } }
}

/**
 * Sends a request of unknown price, once, and only if no budget or `maxCredits` limits it. Counts what the answer
 * reports to have charged.
 */
const sendUnpriced = async (pass: Pass, { method, path }: OutgoingRequest, send: Send): Promise<Reply> => {
  const { loaded } = pass.loaded
  const paying = passUnpriced(pass)
  if (!isAllowed(pass, path)) pass.spend.reserveUnknown(`${method} ${path.slice(0, 100)}`)
  const reply = await send(paying)
  const credits = signalsOf(loaded)
    .map((signal) => creditsIn(signal, reply))
    .find((said) => said !== undefined)
  if (credits !== undefined && credits > 0) addCredits(pass, credits, false)
  return reply
}

/** The price of the step, for a request to a path that the profile does not know. */
const priceOfStep = ({ cost }: Pass, { method, path }: OutgoingRequest): PathPrice => {
  if (!cost) return 'free'
  const endpoint: EndpointProfile = { method: method as Method, path, place: 'query', fields: {} }
  const [least, most] = cost.typical
  return { name: undefined, endpoint, many: false, recordCount: 1, cost, text: describeCost(cost), least, most }
}

/**
 * The price of a request by its path. For a path that the profile does not know, the price of the step applies; a path
 * that a caller wrote then has no known price.
 * @throws Failure `budget_exceeded` for a request of unknown price that may not be sent
 */
export const findPrice = async (pass: Pass, request: OutgoingRequest): Promise<PathPrice> => {
  const { loaded } = pass.loaded
  if (!isPaid(loaded)) return 'free'
  const price = priceOfPath(loaded, await operationsOf(loaded), request)
  if (price === 'unknown') return request.api ? price : priceOfStep(pass, request)
  if (price === 'free' || price.unbounded === undefined) return price
  return { ...price, most: restOf(pass, request, price.unbounded, price.most) }
}

/** Sends a request at the price of its path: reserves what it may cost and counts what it was charged. */
export const payByPath = async (
  pass: Pass,
  request: OutgoingRequest,
  findCharged: FindCharged,
  send: Send,
): Promise<Reply> => {
  const price = await findPrice(pass, request)
  if (price === 'free') return send(pass)
  return price === 'unknown' ? sendUnpriced(pass, request, send) : sendPriced(pass, price, findCharged, send)
}
