import { emailKey, linkedinPersonSlug, nextTurn, phoneCandidates } from '#kit'
import { isRecordId } from './identifiers.ts'
import type { Identifier } from './identifiers.ts'

/**
 * A digest found in a text, in lower case if hexadecimal. `field`: the name of the field that contains it. `ofAddress`:
 * its context says that it is the digest of an e-mail address.
 */
export type DigestMention = { kind: 'digest'; value: string; field: string; ofAddress: boolean }
export type Mention = Identifier | DigestMention

/** Undefined: something was read that names nobody. There is little work between any two values. */
type MentionStream = Generator<Mention | undefined, void>

/** The context of a text: what the names of the fields around it say. */
type Place = {
  name: string
  isPhone: boolean
  isLinkedin: boolean
  isMail: boolean
  isDigest: boolean
  isRecordId: boolean
}

const top: Place = {
  name: '',
  isPhone: false,
  isLinkedin: false,
  isMail: false,
  isDigest: false,
  isRecordId: false,
}
const within = (place: Place, name: string): Place => ({
  name,
  isPhone: place.isPhone || /phone|mobile|tel|fax|number/i.test(name),
  isLinkedin: /linked_?in/i.test(name),
  isMail: place.isMail || /mail/i.test(name),
  isDigest: place.isDigest || /hash|digest|md5|sha[-_]?(?:1|2|3|5)/i.test(name),
  isRecordId: /^(?:person|people|contact|entity)_?ids?(?![a-z])/i.test(name),
})

/** Only this many characters of a text are read: a longer one is no provider's answer about a person. */
const maxText = 4 * 2 ** 20

const decode = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
/** Adds the percent-decoded form to a text that contains percent-encoding. */
export const decoded = (text: string): string => {
  if (!/%[0-9a-f]{2}/i.test(text)) return text
  return `${text}\n${text.replaceAll(/(?:%[0-9a-f]{2})+/gi, decode)}`
}

