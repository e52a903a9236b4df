import type { Effect, WireProfile } from '#kit'
import type { BrokenKind } from './raw-reply.ts'

/**
 * What is known about an exchange: nothing was sent, the provider refused to do it, it was done, or the outcome is
 * unknown.
 */
export type ExchangeClass = 'not_sent' | 'rejected' | 'done' | 'unknown'

export const maxAttempts = 4
const firstBackoffMs = 500
const maxBackoffMs = 30_000

/** How many attempts are made after a kind of break, where they are not `maxAttempts`. */
const tries: Partial<Record<BrokenKind, number>> = {
  blocked: 1,
  tls: 1,
  too_large: 1,
  protocol: 1,
  unsaved: 1,
  cancelled: 1,
  closed: 1,
  total_timeout: 2,
  body_timeout: 2,
  // A name that does not exist mostly never will; a resolver that is down may come back (see `kindOf`).
  no_name: 2,
}

/** Whether the same request may be sent again without doing the thing twice. */
export const mayRepeat = (effect: Effect, paid: boolean, exchangeClass: ExchangeClass): boolean => {
  if (exchangeClass === 'not_sent' || exchangeClass === 'rejected') return true
  if (exchangeClass === 'done') return false
  return effect !== 'create' && !paid
}

export const isWorthTrying = (kind: BrokenKind, attempts: number): boolean => attempts < (tries[kind] ?? maxAttempts)

/**
 * Full jitter: a random wait in ms, up to a limit that doubles, so that callers who failed together do not return
 * together.
 */
export const backoffMs = (attempt: number, random: () => number): number =>
  Math.floor(random() * Math.min(maxBackoffMs, firstBackoffMs * 2 ** (attempt - 1)))

/**
 * Whether the status is one at which the provider guarantees that nothing was executed, and the reply says when to
 * retry.
 */
export const isRefusalToWork = (profile: WireProfile, status: number, retryAfterMs: number | undefined): boolean =>
  retryAfterMs !== undefined && profile.rejectsBeforeExecuting?.includes(status) === true

/** Whether the status is a server error that another attempt may get past. */
export const isServerTrouble = (status: number): boolean => status >= 500 && status !== 501 && status !== 505

/**
 * The retries that a connection has left: at most a tenth of its traffic, so that retries never become the storm;
 * `floor` to begin with.
 */
export type RetryBudget = { tokens: number; refilledAt: number }
const perCall = 0.1
const floor = 5
const most = 20
const refillMs = 10_000

export const createBudget = (): RetryBudget => ({ tokens: floor, refilledAt: 0 })

export const depositCall = (budget: RetryBudget) => {
  if (budget.tokens < most) budget.tokens += perCall
}

/** Takes one retry; false when none is left. A quiet connection gets one back every ten seconds, up to the floor. */
export const spendRetry = (budget: RetryBudget, now: number): boolean => {
  const refills = Math.floor((now - budget.refilledAt) / refillMs)
  if (refills > 0) {
    budget.refilledAt = now
    if (budget.tokens < floor) budget.tokens = Math.min(floor, budget.tokens + refills)
  }
  if (budget.tokens < 1) return false
  budget.tokens -= 1
  return true
}
