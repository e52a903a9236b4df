/** Dates with time and zone: conversion between the inputs and ISO 8601 with an offset. */
import { Unreadable } from './draft.ts'

export type Entered = { date: string; time: string; zone: string }

const iso = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/
const remedy = 'Enter date, time and zone, such as 2026-03-31T17:00:00+11:00.'

export const readersZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone
export const zones = (): string[] => [...new Set([readersZone(), 'UTC', ...Intl.supportedValuesOf('timeZone')])]

/** Minutes by which a zone is ahead of UTC at a moment (`at`: ms since the epoch). */
const offsetAt = (at: number, zone: string): number => {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(at)
  const [, sign, hours, minutes] =
    /GMT(?:([+-])(\d\d):(\d\d))?/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '') ?? []
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

const two = (value: number) => String(value).padStart(2, '0')
const showOffset = (minutes: number) =>
  `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`

/**
 * ISO 8601 for a local time in a zone. When clocks go back, the earlier of the two moments; a time skipped when clocks
 * go forward is moved on by an hour.
 */
const toIso = ({ date, time, zone }: Entered): string => {
  const local = Date.parse(`${date}T${time}Z`)
  const before = offsetAt(local - 86_400_000, zone)
  const after = offsetAt(local - before * 60_000, zone)
  const isAfter = before !== after && offsetAt(local - after * 60_000, zone) === after
  const guess = local - (isAfter ? after : before) * 60_000
  return `${new Date(guess + after * 60_000).toISOString().slice(0, 19)}${showOffset(after)}`
}

/** The moment as ISO 8601, undefined when nothing is entered, or `Unreadable` with what is missing. */
export const readMoment = (entered: Entered): string | Unreadable | undefined => {
  const { date, time } = entered
  if (date === '' && time === '') return undefined
  if (date === '') return new Unreadable(`T${time}`, 'the date is missing.')
  if (time === '') return new Unreadable(date, 'the time is missing.')
  return toIso(entered)
}

/** Reads a moment that the user typed or pasted as text. */
export const readTyped = (text: string): string | Unreadable | undefined => {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  return iso.test(trimmed) && !Number.isNaN(Date.parse(trimmed))
    ? trimmed
    : new Unreadable(text, `“${trimmed}” is not a full date. ${remedy}`)
}

/** The values to show in the inputs for a moment. */
export const showMoment = (value: unknown, zone: string): Entered => {
  const at = typeof value === 'string' && iso.test(value) ? Date.parse(value) : NaN
  if (Number.isNaN(at)) return { date: '', time: '', zone }
  const local = new Date(at + offsetAt(at, zone) * 60_000).toISOString()
  return { date: local.slice(0, 10), time: local.slice(11, 19).replace(/:00$/, ''), zone }
}
