import type { Facts } from './event.ts'
import type { FailureCode } from './failure-table.ts'
import type { Json } from './json.ts'
import type { Method } from './request.ts'
import type { PollFound } from './trigger.ts'

/** One case of an example file: it is documentation, form sample and test in one. */
export type ExampleCase = {
  title: string
  input: Record<string, unknown>
  exchanges: {
    request: { method: Method; path: string; query?: Record<string, string | string[]>; body?: Json }
    reply: { status: number; headers?: Record<string, string>; body: Json }
  }[]
  /**
   * What it needs that an account does not have by itself, such as a key that the provider refuses. It is a test then,
   * and not shown.
   */
  needs?: string
  /** Exactly one of the two. */
  output?: unknown
  failure?: { code: FailureCode; providerStatus?: number }
}

/** `integrations/<id>/examples/<step>.json` */
export type ExampleFile = {
  step: string
  /** Laid over the documented profile for these cases, where the documents leave values open. */
  wire?: Record<string, unknown>
  cases: ExampleCase[]
}

/**
 * One case of a trigger's example file: either an event that came in and what it starts, or a scan and what it finds.
 */
export type TriggerExampleCase = {
  title: string
  config: Record<string, unknown>
  /** A delivery as the provider sends it. */
  delivery?: Json
  facts?: Facts
  /** With `delivery`: what the agent gets; null when it starts nothing. */
  data?: Json
  /** Instead of `delivery`. Times are RFC 3339. */
  scan?: {
    cursor?: string
    /** `status` (default 200) and `headers` are those that `ctx.exchange` gives. */
    exchanges: {
      request: { method: Method; path: string; query?: Record<string, Json>; nextPage?: string }
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
