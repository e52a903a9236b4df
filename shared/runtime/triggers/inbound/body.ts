import { jsonExcess, inputLimits, sayExcess } from '#kit'
import type { DeliveryBodies, DeliveryHeaders } from '#kit'
import type { Headers } from './signature.ts'

/** A parsed body, or why it cannot be parsed. */
export type ReadBody = { value: unknown } | { why: string }

const otherCharset = /charset\s*=\s*"?(?!utf-?8|["\s])/i
/** Whether a content type names no other encoding than UTF-8. */
export const isUtf8 = (type: string) => !otherCharset.test(type)

/** Whether a body of this content type is JSON, and the profile accepts that. */
export const isJson = (type: unknown, deliveries?: DeliveryBodies) =>
  typeof type === 'string' &&
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type) &&
  !otherCharset.test(type) &&
  (deliveries === undefined || deliveries.bodies.includes('json'))

/** Joins the values of a repeated header into one. */
export const flatten = (headers: Headers): DeliveryHeaders => {
  for (const name in headers) if (Array.isArray(headers[name])) return joined(headers)
  return headers as DeliveryHeaders
}
const joined = (headers: Headers): DeliveryHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses the JSON of a body, or returns why it cannot. Bytes that are not UTF-8 are refused, not replaced. */
export const readJson = (body: Uint8Array): ReadBody => {
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    return { why: 'The body is not UTF-8.' }
  }
  const excess = jsonExcess(body, inputLimits)
  if (excess) return { why: `The body holds ${sayExcess(excess, inputLimits)}.` }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { why: 'The body is not JSON.' }
  }
}
