import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const everyBytes = 2 ** 21

/**
 * Returns a function to call with the size of every piece that was copied. The pieces are garbage at once, but the
 * engine lets a hundred megabytes gather before it collects; so it is made to collect every 2 MB, which takes a few
 * milliseconds on a heap that holds little else.
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
