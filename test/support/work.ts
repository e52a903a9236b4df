/**
 * What a piece of work costs this process, in CPU time and not by the clock: a busy machine makes it slower, not
 * larger.
 */

const cpuMs = (from?: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
}
/** Of the thread that runs JavaScript alone, without the collector's helpers. */
const threadMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const median = (figures: number[]) => figures.toSorted((a, b) => a - b)[figures.length >> 1]!

/** CPU of reading and printing the same text once, ms: what nobody can do without. */
export const plainMs = (text: string): number =>
  median(
    [1, 2, 3].map(() => {
      const from = process.cpuUsage()
      JSON.stringify(JSON.parse(text))
      return cpuMs(from)
    }),
  )

export type WorkCost = {
  /** CPU of the whole process, ms. */
  allMs: number
  /** The most CPU between two turns of the event loop, ms: so long nobody else is served. */
  turnMs: number
}

export const workOf = async (work: () => Promise<unknown>): Promise<WorkCost> => {
  let turnMs = 0
  let isWorking = true
  const from = process.cpuUsage()
  let since = threadMs()
  const look = () => {
    const now = threadMs()
    turnMs = Math.max(turnMs, now - since)
    since = now
    if (isWorking) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isWorking = false
  look()
  return { allMs: cpuMs(from), turnMs }
}
