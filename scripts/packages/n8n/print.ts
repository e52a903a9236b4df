import { keyOf, quote } from '../literal.ts'

/** A value as a readable TypeScript literal. */
export const print = (value: unknown, indent = ''): string => {
  const inner = `${indent}\t`
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object') && value.length < 4)
    return `[${value.map((item) => print(item)).join(', ')}]`
  if (Array.isArray(value))
    return value.length === 0
      ? '[]'
      : `[\n${value.map((item) => `${inner}${print(item, inner)},\n`).join('')}${indent}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, child]) => child !== undefined)
    if (entries.length === 0) return '{}'
    return `{\n${entries.map(([key, child]) => `${inner}${keyOf(key)}: ${print(child, inner)},\n`).join('')}${indent}}`
  }
  return JSON.stringify(value)
}
