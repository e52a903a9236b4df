import { isFailure } from '#kit'
import type { Failure } from '#kit'

/** `wrong`: must be fixed; `warn`: works, but should be changed; `skip`: could not be checked. */
export type State = 'ok' | 'warn' | 'wrong' | 'skip'
/** The result of one check, and what to do about it. */
export type Finding = { check: string; state: State; says: string; remedy?: string; failure?: Failure }

export const ok = (check: string, says: string): Finding => ({ check, state: 'ok', says })
export const warn = (check: string, says: string, remedy: string): Finding => ({ check, state: 'warn', says, remedy })
export const wrong = (check: string, says: string, remedy: string): Finding => ({ check, state: 'wrong', says, remedy })
export const skip = (check: string, says: string): Finding => ({ check, state: 'skip', says })

/** A failure as a finding; its message includes the remedy. */
export const failed = (check: string, thrown: unknown): Finding => {
  if (!isFailure(thrown)) throw thrown
  return { check, state: 'wrong', says: thrown.message, failure: thrown }
}
