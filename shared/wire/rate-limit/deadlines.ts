import type { WireOptions } from '../types.ts'

/** Something that ends at a time (monotonic ms) unless it is removed before. */
export type Deadline = { at: number; end: () => void }

/** Many deadlines that share one timer, so that a call served in time needs none of its own. */
export const createDeadlines = (options: Pick<WireOptions, 'monotonic' | 'sleep'>) => {
  const all = new Set<Deadline>()
  let wakesAt = Infinity
  let sleeper: AbortController | undefined

  const stopSleeping = () => {
    sleeper?.abort()
    sleeper = undefined
    wakesAt = Infinity
  }
  const check = () => {
    const now = options.monotonic()
    let next = Infinity
    for (const deadline of all) {
      if (deadline.at <= now) {
        all.delete(deadline)
        deadline.end()
      } else next = Math.min(next, deadline.at)
    }
    stopSleeping()
    if (next !== Infinity) wakeAt(next)
  }
  const wakeAt = (at: number) => {
    if (at >= wakesAt) return
    stopSleeping()
    wakesAt = at
    const mine = new AbortController()
    sleeper = mine
    options.sleep(Math.max(0, Math.ceil(at - options.monotonic())), mine.signal).then(check, () => undefined)
  }

  return {
    add(deadline: Deadline) {
      all.add(deadline)
      wakeAt(deadline.at)
    },
    remove(deadline: Deadline) {
      all.delete(deadline)
      // A timer that nobody waits for must not keep the process alive.
      if (all.size === 0) stopSleeping()
    },
  }
}
