import { fail } from '#kit'
import type { Failure } from '#kit'

/** The calls to a provider within one second. */
type Bucket = { second: number; calls: number; failed: number }

/**
 * The health of a provider as one tenant sees it: its answers to one tenant must not stop another. `open`: nothing is
 * sent until `openUntil`, then one call may try.
 */
export type Breaker = {
  buckets: Bucket[]
  busy: number
  openUntil: number
  state: 'closed' | 'open' | 'trying'
  tryingSince: number
}

const windowSeconds = 30
const minCalls = 10
const failedShare = 0.5
const openMs = 10_000
/**
 * How long after `openUntil` only harmless calls may try: a provider that only gets writes must also be tried again.
 */
const anyCallAfterMs = 30_000

export const createBreaker = (): Breaker => ({
  buckets: Array.from({ length: windowSeconds }, () => ({ second: -1, calls: 0, failed: 0 })),
  busy: 0,
  openUntil: 0,
  state: 'closed',
  tryingSince: 0,
})

const bucketAt = (breaker: Breaker, now: number): Bucket => {
  const second = Math.floor(now / 1000)
  const bucket = breaker.buckets[second % windowSeconds] as Bucket
  if (bucket.second !== second) {
    bucket.second = second
    bucket.calls = 0
    bucket.failed = 0
  }
  return bucket
}

/** Whether nothing is lost when the breaker is forgotten. */
export const isQuiet = (breaker: Breaker, now: number): boolean => {
  const oldest = Math.floor(now / 1000) - windowSeconds + 1
  return breaker.state === 'closed' && breaker.busy === 0 && breaker.buckets.every(({ second }) => second < oldest)
}

const forget = (breaker: Breaker) => {
  for (const bucket of breaker.buckets) bucket.second = -1
}

const isFailing = (breaker: Breaker, now: number): boolean => {
  const oldest = Math.floor(now / 1000) - windowSeconds + 1
  let calls = 0
  let failed = 0
  for (const bucket of breaker.buckets) {
    if (bucket.second < oldest) continue
    calls += bucket.calls
    failed += bucket.failed
  }
  // Failures come sooner than answers: without the calls under way, the first ten of a burst would decide.
  return calls >= minCalls && failed >= (calls + breaker.busy) * failedShare
}

/**
 * Whether a call may be sent now. A failing provider is tried with one call that only reads and costs nothing, since
 * its answer may never come; when no such call comes for a while, with any call.
 */
export const mayPass = (breaker: Breaker, now: number, harmless: boolean): boolean => {
  if (breaker.state === 'closed') return true
  if (breaker.state === 'trying') return false
  return now >= breaker.openUntil + (harmless ? 0 : anyCallAfterMs)
}

/** Called when a call that may pass is about to be sent. */
export const passBreaker = (breaker: Breaker, now: number) => {
  breaker.busy += 1
  if (breaker.state !== 'open') return
  breaker.state = 'trying'
  breaker.tryingSince = now
}

/**
 * Records the outcome of a call that passed; returns the new state when it opened or closed the breaker. `failed`
 * undefined: the outcome says nothing about the provider (the caller cancelled, we are closing).
 */
export const noteOutcome = (
  breaker: Breaker,
  startedAt: number,
  now: number,
  failed: boolean | undefined,
): 'open' | 'closed' | undefined => {
  breaker.busy -= 1
  const isTry = breaker.state === 'trying' && startedAt >= breaker.tryingSince
  if (failed === undefined) {
    if (isTry) breaker.state = 'open'
    return undefined
  }
  if (isTry) {
    forget(breaker)
    breaker.state = failed ? 'open' : 'closed'
    breaker.openUntil = now + openMs
    return breaker.state
  }
  if (breaker.state !== 'closed') return undefined
  const bucket = bucketAt(breaker, now)
  bucket.calls += 1
  if (!failed) return undefined
  bucket.failed += 1
  if (!isFailing(breaker, now)) return undefined
  forget(breaker)
  breaker.state = 'open'
  breaker.openUntil = now + openMs
  return breaker.state
}

/** Applies what another process found out: that the provider fails, or no longer does. */
export const noteElsewhere = (breaker: Breaker, now: number, isOpen: boolean) => {
  // The trial call of this process will say more.
  if (breaker.state === 'trying') return
  forget(breaker)
  breaker.state = isOpen ? 'open' : 'closed'
  breaker.openUntil = now + openMs
}

export type BreakerReading = {
  state: Breaker['state']
  /** When a call may try again, in monotonic ms; null unless the breaker is open until a later time. */
  until: number | null
}

export const readBreaker = (breaker: Breaker | undefined, now: number): BreakerReading => ({
  state: breaker?.state ?? 'closed',
  until: breaker?.state === 'open' && breaker.openUntil > now ? breaker.openUntil : null,
})

export const breakerFailure = (breaker: Breaker, now: number, name: string): Failure =>
  fail(
    'unreachable',
    `${name} failed most of the last calls of this tenant, so nothing is sent for a moment. Nothing was done; try again after retryAfterMs.`,
    {
      retryAfterMs: Math.max(1000, Math.ceil(breaker.openUntil - now)),
    },
  )
