import type { FailureJson } from './failure.ts'

export type RunMeta = {
  runId: string
  durationMs: number
  attempts: number
  /** The connection that was used; absent when the run ended before it had one. */
  connection?: { id: string; name: string }
  credits?: { charged: number; estimated: boolean }
  /** Least and most credits that it might have cost, as reserved before anything was sent. */
  quoted?: [number, number]
  /** The outcome of an earlier run with the same key, or every result came from lookups made before. */
  cached?: boolean
  /** Age of the oldest result that came from a lookup made before. */
  cachedAgeSeconds?: number
  /** How many results came from lookups made before. */
  cachedResults?: number
  /**
   * Credits that a lookup made before was charged, where its result was used here and that is known. Not charged again.
   */
  cachedCharge?: number
  /** How many lookups went out in one bulk request with that of this run, its own included. */
  merged?: number
  /** What is unusual in an API call, such as a parameter that the provider does not document. */
  warnings?: string[]
  /** The API call went to an endpoint that is not listed, so its parameters were not checked. */
  unlisted?: boolean
  /** Nothing was sent; the value shows what would be. */
  dryRun?: true
}

export type Outcome<T = unknown> =
  | { ok: true; value: T; meta: RunMeta }
  | { ok: false; failure: FailureJson; meta: RunMeta }
