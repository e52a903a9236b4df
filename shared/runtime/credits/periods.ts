import type { Budget, PeriodSpan } from '../ports/index.ts'

const minute = 60_000
const quarter = 15 * minute
const day = 24 * 60 * minute
/** The latest time that a Date can represent. */
export const never = 8_640_000_000_000_000

/** The local date at a time, as days since 1970. */
type DateAt = (at: number) => number

const dateIn = (timeZone: string): DateAt => {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: 'numeric', day: 'numeric' })
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    return Date.UTC(parts['year']!, parts['month']! - 1, parts['day']!) / day
  }
}

/**
 * When a local date begins: its first quarter of an hour. That is not midnight where clocks are put forward at
 * midnight.
 */
const beginningOf = (date: number, dateAt: DateAt): number => {
  // No time zone is more than 14 hours away from UTC.
  let [before, begun] = [(date * day - 15 * 60 * minute) / quarter, (date * day + 15 * 60 * minute) / quarter]
  while (begun - before > 1) {
    const middle = Math.floor((before + begun) / 2)
    if (dateAt(middle * quarter) < date) before = middle
    else begun = middle
  }
  return begun * quarter
}

const firstDateOf = (period: Exclude<Budget['period'], 'total'>, date: number, ahead: number): number => {
  if (period === 'day') return date + ahead
  // 1 January 1970 was a Thursday.
  if (period === 'week') return date - ((date + 3) % 7) + 7 * ahead
  const month = new Date(date * day)
  return Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + ahead, 1) / day
}

/** The period of a budget that contains the time `at`. Weeks begin on Monday. */
export const periodAt = (
  { period, timeZone, createdAt }: Pick<Budget, 'period' | 'timeZone' | 'createdAt'>,
  at: number,
): PeriodSpan => {
  if (period === 'total') return { startsAt: createdAt, endsAt: never }
  const dateAt = dateIn(timeZone)
  const date = dateAt(at)
  const begins = (ahead: number) => beginningOf(firstDateOf(period, date, ahead), dateAt)
  const span = { startsAt: begins(0), endsAt: begins(1) }
  // Where clocks are put back across midnight, a date begins twice; the first beginning counts.
  if (at >= span.endsAt) return { startsAt: span.endsAt, endsAt: begins(2) }
  return at < span.startsAt ? { startsAt: begins(-1), endsAt: span.startsAt } : span
}

export const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
