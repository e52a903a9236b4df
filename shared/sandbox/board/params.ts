/**
 * Strict reading of request parameters. Values in a query or form are text and read as text. Values in a JSON body keep
 * their type, and a wrong type is refused, as by the live service (a name sent as a number is `invalid value for
 * name`).
 */
import { isId, isShortLink } from './ids.ts'
import { invalidValue, refuse } from './refusals.ts'

export type Upload = { fileName: string; mimeType: string; content: Uint8Array }
export type Params = {
  values: Map<string, unknown>
  /** Names whose value has a JSON type; all others are text. */
  typed: Set<string>
  uploads: Map<string, Upload>
  /** Names that some reader requested; any others are unknown to the route. */
  readNames: Set<string>
  /** Irregularities that the provider accepts and a test may want to fail on. */
  oddities: string[]
}

export const emptyParams = (): Params => ({
  values: new Map(),
  typed: new Set(),
  uploads: new Map(),
  readNames: new Set(),
  oddities: [],
})

const raw = (params: Params, name: string): unknown => {
  params.readNames.add(name)
  return params.values.get(name)
}
export const has = (params: Params, name: string): boolean => raw(params, name) !== undefined
/** Whether the value is JSON null, or the word `null` where values are text. */
export const isNull = (params: Params, name: string): boolean => {
  const value = raw(params, name)
  return value === null || (value === 'null' && !params.typed.has(name))
}

export const text = (params: Params, name: string, max = 16384): string | undefined => {
  const value = raw(params, name)
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value.length > max) return invalidValue(name)
  return value
}
/** `min` 0 also accepts the empty string (a label may have no name). */
export const needText = (params: Params, name: string, max = 16384, min = 1): string => {
  const value = text(params, name, max)
  if (value === undefined || value.trim().length < min) return invalidValue(name)
  return value
}

export const flag = (params: Params, name: string): boolean | undefined => {
  const value = raw(params, name)
  if (value === undefined) return undefined
  if (value === true || value === false) return value
  if (!params.typed.has(name) && (value === 'true' || value === 'false')) return value === 'true'
  return invalidValue(name)
}

export const integer = (params: Params, name: string, min: number, max: number): number | undefined => {
  const value = raw(params, name)
  if (value === undefined) return undefined
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && /^-?\d+$/.test(value) && !params.typed.has(name)
        ? Number(value)
        : NaN
  if (!Number.isInteger(number) || number < min || number > max) return invalidValue(name)
  return number
}

export type Pos = 'top' | 'bottom' | number
export const pos = (params: Params, name = 'pos'): Pos | undefined => {
  const value = raw(params, name)
  if (value === undefined) return undefined
  if (value === 'top' || value === 'bottom') return value
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && value !== '' && !params.typed.has(name)
        ? Number(value)
        : NaN
  if (!Number.isFinite(number) || number <= 0) return invalidValue(name)
  return number
}

export const oneOf = <T extends string>(params: Params, name: string, allowed: readonly T[]): T | undefined => {
  const value = raw(params, name)
  if (value === undefined) return undefined
  return allowed.includes(value as T) ? (value as T) : invalidValue(name)
}

const checkId = (value: unknown, name: string): string => {
  if (typeof value !== 'string') return invalidValue(name)
  if (isId(value)) return value
  return isShortLink(value) ? refuse(400, 'Invalid objectId') : invalidValue(name)
}
export const id = (params: Params, name: string): string | undefined => {
  const value = raw(params, name)
  return value === undefined ? undefined : checkId(value, name)
}
export const needId = (params: Params, name: string): string => id(params, name) ?? invalidValue(name)

/** Reads a comma-separated list, or an array in a JSON body. The empty string is the empty list. */
export const ids = (params: Params, name: string): string[] | undefined =>
  words(params, name)?.map((word) => checkId(word, name))

export const words = (params: Params, name: string): string[] | undefined => {
  const value = raw(params, name)
  if (value === undefined) return undefined
  const parts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : invalidValue(name)
  if (!parts.every((part) => typeof part === 'string')) return invalidValue(name)
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

const zoned = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/

/**
 * Reads a date and returns it as UTC with milliseconds. Text without a zone is shifted as if it were in another zone,
 * as reported of the live service: the shift makes the caller's mistake visible instead of forgiving it.
 */
export const date = (params: Params, name: string, zonelessShiftMs: number): string | null | undefined => {
  const value = raw(params, name)
  if (value === undefined) return undefined
  if (isNull(params, name) || value === '') return null
  if (typeof value !== 'string') return invalidValue(name)
  const exact = zoned.test(value)
  const ms = Date.parse(exact || !/T\d\d:\d\d/.test(value) ? value : `${value}Z`)
  if (Number.isNaN(ms)) return invalidValue(name)
  if (!exact) params.oddities.push(`${name}: date without a zone`)
  return new Date(exact ? ms : ms + zonelessShiftMs).toISOString()
}

export const webAddress = (params: Params, name: string): string | undefined => {
  const value = text(params, name)
  if (value === undefined) return undefined
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) ? value : invalidValue(name)
}

export const record = (params: Params, name: string): Record<string, unknown> | undefined => {
  const value = raw(params, name)
  if (value === undefined) return undefined
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : invalidValue(name)
}
