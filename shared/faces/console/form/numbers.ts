/** Numbers and durations as a user types them. */
import { Unreadable } from './draft.ts'

export const readNumber = (text: string): number | Unreadable | undefined => {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const value = Number(trimmed)
  return Number.isFinite(value)
    ? value
    : new Unreadable(text, `“${trimmed}” is not a number. Enter digits, such as 5 or 2.5.`)
}

export const showNumber = (value: unknown): string =>
  value instanceof Unreadable ? value.text : value === undefined ? '' : String(value)

const lengths = { ms: 1, seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }
export type TimeUnit = keyof typeof lengths
export const timeUnits = Object.keys(lengths) as TimeUnit[]
export const unitTitles: Record<TimeUnit, string> = {
  ms: 'milliseconds',
  seconds: 'seconds',
  minutes: 'minutes',
  hours: 'hours',
  days: 'days',
}

/** The units in which a duration can be entered: none finer than the unit it is stored in. */
export const unitsFrom = (stored: TimeUnit): TimeUnit[] => timeUnits.slice(timeUnits.indexOf(stored))

/** The coarsest unit in which the duration is a whole number. */
export const handyUnit = (value: number, stored: TimeUnit): TimeUnit =>
  unitsFrom(stored).findLast((unit) => value !== 0 && (value * lengths[stored]) % lengths[unit] === 0) ?? stored

export const convert = (value: number, from: TimeUnit, to: TimeUnit): number => (value * lengths[from]) / lengths[to]

/** A duration in words, in its coarsest whole unit, such as "1 hour". */
export const showSpan = (value: number, stored: TimeUnit): string => {
  const unit = handyUnit(value, stored)
  const count = convert(value, stored, unit)
  return `${count} ${count === 1 ? unitTitles[unit].slice(0, -1) : unitTitles[unit]}`
}
