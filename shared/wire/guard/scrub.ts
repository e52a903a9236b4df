/** What a secret is replaced with. */
export const redacted = '***'

/** Shorter values occur by chance in ordinary text; replacing them would destroy answers without hiding anything. */
const minLength = 6

const escapeJson = (text: string) => JSON.stringify(text).slice(1, -1)
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => entities[sign]!)

/** The inner part of a secret's base64 form, for each of its three alignments in the encoded data. */
const base64Forms = (secret: string): string[] => {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    // Characters that also depend on neighbouring bytes are left off at both ends.
    const from = Math.ceil((offset * 8) / 6)
    const to = Math.floor((padded.length * 8) / 6)
    const form = padded.toString('base64').slice(from, to)
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

const percentAll = (bytes: Buffer, upper: boolean) => {
  const hex = bytes.toString('hex')
  return (upper ? hex.toUpperCase() : hex).replace(/../g, '%$&')
}

const formsOf = (secret: string): string[] => {
  const bytes = Buffer.from(secret)
  const percent = encodeURIComponent(secret)
  return [
    secret,
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    percent.replaceAll('%20', '+'),
    // Form encoding leaves other characters as they are than `encodeURIComponent` does.
    new URLSearchParams({ s: secret }).toString().slice(2),
    percentAll(bytes, true),
    percentAll(bytes, false),
    escapeJson(secret),
    escapeJson(secret).replaceAll('/', '\\/'),
    // JSON quoted inside JSON, and an HTML page that quotes what it was sent.
    escapeJson(escapeJson(secret)),
    escapeHtml(secret),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...base64Forms(secret),
  ].filter((form) => form.length >= minLength)
}

const blocks = 8192

/**
 * Finds any of many texts in one pass that skips most of the input (Wu-Manber with blocks of three bytes). It compares
 * only the first `window` bytes of each text, so a hit may be false; a miss is certain.
 */
const createFinder = (forms: string[]): ((bytes: Buffer) => boolean) => {
  const all = forms.map((form) => Buffer.from(form))
  const window = Math.min(...all.map(({ length }) => length))
  const shifts = new Uint8Array(blocks).fill(Math.min(window - 2, 255))
  const blockOf = (a: number, b: number, c: number) => ((a << 6) ^ (b << 3) ^ c) & (blocks - 1)
  /** The windows to look for, by their last four bytes. */
  const ends = new Map<number, Set<string>>()
  for (const bytes of all) {
    for (let end = 2; end < window; end += 1) {
      const at = blockOf(bytes[end - 2]!, bytes[end - 1]!, bytes[end]!)
      shifts[at] = Math.min(shifts[at]!, window - 1 - end)
    }
    const tail = bytes.readInt32LE(window - 4)
    ends.set(tail, (ends.get(tail) ?? new Set()).add(bytes.toString('latin1', 0, window)))
  }
  const isEnd = (bytes: Buffer, at: number): boolean => {
    const tail = bytes[at - 3]! | (bytes[at - 2]! << 8) | (bytes[at - 1]! << 16) | (bytes[at]! << 24)
    return ends.get(tail)?.has(bytes.toString('latin1', at - window + 1, at + 1)) === true
  }
  /** Whether a window ends between `from` and `to`. */
  const isWithin = (bytes: Buffer, from: number, to: number): boolean => {
    for (let at = from; at < to;) {
      const shift = shifts[blockOf(bytes[at - 2]!, bytes[at - 1]!, bytes[at]!)]!
      if (shift === 0 && isEnd(bytes, at)) return true
      at += shift || 1
    }
    return false
  }
  return (bytes) => {
    const quarter = bytes.length >> 2
    const [second, third, last] = [quarter, quarter * 2, quarter * 3]
    if (quarter < window) return isWithin(bytes, window - 1, bytes.length)
    // Searches from four places at once: each step depends on the one before it, so four searches take hardly longer
    // than one.
    let [a, b, c, d] = [window - 1, second, third, last]
    while (a < second && b < third && c < last && d < bytes.length) {
      const toA = shifts[blockOf(bytes[a - 2]!, bytes[a - 1]!, bytes[a]!)]!
      const toB = shifts[blockOf(bytes[b - 2]!, bytes[b - 1]!, bytes[b]!)]!
      const toC = shifts[blockOf(bytes[c - 2]!, bytes[c - 1]!, bytes[c]!)]!
      const toD = shifts[blockOf(bytes[d - 2]!, bytes[d - 1]!, bytes[d]!)]!
      if (toA === 0 && isEnd(bytes, a)) return true
      if (toB === 0 && isEnd(bytes, b)) return true
      if (toC === 0 && isEnd(bytes, c)) return true
      if (toD === 0 && isEnd(bytes, d)) return true
      a += toA || 1
      b += toB || 1
      c += toC || 1
      d += toD || 1
    }
    return (
      isWithin(bytes, a, second) ||
      isWithin(bytes, b, third) ||
      isWithin(bytes, c, last) ||
      isWithin(bytes, d, bytes.length)
    )
  }
}

export type Scrubber = {
  /** Whether a reply may contain a secret; fast. */
  inBytes(bytes: Buffer): boolean
  /** The text with every form of every secret replaced. */
  text(text: string): string
  /** Replaces secrets in every string and name of a JSON value. */
  value<T>(value: T): T
  /** For text that arrives in chunks: holds back what could be the beginning of a secret. */
  stream(): { push(chunk: string): string; end(): string }
}

const nothing: Scrubber = {
  inBytes: () => false,
  text: (text) => text,
  value: (value) => value,
  stream: () => ({ push: (chunk) => chunk, end: () => '' }),
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

const scrubValue = (text: (text: string) => string, value: unknown): unknown => {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => scrubValue(text, item))
  const scrubbed: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) scrubbed[text(name)] = scrubValue(text, inner)
  return scrubbed
}

