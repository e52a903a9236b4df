import type { Permit } from '../approvals/permits.ts'

export type StepCall = {
  integration: string
  step: string
  /** Id or name of the connection. Absent: that of the person, or else the workspace's default. */
  connection?: string | undefined
  /** The person whom the call acts for, if the caller is bound to nobody. */
  person?: string | undefined
  input: unknown
  dryRun?: boolean | undefined
  startId?: string | undefined
  /** Id of what the run is a part of; stored in its row. */
  parentId?: string | undefined
  signal?: AbortSignal | undefined
  /**
   * Maximum duration of the run in ms, including waits; the profile's default when absent. Verifying a create whose
   * outcome is unknown may add 5 s.
   */
  deadlineMs?: number | undefined
  priority?: 'interactive' | 'bulk' | undefined
  /** Makes the run safe to repeat: the same key and request returns the stored outcome. */
  idempotencyKey?: string | undefined
  /** Runs a create although an identical one ended with an unknown outcome minutes ago. */
  force?: boolean | undefined
  /** Fails with `budget_exceeded` before sending anything that could make the run cost more credits than this. */
  maxCredits?: number | undefined
  /** Fails with `rate_limited` at once instead of waiting for the provider's limit. */
  noWait?: boolean | undefined
  /**
   * Maximum age in seconds of earlier lookup results that may be used; 0: none. Default: 90 days for a match, 7 days
   * for a no match.
   */
  maxAge?: number | undefined
  /** Uses no result of an earlier lookup; the provider's answer replaces it. */
  refresh?: boolean | undefined
  /**
   * Whether lookups that arrive together are sent as one bulk request. True: also where every requested record is
   * charged. False: never. Default: where only matches are charged.
   */
  merge?: boolean | undefined
  /** For agents: whether they have the tool of that name. Remedies then name tools, not the choices of a form. */
  hasTool?: ((tool: string) => boolean) | undefined
  onProgress?: ((done: number, total?: number) => void) | undefined
  /** Id of the job whose row this run is. */
  job?: string | undefined
  /** Called before the first byte of a request is sent, after all waiting. If it throws, the run ends unsent. */
  checkBeforeSending?: (() => Promise<void>) | undefined
  /**
   * Lets a run pass that was approved, or whose whole was. Only the runtime can issue one; what anybody else makes up
   * is not looked at.
   */
  permit?: Permit | undefined
  /** Set where the run's id is announced before it begins. */
  runId?: string | undefined
}
