/** The newest entries, as many as `most`; the one set longest ago goes first. */
export const createRecent = <V>(most: number) => {
  const kept = new Map<string, V>()
  return {
    get: (name: string): V | undefined => kept.get(name),
    set(name: string, value: V) {
      kept.delete(name)
      kept.set(name, value)
      if (kept.size > most) kept.delete(kept.keys().next().value!)
    },
  }
}
