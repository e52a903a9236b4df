import type { Clock } from '../ports/index.ts'

/** A stored time further ahead than this is from a wrong clock and is ignored. */
const maxAheadMs = 24 * 3_600_000

export type MonotonicClock = (() => number) & {
  /** Continues from the time when the previous process last ran, in case the clock was set back since. */
  resumeFrom(at: number | undefined): void
}

/**
 * Wall time that never runs backwards: otherwise setting the clock back would delay due work by the same amount. It
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
 * The time of a store that several processes share. Each must use it unchanged: due times are stored by that clock, so
 * a process with a later time of its own would find nothing due.
 */
export const createSharedClock = (clock: Pick<Clock, 'now'>): MonotonicClock =>
  Object.assign(() => clock.now(), { resumeFrom: () => {} })
