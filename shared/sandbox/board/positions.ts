import type { Pos } from './params.ts'

const first = 140737488355328
const step = 16384

/** Converts `top`, `bottom` or a number to a number relative to the positions that are already taken. */
export const placeAt = (taken: number[], position: Pos): number => {
  if (typeof position === 'number') return position
  if (taken.length === 0) return first
  return position === 'top' ? Math.min(...taken) / 2 : Math.max(...taken) + step
}