/**
 * Removes live secrets from everything that leaves the wire, in plain, percent-encoded, base64, hex, JSON-escaped and
 * HTML-escaped form.
 */
export const createScrubber = (secrets: Iterable<string>): Scrubber => {
  const forms = [...new Set([...secrets].filter((secret) => secret.length >= minLength).flatMap(formsOf))].sort(
    (a, b) => b.length - a.length,
  )
  const maxLength = forms[0]?.length ?? 0
  if (maxLength === 0) return nothing
  const pattern = new RegExp(forms.map(escapeRegExp).join('|'), 'g')
  const inBytes = createFinder(forms)
  const least = forms.at(-1)!.length
  const text = (value: string) => (value.length < least ? value : value.replace(pattern, redacted))
  return {
    inBytes,
    text,
    value: <T>(value: T) => scrubValue(text, value) as T,
    stream() {
      let held = ''
      return {
        push(chunk) {
          const all = held + chunk
          // Complete secrets are replaced first; the beginning of one can only lie in the last `maxLength - 1`
          // characters.
          const keep = Math.min(maxLength - 1, all.length)
          let cut = all.length - keep
          for (const match of all.matchAll(pattern)) {
            if (match.index < cut && match.index + match[0].length > cut) cut = match.index + match[0].length
          }
          held = all.slice(cut)
          return text(all.slice(0, cut))
        },
        end() {
          const remainder = text(held)
          held = ''
          return remainder
        },
      }
    },
  }
}

const inspect = Symbol.for('nodejs.util.inspect.custom')

/**
 * Makes secrets readable by name but not printable: JSON, console and spreading reveal nothing of them.
 * `Object.getOwnPropertyNames` lists the names.
 */
export const hideSecrets = (secrets: Record<string, string>): Record<string, string> => {
  const hidden = Object.create({
    toJSON: () => redacted,
    toString: () => redacted,
    [inspect]: () => redacted,
  }) as Record<string, string>
  for (const name of Object.getOwnPropertyNames(secrets))
    Object.defineProperty(hidden, name, { value: secrets[name], enumerable: false })
  return hidden
}
