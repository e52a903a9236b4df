/**
 * Limits on JSON from clients and providers, beside its size: beyond them, parsing takes far longer than the size
 * suggests.
 */
export type JsonLimits = {
  /** Levels of objects and lists. A value nested deeper breaks code that walks or prints it. */
  depth: number
  /** Number of objects, lists, and everything in them. */
  values: number
  /** Number of different field names: an engine spends microseconds on each name that is new to it. */
  names: number
}

/**
 * Limits of answers. An answer within them is parsed, checked and printed again within a fraction of a second, whatever
 * its structure.
 */
export const jsonLimits: JsonLimits = { depth: 200, values: 250_000, names: 10_000 }
/** Limits of what is sent to us: request bodies, step inputs, deliveries. */
export const inputLimits: JsonLimits = { ...jsonLimits, values: 100_000 }

const quote = 34
const comma = 44
const colon = 58
const backslash = 92
/** `[` and `{`, `]` and `}` differ by this bit alone. */
const curly = 32
const opening = 123
const closing = 125

/** Size of the hash table for names. Two names may count as one, but one never counts as two. */
const buckets = 1 << 17
/**
 * Random and never shown, so that nobody can choose names that collide. Web Crypto would take two hundredths of the time
 * in which a process starts.
 */
const factor = Math.floor(Math.random() * 2 ** 32) | 1
export const mixByte = (hash: number, byte: number): number => {
  const mixed = Math.imul(hash ^ byte, factor)
  return mixed ^ (mixed >>> 15)
}
/** How many bytes of a name are compared: a text has no room for many longer names. */
const comparedBytes = 1024

const isSpace = (byte: number | undefined) => byte === 32 || byte === 10 || byte === 13 || byte === 9

/** Strings up to this length are read byte by byte; the engine's own search is faster for longer ones. */
const shortString = 32

/** The index of the quote that ends the string whose content begins at `from`, or `bytes.length` when there is none. */
const endOfString = (bytes: Uint8Array, from: number): number => {
  let at = from
  const short = from + shortString
  while (at < bytes.length && bytes[at] !== quote) {
    if (at >= short) {
      const next = bytes.indexOf(quote, at)
      if (next < 0) return bytes.length
      // The engine's search is useless in a text full of escapes.
      if (bytes[next - 1] !== backslash) return next
      return endByBytes(bytes, at)
    }
    at += bytes[at] === backslash ? 2 : 1
  }
  return at
}
const endByBytes = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

const isName = (bytes: Uint8Array, end: number): boolean => {
  let after = end + 1
  while (isSpace(bytes[after])) after += 1
  return bytes[after] === colon
}

/** The place of a string's content in the hash table. */
const bucketOf = (bytes: Uint8Array, from: number, end: number): number => {
  let hash = factor
  const to = Math.min(end, from + comparedBytes)
  for (let at = from; at < to; at += 1) hash = mixByte(hash, bytes[at]!)
  return hash & (buckets - 1)
}

/**
 * Which limit a JSON text exceeds, determined before it is parsed. Takes a few nanoseconds per byte; text that is not
 * JSON may pass.
 */
export const jsonExcess = (bytes: Uint8Array, limits: JsonLimits): keyof JsonLimits | undefined => {
  // Each level, value and name takes at least two characters.
  if (bytes.length < limits.depth * 2) return undefined
  const seen = bytes.length < limits.names * 5 ? undefined : new Uint8Array(buckets)
  let [depth, values, names] = [0, 1, 0]
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!
    if (byte === quote) {
      const from = at + 1
      at = endOfString(bytes, from)
      if (seen === undefined || !isName(bytes, at)) continue
      const bucket = bucketOf(bytes, from, at)
      if (seen[bucket] === 1) continue
      seen[bucket] = 1
      names += 1
      if (names > limits.names) return 'names'
    } else if (byte === comma) {
      values += 1
      if (values > limits.values) return 'values'
    } else if ((byte | curly) === opening) {
      depth += 1
      if (depth > limits.depth) return 'depth'
      const next = bytes[at + 1]
      if (next !== undefined && (next | curly) === closing) continue
      // The first entry of a list or object; each further one follows a comma.
      values += 1
      if (values > limits.values) return 'values'
    } else if ((byte | curly) === closing) depth -= 1
  }
  return undefined
}

/** Like `jsonExcess`, for a parsed value. Names are not counted: the engine has met them by then. */
export const valueExcess = (value: unknown, limits: JsonLimits): 'depth' | 'values' | undefined => {
  let left = limits.values
  const look = (part: unknown, levels: number): 'depth' | 'values' | undefined => {
    left -= 1
    if (left < 0) return 'values'
    if (typeof part !== 'object' || part === null) return undefined
    if (levels === 0) return 'depth'
    for (const inner of Object.values(part)) {
      const excess = look(inner, levels - 1)
      if (excess) return excess
    }
    return undefined
  }
  return look(value, limits.depth)
}

/** The exceeded limit in words, to follow "holds" or "has". */
export const sayExcess = (excess: keyof JsonLimits, limits: JsonLimits): string =>
  ({
    depth: `objects or lists nested deeper than ${limits.depth} levels`,
    values: `more than ${limits.values} JSON values`,
    names: `more than ${limits.names} different field names`,
  })[excess]
