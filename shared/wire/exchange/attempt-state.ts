import type { Failure } from '#kit'
import type { PlainRequest } from '../guard/guard.ts'
import type { BucketSet } from '../rate-limit/buckets.ts'
import type { PreparedAccount, PreparedProfile } from './prepare.ts'
import type { Call, Reply } from '../types.ts'

/** One call: what was prepared for it, and how far it has come. */
export type AttemptState = {
  call: Call
  plain: PlainRequest
  profile: PreparedProfile
  account: PreparedAccount
  buckets: BucketSet
  deadlineAt: number
  attempts: number
  /** When the places of the present attempt were taken. */
  startedAt: number
  /** When its first byte could leave. */
  sentAt: number
  /** What was waited for since the attempt before, in ms. */
  waitedMs: number
  /** The provider refused the present attempt because its rate limit was used up. */
  refused: boolean
  /** How many places of each limit had come back by then, where the provider reports what is left. */
  returned: number[] | undefined
  /** `onSending` was called. */
  announced: boolean
  redirected: boolean
  /** A 429 sent it back to the queue. */
  requeued: boolean
  /** An earlier attempt may have been carried out. */
  mayHaveExecuted: boolean
}

/**
 * What to do after an attempt. `requeue`: the pause of its limit decides when it goes again. `now`: at once, at another
 * address.
 */
export type Decision = { reply: Reply } | { failure: Failure } | { waitMs: number } | 'requeue' | 'now'
