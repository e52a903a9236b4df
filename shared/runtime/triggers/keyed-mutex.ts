import PQueue from 'p-queue'

/** Work under one name is done one after the other; different names beside each other. */
export const createKeyedMutex = () => {
  const queues = new Map<string, PQueue>()
  const forgetWhenIdle = async (name: string, queue: PQueue) => {
    // Work may come in the moment in which the last has ended.
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
