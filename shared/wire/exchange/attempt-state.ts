import type { Failure } from '#kit'
import type { PlainRequest } from '../guard/guard.ts'
import type { BucketSet } from '../rate-limit/buckets.ts'
import type { PreparedAccount, PreparedProfile } from './prepare.ts'
import type { Call, Reply } from '../types.ts'

/** One call: what was prepared for it, and how far it has come. Times are monotonic ms. */
export type AttemptState = {
  call: Call
  plain: PlainRequest
  profile: PreparedProfile
  account: PreparedAccount
  buckets: BucketSet
  deadlineAt: number
  attempts: number
  /** When the present attempt took its places in the rate limits. */
  startedAt: number
  /** When the first byte of the present attempt could leave. */
  sentAt: number
  /** How long the call has waited since the previous attempt, in ms. */
  waitedMs: number
  /** The provider refused the present attempt because its rate limit was used up. */
  refused: boolean
  /**
   * How many permits of each window had come back when the attempt started, where the provider reports what is left.
   */
  returned: number[] | undefined
  /** The points that the present attempt really cost, if its reply says so. */
  actualCost: number | undefined
  /** `onSending` has been called. */
  announced: boolean
  redirected: boolean
  /** A 429 sent the call back to the queue. */
  requeued: boolean
  /** An earlier attempt may have been executed. */
  mayHaveExecuted: boolean
}

/**
 * What to do after an attempt. `waitMs`: send again after that wait. `requeue`: send again when the pause of its limit
 * ends. `now`: send again at once, to another address.
 */
export type Decision = { reply: Reply } | { failure: Failure } | { waitMs: number } | 'requeue' | 'now'
