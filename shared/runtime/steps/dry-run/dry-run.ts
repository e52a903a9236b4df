import type { Effect, NextLookups } from '#kit'
import type { Preview } from '../../../wire/types.ts'
import type { Price } from '../../catalogue/price.ts'
import { searchRange } from '../../endpoints/quote.ts'
import type { PlannedUse } from '../../endpoints/quote.ts'
import { checkRequest } from '../../gate/gate.ts'
import type { OutgoingRequest } from '../../gate/pass.ts'
import type { Session } from '../../session/session.ts'

/**
 * The result of a dry run: the requests as they would be sent, with secrets masked. `complete` is false when later
 * requests depend on replies.
 */
export type DryRun = { requests: unknown[]; price?: Price; complete: boolean }

/** What a dry run has recorded so far. */
export type Recording = {
  session: Session
  requests: Preview[]
  effects: Effect[]
  /** Whether a reply decides if one of the requests is sent, or what it contains. */
  isPartial: boolean
  /** How often the price of the step may be charged, if known. */
  units: number | undefined
  /** Maximum cost, in addition, of converting values into the provider's. */
  forValues: number
  /** The price by the profile; replaces both `units` and `forValues`. */
  price: Price | undefined
  /** Keys of the values whose requests are recorded. */
  requestedValues: Set<string>
  /** Whether reads that cost nothing are sent, so that the first request that changes something is known. */
  sendsReads: boolean
  /** The requests that would change or cost something, as the handler made them. */
  outgoing: OutgoingRequest[]
  previews: Preview[]
  /** Hashes of the reads that were sent, with their replies. */
  reads: string[]
  /** Whether nobody knows what one of the requests costs. */
  isUnpriced: boolean
}

export const startRecording = (session: Session, sendsReads = false): Recording => ({
  session,
  requests: [],
  effects: [],
  isPartial: false,
  units: undefined,
  forValues: 0,
  price: undefined,
  requestedValues: new Set(),
  sendsReads,
  outgoing: [],
  previews: [],
  reads: [],
  isUnpriced: false,
})

/** Ends a dry run at the first reply it would need; never leaves this folder. */
export class DryRunEnd extends Error {}

/**
 * Records a request that work in this session would send.
 * @throws Failure that would keep it from being sent
 */
export const recordRequest = async (recording: Recording, request: OutgoingRequest, session = recording.session) => {
  const { preview, effect, price, isUnpriced } = await checkRequest(session, request)
  recording.isUnpriced ||= isUnpriced
  recording.requests.push(preview)
  recording.effects.push(effect)
  if (effect !== 'read' || session.cost || price) {
    recording.outgoing.push(request)
    recording.previews.push(preview)
  }
  if (price) recording.price = { ...price.cost, text: price.text, total: [price.least, price.most] }
}

/** Records a request whose reply the step would need. */
export const endWith = async (recording: Recording, request: OutgoingRequest): Promise<never> => {
  await recordRequest(recording, request)
  recording.isPartial ||= request.followed === true
  throw new DryRunEnd()
}

/** Records what a call may cost. */
export const recordQuote = (recording: Recording, name: string, use: PlannedUse, followedBy?: NextLookups) => {
  const { forValues, price } = searchRange(recording.session, name, use, followedBy)
  if (price) recording.price = price
  else recording.forValues = forValues
}

const priceOf = ({ session: { cost }, price, units, forValues }: Recording): Price | undefined => {
  if (price) return price
  if (!cost)
    return forValues === 0 ? undefined : { unit: 'credit', per: 'call', typical: [0, forValues], total: [0, forValues] }
  const times = units ?? (cost.per === 'record' ? undefined : 1)
  if (times === undefined) return cost
  const [least, most] = cost.typical
  return { ...cost, total: [least * times, most * times + forValues] }
}

/** `hasEnded`: the handler finished, so no request follows those recorded. */
export const resultOf = (recording: Recording, effect: Effect, hasEnded: boolean): DryRun => {
  const { requests, effects, isPartial } = recording
  const price = priceOf(recording)
  const last = effects.at(-1)
  // A step that updates may do so by adding something: a file, an option.
  const hasReachedEffect = last !== undefined && (last === effect || (last === 'create' && effect !== 'delete'))
  return { requests, ...(price ? { price } : {}), complete: hasEnded || (!isPartial && hasReachedEffect) }
}
