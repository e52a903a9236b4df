import { createHmac, timingSafeEqual } from 'node:crypto'
import type { WebhookSignature } from '#kit'

/** As a server gives them: names in lower case, a repeated header as a list or joined with commas. */
export type Headers = Record<string, string | string[] | undefined>
export type Signed = { headers: Headers; body: Uint8Array; callbackUrl: string }

/** Base64 of the 20 bytes of SHA-1; two values joined by a comma are none. */
const shape = /^[A-Za-z0-9+/]{27}=$/
/** As long as a real one, and equal to none. */
const blank = '!'.repeat(28)
const standIn = 'no secret'
/** Current and previous secret. The work is the same however many there are. */
const maxSecrets = 2

export const signatureOf = (secret: string, body: Uint8Array, callbackUrl: string): string =>
  createHmac('sha1', secret).update(body).update(callbackUrl, 'utf8').digest('base64')

/**
 * Whether a delivery was signed with one of the secrets, over its raw bytes and the address we registered. Fails closed: no secret, no header,
 * more than one value or another encoding is false, after the same work.
 */
export const isGenuine = (signature: Pick<WebhookSignature, 'header'>, secrets: readonly string[], { headers, body, callbackUrl }: Signed): boolean => {
  const given = headers[signature.header.toLowerCase()]
  const claimed = Buffer.from(typeof given === 'string' && shape.test(given) ? given : blank)
  for (let n = 0; n < Math.max(maxSecrets, secrets.length); n += 1) {
    const isEqual = timingSafeEqual(Buffer.from(signatureOf(secrets[n] ?? standIn, body, callbackUrl)), claimed)
    // Only who knows the secret gets here, so there is nothing to hide from him.
    if (isEqual && n < secrets.length) return true
  }
  return false
}
