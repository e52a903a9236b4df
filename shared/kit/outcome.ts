import type { FailureJson } from './failure.ts'

export type RunMeta = {
  runId: string
  durationMs: number
  attempts: number
  /** The connection that was used; absent when the run ended before it had one. */
  connection?: { id: string; name: string }
  credits?: { charged: number; estimated: boolean }
  /** The fewest and the most credits that the run might have cost, as reserved before anything was sent. */
  quoted?: [number, number]
  /** Whether this is the outcome of an earlier run with the same key, or every result came from earlier lookups. */
  cached?: boolean
  /** Age of the oldest result that came from an earlier lookup, in seconds. */
  cachedAgeSeconds?: number
  /** How many results came from earlier lookups. */
  cachedResults?: number
  /** Credits charged for the earlier lookups whose results were used here, where known. They are not charged again. */
  cachedCharge?: number
  /** How many lookups were sent together in one bulk request, this run's included. */
  merged?: number
  /** What is unusual about an API call, such as a parameter that the provider does not document. */
  warnings?: string[]
  /** The API call went to an endpoint that is not listed, so its parameters were not checked. */
  unlisted?: boolean
  /** Nothing was sent; the value shows what would have been. */
  dryRun?: true
}

export type Outcome<T = unknown> =
  | { ok: true; value: T; meta: RunMeta }
  | { ok: false; failure: FailureJson; meta: RunMeta }
