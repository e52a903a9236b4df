/**
 * Cut-off times in ms since epoch: anything older is removed. Each call removes at most `limit` rows of a kind (per
 * tenant, where rows are found by tenant), and fewer where that many would block the process.
 */
export type Retention = {
  now: number
  /** Raw payloads (30 days). The event's id stays. */
  payloads: number
  /** Data and answers of ended starts (90 days). The start's key stays. */
  starts: number
  /**
   * Subscriptions deleted before this are removed with the ids of their starts (30 days). Events are removed when the
   * connection has no subscription left.
   */
  deleted: number
  /** Runs, and approvals that have ended (90 days). */
  runs: number
  /** Content of approvals that ended before this, by which repeats of a call are answered; absent: as `runs`. */
  approvals?: number
  /** Inputs and outputs of runs that expire before this; absent: `now`. */
  contents?: number
  ownWrites: number
  /** Audit rows (one year). The chain continues from the last row removed. */
  audit: number
  /** Spans that could not be recovered (one year). */
  gaps: number
  /**
   * Ids of events and starts whose content was removed earlier. Repeats are recognised by them; absent: they stay as
   * long as their subscriptions.
   */
  ids?: number
  /** Usage of days before this; absent: it is not removed. */
  usage?: number
  /** Names that were not seen since (30 days); absent: they stay. */
  names?: number
  /** Counts of lookups without a new lookup since then (one year); absent: they stay. */
  rates?: number
  /**
   * While the embedded store is larger than this many bytes, the oldest payloads, start data, runs and audit rows are
   * removed before their age.
   */
  maxBytes?: number
  limit: number
}
export type Pruned = {
  payloads: number
  starts: number
  subscriptions: number
  ids: number
  runs: number
  /** Those that lost their content, and those removed. */
  approvals: number
  ownWrites: number
  audit: number
  gaps: number
  intents: number
  /** Files, and chunks of their content. */
  files: number
  samples: number
  /** Expired lists of people, and their rows. */
  peopleLists: number
  /** Inputs and outputs of runs. */
  runContents: number
  /** Bulk jobs and their chunks. */
  bulkJobs: number
  /** Cached lookup results. */
  lookups: number
  /** Counts of lookups. */
  rates: number
  authorizations: number
  /** Expired sessions and sign-in codes. */
  sessions: number
  /** Events of unknown accounts, where this process runs no triggers and so nothing else counted them as dropped. */
  unclaimed: number
  /** Learned names. */
  names: number
  usage: number
  /** True: more rows are due, so call again soon. */ more: boolean
}
