import { expect, test } from 'vitest'
import { describeClock, judgeClock, requireClock } from '../../shared/runtime/clock-difference.ts'
import { failsWith } from '../store/fails.ts'

test('a clock is told of from 2 seconds on, and refused beyond 60, in both directions', () => {
  for (const sign of [1, -1])
    expect([0, 1_999, 2_000, 60_000, 60_001].map((ms) => judgeClock(sign * ms))).toEqual([
      'right',
      'right',
      'differs',
      'differs',
      'wrong',
    ])
  expect(describeClock(90_000)).toBe('90 seconds ahead of the clock of the database')
  expect(describeClock(-2_000)).toBe('2 seconds behind the clock of the database')
})

test('a server whose clock is wrong is not ready; one with a store of its own has nothing to compare it with', async () => {
  const ready = async (aheadMs: number) => requireClock({ clockAheadMs: () => aheadMs })
  await ready(60_000)
  expect(await failsWith(ready(-60_001), 'unavailable')).toMatch(
    /clock of this server is 60 seconds behind .* database\. .*NTP/,
  )
  requireClock(undefined)
})
