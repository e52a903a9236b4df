/**
 * Ages, as times: what is older goes. Each call does at most `limit` rows of a kind (of each tenant, where rows are
 * found by tenant), and fewer where so many would hold the process up.
 */
export type Retention = {
  now: number
  /** Raw payloads (30 days). The event's id stays. */
  payloads: number
  /** Data and answers of ended starts (90 days). The start's key stays. */
  starts: number
  /**
   * Subscriptions deleted before this go, with the ids of their starts (30 days). Events go when no subscription of the
   * connection is left.
   */
  deleted: number
  runs: number
  ownWrites: number
  /** One year. The chain goes on from the last one removed. */
  audit: number
  /** What could not be recovered, one year. */
  gaps: number
  /**
   * Ids of events and starts whose content went before, by which repeats are recognised; absent: they stay as long as
   * their subscriptions.
   */
  ids?: number
  /** Usage of days before this; absent: it stays. */
  usage?: number
  /**
   * While the embedded store is larger, the oldest payloads, data of starts, runs and audit rows go before their age.
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
  ownWrites: number
  audit: number
  gaps: number
  intents: number
  /** Files and chunks of their content. */
  files: number
  samples: number
  /** Bulk jobs and their chunks. */
  bulkJobs: number
  /** Results of lookups. */
  lookups: number
  authorizations: number
  /** Expired sessions and sign-in codes. */
  sessions: number
  /** Events of unknown accounts that nobody counted as dropped, since this process works on no triggers. */
  unclaimed: number
  usage: number
  /** Call again soon. */ more: boolean
}
