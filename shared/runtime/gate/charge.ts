import { isFailure, isUnreadable, isOutcomeUnknown, valueAt } from '#kit'
import type { CreditSignal, EndpointProfile, Failure } from '#kit'
import type { Reply } from '../../wire/types.ts'
import { chargeOf, partsOf, quoteOf } from '../catalogue/price.ts'
import type { FoundFor, Usage } from '../catalogue/price.ts'
import type { Pass } from './pass.ts'

/** What a reply charged for. `charged`: how often the price of the step applies when the profile states none. */
export type Charge = {
  usage: Usage
  charged: number
  /** What counts as charged when the reply does not say it, for a request of unknown price. */
  most?: number | undefined
  /** The parts of a bulk reply, each of which may carry a flag. */
  answers?: { answer: unknown; foundRecord: FoundFor | undefined }[]
}

const asCredits = (value: unknown): number | undefined => {
  if (value === undefined || value === null || value === '') return undefined
  const credits = Number(value)
  return Number.isFinite(credits) && credits >= 0 ? credits : undefined
}

/** What a reply says it charged. `estimated`: it says only that it charged, and the amount follows from the price. */
type Reported = { credits: number; estimated: boolean }

/**
 * Credits of the flagged answers; undefined when no answer carries the flag at all. A flag without an amount stands for
 * the price of the record.
 */
const flagged = (
  { flag, amount }: { flag: string; amount?: number },
  reply: Reply,
  endpoint: EndpointProfile,
  { usage, answers }: Charge,
): Reported | undefined => {
  const flags = (answers ?? [{ answer: reply.body }]).map(({ answer }) => valueAt(answer, flag))
  const count = flags.filter((value) => value === true).length
  if (count === 0) return flags.includes(false) ? { credits: 0, estimated: false } : undefined
  const parts = partsOf(endpoint, answers !== undefined)
  if (amount !== undefined || parts === undefined) return { credits: count * (amount ?? 1), estimated: false }
  const foundRecords = answers?.flatMap((entry, index) =>
    flags[index] === true && entry.foundRecord ? [entry.foundRecord] : [],
  )
  const credits = Math.max(
    chargeOf(parts, foundRecords ? { calls: 1, recordCount: count, foundRecords } : usage),
    count,
  )
  // If several fields have a price, some may have been paid for before.
  return { credits, estimated: parts.some(({ wanted: field }) => field !== undefined) }
}

/** The number of credits that a reply reports; undefined when it reports none. */
export const creditsIn = (signal: CreditSignal, reply: Reply): number | undefined => {
  if ('flag' in signal) return undefined
  return asCredits('header' in signal ? reply.headers[signal.header.toLowerCase()] : valueAt(reply.body, signal.path))
}

/** What a reply reports to have charged; undefined when it reports nothing. */
const reportedCredits = (
  signal: CreditSignal,
  reply: Reply,
  endpoint: EndpointProfile,
  charge: Charge,
): Reported | undefined => {
  if ('flag' in signal) return flagged(signal, reply, endpoint, charge)
  const credits = creditsIn(signal, reply)
  return credits === undefined ? undefined : { credits, estimated: false }
}

/** Counts credits that a request was charged. */
export const addCredits = (pass: Pass, credits: number, estimated: boolean, isUnknown = false) => {
  pass.used.credits += credits
  pass.spend.count(credits, isUnknown ? 'unknown' : estimated ? 'estimated' : 'exact')
  pass.used.estimated ||= estimated
}

/**
 * Counts what a reply charged: the amount it reports; otherwise the price in the profile, or the maximum of the step's
 * usual price, marked as an estimate. Without a report, a miss is free if only matches are charged.
 */
export const countCredits = (pass: Pass, endpoint: EndpointProfile, reply: Reply, charge: Charge) => {
  const many = charge.answers !== undefined
  const signal = (many ? endpoint.bulk?.credits : undefined) ?? endpoint.credits
  const reported = signal === undefined ? undefined : reportedCredits(signal, reply, endpoint, charge)
  if (reported !== undefined) return addCredits(pass, reported.credits, reported.estimated)
  if (pass.used.repeats) return
  const parts = partsOf(endpoint, many)
  const credits =
    charge.most ?? (parts ? chargeOf(parts, charge.usage) : pass.cost ? pass.cost.typical[1] * charge.charged : 0)
  if (credits > 0) addCredits(pass, credits, true)
}

const leftPending = new WeakSet<Failure>()
/** Marks a failure after which the provider is still working on the request, or has finished it unseen. */
export const noteLeftPending = (failure: Failure) => void leftPending.add(failure)
/** Whether a failure, or one of its causes, left the provider at work. What it finds then may still be charged. */
const wasLeftPending = (failure: unknown): boolean =>
  isFailure(failure) && (leftPending.has(failure) || wasLeftPending(failure.cause))

/** Failures after which the provider may still have charged. */
const isPerhapsCharged = (failure: Failure) =>
  isOutcomeUnknown(failure) ||
  (isUnreadable(failure) && (failure.details.providerStatus ?? 200) < 300) ||
  wasLeftPending(failure)

/**
 * Limits of what a paid exchange may be charged: `values` of each record that may match, or `max` times the step's
 * price. `most`: instead of these, for a request of unknown price.
 */
type Limit = { values: Record<string, unknown>[]; max: number; many?: boolean; most?: number | undefined }

/** Runs a paid exchange. When it is unclear whether it was charged, it counts as charged. */
export const counted = async <T>(
  pass: Pass,
  endpoint: EndpointProfile,
  { values, max, many = false, most }: Limit,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work()
  } catch (thrown) {
    if (isFailure(thrown) && isPerhapsCharged(thrown)) {
      const parts = partsOf(endpoint, many)
      const byPrice = parts
        ? quoteOf(parts, { calls: 1, recordCount: values.length, values })[1]
        : (pass.cost?.typical[1] ?? 0) * max
      const credits = most ?? byPrice
      if (credits > 0) addCredits(pass, credits, true, isOutcomeUnknown(thrown) || wasLeftPending(thrown))
    }
    throw thrown
  }
}
