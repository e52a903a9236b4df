import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const everyBytes = 2 ** 21

/**
 * To be told of every piece that passes. What is copied is garbage at once, but the engine lets a hundred megabytes of
 * it gather before it looks: so it is asked to look every 2 MB, which costs a few milliseconds of a heap that holds
 * little else.
 */
export const createCollector = (): ((bytes: number) => void) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let passed = 0
  return (bytes) => {
    passed += bytes
    if (passed < everyBytes) return
    passed = 0
    collect()
  }
}
