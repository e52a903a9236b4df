const sweepFrom = 1000

/**
 * Times by name. A time that passed more than `keptMs` ago means the same as none, so such entries are dropped when
 * there are many.
 */
export const createTimes = (now: () => number, keptMs = 0) => {
  const times = new Map<string, number>()
  let sweepAt = sweepFrom
  return {
    get: (name: string): number => times.get(name) ?? 0,
    set(name: string, at: number) {
      times.set(name, at)
      if (times.size < sweepAt) return
      for (const [old, passed] of times) if (passed <= now() - keptMs) times.delete(old)
      sweepAt = Math.max(sweepFrom, times.size * 2)
    },
    size: () => times.size,
  }
}
