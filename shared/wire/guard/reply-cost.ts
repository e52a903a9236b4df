import { mixByte } from '#kit'
import type { JsonLimits } from '#kit'

/** How many places of a text are sampled: one for every 2 kB, within these bounds. */
const places = { every: 2048, least: 64, most: 256 }
const width = 64
/** A longer name is not compared with others. */
const maxName = 256
const quote = 34
const colon = 58
const backslash = 92
/**
 * 1 for a byte that separates values or opens a list or an object, 2 for the colon after a name, 0 for any other: a
 * table takes one lookup per byte.
 */
const marks = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === colon ? 2 : Number(',[{'.includes(String.fromCodePoint(byte))),
)

const isEscaped = (bytes: Uint8Array, at: number): boolean => {
  let from = at
  while (from > 0 && at - from < maxName && bytes[from - 1] === backslash) from -= 1
  return (at - from) % 2 === 1
}

/**
 * What was seen at the sampled places of a text. `names`: the place at which the hash of a name was seen, or `several`.
 * `unread`: how many names were too long or too odd to be compared.
 */
type SampleCounts = { values: number; names: Map<number, number>; unread: number }
const several = -1

/** Notes the name that ends before a colon. A colon inside a text has no name before it. */
const noteName = (bytes: Uint8Array, colonAt: number, place: number, seen: SampleCounts) => {
  let at = colonAt - 1
  while (at > 0 && colonAt - at < maxName && bytes[at]! <= 32) at -= 1
  if (bytes[at]! <= 32) return void (seen.unread += 1)
  if (bytes[at] !== quote || isEscaped(bytes, at)) return
  const last = at - maxName
  let hash = 0
  for (at -= 1; at > last && at >= 0 && bytes[at] !== quote; at -= 1) hash = mixByte(hash, bytes[at]!)
  if (bytes[at] !== quote || bytes[at - 1] === backslash) return void (seen.unread += 1)
  const first = seen.names.get(hash)
  if (first === undefined) seen.names.set(hash, place)
  else if (first !== place) seen.names.set(hash, several)
}

const lookAt = (bytes: Uint8Array, from: number, place: number, seen: SampleCounts) => {
  for (let at = from; at < from + width; at += 1) {
    const mark = marks[bytes[at]!]!
    if (mark === 0) continue
    if (mark === 1) seen.values += 1
    else noteName(bytes, at, place, seen)
  }
}

/**
 * Whether a large JSON text may go far beyond the limits of values and names, judged by a random sample of places:
 * counting all of it takes longer than parsing an ordinary list, and nearly every list is ordinary. Errs on the side of
 * yes.
 */
export const mayExceed = (bytes: Uint8Array, { values, names }: JsonLimits, random: () => number): boolean => {
  const seen: SampleCounts = { values: 0, names: new Map(), unread: 0 }
  const count = Math.min(places.most, Math.max(places.least, Math.floor(bytes.length / places.every)))
  const step = (bytes.length - width) / count
  for (let place = 0; place < count; place += 1) lookAt(bytes, Math.floor((place + random()) * step), place, seen)
  const scale = bytes.length / (count * width)
  if (seen.values * scale > values) return true
  // A name seen at one place only stands for as many names as such places would fit into the text; a name seen at
  // several places is counted as known.
  let rare = seen.unread
  for (const place of seen.names.values()) if (place !== several) rare += 1
  return rare * scale > names / 2
}
