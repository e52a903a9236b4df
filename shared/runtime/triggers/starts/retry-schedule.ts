import type { Start, StartEnd } from '../../ports/index.ts'
import type { AgentReply } from './signed-post.ts'

/** Waits in ms before the second and later attempts; after the last attempt a start is dead. */
export const retryScheduleMs = [
  5_000,
  5 * 60_000,
  30 * 60_000,
  2 * 3_600_000,
  5 * 3_600_000,
  10 * 3_600_000,
  10 * 3_600_000,
]

/** Schedules the next attempt of a start that the agent did not accept, or ends it. `random`: 0 to 1. */
export const retryLater = (
  { attempts }: Pick<Start, 'attempts'>,
  { status, retryAfterMs }: AgentReply,
  at: number,
  random: number,
): StartEnd => {
  const wait = retryScheduleMs[attempts - 1]
  if (wait === undefined) return { state: 'dead', at }
  const requestedWaitMs = status === 429 || status === 503 ? (retryAfterMs ?? 0) : 0
  // Never earlier than the schedule; jittered, so that many starts are not retried at the same moment.
  return { state: 'pending', at, dueAt: at + Math.round(Math.max(wait * (1 + 0.2 * random), requestedWaitMs)) }
}

/** Whether the receiver has accepted it: 2xx, or 409 (already known). */
export const isAccepted = ({ status }: Pick<AgentReply, 'status'>) =>
  status !== null && ((status >= 200 && status < 300) || status === 409)

/**
 * How a reply ends the attempt: 2xx and 409 (already known) are done, 410 pauses the subscription, other 4xx but 429
 * are final, and everything else is retried.
 */
export const endAfter = (start: Pick<Start, 'attempts'>, reply: AgentReply, at: number, random: number): StartEnd => {
  const { status } = reply
  if (isAccepted(reply)) return { state: 'done', at }
  if (status === 410) return { state: 'paused', at }
  if (status !== null && status >= 400 && status < 500 && status !== 429) return { state: 'dead', at }
  return retryLater(start, reply, at, random)
}
