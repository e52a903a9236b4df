import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAlarms } from '../../shared/store/postgres/alarms.ts'

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => void vi.useRealTimers())

const openAlarms = () => {
  const rung: string[] = []
  const alarms = createAlarms({ now: Date.now }, (kind) => void rung.push(`${kind} ${Date.now()}`))
  return { alarms, rung }
}

test('rings once for the jobs of a kind that become due in the same second, when the database sees them as due', () => {
  const { alarms, rung } = openAlarms()
  for (const at of [1_001_200, 1_001_900, 1_002_000, 1_003_500]) alarms.set('polls', at)
  alarms.set('starts', 1_001_500)
  vi.advanceTimersByTime(1_999)
  expect(rung).toEqual([])
  vi.advanceTimersByTime(5_000)
  expect(rung).toEqual(['polls 1002020', 'starts 1002020', 'polls 1004020'])
})

test('is not set for what is due, nor for what is far off', () => {
  const { alarms } = openAlarms()
  alarms.set('starts', 999_000)
  alarms.set('starts', 1_000_000)
  alarms.set('starts', 1_000_000 + 2 * 3_600_000)
  expect(vi.getTimerCount()).toBe(0)
})

test('can be set again for a second that has come, and none rings once they are cleared', () => {
  const { alarms, rung } = openAlarms()
  alarms.set('starts', 1_001_000)
  vi.advanceTimersByTime(1_100)
  alarms.set('starts', 1_002_000)
  alarms.clear()
  vi.advanceTimersByTime(5_000)
  expect(rung).toEqual(['starts 1001020'])
})
