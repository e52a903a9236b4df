import { readHttpDate, readRetryAfter, reasonableWait, startOf } from '#kit'
import type { Pace, ResetHeader } from '#kit'
import { numberIn } from './points.ts'

type Headers = Record<string, string>

/** Headers that are read where a profile names no reset header. */
const usual = ['ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset']
/** Numbers from `epochFrom` on count from 1970, smaller ones from now; from `epochMsFrom` on they are in ms. */
const epochFrom = 1_000_000_000
const epochMsFrom = 1_000_000_000_000

const isNumber = (text: string) => /^\d+(\.\d+)?$/.test(text)

const guessForm = (text: string): ResetHeader['as'] => {
  if (!isNumber(text)) return 'date'
  return Number(text) < epochFrom ? 'seconds' : Number(text) < epochMsFrom ? 'epoch-s' : 'epoch-ms'
}

/** A time without a zone is read as UTC: a provider cannot mean the zone of this server. */
const readDate = (text: string): number => {
  if (!/^\d{4}-\d{2}-\d{2}[T ]/.test(text)) return readHttpDate(text) ?? NaN
  return Date.parse(/(Z|UTC|GMT|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`)
}

/** The reset time as ms from `now`, which is the time by the provider's clock. */
const readReset = (text: string, as: ResetHeader['as'], now: number): number | undefined => {
  if (as !== 'date' && !isNumber(text)) return undefined
  const value = as === 'date' ? readDate(text) : Number(text)
  if (Number.isNaN(value)) return undefined
  if (as === 'seconds') return reasonableWait(value * 1000)
  if (as === 'ms') return reasonableWait(value)
  return reasonableWait((as === 'epoch-s' ? value * 1000 : value) - now)
}

/** The present time by the provider's own clock, since clocks differ. */
const theirTime = (headers: Headers, now: number) => readHttpDate(headers['date'] ?? '') ?? now

const resetIn = (headers: Headers, { header, as }: ResetHeader, now: number) => {
  const text = headers[header.toLowerCase()]?.trim()
  return text === undefined ? undefined : readReset(text, as, now)
}

/** The number at a name in the text of an object, as JSON or as Python writes it: `{'minute': 12, 'day': 900}`. */
const partOf = (text: string, name: string): string | undefined => {
  for (const quote of ['"', "'"]) {
    const key = `${quote}${name}${quote}`
    for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + 1)) {
      const match = /^\s*:\s*["']?(-?\d+)/.exec(text.slice(at + key.length, at + key.length + 40))
      if (match) return match[1]
    }
  }
  return undefined
}

/** The calls or points left in a window for which the profile names a place, and in how many ms the window ends. */
export const readWindow = (
  { headers, body }: { headers: Headers; body?: unknown },
  { header, path, part, reset }: NonNullable<Pace['remaining']>[number],
  now: number,
) => {
  const text = headers[header?.toLowerCase() ?? ''] ?? ''
  const left =
    path === undefined
      ? Number.parseInt((part === undefined ? text : partOf(text, part)) ?? '', 10)
      : Math.floor(numberIn({ headers, body }, { path }) ?? -1)
  return { left: left >= 0 ? left : undefined, resetMs: reset && resetIn(headers, reset, theirTime(headers, now)) }
}

/** In how many ms the last of the used-up windows opens. */
const usedUpReset = (headers: Headers, { remaining = [] }: Pace, now: number, body: unknown): number | undefined => {
  const windows = remaining.map((window) => readWindow({ headers, body }, window, now))
  const used = windows.flatMap(({ left, resetMs }) => (left === 0 && resetMs !== undefined ? [resetMs] : []))
  return used.length > 0 ? Math.max(...used) : undefined
}

/**
 * In how many ms the first window opens, where none is reported as used up: one call tries then, and learns whether
 * another window is.
 */
const firstReset = (headers: Headers, { remaining = [], resets = [] }: Pace, now: number): number | undefined => {
  const windows = remaining.map((window) => readWindow({ headers }, window, now).resetMs)
  const knownWaits = [...windows, ...resets.map((reset) => resetIn(headers, reset, theirTime(headers, now)))].filter(
    (ms) => ms !== undefined,
  )
  return knownWaits.length > 0 ? Math.min(...knownWaits) : undefined
}

const usualReset = (headers: Headers, now: number): number | undefined => {
  const name = usual.find((header) => headers[header] !== undefined)
  if (name === undefined) return undefined
  const text = headers[name]!.trim()
  return readReset(text, guessForm(text), theirTime(headers, now))
}

const unitMs = { seconds: 1000, minutes: 60_000 }
/** How many characters of a refusal are searched: its reason is at the beginning. */
const maxText = 16_384

/** The wait in ms that the text of a refusal names. */
const saidWait = ({ waitTexts = [] }: Pace, body: unknown): number | undefined => {
  if (waitTexts.length === 0) return undefined
  const text = (typeof body === 'string' ? body : startOf(body, maxText)).slice(0, maxText)
  for (const template of waitTexts) {
    const [before = '', unit = '', after = ''] = template.split(/\{(seconds|minutes)\}/)
    const [head, tail] = [before, after].map((piece) =>
      piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'),
    )
    const match = new RegExp(`${head}(\\d{1,20}(?:\\.\\d{1,20})?)${tail}`, 'i').exec(text)
    if (match) return reasonableWait(Number(match[1]) * unitMs[unit as keyof typeof unitMs])
  }
  return undefined
}

const declaresResets = ({ remaining, resets }: Pace) =>
  resets !== undefined || remaining?.some(({ reset }) => reset !== undefined) === true

/**
 * How long a refusal asks us to wait, in ms; undefined when it does not say, or says nothing plausible. The text of
 * `body` is read where no header names a wait, or headers do so only for windows that have calls left.
 */
export const askedWait = (
  pace: Pace,
  headers: Headers,
  now: number,
  body?: unknown,
): { retryAfterMs: number | undefined; resetMs: number | undefined } => {
  const retryAfterMs = readRetryAfter(headers['retry-after'], theirTime(headers, now))
  const isDeclared = declaresResets(pace)
  const sure = isDeclared ? usedUpReset(headers, pace, now, body) : usualReset(headers, now)
  const said = sure === undefined && retryAfterMs === undefined ? saidWait(pace, body) : undefined
  return { retryAfterMs, resetMs: sure ?? said ?? (isDeclared ? firstReset(headers, pace, now) : undefined) }
}
