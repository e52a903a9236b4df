import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { fail, nestsDeeper } from '#kit'
import type { Json } from '#kit'
import type { Scrubber } from './scrub.ts'
import type { RawReply } from './transport.ts'
import type { Reply } from './types.ts'

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }, done: (error: Error | null, decoded: Buffer) => void) => void
const decoders: Record<string, Decoder> = { gzip: gunzip, 'x-gzip': gunzip, deflate: inflate, br: brotliDecompress }
const mostLayers = 2
/** Nested deeper, a value breaks whoever walks or prints it. */
const deepest = 1500

const tooLarge = (maxBytes: number, status: number) =>
  fail('too_large', `The provider answered ${status} with more than ${Math.floor(maxBytes / 1024)} KB. Ask for fewer records or fields.`, {
    providerStatus: status,
  })

const unreadable = (status: number, why: string) => fail('bad_reply', `The provider answered ${status}, but ${why}.`, { providerStatus: status })

const decodeLayer = (bytes: Buffer, coding: string, maxBytes: number, status: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
    if (!decoder) return reject(unreadable(status, 'in a content encoding that was not asked for'))
    // The limit stops a bomb while it unfolds, not after.
    decoder(bytes, { maxOutputLength: maxBytes }, (error, decoded) => {
      if (!error) return resolve(decoded)
      const over = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      reject(over ? tooLarge(maxBytes, status) : unreadable(status, 'its compressed body is damaged'))
    })
  })

/** The body without its content encodings, never more than `maxBytes`. Throws `too_large` or `bad_reply`. */
const decode = async (raw: RawReply, encoding: string, maxBytes: number): Promise<Buffer> => {
  const layers = encoding
    .toLowerCase()
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && part !== 'identity')
  if (layers.length > mostLayers) throw unreadable(raw.status, 'its body is encoded several times over')
  let { bytes } = raw
  for (const coding of layers.reverse()) bytes = await decodeLayer(bytes, coding, maxBytes, raw.status)
  return bytes
}

/** Session cookies and the like belong to the provider's browser pages, not to a caller. */
const withheld = new Set(['set-cookie', 'set-cookie2', 'connection', 'keep-alive', 'transfer-encoding', 'proxy-authenticate'])

const readHeaders = (raw: RawReply, scrubber: Scrubber): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const name in raw.headers) {
    const value = raw.headers[name]
    if (value === undefined || withheld.has(name) || name === '__proto__') continue
    headers[name] = scrubber.text(typeof value === 'string' ? value : value.join(', '))
  }
  return headers
}

const brackets = /[[\]{}]/g

/** Depth with every bracket counted, also those inside texts; quick. */
const seemsDeep = (text: string): boolean => {
  const found = new RegExp(brackets)
  let depth = 0
  while (found.test(text)) {
    const code = text.charCodeAt(found.lastIndex - 1) | 32
    depth += code === 123 ? 1 : -1
    if (depth > deepest) return true
  }
  return false
}

const samples = 1024
const sampleFrom = 64 * 1024

/** Whether brackets are frequent, judged by a sample. Deep nesting is mostly brackets; a list of records has one in a hundred characters. */
const isDense = (text: string): boolean => {
  const step = Math.floor(text.length / samples)
  let hits = 0
  for (let at = 0; at < text.length; at += step) {
    const code = text.charCodeAt(at) | 32
    if (code === 123 || code === 125) hits += 1
  }
  return hits > samples / 50
}

/**
 * Each level takes two characters, so a short text needs no look; brackets inside texts are told apart only where it matters. Depth that
 * is spread thinly over a large text is not looked for: it costs every list a twentieth, and only breaks whoever walks it.
 */
const tooDeep = (text: string): boolean =>
  text.length > deepest * 2 && (text.length < sampleFrom || isDense(text)) && seemsDeep(text) && nestsDeeper(text, deepest)

/** A name that changes an object's prototype when it is copied carelessly is dropped. */
const dropProto = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) return value.forEach(dropProto)
  for (const name of Object.keys(value)) {
    if (name === '__proto__') Reflect.deleteProperty(value, name)
    else dropProto((value as Record<string, unknown>)[name])
  }
}

/** `mayNameProto`: there is the name, or it may be written with escapes. */
const parse = (text: string, mayNameProto: boolean): Json | undefined => {
  try {
    const value = JSON.parse(text) as Json
    if (mayNameProto) dropProto(value)
    return value
  } catch {
    return undefined
  }
}

const saysJson = (type: string) => type.includes('json')
const mayBeJson = (type: string, text: string) => (type === '' || type.startsWith('text/plain')) && /^\s*[[{]/.test(text)

const escapedLetter = '\\u00'
const protoName = '__proto__'
const escapedUnderscore = /\\u005f/i
/** A letter that is escaped without need hides a secret from a search in the text, but not in the value. */
const hidesLetters = /\\u00[2-7][0-9a-f]/i

/** The reply as callers see it: decoded, parsed, every live secret taken out. Throws `too_large` or `bad_reply`. */
export const readReply = async (raw: RawReply, maxBytes: number, scrubber: Scrubber, attempts: number): Promise<Reply> => {
  const encoding = raw.headers['content-encoding']
  const bytes = encoding === undefined || raw.bytes.length === 0 ? raw.bytes : await decode(raw, String(encoding), maxBytes)
  return assemble(raw, bytes, scrubber, attempts)
}

const assemble = (raw: RawReply, bytes: Buffer, scrubber: Scrubber, attempts: number): Reply => {
  const { status } = raw
  const headers = readHeaders(raw, scrubber)
  if (bytes.length === 0) return { status, headers, body: null, json: false, attempts }
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  const suspect = scrubber.inBytes(bytes)
  // A large reply is searched as bytes, before its text is made: the text is then still at hand when it is parsed. A small one costs less as text.
  const small = bytes.length < sampleFrom ? bytes.toString('utf8', bom) : undefined
  const escapes = (small ?? bytes).includes(escapedLetter)
  const named = (small ?? bytes).includes(protoName)
  const text = small ?? bytes.toString('utf8', bom)
  const type = headers['content-type'] ?? ''
  if (!saysJson(type) && !mayBeJson(type, text)) return { status, headers, body: suspect ? scrubber.text(text) : text, json: false, attempts }
  if (tooDeep(text)) throw unreadable(status, `its body is nested deeper than ${deepest} levels`)
  const value = parse(text, named || (escapes && escapedUnderscore.test(text)))
  if (value === undefined) return { status, headers, body: suspect ? scrubber.text(text) : text, json: false, attempts }
  return { status, headers, body: suspect || (escapes && hidesLetters.test(text)) ? scrubber.value(value) : value, json: true, attempts }
}

/** As `readReply`, without waiting, where nothing has to be decompressed. */
export const readPlainReply = (raw: RawReply, scrubber: Scrubber, attempts: number): Reply | undefined =>
  raw.headers['content-encoding'] === undefined ? assemble(raw, raw.bytes, scrubber, attempts) : undefined
