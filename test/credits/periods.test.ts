import { describe, expect, test } from 'vitest'
import { never, periodAt } from '../../shared/runtime/credits/periods.ts'
import type { BudgetPeriodKind } from '../../shared/runtime/ports/index.ts'

const span = (period: BudgetPeriodKind, timeZone: string, at: string) => {
  const { startsAt, endsAt } = periodAt({ period, timeZone, createdAt: 5 }, Date.parse(at))
  return [new Date(startsAt).toISOString(), endsAt === never ? 'never' : new Date(endsAt).toISOString()]
}

describe('periods of budgets', () => {
  test.each([
    ['day', 'UTC', '2026-03-01T23:59:59.999Z', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
    ['day', 'Asia/Kathmandu', '2026-03-01T18:15:00Z', '2026-03-01T18:15:00.000Z', '2026-03-02T18:15:00.000Z'],
    // Clocks go back: a day of 25 hours; and forward: one of 23.
    ['day', 'Australia/Sydney', '2026-04-05T00:00:00Z', '2026-04-04T13:00:00.000Z', '2026-04-05T14:00:00.000Z'],
    ['day', 'Australia/Sydney', '2026-10-04T00:00:00Z', '2026-10-03T14:00:00.000Z', '2026-10-04T13:00:00.000Z'],
    // Midnight is skipped: the day begins at one.
    ['day', 'Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'],
    ['week', 'UTC', '2026-03-01T12:00:00Z', '2026-02-23T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
    ['week', 'America/New_York', '2026-03-09T03:59:00Z', '2026-03-02T05:00:00.000Z', '2026-03-09T04:00:00.000Z'],
    ['month', 'Australia/Sydney', '2026-12-31T13:00:00Z', '2026-12-31T13:00:00.000Z', '2027-01-31T13:00:00.000Z'],
    ['total', 'UTC', '2026-12-31T13:00:00Z', '1970-01-01T00:00:00.005Z', 'never'],
  ] as const)('%s in %s at %s', (period, timeZone, at, starts, ends) => {
    expect(span(period, timeZone, at)).toEqual([starts, ends])
  })

  test('follow each other without a gap, and hold every time of a year', () => {
    for (const timeZone of [
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'America/Havana',
      'Pacific/Apia',
      'America/St_Johns',
    ])
      for (let at = Date.UTC(2026, 0, 1), end = Date.UTC(2027, 0, 1); at < end;) {
        const daySpan = periodAt({ period: 'day', timeZone, createdAt: 0 }, at)
        expect(daySpan.startsAt <= at && at < daySpan.endsAt).toBe(true)
        expect(daySpan.endsAt - daySpan.startsAt).toBeLessThanOrEqual(25 * 3_600_000)
        expect(periodAt({ period: 'day', timeZone, createdAt: 0 }, daySpan.endsAt - 1)).toEqual(daySpan)
        expect(periodAt({ period: 'day', timeZone, createdAt: 0 }, daySpan.endsAt).startsAt).toBe(daySpan.endsAt)
        at = daySpan.endsAt
      }
  })
})
