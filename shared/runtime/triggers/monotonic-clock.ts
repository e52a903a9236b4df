import type { Clock } from '../ports/index.ts'

/** A stored time further ahead than this came from a wrong clock and is ignored. */
const maxAheadMs = 24 * 3_600_000

export type MonotonicClock = (() => number) & {
  /** Continues from when the previous process was last alive, in case the clock was set back in between. */
  resumeFrom(at: number | undefined): void
}

/**
 * Wall time that never runs backwards: a clock set back while we run would otherwise delay due work for as long. It
 * advances with the monotonic clock until the wall clock has caught up.
 */
export const createMonotonicClock = (clock: Clock): MonotonicClock => {
  let last = clock.now()
  let lastTick = clock.monotonic()
  const now = () => {
    const tick = clock.monotonic()
    last = Math.max(clock.now(), last + Math.max(0, Math.floor(tick - lastTick)))
    lastTick = tick
    return last
  }
  const resumeFrom = (at: number | undefined) => {
    if (at !== undefined && at - now() < maxAheadMs) last = Math.max(last, at)
  }
  return Object.assign(now, { resumeFrom })
}

/**
 * Where several processes share a store, its clock is the time for all of them: one that ran ahead of it would find
 * nothing due.
 */
export const createSharedClock = (clock: Pick<Clock, 'now'>): MonotonicClock =>
  Object.assign(() => clock.now(), { resumeFrom: () => {} })
