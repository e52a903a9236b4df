/**
 * Keeps one value per key for as long as it matters, and finds it again while anybody still holds it: two holders of one key must never
 * count apart from each other.
 */
export const createKeeper = <T extends object>(make: (key: string) => T, isIdle: (value: T) => boolean) => {
  const kept = new Map<string, T>()
  const known = new Map<string, WeakRef<T>>()
  let sweepAt = 256

  const sweep = () => {
    for (const [key, value] of kept) if (isIdle(value)) kept.delete(key)
    for (const [key, reference] of known) if (!kept.has(key) && reference.deref() === undefined) known.delete(key)
    sweepAt = Math.max(256, known.size * 2)
  }

  return {
    get(key: string): T {
      const found = kept.get(key) ?? known.get(key)?.deref()
      if (found) {
        kept.set(key, found)
        return found
      }
      if (known.size >= sweepAt) sweep()
      const value = make(key)
      kept.set(key, value)
      known.set(key, new WeakRef(value))
      return value
    },
    size: () => kept.size,
  }
}
