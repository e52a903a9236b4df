/** Where the bars of a chart and the lines behind them lie. */
import type { Series } from './figures.ts'

const maxLines = 5

/** The values of the lines behind bars up to `top`, above 0: multiples of 1, 2 or 5 times a power of ten. */
export const linesUpTo = (top: number, isWhole: boolean): number[] => {
  const power = 10 ** Math.floor(Math.log10(top / maxLines))
  const round = [1, 2, 5, 10].map((factor) => factor * power).find((size) => top / size <= maxLines)!
  // No half of a run.
  const step = isWhole ? Math.max(1, round) : round
  return Array.from({ length: Math.floor(top / step) }, (_, index) => (index + 1) * step)
}

/** The parts of a day's bar from the bottom up, with their lower end and size in the unit of the values. */
export const partsOf = (series: Series[], day: number) => {
  let end = 0
  return series
    .map(({ values }, index) => {
      const from = end
      end += values[day]!
      return { index, from, size: values[day]! }
    })
    .filter(({ size }) => size > 0)
}