/** Maximum length before the "@" (RFC 5321); `host` limits the part after it. */
const maxLocal = 64
const localEnds = /[\s<>()[\]",;:|\\]/
const host = /[^\s<>()[\]",;:|\\/?&#@'`*{}=!^~$%+]{1,255}/y
/** The characters that addresses treat as a dot: a host has at least one. */
const dots = /[.\u3002\uff0e\uff61]/
/** Legal in an address, but far more often a separator before it: in a path, a query or a statement. */
const before = /[!#$%&*/=?^`{}~]/

/** Searches around each "@", no further than an address can extend and no further than the next "@". */
const addressesIn = function* (text: string): MentionStream {
  const read = new Set<string>()
  let from = 0
  for (let at = text.indexOf('@'); at !== -1; from = at + 1, at = text.indexOf('@', from)) {
    if (at === from) continue
    host.lastIndex = at + 1
    const after = host.exec(text)?.[0]
    if (after === undefined || !dots.test(after)) {
      yield undefined
      continue
    }
    const local = text
      .slice(Math.max(from, at - maxLocal - 1), at)
      .split(localEnds)
      .at(-1)!
    const last = local.split(before).at(-1)!.replace(/^'+/, '')
    for (const name of last === local ? [local] : [local, last]) {
      const address = `${name}@${after.endsWith('.') ? after.slice(0, -1) : after}`
      const key = read.has(address) ? undefined : emailKey(address)
      read.add(address)
      yield key?.ok ? { kind: 'email', value: key.value } : undefined
    }
  }
}

/** Long enough for a slug of 150 characters, percent-encoded, and the rest of its path. */
const profile = /linkedin\.com\/[^\s<>"',;|\\)]{1,2048}/iy

/** Searches from each "linkedin.com/", no further than the next one. */
const profilesIn = function* (text: string): MentionStream {
  const starts = [...text.matchAll(/linkedin\.com\//gi)].map(({ index }) => index)
  for (const [at, start] of starts.entries()) {
    const span = text.slice(start, Math.min(starts[at + 1] ?? text.length, start + 2100))
    profile.lastIndex = 0
    const read = linkedinPersonSlug(profile.exec(span)?.[0])
    yield read.ok ? { kind: 'linkedin', value: read.value } : undefined
  }
}

const number = /(?:\+|\b00|\b0|\(0)[\d\s().\-/\u00a0\u2010-\u2015]{6,24}\d/g

const numberIn = function* (text: string): MentionStream {
  for (const value of phoneCandidates(text)) yield { kind: 'phone', value }
  yield undefined
}
const numbersIn = function* (text: string, isPhone: boolean): MentionStream {
  if (isPhone) yield* numberIn(text)
  for (const [match] of text.matchAll(number)) yield* numberIn(match)
}

/** Hexadecimal lengths of MD5, SHA-1, SHA-224, SHA-256, SHA-384 and SHA-512. */
const digestLengths = [32, 40, 56, 64, 96, 128]
const hexadecimal = /(?<![0-9a-z])[0-9a-f]{32,128}(?![0-9a-z@+-]|\.\S)/gi
/** A digest in another notation, such as base64. */
const encodedDigest = /^\s*[\w+/=:-]{20,256}\s*$/

const digestsIn = function* (text: string, { name, isMail, isDigest }: Place): MentionStream {
  const runs = [...text.matchAll(hexadecimal)].map(([match]) => match.toLowerCase())
  const digests = runs.filter(({ length }) => digestLengths.includes(length))
  const ofAddress = isMail || isDigest || (digests.length > 0 && /mail/i.test(text))
  for (const value of digests) yield { kind: 'digest', value, field: name, ofAddress }
  const isEncoded = isMail && isDigest && digests.length === 0 && encodedDigest.test(text)
  if (isEncoded) yield { kind: 'digest', value: text.trim(), field: name, ofAddress }
}

/** Finds the id that a provider has for a person; the name of the field says that it is one. */
const recordIdIn = function* (text: string): MentionStream {
  const value = text.trim()
  yield isRecordId(value) ? { kind: 'recordId', value } : undefined
}

const inText = function* (rawText: string, place: Place): MentionStream {
  if (place.isRecordId) yield* recordIdIn(rawText)
  const text = decoded(rawText.length > maxText ? rawText.slice(0, maxText) : rawText)
  if (text.includes('@')) yield* addressesIn(text)
  if (/linkedin\.com/i.test(text)) yield* profilesIn(text)
  else if (place.isLinkedin) {
    const read = linkedinPersonSlug(text)
    yield read.ok ? { kind: 'linkedin', value: read.value } : undefined
  }
  yield* numbersIn(text, place.isPhone)
  if (text.length >= 20) yield* digestsIn(text, place)
}

/** Names of fields. Any other key may itself name somebody, in answers keyed by address. */
const plainName = /^[A-Za-z_$][\w$]{0,30}$/

/** Finds all mentions in a value, without recursion, since the caller determines its depth. */
const inValue = function* (value: unknown): MentionStream {
  const open: [unknown, Place][] = [[value, top]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [item, place] = next
    yield undefined
    if (typeof item === 'string') yield* inText(item, place)
    else if (typeof item === 'number') {
      if (place.isPhone || place.isRecordId) yield* inText(String(item), place)
    } else if (Array.isArray(item)) for (let at = item.length - 1; at >= 0; at -= 1) open.push([item[at], place])
    else if (typeof item === 'object' && item !== null)
      for (const [name, part] of Object.entries(item).toReversed()) {
        if (!plainName.test(name)) yield* inText(name, top)
        open.push([part, within(place, name)])
      }
  }
}

const nameOf = (mention: Mention) => {
  const name = `${mention.kind} ${mention.value}`
  return mention.kind === 'digest' && mention.ofAddress ? `${name} of an address` : name
}
/** How many items are read in one turn of the event loop. */
const perTurn = 500

/**
 * Every person that a value names, each once: in any spelling, at any depth. A long value takes several turns of the
 * event loop.
 */
export const mentionsIn = async (value: unknown): Promise<Mention[]> => {
  const mentionsByName = new Map<string, Mention>()
  let count = 0
  for (const mention of inValue(value)) {
    if (mention) mentionsByName.set(nameOf(mention), mention)
    count += 1
    if (count % perTurn === 0) await nextTurn()
  }
  return [...mentionsByName.values()]
}

const parsed = (text: string): unknown => {
  if (!/^\s*[[{"]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    // It is several rows of JSON, or a part of a text.
    return text
  }
}
/** The same as `mentionsIn` for stored text, which may be JSON. */
export const mentionsInText = (text: string): Promise<Mention[]> => mentionsIn(parsed(text))
