import { Refusal } from './refusal.ts'

export const maxRedirects = 10
const maxLength = 512

const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?=[/?]|$)/
/** Of these a browser makes something else than passing the address on to a program. */
const ofBrowsers =
  /^(?:about|blob|chrome|content|data|file|filesystem|ftp|intent|javascript|jar|mailto|resource|sms|tel|vbscript|view-source|wss?)$/

/**
 * Checks an address that a client wants its answers at: https, http on the machine of the person, or the scheme of an
 * installed program (RFC 8252).
 * @throws Refusal `invalid_redirect_uri`
 */
export const requireRedirectUri = (text: string): void => {
  const refuse = (why: string) =>
    new Refusal('invalid_redirect_uri', `The redirect URI "${text.slice(0, 100)}" ${why}.`)
  if (text.length > maxLength) throw refuse(`is longer than ${maxLength} characters`)
  if (/[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) throw refuse('cannot be read')
  if (text.includes('#')) throw refuse('has a fragment')
  const { protocol, username, password, hostname } = new URL(text)
  if (username !== '' || password !== '') throw refuse('holds a user name or password')
  if (protocol === 'https:' && hostname !== '') return
  if (protocol === 'http:') {
    if (loopback.test(text)) return
    throw refuse('is http and not on this machine: use https, or http://127.0.0.1')
  }
  if (ofBrowsers.test(protocol.slice(0, -1))) throw refuse('has a scheme that no program can have')
}

const withoutPort = (text: string): string | undefined => {
  const start = loopback.exec(text)
  return start ? `${start[1]!}${text.slice(start[0].length)}` : undefined
}

/** Whether an address is one of those, letter by letter; on the person's own machine, with any port (RFC 8252). */
export const isRegistered = (uris: readonly string[], text: string): boolean => {
  if (uris.includes(text)) return true
  const plain = withoutPort(text)
  return plain !== undefined && URL.canParse(text) && uris.some((uri) => withoutPort(uri) === plain)
}

/** The address with an answer added to its query. */
export const answerAt = (redirectUri: string, answer: Record<string, string | undefined>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(answer)) if (value !== undefined) query.set(name, value)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.toString()}`
}
