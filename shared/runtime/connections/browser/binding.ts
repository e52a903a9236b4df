import { createHash, randomBytes } from 'node:crypto'
import { failField } from '#kit'

/** `state` and the browser's cookie: 256 bits, in the browser only; we store their hashes. */
export const newBrowserSecret = () => randomBytes(32).toString('base64url')
export const secretHash = (secret: string) => createHash('sha256').update(secret).digest('hex')
export const isBrowserSecret = (text: unknown): text is string =>
  typeof text === 'string' && /^[A-Za-z0-9_-]{43}$/.test(text)

/** The one address a provider may send browsers back to; registered there to the letter. */
export const redirectUri = (base: string, integration: string) => `${base}/v1/oauth/${integration}/callback`

const readAddress = (text: string) => (/^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined)

/**
 * Where the browser goes on afterwards: a path of this server, or an address whose origin the operator listed.
 * @throws Failure `invalid_input`
 */
export const checkReturnTo = (returnTo: string, origins: readonly string[] = []): string => {
  const refuse = () =>
    failField(
      'returnTo',
      '"returnTo" must be a path on this server, such as "/connections", or an address on an origin that the operator has listed for it.',
    )
  // A URL parser deletes tabs and line ends and reads "\\" as "/", so what it would change is refused before it sees
  // it.
  if (returnTo.length > 512 || /[^\x21-\x7e]/.test(returnTo) || returnTo.includes('\\')) throw refuse()
  const address = readAddress(returnTo)
  if (address) {
    if (!origins.includes(address.origin) || address.username !== '' || address.password !== '') throw refuse()
    return address.href
  }
  if (!/^\/(?!\/)/.test(returnTo)) throw refuse()
  const url = new URL(returnTo, 'http://here.invalid')
  if (url.origin !== 'http://here.invalid' || url.pathname.startsWith('//')) throw refuse()
  return url.pathname + url.search + url.hash
}
