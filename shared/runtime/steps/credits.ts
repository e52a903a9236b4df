import { isFailure, valueAt } from '#kit'
import type { CreditSignal, Failure } from '#kit'
import type { Reply } from '../../wire/types.ts'
import type { Session } from './session.ts'

const asCredits = (value: unknown): number | undefined => {
  if (value === undefined || value === null || value === '') return undefined
  const credits = Number(value)
  return Number.isFinite(credits) && credits >= 0 ? credits : undefined
}

const flagged = (signal: { flag: string; amount?: number }, part: unknown): number | undefined => {
  const value = valueAt(part, signal.flag)
  return value === true ? (signal.amount ?? 1) : value === false ? 0 : undefined
}

/** Credits that a reply reports; undefined when it reports none. `answers` are the parts of a bulk reply, each of which may be flagged. */
const reportedCredits = (signal: CreditSignal, reply: Reply, answers: unknown[] | undefined): number | undefined => {
  if ('header' in signal) return asCredits(reply.headers[signal.header.toLowerCase()])
  if ('path' in signal) return asCredits(valueAt(reply.body, signal.path))
  const reported = (answers ?? [reply.body]).map((part) => flagged(signal, part)).filter((credits) => credits !== undefined)
  return reported.length > 0 ? reported.reduce((sum, credits) => sum + credits, 0) : undefined
}

const add = (session: Session, credits: number, estimated: boolean) => {
  session.used.credits += credits
  session.used.estimated ||= estimated
}

/**
 * Counts what a reply charged: as it reports, otherwise `charged` times the upper end of the usual price, marked as an estimate.
 * A miss without a report is free: prices are for what is found.
 */
export const countCredits = (session: Session, signal: CreditSignal | undefined, reply: Reply, charged: number, answers?: unknown[]) => {
  const reported = signal === undefined ? undefined : reportedCredits(signal, reply, answers)
  if (reported !== undefined) add(session, reported, false)
  else if (session.cost && charged > 0) add(session, session.cost.typical[1] * charged, true)
}

/** Failures after which the provider may have charged all the same. */
const isPerhapsCharged = ({ code, details: { providerStatus = 200 } }: Failure) => code === 'outcome_unknown' || (code === 'bad_reply' && providerStatus < 300)

/** Runs a paid exchange of at most `max` charges. Where it is unknown whether it was charged, it counts as charged. */
export const counted = async <T>(session: Session, max: number, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (thrown) {
    if (session.cost && isFailure(thrown) && isPerhapsCharged(thrown)) add(session, session.cost.typical[1] * max, true)
    throw thrown
  }
}
