export type StepCall = {
  integration: string
  step: string
  /** Id or name of the connection; absent: the default, which is the first one until another is chosen. */
  connection?: string | undefined
  input: unknown
  dryRun?: boolean | undefined
  startId?: string | undefined
  signal?: AbortSignal | undefined
  /** Total time for the run, waits included; the profile's default when absent. Verifying a create whose outcome is unknown may take 5 s more. */
  deadlineMs?: number | undefined
  priority?: 'interactive' | 'bulk' | undefined
  /** Makes the run repeat-safe: the same key and request gives the stored outcome. */
  idempotencyKey?: string | undefined
  /** Runs an identical create although one ended with an unknown outcome minutes ago. */
  force?: boolean | undefined
  /** Fails `rate_limited` at once instead of waiting for the provider's limit. */
  noWait?: boolean | undefined
  onProgress?: ((done: number, total?: number) => void) | undefined
  /** Given where the run is named before it begins. */
  runId?: string | undefined
}
