/** One served node in a process of its own, which can be killed, stopped, paused and started again. */
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { start } from '../faces/process.ts'
import type { Ended, Started } from '../faces/process.ts'

const wrongClock = fileURLToPath(new URL('wrong-clock.ts', import.meta.url))

type Options = {
  /** Of the clock of its machine. */
  aheadMs?: number
  /** Answers 200 once the node is up. */
  probe?: string
  /** The command of another version. */
  entry?: string
}
export const createNode = (port: number, env: Record<string, string>, options: Options = {}) => {
  const { aheadMs = 0, probe = '/readyz', entry } = options
  const clock = aheadMs === 0 ? [] : ['--import', wrongClock]
  const origin = `http://127.0.0.1:${port}`
  let running: Started | undefined
  let hasEnded = true
  const signal = (name: NodeJS.Signals) => {
    if (!hasEnded) running!.kill(name)
  }
  return {
    port,
    origin,
    isUp: () => !hasEnded,
    /** Of the process that was started last. */
    pid: () => running!.pid,
    /** Starts the process. Resolves to true once it is up, and to false when it ended before. */
    async start(): Promise<boolean> {
      const set = { ...env, TOOLYARD_PORT: String(port), WRONG_CLOCK_MS: String(aheadMs) }
      const mine = start(['serve'], set, { nodeArgs: clock, ...(entry ? { entry } : {}) })
      running = mine
      hasEnded = false
      let isMineOver = false
      void mine.ended.then(() => {
        isMineOver = true
        if (running === mine) hasEnded = true
      })
      while (!isMineOver) {
        const isUp = await fetch(`${origin}${probe}`, { signal: AbortSignal.timeout(2_000) }).then(
          async (reply) => (await reply.arrayBuffer(), reply.status === 200),
          () => false,
        )
        if (isUp) return true
        await wait(50)
      }
      return false
    },
    async kill(): Promise<void> {
      signal('SIGKILL')
      await running?.ended
    },
    /** As a process manager stops it. */
    async stop(): Promise<Ended> {
      signal('SIGTERM')
      return running!.ended
    },
    async pause(ms: number): Promise<void> {
      signal('SIGSTOP')
      await wait(ms)
      signal('SIGCONT')
    },
    /** The end of what it wrote to its log since it was started last, without the requests that went well. */
    log: () =>
      (running?.err() ?? '')
        .split('\n')
        .filter((line) => !/"status":2\d\d/.test(line))
        .slice(-80)
        .join('\n'),
  }
}
export type Node = ReturnType<typeof createNode>
