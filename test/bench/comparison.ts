/** What is said of figures of two builds; without clock and processes. */

/** A difference below this is not told from chance on a machine that others use too. */
export const slowerFrom = 1.03
/** Instructions are counted, not timed: a smaller difference is real, but comes from what the engine optimizes when. */
export const moreFrom = 1.05

/** How many of `count` coin tosses at most come out one way with a chance of at most `chance`; -1 when none does. */
const rareUpTo = (count: number, chance: number): number => {
  let term = 0.5 ** count
  let sum = term
  let tosses = -1
  while (sum <= chance) {
    tosses += 1
    term *= (count - tosses) / (tosses + 1)
    sum += term
  }
  return tosses
}

export type Interval = { median: number; low: number; high: number }

/** The median of paired ratios and its 95 % interval by the sign test, which supposes nothing of how they are spread. */
export const medianInterval = (ratios: readonly number[]): Interval => {
  if (ratios.length < 15) throw new Error(`${ratios.length} pairs are too few to compare; take at least 15.`)
  const sorted = ratios.toSorted((a, b) => a - b)
  // So many rounds lie below the median, or above it, by chance in at most 2.5 % of comparisons.
  const outside = rareUpTo(sorted.length, 0.025)
  const middle = sorted.length >> 1
  return {
    median: sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2,
    low: sorted[outside]!,
    high: sorted.at(-1 - outside)!,
  }
}

export type Verdict = Interval & { what: string; isSlower: boolean }

/** Slower is what takes longer with the whole interval. */
export const judge = (what: string, ratios: readonly number[]): Verdict => {
  const interval = medianInterval(ratios)
  return { what, ...interval, isSlower: interval.low > slowerFrom }
}

export const sentenceOf = ({ what, median, low, high, isSlower }: Verdict): string =>
  `${isSlower ? 'SLOWER ' : '       '} ${what}: ${median.toFixed(3)} x (95 % interval ${low.toFixed(3)} to ${high.toFixed(3)})`

/** Instructions for each operation, and what they depend on besides the code. */
export type Counts = { node: string; arch: string; valgrind: string; instructions: Record<string, number> }

/** The number of instructions of one dump of callgrind. */
export const instructionsIn = (dump: string): number => {
  const [, count] = /^(?:summary|totals): (\d+)$/m.exec(dump) ?? []
  if (count === undefined) throw new Error('A dump of callgrind has no line "summary".')
  return Number(count)
}

export type CountVerdict = { lines: string[]; isRed: boolean }

/** What today's counts say beside those that a release has kept. */
export const judgeCounts = (present: Counts, kept: (Counts & { version: string }) | undefined): CountVerdict => {
  if (!kept) return { lines: ['not measured: no release has kept its instructions'], isRed: false }
  for (const what of ['node', 'arch', 'valgrind'] as const)
    if (present[what] !== kept[what])
      return {
        lines: [`not measured: ${kept.version} was counted with ${what} ${kept[what]}, this is ${present[what]}`],
        isRed: false,
      }
  const compared = Object.entries(present.instructions).flatMap(([what, count]) => {
    const before = kept.instructions[what]
    if (before === undefined) return []
    const ratio = count / before
    const line = `${what}: ${count} instructions, ${ratio.toFixed(3)} x those of ${kept.version}`
    return [{ line: `${ratio >= moreFrom ? 'MORE   ' : '       '} ${line}`, isMore: ratio >= moreFrom }]
  })
  return { lines: compared.map(({ line }) => line), isRed: compared.some(({ isMore }) => isMore) }
}
