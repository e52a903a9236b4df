import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../shared/runtime/ports/index.ts'

export type FakeClock = Clock & { advance(ms: number): void; slept: number[] }

/** A clock whose sleeps return at once and advance it. It starts at a fixed moment, so outputs are reproducible. */
export const fakeClock = (start = Date.parse('2026-11-20T09:00:00Z')): FakeClock => {
  let passed = 0
  const slept: number[] = []
  return {
    slept,
    now: () => start + passed,
    monotonic: () => passed,
    advance: (ms) => void (passed += ms),
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason as Error)
      slept.push(ms)
      passed += Math.max(0, ms)
      return Promise.resolve()
    },
  }
}

/**
 * Real time in which rounds of this interval come no second time: those of background work that would change what a
 * test looks at, on a busy machine between two of its looks.
 */
export const clockWithoutRounds = (everyMs: number): Clock => ({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => wait(ms === everyMs ? 2 ** 31 - 1 : ms, undefined, signal ? { signal } : {}),
})

/** Real time that can be moved on: sleeps last as long as they say, so that calls at the same time keep their order. */
export const movableClock = () => {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    monotonic: () => performance.now() + ahead,
    sleep: (ms: number, signal?: AbortSignal): Promise<void> => wait(ms, undefined, signal ? { signal } : {}),
    advance: (ms: number) => void (ahead += ms),
  }
}
