import type { Headers } from './signature.ts'

/** One request on a hook's address. `headers` with names in lower case; `body` the raw bytes. */
export type Delivery = {
  integration: string
  hookId: string
  method: string
  headers: Headers
  body: Uint8Array
  query?: { readonly [name: string]: string }
}
/** What to answer. There is a body only where the integration answers a handshake. */
export type Receipt = { status: number; retryAfterS?: number; body?: string; contentType?: string }

/** Counts since the process began. */
export type IntakeCounts = {
  received: number
  stored: number
  repeated: number
  refused: number
  undecodable: number
  unavailable: number
  ended: number
  /** Events of accounts that no connection had yet, and those of them that were dropped: too old, or too many. */
  unclaimed: number
  expired: number
  displaced: number
}
