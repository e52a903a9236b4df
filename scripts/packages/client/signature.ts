import { createHmac, timingSafeEqual } from 'node:crypto'

const toleranceSeconds = 300

export type SignedDelivery = {
  /** The subscription's signing secret, "whsec_…": `agent.secret` in the response to `create`. */
  secret: string
  /** Header names may be in any case. */
  headers: Record<string, unknown>
  /** The bytes as received; a body that was parsed and serialized again may have another signature. */
  body: Uint8Array | string
  /** The current time in milliseconds since the epoch. */
  now: number
}

/**
 * Whether a start is signed according to Standard Webhooks: HMAC-SHA256 over id, time and body, at most five minutes
 * old.
 */
export const isSigned = ({ secret, headers, body, now }: SignedDelivery): boolean => {
  const headerValues = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerValues.get(name),
  )
  if (!id || !time || !signatures) return false
  if (!/^\d+$/.test(time) || Math.abs(now / 1000 - Number(time)) > toleranceSeconds) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest()
  // There are several signatures while the secret is being rotated.
  return signatures.split(' ').some((signature) => {
    const [version, text = ''] = signature.split(',')
    const bytes = Buffer.from(text, 'base64')
    return version === 'v1' && bytes.length === expected.length && timingSafeEqual(bytes, expected)
  })
}
