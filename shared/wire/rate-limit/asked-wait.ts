import { readHttpDate, readRetryAfter, reasonableWait } from '#kit'
import type { Pace, ResetHeader } from '#kit'

type Headers = Record<string, string>

/** Read where a profile names no reset header. */
const usual = ['ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset']
/** From here on a number counts from 1970, below it from now; from there on in ms. */
const epochFrom = 1_000_000_000
const epochMsFrom = 1_000_000_000_000

const isNumber = (text: string) => /^\d+(\.\d+)?$/.test(text)

const guessForm = (text: string): ResetHeader['as'] => {
  if (!isNumber(text)) return 'date'
  return Number(text) < epochFrom ? 'seconds' : Number(text) < epochMsFrom ? 'epoch-s' : 'epoch-ms'
}

const readDate = (text: string): number => (/^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : (readHttpDate(text) ?? NaN))

/** ms from `now` (by the provider's clock). */
const readReset = (text: string, as: ResetHeader['as'], now: number): number | undefined => {
  if (as !== 'date' && !isNumber(text)) return undefined
  const value = as === 'date' ? readDate(text) : Number(text)
  if (Number.isNaN(value)) return undefined
  if (as === 'seconds') return reasonableWait(value * 1000)
  if (as === 'ms') return reasonableWait(value)
  return reasonableWait((as === 'epoch-s' ? value * 1000 : value) - now)
}

/** The time by the provider's own clock, since clocks differ. */
const theirTime = (headers: Headers, now: number) => readHttpDate(headers['date'] ?? '') ?? now

const resetIn = (headers: Headers, { header, as }: ResetHeader, now: number) => {
  const text = headers[header.toLowerCase()]?.trim()
  return text === undefined ? undefined : readReset(text, as, now)
}

/** Calls left in one of the windows that a profile names headers for, and in how many ms it ends. */
export const readWindow = (headers: Headers, { header, reset }: NonNullable<Pace['remaining']>[number], now: number) => {
  const left = Number.parseInt(headers[header.toLowerCase()] ?? '', 10)
  return { left: left >= 0 ? left : undefined, resetMs: reset && resetIn(headers, reset, theirTime(headers, now)) }
}

/**
 * Of several windows the last to open of those that are used up. Where none says that it is, the first to open: one call asks then, and
 * learns whether another one is.
 */
const declaredReset = (headers: Headers, { remaining = [], resets = [] }: Pace, now: number): number | undefined => {
  const windows = remaining.map((window) => readWindow(headers, window, now))
  const used = windows.flatMap(({ left, resetMs }) => (left === 0 && resetMs !== undefined ? [resetMs] : []))
  if (used.length > 0) return Math.max(...used)
  const all = [...windows.map(({ resetMs }) => resetMs), ...resets.map((reset) => resetIn(headers, reset, theirTime(headers, now)))]
  const known = all.filter((ms) => ms !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}

const usualReset = (headers: Headers, now: number): number | undefined => {
  const name = usual.find((header) => headers[header] !== undefined)
  if (name === undefined) return undefined
  const text = headers[name]!.trim()
  return readReset(text, guessForm(text), theirTime(headers, now))
}

const declaresResets = ({ remaining, resets }: Pace) => resets !== undefined || remaining?.some(({ reset }) => reset !== undefined) === true

/** How long a refusal asks us to wait, in ms; undefined when it does not say, or nothing that can be meant. */
export const askedWait = (pace: Pace, headers: Headers, now: number): { retryAfterMs: number | undefined; resetMs: number | undefined } => ({
  retryAfterMs: readRetryAfter(headers['retry-after'], theirTime(headers, now)),
  resetMs: declaresResets(pace) ? declaredReset(headers, pace, now) : usualReset(headers, now),
})
