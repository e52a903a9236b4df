import type { Clock } from '../ports/index.ts'

/** A time further ahead than this was told by a clock that was wrong, and is not held to. */
const mostAheadMs = 24 * 3_600_000

export type MonotonicClock = (() => number) & {
  /** Goes on from when the process before this one was last alive, should the clock have been set back in between. */
  resumeFrom(at: number | undefined): void
}

/**
 * Wall time that never runs backwards: a clock set back while we run would otherwise hold due work up for as long. It goes on at the
 * pace of the monotonic clock until the wall clock has caught up.
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
    if (at !== undefined && at - now() < mostAheadMs) last = Math.max(last, at)
  }
  return Object.assign(now, { resumeFrom })
}
