import { describe, expect, it } from 'vitest'
import { linesUpTo, partsOf } from '../../../shared/faces/console/pages/usage/bars.ts'

describe('lines behind bars', () => {
  it('lie at round values, at most five of them', () => {
    expect(linesUpTo(9, true)).toEqual([2, 4, 6, 8])
    expect(linesUpTo(10, true)).toEqual([2, 4, 6, 8, 10])
    expect(linesUpTo(61_000, true)).toEqual([20_000, 40_000, 60_000])
    for (let top = 1; top < 3000; top += 7) {
      const { length } = linesUpTo(top, true)
      expect(length).toBeGreaterThanOrEqual(1)
      expect(length).toBeLessThanOrEqual(5)
    }
  })

  it('divide what is counted into no fractions, and credits into fractions', () => {
    expect(linesUpTo(1, true)).toEqual([1])
    expect(linesUpTo(3, true)).toEqual([1, 2, 3])
    expect(linesUpTo(1.5, false)).toEqual([0.5, 1, 1.5])
  })
})

it('parts of a bar stand on each other, without those of no height', () => {
  const series = [3, 0, 2].map((value) => ({ key: String(value), groups: [], values: [value, 9] }))
  expect(partsOf(series, 0)).toEqual([
    { index: 0, from: 0, size: 3 },
    { index: 2, from: 3, size: 2 },
  ])
})
