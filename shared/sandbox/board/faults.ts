/** Faults on demand: the next N matching requests get the given answer or a broken connection. */
import { namedAnswers, type Answer } from './refusals.ts'

export type FaultMatch = {
  method?: string
  /** Start of the path, for example `/1/cards`. */ path?: string
  token?: string
  key?: string
}
export type Fault = {
  match?: FaultMatch
  /** How many matching requests fail; default 1. */
  times?: number
  /** How many matching requests pass first; default 0. */
  skip?: number
  /** A name of the error table, or a custom answer. Absent with `cut`, or when the request is only delayed. */
  answer?: string | Answer
  /**
   * `reset`: the socket is destroyed before the first byte of the answer. `partial`: it is destroyed after the head and
   * half of the body. `hang`: there is no answer until the caller gives up.
   */
  cut?: 'reset' | 'partial' | 'hang'
  delayMs?: number
  /** `after`: the request is carried out before its answer fails. Default: `before`. */
  when?: 'before' | 'after'
}
type Armed = Fault & { id: number; left: number; skipped: number; hits: number }
export type Faults = { next: number; armed: Armed[] }

export const createFaults = (): Faults => ({ next: 1, armed: [] })

/** An unknown answer name is a mistake in the test and throws immediately. */
export const armFault = (faults: Faults, fault: Fault): number => {
  if (typeof fault.answer === 'string' && !namedAnswers[fault.answer]) {
    throw new Error(`no answer is named "${fault.answer}"; there are: ${Object.keys(namedAnswers).join(', ')}`)
  }
  faults.armed.push({ ...fault, id: faults.next, left: fault.times ?? 1, skipped: 0, hits: 0 })
  faults.next += 1
  return faults.next - 1
}

export type Probe = { method: string; path: string; token: string | null; key: string | null }
const fits = (match: FaultMatch | undefined, probe: Probe): boolean =>
  !match ||
  ((!match.method || match.method === probe.method) &&
    (!match.path || probe.path.startsWith(match.path)) &&
    (!match.token || match.token === probe.token) &&
    (!match.key || match.key === probe.key))

export const takeFault = (faults: Faults, probe: Probe): Fault | undefined => {
  for (const fault of faults.armed) {
    if (fault.left === 0 || !fits(fault.match, probe)) continue
    if (fault.skipped < (fault.skip ?? 0)) {
      fault.skipped += 1
      continue
    }
    fault.left -= 1
    fault.hits += 1
    return fault
  }
  return undefined
}

export const answerOfFault = (fault: Fault): Answer | undefined =>
  typeof fault.answer === 'string' ? namedAnswers[fault.answer] : fault.answer
