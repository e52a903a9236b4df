import { failField } from '#kit'

const maxLength = 2048
const maxSegments = 256

const plain = 1
const slash = 2
/** The whole segment has to be checked. */
const curious = 3

const kinds = new Uint8Array(128)
const classify = (characters: string, kind: number) => {
  for (const character of characters) kinds[character.charCodeAt(0)] = kind
}
classify('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~', plain)
classify("!$&'()*+,=:@;%.", curious)
kinds[47] = slash

const refuse = (reason: string) => failField('path', `${reason} Nothing was sent.`, 'not_allowed')

const describe = (code: number) => {
  if (code === 63 || code === 35) return 'The path contains "?" or "#". Give query parameters in "query".'
  if (code === 92) return 'The path holds a backslash. Separate its parts with "/".'
  if (code <= 32 || code === 127) return 'The path holds a space or a control character. Percent-encode ids.'
  return 'The path holds a character that must be percent-encoded.'
}

/** Invisible or reordering characters and Unicode line ends: what is compared must be what a reader sees. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/u
/**
 * Characters that would mean something else to a server that decodes again, or to a router: a separator, parameters, a
 * second encoding.
 */
const ambiguous = /[/\\;%?#]/

/**
 * The only spelling of a segment that is sent: decoded once and encoded again. Throws for a segment that two parsers
 * could read differently.
 */
const canonicalSegment = (raw: string): string => {
  if (raw.includes(';')) throw refuse('The path holds ";": parameters inside a path are not taken.')
  if (/%(?![0-9a-f]{2})/i.test(raw)) throw refuse('The path holds a "%" that is not followed by two hex digits.')
  let text: string
  try {
    text = decodeURIComponent(raw)
  } catch {
    throw refuse('The path holds an encoded character that is not UTF-8.')
  }
  if (ambiguous.test(text)) throw refuse('The path holds an encoded separator, percent sign, ";", "?" or "#".')
  if (unseen.test(text)) throw refuse('The path holds an encoded control character or an invisible one.')
  if (text.endsWith('.')) throw refuse('The path holds a "." or ".." part, or a part that ends in a dot.')
  if (text.trim() !== text) throw refuse('The path holds a part that begins or ends with a space.')
  return encodeURIComponent(text).replace(/%(?:24|26|2B|2C|3A|3D|40)/g, decodeURIComponent)
}

/**
 * The path rule, applied to the raw string before any URL parser sees it: parsers delete tabs and line ends, turn "\"
 * into "/" and resolve "%2e%2e". Returns the canonical form, which is what policies are compared with and what is sent.
 * Throws `not_allowed`.
 */
export const canonicalPath = (raw: unknown): string => {
  if (typeof raw !== 'string') throw refuse('The path must be a text that begins with "/".')
  if (raw.length > maxLength) throw refuse(`The path is longer than ${maxLength} characters.`)
  if (raw.charCodeAt(0) !== 47)
    throw refuse(
      'The path must begin with one "/"; a whole address is not taken. Give the path below the provider\'s address.',
    )
  let isCanonical = true
  let segments = 0
  for (let at = 0; at < raw.length; at += 1) {
    const code = raw.charCodeAt(at)
    const kind = code < 128 ? kinds[code] : 0
    if (kind === plain) continue
    if (kind === slash) {
      segments += 1
      if (segments > maxSegments) throw refuse(`The path has more than ${maxSegments} parts.`)
      if (raw.charCodeAt(at + 1) === 47) throw refuse('The path holds "//".')
    } else if (kind === curious) isCanonical = false
    else throw refuse(describe(code))
  }
  if (isCanonical) return raw
  const built = raw.split('/').map(canonicalSegment).join('/')
  if (built.length > maxLength) throw refuse(`The path is longer than ${maxLength} characters.`)
  return built
}

/** Checks the URL that was built: same origin, no user, the path unchanged by the parser. Throws `not_allowed`. */
export const checkBuilt = (origin: string, built: string) => {
  const url = new URL(origin)
  url.pathname = built
  if (url.origin !== origin || url.username !== '' || url.password !== '' || url.pathname !== built) {
    throw refuse('The path does not survive a URL parser unchanged.')
  }
}

/** Servers that choose the format of an answer by an ending take a path with an ending for the path itself. */
const ending = /\.(?:json|xml|html|csv)$/

/**
 * The segments of a canonical path. Providers' routers ignore case, a trailing "/" and an ending, so a rule that
 * refuses must too (`loose`); a rule that allows must match as written.
 */
const segmentsOf = (path: string, loose: boolean): string[] => {
  const parts = path.split('/')
  if (parts.at(-1) === '') parts.pop()
  const last = parts.length - 1
  return parts.slice(1).map((part, at) => {
    const text = decodeURIComponent(part)
    if (!loose) return text
    const plain = text.normalize('NFKC').toLowerCase()
    return at + 1 === last ? plain.replace(ending, '') : plain
  })
}

export type PathPattern = (path: string) => boolean

/**
 * "*" matches one segment, a trailing "/**" the path itself and everything below it, a leading "/**" any number of
 * segments, or none.
 */
export const pathPattern = (pattern: string, loose: boolean): PathPattern => {
  const isOpen = pattern.endsWith('/**')
  const isAnywhere = pattern.startsWith('/**/')
  const patternSegments = segmentsOf(pattern.slice(isAnywhere ? 3 : 0, isOpen ? -3 : undefined), loose)
  const first = isAnywhere ? '*' : (patternSegments[0] ?? '*')
  const fitsAt = (segments: string[], from: number) =>
    (isOpen || segments.length - from === patternSegments.length) &&
    patternSegments.every((part, at) => part === '*' || part === segments[from + at])
  return (path) => {
    const segments = segmentsOf(path, loose)
    if (first !== '*' && segments[0] !== first) return false
    const last = isAnywhere ? segments.length - patternSegments.length : 0
    if (segments.length < patternSegments.length) return false
    for (let from = 0; from <= last; from += 1) if (fitsAt(segments, from)) return true
    return false
  }
}
