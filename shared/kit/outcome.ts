import type { FailureJson } from './failure.ts'

export type RunMeta = {
  runId: string
  durationMs: number
  attempts: number
  /** The connection that was used; absent when the run ended before it had one. */
  connection?: { id: string; name: string }
  credits?: { charged: number; estimated: boolean }
  cached?: boolean
  /** What is unusual in an API call, such as a parameter that the provider does not document. */
  warnings?: string[]
  /** The API call went to an endpoint that is not listed, so its parameters were not checked. */
  unlisted?: boolean
  /** Nothing was sent; the value shows what would be. */
  dryRun?: true
}

export type Outcome<T = unknown> = { ok: true; value: T; meta: RunMeta } | { ok: false; failure: FailureJson; meta: RunMeta }
