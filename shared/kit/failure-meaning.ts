import { failures } from './failure-table.ts'
import type { About, FailureCode } from './failure-table.ts'
import { isFailure } from './failure.ts'
import type { Failure, FailureJson } from './failure.ts'

/** A predicate on a failure, as it was thrown or as JSON; false for anything else. */
type Question = { (failure: Failure | FailureJson | undefined): boolean; (thrown: unknown): thrown is Failure }

const isShown = (value: unknown): value is FailureJson =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Error) &&
  'code' in value &&
  Object.hasOwn(failures, String(value.code))

const question = (answer: (code: FailureCode) => boolean): Question =>
  ((thrown: unknown) => (isFailure(thrown) || isShown(thrown)) && answer(thrown.code)) as Question
const isOneOf = (...codes: FailureCode[]): Question => question((code) => codes.includes(code))

/** No request reached the provider. */
export const wasNeverSent = question((code) => failures[code].sent === 'never')
/** Nobody knows whether the provider executed the request: repeating it may execute it twice. */
export const isOutcomeUnknown = isOneOf('outcome_unknown')
/** The idempotency key may be used again, because the failure was not the answer to its request. */
export const freesKey = question((code) => !failures[code].final)
/** The same request may succeed later without a change. */
export const mayPassLater = question((code) => failures[code].retryable && code !== 'cancelled')
/** The provider gave no usable answer, so nothing was learned about what it was asked. */
export const isNoAnswer = question((code) => code === 'bad_reply' || (failures[code].retryable && code !== 'cancelled'))
/** The failure concerns only the run that asked, not what it asked for: another run may ask for the same. */
export const isOfOneRun = question((code) => failures[code].about === 'run')
/** The failure concerns the record that was sent, or the input. */
export const isAboutRecord = question((code) => failures[code].about === 'record' || failures[code].about === 'input')
/** The rest of a batch would fail in the same way. */
export const endsBatch = question((code) => failures[code].endsBatch)
/** The failure says nothing about the record that was tried: the rest of its batch would fail, or may not go on now. */
export const stopsPlanning = question((code) => failures[code].endsBatch || failures[code].about === 'run')
/**
 * The rest of a batch of changes is not tried: the failure is not the fault of a thing that one of the changes names,
 * and a repeat under the same key continues from there.
 */
export const endsChanges = question(
  (code) =>
    (failures[code].endsBatch || failures[code].about === 'run') && !failures[code].named && !failures[code].final,
)
/** The failure may concern only the thing that the request names, not the connection or the moment. */
export const isAgainstNamed = question((code) => failures[code].named)
/** Nothing was learned about the endpoint that was tried. */
export const leavesUntried = question(
  (code) => failures[code].about === 'run' && failures[code].endsBatch && !failures[code].named,
)
/** The provider understood the request and refused it for a reason other than its form. */
export const wasUnderstood = isOneOf('credits_exhausted', 'suppressed')

/** The named thing does not exist, or does not belong to the caller. */
export const isRefusedToCaller = isOneOf('not_found', 'not_allowed')
/** The named thing is gone, or the account cannot see it. */
export const isHidden = isOneOf('not_found', 'access_denied')
export const isAbsent = isOneOf('not_found')
/** The caller's token does not allow this. */
export const lacksAccess = isOneOf('unauthenticated', 'not_allowed')
export const isUnauthenticated = isOneOf('unauthenticated')
export const isNotAllowed = isOneOf('not_allowed')
export const isInvalidInput = isOneOf('invalid_input')
/** A value that the provider's documents do not show has not been set by the operator. */
export const isUnset = isOneOf('wire_unset')
export const isOverBudget = isOneOf('budget_exceeded')
export const isConflict = isOneOf('conflict')
/** There were too many; the failure says how long to wait. */
export const isRateLimited = isOneOf('rate_limited')
/** Our store or process cannot take work at the moment. */
export const isUnavailable = isOneOf('unavailable')
export const isCancelled = isOneOf('cancelled')
/** There is no usable credential: the account has to be reconnected. */
export const needsReconnect = isOneOf('not_connected')
/** The run waits for somebody's decision. */
export const isHeld = isOneOf('approval_pending')
/** Somebody denied the run, and the message has their reason. */
export const isDenied = isOneOf('approval_denied')
export const isRejected = isOneOf('rejected')
/** The person or company opted out. */
export const isOptOut = isOneOf('suppressed')
/** A request for several records was refused, maybe for one of them. */
export const isRefusedForRecord = isOneOf('rejected', 'suppressed')
export const isUnreadable = isOneOf('bad_reply')
export const isUnreachable = isOneOf('unreachable')

/** A failure together with its `about`, for readers that do not have the table to decide what comes next. */
export type ShownFailure = FailureJson & { about: About }
export const showFailure = (failure: FailureJson): ShownFailure => ({
  ...failure,
  about: failures[failure.code].about,
  // Runs that were stored by an earlier version lack it.
  ...(isOutcomeUnknown(failure) ? { mayHaveHappened: true } : {}),
})
