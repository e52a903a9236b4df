import type { FailureJson } from './failure.ts'

export type RunMeta = {
  runId: string
  durationMs: number
  attempts: number
  /** The connection that was used; absent when the run ended before it had one. */
  connection?: { id: string; name: string }
  credits?: { charged: number; estimated: boolean }
  cached?: boolean
  /** Nothing was sent; the value shows what would be. */
  dryRun?: true
}

export type Outcome<T = unknown> = { ok: true; value: T; meta: RunMeta } | { ok: false; failure: FailureJson; meta: RunMeta }
