import { createHash, randomBytes } from 'node:crypto'
import { failField } from '#kit'
import { readLocalPath } from '../../admin/local-path.ts'

/** The `state` and the browser's cookie: 256 random bits that only the browser has; we store their hashes. */
export const newBrowserSecret = () => randomBytes(32).toString('base64url')
export const secretHash = (secret: string) => createHash('sha256').update(secret).digest('hex')
export const isBrowserSecret = (text: unknown): text is string =>
  typeof text === 'string' && /^[A-Za-z0-9_-]{43}$/.test(text)

/** The only address that a provider may send browsers back to. It is registered there and must match exactly. */
export const redirectUri = (base: string, integration: string) => `${base}/v1/oauth/${integration}/callback`

const maxReturnTo = 512
const readAddress = (text: string) => (/^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined)

/**
 * Checks where the browser goes afterwards: a path of this server, or an address on an origin that the operator listed.
 * @throws Failure `invalid_input`
 */
export const checkReturnTo = (returnTo: string, origins: readonly string[] = []): string => {
  const refuse = () =>
    failField(
      'returnTo',
      '"returnTo" must be a path on this server, such as "/connections", or an address on an origin that the operator has listed for it.',
    )
  // Read as it is, before a parser could change it.
  if (returnTo.length > maxReturnTo || /[^\x21-\x7e]/.test(returnTo) || returnTo.includes('\\')) throw refuse()
  const address = readAddress(returnTo)
  if (address) {
    if (!origins.includes(address.origin) || address.username !== '' || address.password !== '') throw refuse()
    return address.href
  }
  const path = readLocalPath(returnTo, maxReturnTo)
  if (path === undefined) throw refuse()
  return path
}
