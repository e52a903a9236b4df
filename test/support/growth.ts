/** Below this, in milliseconds, a difference is noise; quadratic work takes seconds at the sizes used. */
const noiseMs = 20

/**
 * The ratio of the time for the whole `size` to the time for a quarter of it: about 4 for linear work, 16 for quadratic
 * work, and 1 for work too short to measure. Both are wall-clock times, each the best of several tries, because CPU
 * time is counted too coarsely for this: a busy machine only causes another try and does not decide the result.
 */
export const growth = async (size: number, work: (size: number) => unknown, fine = 8): Promise<number> => {
  const best = async (of: number, bestMs: number) => {
    const started = performance.now()
    await work(of)
    return Math.min(bestMs, performance.now() - started)
  }
  let [small, large] = [Infinity, Infinity]
  for (let turn = 0; turn < 40; turn += 1) {
    small = await best(size / 4, small)
    large = await best(size, large)
    if (large < noiseMs) return 1
    if (turn >= 2 && large / small <= fine) break
  }
  return large / small
}
