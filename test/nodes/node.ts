/** One served node in a process of its own, which can be killed, stopped, paused and started again. */
import { setTimeout as wait } from 'node:timers/promises'
import { start } from '../faces/process.ts'
import type { Ended, Started } from '../faces/process.ts'

export const createNode = (port: number, env: Record<string, string>) => {
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
    /** Starts the process. Resolves to true once it is ready, and to false when it ended before. */
    async start(): Promise<boolean> {
      const mine = start(['serve'], { ...env, TOOLYARD_PORT: String(port) })
      running = mine
      hasEnded = false
      let isMineOver = false
      void mine.ended.then(() => {
        isMineOver = true
        if (running === mine) hasEnded = true
      })
      while (!isMineOver) {
        const isReady = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
          async (reply) => (await reply.arrayBuffer(), reply.status === 200),
          () => false,
        )
        if (isReady) return true
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
