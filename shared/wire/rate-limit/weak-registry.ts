/**
 * Holds one value per key for as long as it matters, and finds it again while anybody still holds it: two holders of
 * one key must never count separately.
 */
export const createWeakRegistry = <T extends object>(make: (key: string) => T, isIdle: (value: T) => boolean) => {
  const held = new Map<string, T>()
  const weak = new Map<string, WeakRef<T>>()
  let sweepAt = 256

  const sweep = () => {
    for (const [key, value] of held) if (isIdle(value)) held.delete(key)
    for (const [key, reference] of weak) if (!held.has(key) && reference.deref() === undefined) weak.delete(key)
    sweepAt = Math.max(256, weak.size * 2)
  }

  return {
    get(key: string): T {
      const entry = held.get(key) ?? weak.get(key)?.deref()
      if (entry) {
        held.set(key, entry)
        return entry
      }
      if (weak.size >= sweepAt) sweep()
      const value = make(key)
      held.set(key, value)
      weak.set(key, new WeakRef(value))
      return value
    },
    /** The existing value; creates none. */
    peek: (key: string): T | undefined => held.get(key) ?? weak.get(key)?.deref(),
    values: () => held.values(),
    size: () => held.size,
  }
}
