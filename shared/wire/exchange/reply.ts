import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { fail, jsonExcess, jsonLimits, nextTurn, sayExcess } from '#kit'
import type { Json, JsonLimits } from '#kit'
import { mayExceed } from '../guard/reply-cost.ts'
import type { Scrubber } from '../guard/scrub.ts'
import type { RawReply } from './raw-reply.ts'
import { splitList } from './split-list.ts'
import type { NextPiece } from './split-list.ts'
import type { Call, Reply } from '../types.ts'

type Decoder = (
  bytes: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, decoded: Buffer) => void,
) => void
const decoders: Record<string, Decoder> = { gzip: gunzip, 'x-gzip': gunzip, deflate: inflate, br: brotliDecompress }
const maxLayers = 2

const tooLarge = (maxBytes: number, status: number) =>
  fail(
    'too_large',
    `The provider answered ${status} with more than ${Math.floor(maxBytes / 1024)} KB. Ask for fewer records or fields.`,
    {
      providerStatus: status,
    },
  )

const unreadable = (status: number, why: string) =>
  fail('bad_reply', `The provider answered ${status}, but ${why}.`, { providerStatus: status })

const beyond = (limit: keyof JsonLimits, status: number) => {
  const excess = sayExcess(limit, jsonLimits)
  if (limit === 'depth') return unreadable(status, `its body holds ${excess}`)
  return fail('too_large', `The provider answered ${status} with ${excess}. Ask for fewer records or fields.`, {
    providerStatus: status,
  })
}

const decodeLayer = (bytes: Buffer, coding: string, maxBytes: number, status: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
    if (!decoder) return reject(unreadable(status, 'in a content encoding that was not asked for'))
    // The limit stops a decompression bomb while it expands, not after.
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
  if (layers.length > maxLayers) throw unreadable(raw.status, 'its body is encoded several times over')
  let { bytes } = raw
  for (const coding of layers.reverse()) bytes = await decodeLayer(bytes, coding, maxBytes, raw.status)
  return bytes
}

/**
 * Headers that callers do not get: session cookies belong to the provider's browser pages, the others to the
 * connection.
 */
const withheld = new Set([
  'set-cookie',
  'set-cookie2',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'proxy-authenticate',
])

const readHeaders = (raw: RawReply, scrubber: Scrubber): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const name in raw.headers) {
    const value = raw.headers[name]
    if (value === undefined || withheld.has(name) || name === '__proto__') continue
    headers[name] = scrubber.text(typeof value === 'string' ? value : value.join(', '))
  }
  return headers
}

/**
 * Drops names that change a prototype when an object is copied carelessly, and checks depth and values exactly:
 * `mayExceed` does not see depth and only estimates values.
 */
const tidy = (value: object, levels: number, left: { values: number }): 'depth' | 'values' | undefined => {
  if (levels === 0) return 'depth'
  if (Array.isArray(value)) {
    left.values -= value.length
    if (left.values < 0) return 'values'
    for (const item of value as unknown[]) {
      const excess = typeof item === 'object' && item !== null ? tidy(item, levels - 1, left) : undefined
      if (excess) return excess
    }
    return undefined
  }
  const row = value as Record<string, unknown>
  let values = 0
  for (const name in row) {
    const inner = row[name]
    values += 1
    // Most values are texts and numbers, which are no prototype under any name.
    if (typeof inner !== 'object') continue
    if (name === '__proto__') Reflect.deleteProperty(row, name)
    else if (inner === null) continue
    // An ordinary field may be called "constructor", but not one that holds a prototype.
    else if (name === 'constructor' && Object.hasOwn(inner, 'prototype')) Reflect.deleteProperty(row, name)
    else {
      const excess = tidy(inner, levels - 1, left)
      if (excess) return excess
    }
  }
  left.values -= values
  return left.values < 0 ? 'values' : undefined
}

