/**
 * The cost of a piece of work as this process's CPU time, not wall-clock time: a busy machine makes the work slower,
 * but not costlier.
 */

const cpuMs = (from?: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
}
/** CPU time of the JavaScript thread alone, without the garbage collector's helper threads. */
const threadMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const median = (figures: number[]) => figures.toSorted((a, b) => a - b)[figures.length >> 1]!

/** CPU time to parse and serialize the same text once, in ms: the minimum that no implementation can avoid. */
export const plainMs = (text: string): number =>
  median(
    [1, 2, 3].map(() => {
      const from = process.cpuUsage()
      JSON.stringify(JSON.parse(text))
      return cpuMs(from)
    }),
  )

export type WorkCost = {
  /** CPU time of the whole process, in ms. */
  allMs: number
  /** The most CPU time between two turns of the event loop, in ms: for that long, nothing else is served. */
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
