import { emailKey, failField, linkedinPersonSlug, normalisePhone, phoneCandidates } from '#kit'

/** What names one person, in its one form: an address in lower case, the slug of a profile, a number as E.164. */
export type Identifier = { kind: 'email' | 'linkedin' | 'phone'; value: string }
/** As callers give one: exactly one of these. `emailSha256`: of the address in lower case, hex, as lists of opt-outs are exchanged. */
export type GivenIdentifier = { email?: string | undefined; linkedin?: string | undefined; phone?: string | undefined; emailSha256?: string | undefined }

const normalisers = { email: emailKey, linkedin: linkedinPersonSlug, phone: normalisePhone }
const kinds = ['email', 'linkedin', 'phone'] as const

/** @throws Failure `invalid_input` naming the field */
export const readIdentifier = (given: GivenIdentifier, at: string): Identifier => {
  const named = kinds.filter((kind) => given[kind] !== undefined)
  const [kind] = named
  if (kind === undefined || named.length > 1)
    throw failField(at, 'Give one of email, linkedin (address of a profile, or its slug) or phone (with its country).')
  const read = normalisers[kind](given[kind])
  if (!read.ok) throw failField(`${at}/${kind}`, read.reason)
  return { kind, value: read.value }
}

const email = /[^\s<>()[\]",;:|\\]+@[^\s<>()[\]",;:|\\/?&#]+/g
const profile = /(?:[\w-]+\.)*linkedin\.com\/[^\s<>"',;|\\)]+/gi
const number = /(?:\+|\b00|\b0|\(0)[\d\s().\-/\u00a0\u2010-\u2015]{6,24}\d/g
const phoneName = /phone|mobile|tel|fax|number/i
const linkedinName = /linked_?in/i

/** Longer texts hold no further identifier that matters: they are no answer of a provider about a person. */
const maxText = 4 * 2 ** 20

const add = (found: Map<string, Identifier>, kind: Identifier['kind'], value: string) => found.set(`${kind} ${value}`, { kind, value })

const decode = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
/** What is percent-encoded in a text stands there as it reads, too. */
export const decoded = (text: string): string => (/%[0-9a-f]{2}/i.test(text) ? `${text}\n${text.replaceAll(/(?:%[0-9a-f]{2})+/gi, decode)}` : text)

/** Identifiers that a text mentions. `name`: of the field that holds it, where there is one. */
const readText = (found: Map<string, Identifier>, text: string, name: string) => {
  const shown = decoded(text.length > maxText ? text.slice(0, maxText) : text)
  if (shown.includes('@'))
    for (const [match] of shown.matchAll(email)) {
      const read = emailKey(match.replace(/[.'`]+$/, ''))
      if (read.ok) add(found, 'email', read.value)
    }
  if (/linkedin\.com/i.test(shown))
    for (const [match] of shown.matchAll(profile)) {
      const read = linkedinPersonSlug(match)
      if (read.ok) add(found, 'linkedin', read.value)
    }
  else if (linkedinName.test(name)) {
    const read = linkedinPersonSlug(shown)
    if (read.ok) add(found, 'linkedin', read.value)
  }
  if (phoneName.test(name)) for (const value of phoneCandidates(shown)) add(found, 'phone', value)
  for (const [match] of shown.matchAll(number)) for (const value of phoneCandidates(match)) add(found, 'phone', value)
}

const walk = (found: Map<string, Identifier>, value: unknown, name: string, depth: number) => {
  if (typeof value === 'string') readText(found, value, name)
  else if (typeof value === 'number') {
    if (phoneName.test(name)) readText(found, String(value), name)
  } else if (Array.isArray(value)) for (const item of value) walk(found, item, name, depth)
  else if (typeof value === 'object' && value !== null && depth < 64)
    for (const [part, item] of Object.entries(value)) {
      // Keys may name people, too: answers keyed by address.
      if (part.includes('@')) readText(found, part, '')
      walk(found, item, phoneName.test(name) && !phoneName.test(part) ? `${name} ${part}` : part, depth + 1)
    }
}

/** Everybody that a value names: by any spelling, at any depth. */
export const identifiersIn = (value: unknown): Identifier[] => {
  const found = new Map<string, Identifier>()
  walk(found, value, '', 0)
  return [...found.values()]
}

/** The same for stored text, which may be JSON. */
export const identifiersInText = (text: string): Identifier[] => {
  if (/^\s*[[{"]/.test(text))
    try {
      return identifiersIn(JSON.parse(text))
    } catch {
      // Rows of JSON, or a part of a text.
    }
  return identifiersIn(text)
}
