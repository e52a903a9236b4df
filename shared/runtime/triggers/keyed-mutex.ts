import PQueue from 'p-queue'

/** Serialises work under one name; different names run concurrently. */
export const createKeyedMutex = () => {
  const queues = new Map<string, PQueue>()
  const forgetWhenIdle = async (name: string, queue: PQueue) => {
    // Work may arrive just as the last one ends.
    while (queue.size + queue.pending > 0) await queue.onIdle()
    queues.delete(name)
  }
  return <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const known = queues.get(name)
    if (known) return known.add(work)
    const queue = new PQueue({ concurrency: 1 })
    queues.set(name, queue)
    const result = queue.add(work)
    void forgetWhenIdle(name, queue)
    return result
  }
}
export type KeyedMutex = ReturnType<typeof createKeyedMutex>
