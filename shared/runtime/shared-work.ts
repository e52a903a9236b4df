import { fail } from '#kit'
import type { Clock } from './ports/index.ts'

/** Work in progress in this process, by key: callers that need the same result wait for it. */
export const createSharedWork = <T>() => {
  const underWay = new Map<string, Promise<T>>()
  return {
    find: (key: string): Promise<T> | undefined => underWay.get(key),
    /** Call `find` first: a second `start` with the same key would do the work twice. */
    start(key: string, work: () => Promise<T>): Promise<T> {
      const started = work().finally(() => underWay.delete(key))
      underWay.set(key, started)
      return started
    },
  }
}

/** Wraps `work` so that concurrent calls share one execution. */
export const shareCalls = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let underWay: Promise<T> | undefined
  return () => (underWay ??= work().finally(() => (underWay = undefined)))
}

/** `deadlineAt`: monotonic ms; absent: wait as long as the work takes. */
export type WaitLimits = { signal: AbortSignal | undefined; deadlineAt?: number }

/**
 * The result of work that another caller started. The work itself goes on when this caller stops waiting.
 * @throws Failure `cancelled` or `unreachable` when this caller can wait no longer
 */
export const waitForShared = async <T>(
  clock: Clock,
  work: Promise<T>,
  { signal, deadlineAt }: WaitLimits,
): Promise<T> => {
  const ended = new AbortController()
  const stopped = new Promise<never>((_, reject) => {
    const stop = () =>
      reject(fail('cancelled', 'The call was cancelled while another one asked for the same. Nothing was sent for it.'))
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true, signal: ended.signal })
    const late = () =>
      reject(
        fail(
          'unreachable',
          'The time for this call was used up while another one asked for the same. Nothing was sent for it; try again.',
        ),
      )
    if (deadlineAt !== undefined)
      clock.sleep(Math.max(1, deadlineAt - clock.monotonic()), ended.signal).then(late, () => {})
  })
  stopped.catch(() => {})
  try {
    return await Promise.race([work, stopped])
  } finally {
    ended.abort()
  }
}
