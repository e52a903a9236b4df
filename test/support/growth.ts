/** Under this a difference is noise; what grows with the square takes seconds at the sizes given. */
const noiseMs = 20

/**
 * How many times longer the whole `size` takes than a quarter of it: about 4 where the work grows with its input, 16
 * where it grows with the square. 1 for work too short to measure. The best of some tries of both, since the
 * processor's own clock ticks too coarsely for this: a busy machine costs another try and decides nothing.
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
