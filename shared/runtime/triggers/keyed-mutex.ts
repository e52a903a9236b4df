/** Work under one name is done one after the other; different names beside each other. */
export const createKeyedMutex = () => {
  const last = new Map<string, Promise<unknown>>()
  return <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(name) ?? Promise.resolve()
    const mine = before.then(work, work)
    const settled = mine.catch(() => undefined)
    last.set(name, settled)
    void settled.then(() => {
      if (last.get(name) === settled) last.delete(name)
    })
    return mine
  }
}
export type KeyedMutex = ReturnType<typeof createKeyedMutex>
