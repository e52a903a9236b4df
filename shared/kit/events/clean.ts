import type { Json } from '../json.ts'

const deepest = 40
/** Names that code which copies properties could mistake for an object's own machinery. */
const unsafe = new Set(['__proto__', 'constructor', 'prototype'])

/** Whether nothing needs cleaning, as in nearly every record: then no copy is made. */
const isClean = (value: unknown, depth = 0): value is Json => {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth > deepest) return false
  if (Array.isArray(value)) return value.every((item) => isClean(item, depth + 1))
  for (const name of Object.keys(value))
    if (unsafe.has(name) || !isClean((value as Record<string, unknown>)[name], depth + 1)) return false
  return true
}

/**
 * The value as JSON that is safe to copy: unsafe property names and undefined values are dropped; non-finite numbers
 * and values nested too deeply become null.
 */
export const cleanJson = (value: unknown, depth = 0): Json => {
  if (depth === 0 && isClean(value)) return value
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'object' || value === null || depth > deepest) return null
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, depth + 1))
  const copy: { [name: string]: Json } = {}
  for (const name of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[name]
    if (!unsafe.has(name) && inner !== undefined) copy[name] = cleanJson(inner, depth + 1)
  }
  return copy
}
