import type { Facts } from './event.ts'
import type { FailureCode } from './failure-table.ts'
import type { Json } from './json.ts'
import type { Method } from './request.ts'
import type { PollFound } from './trigger.ts'

/** One case of a step's example file: documentation, sample for forms and test in one. */
export type ExampleCase = {
  title: string
  input: Record<string, unknown>
  exchanges: {
    request: {
      method: Method
      path: string
      /** Where it goes, when the provider gave its address: `https://files.desk.example`. */
      origin?: string
      query?: Record<string, string | string[]>
      /** The fields of a form; a text; of raw bytes `{ contentType, base64 }`; otherwise JSON. */
      body?: Json
      /** How the body is sent, where that is neither JSON nor multipart. */
      bodyAs?: 'form' | 'text' | 'raw'
    }
    reply: { status: number; headers?: Record<string, string>; body: Json }
  }[]
  /**
   * What the case needs that an account does not have by itself, such as a key that the provider refuses. Such a case
   * is only a test and is not shown.
   */
  needs?: string
  /** Exactly one of `output` and `failure` is present. */
  output?: unknown
  failure?: { code: FailureCode; providerStatus?: number }
}

/** `integrations/<id>/examples/<step>.json` */
export type ExampleFile = {
  step: string
  /** Overrides of the documented profile for these cases, where the provider's documents leave values open. */
  wire?: Record<string, unknown>
  cases: ExampleCase[]
}

/** One case of a trigger's example file: either a delivery and what it starts, or a scan and what it finds. */
export type TriggerExampleCase = {
  title: string
  config: Record<string, unknown>
  /** A delivery as the provider sends it. */
  delivery?: Json
  facts?: Facts
  /** With `delivery`: the data that the agent receives; null when the delivery starts nothing. */
  data?: Json
  /** Instead of `delivery`. Times are RFC 3339. */
  scan?: {
    cursor?: string
    /** `status` (default 200) and `headers` as `ctx.exchange` returns them. */
    exchanges: {
      request: { method: Method; path: string; query?: Record<string, Json>; body?: Json; nextPage?: string }
      reply: Json
      status?: number
      headers?: Record<string, string>
    }[]
    since: string
    scanned?: string
    now: string
  }
  /** With `scan`. */
  found?: PollFound<Json>[]
  nextCursor?: string
}

/** `integrations/<id>/examples/<trigger>.json` */
export type TriggerExampleFile = { trigger: string; cases: TriggerExampleCase[] }
