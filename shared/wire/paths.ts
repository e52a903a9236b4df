import { failField } from '#kit'

const longest = 2048
const most = 256

const plain = 1
const slash = 2
const percent = 3
const dot = 4
/** Legal in a path, but of a kind that parsers have read differently: the built URL decides. */
const doubtful = 5

const kinds = new Uint8Array(128)
const mark = (characters: string, kind: number) => {
  for (const character of characters) kinds[character.charCodeAt(0)] = kind
}
mark('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~', plain)
mark("!$&'()*+,;=:@", doubtful)
kinds[47] = slash
kinds[37] = percent
kinds[46] = dot

const refuse = (reason: string) => failField('path', `${reason} Nothing was sent.`, 'not_allowed')

const hexValue = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

/** What an encoded byte would turn into something else by: a separator, a dot segment, a second decoding or a control character. */
const refusedByte = (byte: number) => byte < 32 || byte === 127 || byte === 0x2f || byte === 0x5c || byte === 0x2e || byte === 0x25

const describe = (code: number) => {
  if (code === 63 || code === 35) return 'The path holds "?" or "#". Give query parameters in "query".'
  if (code === 92) return 'The path holds a backslash. Separate its parts with "/".'
  if (code <= 32 || code === 127) return 'The path holds a space or a control character. Percent-encode ids.'
  return 'The path holds a character that must be percent-encoded.'
}

/** Whether the segment that begins here is "." or "..", also with parameters behind ("..;x"). */
const dotSegment = (raw: string, start: number) => {
  let at = start + 1
  if (raw.charCodeAt(at) === 46) at += 1
  const next = raw.charCodeAt(at)
  return Number.isNaN(next) || next === 47 || next === 59
}

/**
 * The path rule, on the raw string, before any URL parser sees it: parsers delete tabs and line ends, turn "\" into "/"
 * and resolve "%2e%2e". Throws `not_allowed`. True when only characters were seen that every parser leaves alone.
 */
export const scanPath = (raw: unknown): boolean => {
  if (typeof raw !== 'string') throw refuse('The path must be a text that begins with "/".')
  if (raw.length > longest) throw refuse(`The path is longer than ${longest} characters.`)
  if (raw.charCodeAt(0) !== 47) throw refuse('The path must begin with one "/"; a whole address is not taken. Give the path below the provider\'s address.')
  let certain = true
  let segments = 0
  for (let at = 0; at < raw.length; at += 1) {
    const code = raw.charCodeAt(at)
    const kind = code < 128 ? kinds[code] : 0
    if (kind === plain) continue
    if (kind === slash) {
      segments += 1
      if (segments > most) throw refuse(`The path has more than ${most} parts.`)
      const next = raw.charCodeAt(at + 1)
      if (next === 47) throw refuse('The path holds "//".')
      if (next === 46 && dotSegment(raw, at + 1)) throw refuse('The path holds a "." or ".." part.')
    } else if (kind === percent) {
      const high = hexValue(raw.charCodeAt(at + 1))
      const low = hexValue(raw.charCodeAt(at + 2))
      if (high < 0 || low < 0) throw refuse('The path holds a "%" that is not followed by two hex digits.')
      if (refusedByte(high * 16 + low)) throw refuse('The path holds an encoded separator, dot, percent sign or control character.')
      at += 2
    } else if (kind === doubtful) certain = false
    else if (kind !== dot) throw refuse(describe(code))
  }
  return certain
}

/** Checks the URL that was built: same origin, no user, the path unchanged by the parser. Throws `not_allowed`. */
export const checkBuilt = (origin: string, built: string) => {
  const url = new URL(origin)
  url.pathname = built
  if (url.origin !== origin || url.username !== '' || url.password !== '' || url.pathname !== built) {
    throw refuse('The path does not survive a URL parser unchanged.')
  }
}

const decode = (segment: string) => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/**
 * The form in which policies are compared. Providers' routers ignore case, a last "/" and ";parameters", so a rule that
 * refuses must too (`loose`); a rule that allows must fit as written.
 */
const segmentsOf = (path: string, loose: boolean): string[] => {
  const parts = path.split('/')
  if (parts.at(-1) === '') parts.pop()
  return parts.slice(1).map((part) => {
    const text = decode(part)
    return loose ? (text.split(';')[0] ?? '').toLowerCase() : text
  })
}

export type PathPattern = (path: string) => boolean

/** "*" stands for one segment, a trailing "/**" for the path itself and everything below it. */
export const pathPattern = (pattern: string, loose: boolean): PathPattern => {
  const open = pattern.endsWith('/**')
  const wanted = segmentsOf(open ? pattern.slice(0, -3) : pattern, loose)
  const first = wanted[0]
  return (path) => {
    const given = segmentsOf(path, loose)
    if (given[0] !== first && first !== '*') return false
    if (open ? given.length < wanted.length : given.length !== wanted.length) return false
    return wanted.every((part, index) => part === '*' || part === given[index])
  }
}
