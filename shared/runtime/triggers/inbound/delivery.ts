import type { Headers } from './signature.ts'

/** One request on a hook's address. `headers` with names in lower case; `body` the raw bytes. */
export type Delivery = { integration: string; hookId: string; method: string; headers: Headers; body: Uint8Array }
/** What to answer; there is never a body. */
export type Receipt = { status: number; retryAfterS?: number }

/** Counts since the process began. */
export type IntakeCounts = {
  received: number
  stored: number
  repeated: number
  refused: number
  undecodable: number
  unavailable: number
  ended: number
}
