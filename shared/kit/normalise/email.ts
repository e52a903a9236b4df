import { normaliseHostName } from './domain.ts'
import { accept, quote, readText, refuse } from './normalised.ts'
import type { Normalised } from './normalised.ts'

const remedy = 'Give one address such as "name@example.com.au".'

// Unquoted local part of RFC 5321 with the letters of RFC 6531. Quoted local parts are legal, but nobody reachable has
// one.
const local = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u

const bytes = (text: string) => new TextEncoder().encode(text).length

/** `mailto:a%2Bb@host?subject=x` → `a+b@host`. */
const dropMailto = (text: string): string => {
  if (!/^mailto:/i.test(text)) return text
  const address = text.slice(7).split('?')[0] ?? ''
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

/**
 * E-mail address in the form to send: trimmed, NFC, domain in ASCII and lower case, `mailto:` removed. The local part
 * keeps its case, dots and +tag: on many servers, changing them names another mailbox.
 */
export const normaliseEmail = (input: unknown): Normalised => {
  const read = readText(input, 'The e-mail address', remedy)
  if (!read.ok) return read
  const address = dropMailto(read.value).normalize('NFC')
  const at = address.lastIndexOf('@')
  if (at < 0) return refuse(`${quote(address)} has no "@", so it is not an e-mail address. ${remedy}`)
  const name = address.slice(0, at)
  if (name.includes('@')) return refuse(`${quote(address)} has more than one "@". ${remedy}`)
  if (name === '') return refuse(`${quote(address)} has nothing before the "@". ${remedy}`)
  if (name.startsWith('"')) {
    return refuse(`${quote(address)} has a quoted part before the "@", which the providers do not know. ${remedy}`)
  }
  if (!local.test(name)) {
    return refuse(`${quote(address)} has characters before the "@" that an address cannot have. ${remedy}`)
  }
  const host = normaliseHostName(address.slice(at + 1))
  if (!host.ok) return refuse(`The part of the e-mail address after "@" is wrong: ${host.reason}`)
  const value = `${name}@${host.value}`
  if (bytes(name) > 64 || bytes(value) > 254) {
    return refuse(`The e-mail address is longer than an address can be (64 before the "@", 254 in all). ${remedy}`)
  }
  return accept(value)
}

/** Key under which one mailbox is cached or suppressed: `normaliseEmail` with the local part in lower case. */
export const emailKey = (input: unknown): Normalised => {
  const email = normaliseEmail(input)
  return email.ok ? normaliseEmail(email.value.toLowerCase()) : email
}
