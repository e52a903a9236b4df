import { isFailure } from '#kit'
import type { Failure } from '#kit'

/** `warn`: works, but not as wanted; `skip`: could not be looked at. */
export type State = 'ok' | 'warn' | 'wrong' | 'skip'
/** One thing that was looked at: what was seen, and what to do where it is not fine. */
export type Finding = { check: string; state: State; says: string; remedy?: string; failure?: Failure }

export const ok = (check: string, says: string): Finding => ({ check, state: 'ok', says })
export const warn = (check: string, says: string, remedy: string): Finding => ({ check, state: 'warn', says, remedy })
export const wrong = (check: string, says: string, remedy: string): Finding => ({ check, state: 'wrong', says, remedy })
export const skip = (check: string, says: string): Finding => ({ check, state: 'skip', says })

/** A failure as a finding; its sentence names the remedy itself. */
export const failed = (check: string, thrown: unknown): Finding => {
  if (!isFailure(thrown)) throw thrown
  return { check, state: 'wrong', says: thrown.message, failure: thrown }
}
