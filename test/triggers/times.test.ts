import { expect, test } from 'vitest'
import { createTimes } from '../../shared/runtime/triggers/sync/times.ts'

test('times that have passed are forgotten when there are many, and no others', () => {
  let now = 1_000_000
  const times = createTimes(() => now, 100)
  times.set('later', now + 1_000_000)
  for (let n = 0; n < 100_000; n += 1) {
    now += 1
    times.set(`${n}`, now)
    expect(times.size()).toBeLessThan(2000)
  }
  expect(times.get('later')).toBe(2_000_000)
  expect(times.get('99999')).toBe(now)
  expect(times.get('0')).toBe(0)
})
