import type { FailureCode } from '#kit'
import type { AttemptState } from './attempt-state.ts'

/** How many attempts are described one by one: of a run with more, the first ones and the last. */
const maxTried = 100

/** Adds up how long something is waited for, even when the wait ends with a failure. */
export const noteWait = async <T>(state: AttemptState, monotonic: () => number, waiting: Promise<T>): Promise<T> => {
  const from = monotonic()
  try {
    return await waiting
  } finally {
    const ms = monotonic() - from
    state.waitedMs += ms
    if (state.call.used) state.call.used.waitedMs += ms
  }
}

/** Describes an attempt that has ended, together with the wait since the previous one. */
export const noteAttempt = (state: AttemptState, now: number, status: number | undefined, code: FailureCode | null) => {
  const { used, method, path } = state.call
  if (!used) return
  const attempt = {
    at: state.sentAt,
    method,
    path,
    waitedMs: state.waitedMs,
    durationMs: now - state.sentAt,
    status: status ?? null,
    code: state.refused ? 'rate_limited' : code,
  } as const
  if (state.refused) used.refused += 1
  state.refused = false
  state.waitedMs = 0
  if (used.tried.length < maxTried) used.tried.push(attempt)
  else used.tried[maxTried - 1] = attempt
}
