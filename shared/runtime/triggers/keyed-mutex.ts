import PQueue from 'p-queue'
import type { Leases } from '../leases.ts'

/** Serialises work under one name, across all processes that share the store; different names run concurrently. */
export const createKeyedMutex = (leases: Pick<Leases, 'hold'> = { hold: (_, work) => work() }) => {
  const queues = new Map<string, PQueue>()
  const forgetWhenIdle = async (name: string, queue: PQueue) => {
    // More work may be added just as the queue becomes idle.
    while (queue.size + queue.pending > 0) await queue.onIdle()
    queues.delete(name)
  }
  return <T>(name: string, alone: () => Promise<T>): Promise<T> => {
    const work = () => leases.hold(name, alone)
    const existingQueue = queues.get(name)
    if (existingQueue) return existingQueue.add(work)
    const queue = new PQueue({ concurrency: 1 })
    queues.set(name, queue)
    const result = queue.add(work)
    void forgetWhenIdle(name, queue)
    return result
  }
}
export type KeyedMutex = ReturnType<typeof createKeyedMutex>
