import type { Failure } from '#kit'
import type { PlainRequest } from '../guard/guard.ts'
import type { Lane } from '../rate-limit/buckets.ts'
import type { PreparedAccount, PreparedProfile } from './prepare.ts'
import type { Call, Reply } from '../types.ts'

/** One call on its way: what was prepared for it and what has become of it so far. */
export type Journey = {
  call: Call
  plain: PlainRequest
  profile: PreparedProfile
  account: PreparedAccount
  lane: Lane
  deadlineAt: number
  attempts: number
  /** When the places of the present attempt were taken. */
  startedAt: number
  /** How many places of each limit had come back by then, where the provider tells what is left. */
  returned: number[] | undefined
  /** `onSending` was called. */
  announced: boolean
  redirected: boolean
  /** A 429 sent it back to the line. */
  again: boolean
  /** An earlier attempt may have been carried out. */
  doubtful: boolean
}

/** What to do after an attempt. `in_line`: the pause of its limit decides when it goes again. `now`: at once, at another address. */
export type Decision = { reply: Reply } | { failure: Failure } | { waitMs: number } | 'in_line' | 'now'
