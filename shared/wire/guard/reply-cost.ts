import { mixByte } from '#kit'
import type { JsonLimits } from '#kit'

const windows = 256
const width = 64
const quote = 34
const comma = 44
const colon = 58
const curly = 32
const opening = 123

/** What was seen in some places of a text. `blank`: places inside a long text, or a long name. */
type Seen = { values: number; colons: number; blank: number; names: Map<number, number> }

const lookAt = (bytes: Uint8Array, from: number, seen: Seen) => {
  let hash: number | undefined
  let signs = 0
  for (let at = from; at < from + width; at += 1) {
    const byte = bytes[at]!
    if (byte === quote) {
      signs += 1
      if (hash !== undefined && bytes[at + 1] === colon) seen.names.set(hash, (seen.names.get(hash) ?? 0) + 1)
      hash = 0
      continue
    }
    if (hash !== undefined) hash = mixByte(hash, byte)
    if (byte === colon) seen.colons += 1
    else if (byte === comma || (byte | curly) === opening) {
      seen.values += 1
      signs += 1
    }
  }
  if (signs === 0) seen.blank += 1
}

/**
 * Whether a large JSON text may go beyond the limits of values and names, judged by some places chosen at random: counting all of it takes
 * longer than parsing an ordinary list does, and nearly every list is ordinary. Errs on the side of yes.
 */
export const mayExceed = (bytes: Uint8Array, { values, names }: JsonLimits, random: () => number): boolean => {
  const seen: Seen = { values: 0, colons: 0, blank: 0, names: new Map() }
  const step = (bytes.length - width) / windows
  for (let count = 0; count < windows; count += 1) lookAt(bytes, Math.floor((count + random()) * step), seen)
  const scale = bytes.length / (windows * width)
  if (seen.values * scale > values / 2) return true
  // The share of names seen once is the share of those that were not seen at all (Good and Turing).
  let [once, all] = [0, 0]
  for (const count of seen.names.values()) {
    all += count
    if (count === 1) once += 1
  }
  const rare = all === 0 ? 1 : once / all
  const long = (seen.blank / windows) * (bytes.length / width)
  return seen.colons * scale * rare + long > names / 2
}
