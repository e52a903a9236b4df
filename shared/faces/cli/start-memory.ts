import { flushCompileCache } from 'node:module'
import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Blocks the process for 50 ms, and for longer after much work. */
const collect = () => {
  setFlagsFromString('--expose-gc')
  const collectNow = runInNewContext('gc') as (options: object) => void
  setFlagsFromString('--no-expose-gc')
  collectNow({ type: 'major', flavor: 'last-resort' })
}

/**
 * Releases memory that only the start needed: V8 never shrinks the space for new objects by itself, which would keep
 * 17 MB in an idle server. This blocks the process once, as soon as the address is printed; under load the space grows
 * again. The compile cache is written first, while it is complete.
 */
export const releaseStartMemory = () => {
  flushCompileCache()
  collect()
  // Turned off by the launcher (shared/toolyard.js).
  setFlagsFromString('--opt --maglev --sparkplug')
}

const lookEveryMs = 10_000
/** Share of the time in which an idle server is busy, at most; 100 runs a second take 4 %. */
const idleShare = 0.01
/** What is less than this, in bytes, is not worth blocking the process. */
const worthwhileBytes = 48 * 2 ** 20
/** A collection takes about 1 ms for each MB that stays, so with more than this the engine collects by itself, in parts. */
const mostBytes = 64 * 2 ** 20

/** What the memory of a process is judged by. `busyShare`: share of the time since the call before, 0 to 1. */
export type MemoryMeter = { heapBytes(): number; busyShare(): number; collect(): void }

const meterOfProcess = (): MemoryMeter => {
  let before = performance.eventLoopUtilization()
  return {
    heapBytes: () => getHeapStatistics().total_physical_size,
    busyShare() {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      return utilization
    },
    collect,
  }
}

/**
 * Returns a check that collects once the process has been idle since the check before, and its heap has grown
 * noticeably since it was last collected, if little stayed then: V8 collects while objects are made, so that after a
 * burst of work its last objects, and the room for many more, would stay for as long as nothing comes in.
 */
export const createIdleCheck = ({ heapBytes, busyShare, collect: release }: MemoryMeter) => {
  let least = heapBytes()
  return () => {
    const isIdle = busyShare() <= idleShare
    if (!isIdle || least > mostBytes || heapBytes() < least + worthwhileBytes) return
    release()
    least = heapBytes()
  }
}

/** Gives memory back whenever the server is idle. Call it after `releaseStartMemory`. */
export const releaseIdleMemory = (): void => void setInterval(createIdleCheck(meterOfProcess()), lookEveryMs).unref()