const mayBeJson = (type: string, text: string) =>
  (type === '' || type.startsWith('text/plain')) && /^\s*[[{]/.test(text)

const escapedLetter = '\\u00'
/**
 * Matches letters that are escaped without need: they hide a secret from a search in the text, but not in the value.
 */
const hidesLetters = /\\u00[2-7][0-9a-f]/i

/**
 * From this size on, secrets are searched in the bytes and limits are checked before parsing: a smaller reply cannot
 * hold enough to matter.
 */
const largeFrom = 64 * 1024
/** From this size on, a reply is read over several turns of the event loop, so that other work can run in between. */
const hugeFrom = 512 * 1024

export type Reading = {
  maxBytes: number
  scrubber: Scrubber
  attempts: number
  random(): number
  replyAs?: Call['replyAs']
}

/**
 * A reply whose body may still have to be parsed. `text`: '' where it is read in pieces. `escapes`: letters may be
 * escaped in it.
 */
type OpenedReply = { reply: Reply; text: string; isJson: boolean; suspect: boolean; escapes: boolean }

const openReply = (raw: RawReply, bytes: Buffer, reading: Reading, pieces?: NextPiece): OpenedReply => {
  const { scrubber, attempts, random, replyAs } = reading
  const { status } = raw
  const headers = readHeaders(raw, scrubber)
  if (bytes.length === 0)
    return {
      reply: { status, headers, body: null, json: false, attempts },
      text: '',
      isJson: false,
      suspect: false,
      escapes: false,
    }
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  const suspect = scrubber.inBytes(bytes)
  // A large reply is searched as bytes, before its text is made: the text is then still at hand when it is parsed. A
  // small one costs less as text.
  const small = bytes.length < largeFrom ? bytes.toString('utf8', bom) : undefined
  const escapes = (small ?? bytes).includes(escapedLetter)
  const text = pieces ? '' : (small ?? bytes.toString('utf8', bom))
  const type = headers['content-type'] ?? ''
  const staysText = replyAs === 'text' && status < 300
  const isJson = !staysText && (type.includes('json') || mayBeJson(type, text))
  if (isJson && small === undefined && mayExceed(bytes, jsonLimits, random)) {
    const excess = jsonExcess(bytes, jsonLimits)
    if (excess) throw beyond(excess, status)
  }
  return {
    // A web page is what a server that is down answers, whatever was asked for.
    reply: {
      status,
      headers,
      body: text,
      json: false,
      attempts,
      ...(replyAs && !type.includes('html') ? { plain: true } : {}),
    },
    text,
    isJson,
    suspect: suspect || (isJson && escapes && hidesLetters.test(text)),
    escapes,
  }
}

/** The body parsed where it is JSON; text that only looked like it stays text. */
const readJson = ({ reply, text, isJson }: OpenedReply): void => {
  if (!isJson) return
  try {
    reply.body = JSON.parse(text) as Json
    reply.json = true
  } catch {
    // It stays text.
  }
}

const tidyBody = ({ reply: { body, json, status } }: OpenedReply): void => {
  const excess =
    json && typeof body === 'object' && body !== null
      ? tidy(body, jsonLimits.depth, { values: jsonLimits.values - 1 })
      : undefined
  if (excess) throw beyond(excess, status)
}

const scrub = (reply: Reply, { scrubber }: Reading): void => {
  reply.body = typeof reply.body === 'string' ? scrubber.text(reply.body) : scrubber.value(reply.body)
}

/** The pieces of a long list; undefined for any other body. */
const piecesOf = ({ status, headers }: RawReply, bytes: Buffer, { replyAs }: Reading): NextPiece | undefined =>
  bytes.length >= hugeFrom && String(headers['content-type']).includes('json') && !(replyAs === 'text' && status < 300)
    ? splitList(bytes)
    : undefined

const parsePiece = (text: string): Json[] | undefined => {
  try {
    return JSON.parse(text) as Json[]
  } catch {
    return undefined
  }
}

/** Reads a list piece by piece, since the engine collects short texts at once; false where it was cut wrongly. */
const readList = async (opened: OpenedReply, pieces: NextPiece): Promise<boolean> => {
  const { reply, escapes } = opened
  const rows: Json[] = []
  const left = { values: jsonLimits.values - 1 }
  let inTurn = 0
  for (let text = pieces(); text !== undefined; text = pieces()) {
    const piece = parsePiece(text)
    if (piece === undefined) return false
    const excess = tidy(piece, jsonLimits.depth, left)
    if (excess) throw beyond(excess, reply.status)
    opened.suspect ||= escapes && hidesLetters.test(text)
    for (const row of piece) rows.push(row)
    inTurn += text.length
    if (inTurn < hugeFrom) continue
    inTurn = 0
    await nextTurn()
  }
  reply.body = rows
  reply.json = true
  return true
}

const readWhole = async (opened: OpenedReply, isHuge: boolean): Promise<void> => {
  readJson(opened)
  if (isHuge) await nextTurn()
  tidyBody(opened)
}

const readBody = async (raw: RawReply, bytes: Buffer, reading: Reading): Promise<Reply> => {
  const isHuge = bytes.length >= hugeFrom
  const pieces = piecesOf(raw, bytes, reading)
  let opened = openReply(raw, bytes, reading, pieces)
  if (isHuge) await nextTurn()
  const isRead = pieces !== undefined && (await readList(opened, pieces))
  if (!isRead) {
    if (pieces) opened = openReply(raw, bytes, reading)
    await readWhole(opened, isHuge)
  }
  if (isHuge) await nextTurn()
  if (opened.suspect) scrub(opened.reply, reading)
  if (isHuge) await nextTurn()
  return opened.reply
}

/** The reply as callers see it: decoded, parsed, every live secret removed. Throws `too_large` or `bad_reply`. */
export const readReply = async (raw: RawReply, reading: Reading): Promise<Reply> => {
  const encoding = raw.headers['content-encoding']
  if (encoding !== undefined && raw.bytes.length > 0)
    return readBody(raw, await decode(raw, String(encoding), reading.maxBytes), reading)
  try {
    return await readBody(raw, raw.bytes, reading)
  } finally {
    raw.giveBack?.()
  }
}

/** Like `readReply`, without waiting; undefined when the body has to be decompressed or is huge. */
export const readPlainReply = (raw: RawReply, reading: Reading): Reply | undefined => {
  if (raw.headers['content-encoding'] !== undefined || raw.bytes.length >= hugeFrom) return undefined
  const opened = openReply(raw, raw.bytes, reading)
  readJson(opened)
  tidyBody(opened)
  if (opened.suspect) scrub(opened.reply, reading)
  return opened.reply
}
