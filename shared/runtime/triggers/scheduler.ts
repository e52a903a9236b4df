import { describeDefect } from '#kit'
import type { Clock, Log } from '../ports/index.ts'

export type Task = { name: string; everyMs: number; run(): Promise<unknown> }
export type Scheduler = {
  start(): void
  /** Runs a task soon, or once more when it is already running. */
  wake(name: string): void
  /** Resolves when no task is running. */
  stop(): Promise<void>
}

/**
 * Runs each task repeatedly; its interval is the time from the end of one run to the start of the next. A task that
 * throws is run again like any other.
 */
export const createScheduler = (tasks: Task[], { clock, log }: { clock: Clock; log: Log }): Scheduler => {
  const wakers = new Map<string, { woken: boolean; ring: () => void }>()
  let running: Promise<unknown> | undefined
  let stopped = false

  const pause = async (waker: { woken: boolean; ring: () => void }, ms: number) => {
    if (waker.woken || stopped) return
    const controller = new AbortController()
    // Without a reason, an exception with its stack would be made for each wake-up.
    waker.ring = () => controller.abort('woken')
    await clock.sleep(ms, controller.signal).catch(() => undefined)
    waker.ring = () => {}
  }

  const repeat = async ({ name, everyMs, run }: Task) => {
    const waker = wakers.get(name)!
    while (!stopped) {
      waker.woken = false
      await run().catch((error: unknown) => log('error', 'task.failed', { task: name, ...describeDefect(error) }))
      await pause(waker, everyMs)
    }
  }

  for (const { name } of tasks) wakers.set(name, { woken: false, ring: () => {} })
  return {
    start() {
      running ??= Promise.all(tasks.map(repeat))
    },
    wake(name) {
      const waker = wakers.get(name)
      if (!waker) return
      waker.woken = true
      waker.ring()
    },
    async stop() {
      stopped = true
      for (const waker of wakers.values()) waker.ring()
      await running
    },
  }
}
