export type StepCall = {
  integration: string
  step: string
  /** Id or name of the connection; absent: the default, which is the first one until another is chosen. */
  connection?: string | undefined
  input: unknown
  dryRun?: boolean | undefined
  startId?: string | undefined
  /** What the run is a part of; its row says so. */
  parentId?: string | undefined
  signal?: AbortSignal | undefined
  /**
   * Total time for the run, waits included; the profile's default when absent. Verifying a create whose outcome is
   * unknown may take 5 s more.
   */
  deadlineMs?: number | undefined
  priority?: 'interactive' | 'bulk' | undefined
  /** Makes the run repeat-safe: the same key and request gives the stored outcome. */
  idempotencyKey?: string | undefined
  /** Runs an identical create although one ended with an unknown outcome minutes ago. */
  force?: boolean | undefined
  /** Fails `budget_exceeded` before anything is sent that might make the run cost more. */
  maxCredits?: number | undefined
  /** Fails `rate_limited` at once instead of waiting for the provider's limit. */
  noWait?: boolean | undefined
  /**
   * The age in seconds up to which results of earlier lookups are used; 0: none. Default: 90 days for a match, 7 for a
   * no match.
   */
  maxAge?: number | undefined
  /** Uses no result of an earlier lookup; what the provider answers replaces it. */
  refresh?: boolean | undefined
  /**
   * Sends lookups that arrive together as one bulk request: true also where every record asked for is charged, false
   * never. Default: where only matches are.
   */
  merge?: boolean | undefined
  /** For agents: whether they have the tool of that name. Remedies then name tools, not the choices of a form. */
  hasTool?: ((tool: string) => boolean) | undefined
  onProgress?: ((done: number, total?: number) => void) | undefined
  /** The job over a file that this run is a row of. */
  job?: string | undefined
  /** Called before the first byte of a request may leave, after all waiting. What it throws ends the run unsent. */
  checkBeforeSending?: (() => Promise<void>) | undefined
  /** Given where the run is named before it begins. */
  runId?: string | undefined
}
