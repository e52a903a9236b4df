import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../shared/runtime/ports/index.ts'

type Sleeper = { at: number; wake: () => void }

/** Rounds of the event loop after which nothing is on its way any more. */
const rounds = 25

/**
 * A clock that goes on only when everybody waits: no request is under way, and nothing has moved for some rounds of the
 * event loop. Then it jumps to the next moment that somebody waits for, so that waiting for a rate limit takes no time
 * and happens in order.
 */
export const idleClock = (start = Date.parse('2026-11-20T09:00:00Z')) => {
  let passed = 0
  let underWay = 0
  let moves = 0
  let running = false
  let stopped = false
  const sleepers = new Set<Sleeper>()
  const began = () => {
    underWay += 1
    moves += 1
  }
  const ended = () => {
    underWay -= 1
    moves += 1
  }
  const channels = [
    ['undici:request:create', began],
    ['undici:request:trailers', ended],
    ['undici:request:error', ended],
  ] as const
  for (const [name, listener] of channels) subscribe(name, listener)

  const isIdle = async () => {
    const before = moves
    for (let round = 0; round < rounds; round += 1) {
      await turn()
      if (underWay > 0 || moves !== before) return false
    }
    return true
  }
  const next = () =>
    [...sleepers].reduce<Sleeper | undefined>(
      (first, sleeper) => (first === undefined || sleeper.at < first.at ? sleeper : first),
      undefined,
    )

  const pump = async () => {
    if (running) return
    running = true
    while (sleepers.size > 0 && !stopped) {
      if (!(await isIdle())) continue
      const first = next()
      if (first === undefined) continue
      passed = Math.max(passed, first.at)
      sleepers.delete(first)
      moves += 1
      first.wake()
    }
    running = false
  }

  const clock: Clock = {
    now: () => start + passed,
    monotonic: () => passed,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        moves += 1
        if (signal?.aborted) {
          reject(signal.reason as Error)
          return
        }
        const sleeper: Sleeper = { at: passed + Math.max(0, ms), wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener(
          'abort',
          () => {
            if (sleepers.delete(sleeper)) reject(signal.reason as Error)
          },
          { once: true },
        )
        void pump()
      }),
  }
  return {
    ...clock,
    stop() {
      stopped = true
      for (const [name, listener] of channels) unsubscribe(name, listener)
    },
  }
}
