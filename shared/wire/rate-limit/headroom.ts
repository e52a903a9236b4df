import type { PaceLimit } from '#kit'
import type { Concurrency, LimitKind, Provider } from './buckets.ts'
import { usedOf } from './window.ts'
import type { RateWindow } from './window.ts'

/** Limits of single values are not read: there are as many as values. */
export type ReadKind = Exclude<LimitKind, 'field'>

/** One limit as this process counts it. Times are monotonic ms. */
export type WindowReading = {
  per: ReadKind
  /** The path family that the limit applies to; null for other limits. */
  route: string | null
  /** null: the profile has no limit here, but a 429 named one. */
  limit: number | null
  windowMs: number | null
  /** null: nothing has been counted here lately. */
  used: number | null
  remaining: number | null
  /** When all permits are free again; null when none is used, or when calls under way have to be answered first. */
  freeAt: number | null
  /** Until when nothing is sent because the provider asked for it. */
  pausedUntil: number | null
}
export type QueueReading = { running: number; waiting: number; concurrency: number }

const pauseOf = (window: RateWindow, now: number) => (window.pausedUntil > now ? window.pausedUntil : null)

/**
 * `share`: this tenant's part of an app's limit that several tenants use. How much the others use is not shown, so the
 * limit itself only tells what is left for this tenant.
 */
export const readWindow = (
  limit: Omit<PaceLimit, 'per'> & { per: ReadKind },
  window: RateWindow | undefined,
  share: RateWindow | undefined,
  now: number,
): WindowReading => {
  const { per, max, windowMs, route = null } = limit
  const own = share ?? window
  if (window === undefined || own === undefined)
    return {
      per,
      route,
      limit: max,
      windowMs,
      used: null,
      remaining: null,
      freeAt: null,
      pausedUntil: window ? pauseOf(window, now) : null,
    }
  const { used, freeAt } = usedOf(own, now)
  const remaining = Math.max(0, Math.min(own.max - used, window.max - usedOf(window, now).used))
  return {
    per,
    route,
    limit: max,
    windowMs,
    used,
    remaining,
    freeAt: freeAt ?? null,
    pausedUntil: pauseOf(window, now),
  }
}

/** A pause of calls for which the profile has no limit. */
export const readPause = (
  per: ReadKind,
  route: string | null,
  window: RateWindow | undefined,
  now: number,
): WindowReading[] => {
  const pausedUntil = window && pauseOf(window, now)
  if (pausedUntil == null) return []
  return [{ per, route, limit: null, windowMs: null, used: null, remaining: null, freeAt: null, pausedUntil }]
}

export const readQueue = (
  provider: Provider | undefined,
  account: Concurrency | undefined,
  concurrency: number,
): QueueReading => ({
  running: account?.busy ?? 0,
  waiting:
    provider?.waiting.reduce((sum, buckets) => sum + (buckets.account === account ? buckets.waiters.length : 0), 0) ??
    0,
  concurrency,
})
