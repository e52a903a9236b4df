/** Queue lengths of the trigger runtime, over all tenants. */
export type Load = {
  openStarts: number
  oldestStartDueAt: number | null
  pendingEvents: number
  oldestEventDueAt: number | null
  deadStarts: number
  unclaimedEvents: number
}

/** How many rows there are in each state, over all tenants; states without rows are absent. */
export type Tally = {
  connections: Record<string, number>
  /** In the period of `at`: `near` the limit at which it warns, `spent` with nothing left, else `open`. */
  budgets: Record<string, number>
}

/** How the store of this process does, counted since it was opened. */
export type StoreVitals = {
  commits: number
  commitMs: number
  failedCommits: number
  /** Leases that ended while their work went on, because they were not renewed in time. */
  leasesLost: number
  /** What the file system of the data directory has left; null where there is none, or it cannot be read. */
  freeBytes: number | null
  /** Connections to the database, and how much work waits for one; null for an embedded store. */
  pool: { busy: number; idle: number; waiting: number } | null
}

export type LoadStore = { load(): Promise<Load>; tally(at: number): Promise<Tally>; vitals(): StoreVitals }
