/** Strict reading of nested request bodies: reports the first error and its place. */
import type { CheckedValue, Problem } from './check.ts'

export type Wrong = { at: string; message: string; status?: number }
export type Shape = (value: unknown, at: string) => Wrong | undefined

const below = (at: string, name: string) => (at === '' ? name : `${at}.${name}`)

const fits =
  (wants: string, test: (value: unknown) => boolean): Shape =>
  (value, at) =>
    test(value) ? undefined : { at, message: `${at} must be ${wants}` }

export const text = fits(
  'a non-empty string',
  (value) => typeof value === 'string' && value.trim() !== '' && value.length <= 1000,
)
export const flag = fits('a boolean', (value) => typeof value === 'boolean')
export const number = fits('a number', (value) => typeof value === 'number' && Number.isFinite(value))
export const integer = (min: number, max: number): Shape =>
  fits(
    `an integer from ${min} to ${max}`,
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
  )
export const oneOf = (...words: string[]): Shape =>
  fits(`one of: ${words.join(', ')}`, (value) => words.includes(String(value)) && typeof value === 'string')

/** A text that must have a certain format; another one is refused with the given status. */
export const formed =
  (wants: string, test: (text: string) => boolean, status: number): Shape =>
  (value, at) =>
    text(value, at) ?? (test(String(value)) ? undefined : { at, message: `${at} must be ${wants}`, status })

export const list =
  (item: Shape, min = 1, max = Number.POSITIVE_INFINITY): Shape =>
  (value, at) => {
    if (!Array.isArray(value)) return { at, message: `${at} must be an array` }
    if (value.length < min) return { at, message: `${at} must contain at least ${min} elements` }
    if (value.length > max) return { at, message: `${at} must contain no more than ${max} elements` }
    for (const [index, element] of value.entries()) {
      const wrong = item(element, `${at}.${index}`)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }

/** `unknown`: the status for a field name that is not in `fields`. */
export const object =
  (
    fields: Record<string, Shape>,
    { required = [], unknown = 400 }: { required?: string[]; unknown?: number } = {},
  ): Shape =>
  (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { at, message: `${at === '' ? 'the body' : at} must be an object` }
    for (const [name, fieldValue] of Object.entries(value)) {
      const shape = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (shape === undefined)
        return { at: below(at, name), message: `property ${below(at, name)} should not exist`, status: unknown }
      const wrong = shape(fieldValue, below(at, name))
      if (wrong !== undefined) return wrong
    }
    const missing = required.find((name) => !Object.hasOwn(value, name))
    return missing === undefined
      ? undefined
      : { at: below(at, missing), message: `${below(at, missing)} should not be empty` }
  }

/** Requires all shapes, and reports the first that does not match. */
export const all =
  (...shapes: Shape[]): Shape =>
  (value, at) => {
    for (const shape of shapes) {
      const wrong = shape(value, at)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }

/** Requires one of two shapes. */
export const either =
  (shape: Shape, other: Shape): Shape =>
  (value, at) =>
    shape(value, at) === undefined ? undefined : other(value, at)

/** Checks the value and returns it as type T, which the caller must choose to fit the shape. */
export const readShape = <T>(shape: Shape, value: unknown): CheckedValue<T> => {
  const wrong = shape(value, '')
  if (wrong === undefined) return { ok: true, value: value as T }
  const problem: Problem = { status: wrong.status ?? 400, code: 'INVALID', message: wrong.message, field: wrong.at }
  return { ok: false, problem }
}
