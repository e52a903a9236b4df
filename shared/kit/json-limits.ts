/**
 * Limits of JSON from clients and providers besides its size: beyond them, parsing takes far longer than the size
 * suggests.
 */
export type JsonLimits = {
  /** Levels of objects and lists. Nested deeper, a value breaks whoever walks or prints it. */
  depth: number
  /** Objects, lists, and everything in them. */
  values: number
  /** Different names of fields: an engine spends microseconds on each name it has not met. */
  names: number
}

/**
 * Of answers. Whatever fits is parsed, checked and printed again within a fraction of a second, however it is built.
 */
export const jsonLimits: JsonLimits = { depth: 200, values: 250_000, names: 10_000 }
/** Of what is sent to us: bodies of requests, inputs of steps, deliveries. */
export const inputLimits: JsonLimits = { ...jsonLimits, values: 100_000 }

const quote = 34
const comma = 44
const colon = 58
const backslash = 92
/** `[` and `{`, `]` and `}` differ by this bit alone. */
const curly = 32
const opening = 123
const closing = 125

/** Size of the hash table for names: two names may count as one, never one as two. */
const buckets = 1 << 17
/** Secret, so that nobody can choose names that collide. */
const factor = crypto.getRandomValues(new Uint32Array(1))[0]! | 1
export const mixByte = (hash: number, byte: number): number => {
  const mixed = Math.imul(hash ^ byte, factor)
  return mixed ^ (mixed >>> 15)
}
/** Of a longer name only so much is compared: there is no room for many. */
const comparedBytes = 1024

const isSpace = (byte: number | undefined) => byte === 32 || byte === 10 || byte === 13 || byte === 9

/** Strings up to this length are read byte by byte; the engine's own search is quicker for longer ones. */
const shortString = 32

/** The index of the quote that ends the string whose content begins at `from`; the length where there is none. */
const endOfString = (bytes: Uint8Array, from: number): number => {
  let at = from
  const short = from + shortString
  while (at < bytes.length && bytes[at] !== quote) {
    if (at >= short) {
      const next = bytes.indexOf(quote, at)
      if (next < 0) return bytes.length
      // That search is useless in a text full of escapes.
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

/** Of the content of a string: its place in the hash table. */
const bucketOf = (bytes: Uint8Array, from: number, end: number): number => {
  let hash = factor
  const to = Math.min(end, from + comparedBytes)
  for (let at = from; at < to; at += 1) hash = mixByte(hash, bytes[at]!)
  return hash & (buckets - 1)
}

/**
 * Which limit JSON text goes beyond, found before it is parsed. Takes some nanoseconds per byte; text that is no JSON
 * may pass.
 */
export const jsonExcess = (bytes: Uint8Array, limits: JsonLimits): keyof JsonLimits | undefined => {
  // Each level, value and name takes two characters at least.
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
      // Its first entry; each further one follows a comma.
      values += 1
      if (values > limits.values) return 'values'
    } else if ((byte | curly) === closing) depth -= 1
  }
  return undefined
}

/** The same for a value that is parsed already. Names are not counted: they have been met by then. */
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

/** The limit in words, to follow "holds" or "has". */
export const sayExcess = (excess: keyof JsonLimits, limits: JsonLimits): string =>
  ({
    depth: `objects or lists nested deeper than ${limits.depth} levels`,
    values: `more than ${limits.values} JSON values`,
    names: `more than ${limits.names} different field names`,
  })[excess]
