import type { LoadedIntegration } from '../../catalogue/registry.ts'
import type { Hook } from '../../ports/index.ts'
import type { Headers } from './signature.ts'

/** One request to a hook's address. `headers` has names in lower case; `body` is the raw bytes. */
export type Delivery = {
  integration: string
  hookId: string
  method: string
  headers: Headers
  body: Uint8Array
  query?: { readonly [name: string]: string }
}
/** The hook that a delivery names. */
export type Addressed = { hook: Hook; loaded: LoadedIntegration }
/** `content`: what stands for the parsed body, where the body itself proves nothing. */
export type Verified = Addressed & { content?: { value: unknown } }
/** The response to send. Only the integration's answer to a handshake has a body. */
export type Receipt = { status: number; retryAfterS?: number; body?: string; contentType?: string }

/** Counts of deliveries and events since the process began. */
export type IntakeCounts = {
  received: number
  stored: number
  repeated: number
  refused: number
  undecodable: number
  unavailable: number
  ended: number
  /**
   * Events of accounts that no connection had yet, and how many of those were dropped: too old (expired), or too many
   * (displaced).
   */
  unclaimed: number
  expired: number
  displaced: number
}
