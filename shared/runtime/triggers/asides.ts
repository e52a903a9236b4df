import { describeDefect, isFailure } from '#kit'
import type { Log } from '../ports/index.ts'

export const textOf = (error: unknown) => (isFailure(error) ? { error: error.message } : describeDefect(error))

/** Background work whose result nobody waits for; a defect in it is logged. */
export const createAsides = (log: Log) => {
  const running = new Set<Promise<unknown>>()
  return {
    run(event: string, work: Promise<unknown>) {
      const mine = work.catch((error: unknown) => log('error', event, textOf(error))).finally(() => running.delete(mine))
      running.add(mine)
    },
    /** Resolves when none is left. */
    async idle(): Promise<void> {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
