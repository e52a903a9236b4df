/** Queue lengths of the trigger runtime, over all tenants. */
export type Load = {
  openStarts: number
  oldestStartDueAt: number | null
  pendingEvents: number
  oldestEventDueAt: number | null
  deadStarts: number
  unclaimedEvents: number
}

export type LoadStore = { load(): Promise<Load> }
