import type { Effect, WireProfile } from '#kit'

/** What is known of an exchange: nothing was sent, the provider refused to do it, it was done, or nobody can tell. */
export type ExchangeClass = 'not_sent' | 'rejected' | 'done' | 'unknown'

export const mostAttempts = 4
const firstBackoffMs = 500
const longestBackoffMs = 30_000

/** Whether the same bytes may be sent again without doing the thing twice. */
export const mayRepeat = (effect: Effect, paid: boolean, known: ExchangeClass): boolean => {
  if (known === 'not_sent' || known === 'rejected') return true
  if (known === 'done') return false
  return effect !== 'create' && !paid
}

/** Full jitter: anything up to a limit that doubles, so that callers who failed together do not come back together. */
export const backoffMs = (attempt: number, random: () => number): number =>
  Math.floor(random() * Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1)))

/** A complete reply that says "not done": 429, and statuses at which the provider promises so. */
export const isRefusalToWork = (profile: WireProfile, status: number, retryAfterMs: number | undefined): boolean =>
  status === 429 || (status === 503 && retryAfterMs !== undefined && profile.rejectsBeforeExecuting?.includes(503) === true)

/**
 * `Retry-After` in ms: seconds, or a date that is read against the provider's own `Date`, since clocks differ.
 * undefined when absent or unreadable.
 */
export const readRetryAfter = (headers: Record<string, string>, now: number): number | undefined => {
  const value = headers['retry-after']?.trim()
  if (value === undefined || value === '') return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000)
  const at = Date.parse(value)
  if (Number.isNaN(at)) return undefined
  const theirs = Date.parse(headers['date'] ?? '')
  return Math.max(0, at - (Number.isNaN(theirs) ? now : theirs))
}
