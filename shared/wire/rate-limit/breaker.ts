import { fail } from '#kit'
import type { Failure } from '#kit'

/** One second of what happened at a provider. */
type Bucket = { second: number; calls: number; failed: number }

/**
 * What is known of a provider's health as one tenant sees it: what it answers to one tenant must stop no other.
 * `open`: it is left alone until `openUntil`, then one call may try.
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
/** A provider that only ever gets writes must also be tried again some day. */
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

/** Nothing is lost when it is forgotten. */
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
  // Failures are quicker than answers: without the calls under way, the first ten of a burst would decide.
  return calls >= minCalls && failed >= (calls + breaker.busy) * failedShare
}

/**
 * Whether a call may be sent now. A provider that fails is tried with one call that only reads and costs nothing, since
 * its answer may never come; where no such call comes for a while, with any.
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
 * What became of a call that passed; gives the state where that opened or closed it. undefined: it says nothing about
 * the provider (the caller cancelled, we are closing).
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

/** Another process found that the provider fails, or that it does not any more. */
export const noteElsewhere = (breaker: Breaker, now: number, isOpen: boolean) => {
  // A try of our own says more.
  if (breaker.state === 'trying') return
  forget(breaker)
  breaker.state = isOpen ? 'open' : 'closed'
  breaker.openUntil = now + openMs
}

export type BreakerReading = {
  state: Breaker['state']
  /** Monotonic ms; null: nothing waits for it. */ until: number | null
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
