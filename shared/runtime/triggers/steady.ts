import type { Clock } from '../ports.ts'

/**
 * Wall time that never runs backwards: a clock set back while we run would otherwise hold due work up for as long. It goes on at the
 * pace of the monotonic clock until the wall clock has caught up.
 */
export const createSteadyNow = (clock: Clock): (() => number) => {
  let last = clock.now()
  let lastTick = clock.monotonic()
  return () => {
    const tick = clock.monotonic()
    last = Math.max(clock.now(), last + Math.max(0, Math.floor(tick - lastTick)))
    lastTick = tick
    return last
  }
}
