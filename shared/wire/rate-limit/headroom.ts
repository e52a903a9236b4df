import type { PaceLimit } from '#kit'
import type { Concurrency, LimitKind, Provider } from './buckets.ts'
import { usedOf } from './window.ts'
import type { RateWindow } from './window.ts'

/** One limit as this process counts it. Times are monotonic ms. */
export type WindowReading = {
  per: LimitKind
  /** Of a path family: its template. */
  route: string | null
  /** null: the profile knows no limit here, but a 429 named one. */
  limit: number | null
  windowMs: number | null
  /** null: nothing was counted here lately. */
  used: number | null
  remaining: number | null
  /** When all of it is free again. null: nothing is used, or calls under way have to be answered first. */
  freeAt: number | null
  /** Nothing is sent before, because the provider asked for it. */
  pausedUntil: number | null
}
export type QueueReading = { running: number; waiting: number; concurrency: number }

const pauseOf = (window: RateWindow, now: number) => (window.pausedUntil > now ? window.pausedUntil : null)

/**
 * `share`: where an app is used by several tenants, the part of this one. What the others use is theirs to know, so
 * only what is left for this tenant is read from the limit itself.
 */
export const readWindow = (
  limit: PaceLimit,
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

/** A pause of what has no limit in the profile. */
export const readPause = (
  per: LimitKind,
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
