import type { Clock } from './clock.ts'

/**
 * What the processes (nodes) that share one store need from each other. A store used by a single process has no
 * cluster: that process's memory is the whole state.
 */
export type Cluster = {
  /** Name of this process, new after every start. */
  readonly node: string
  /** The store's clock, on which all processes agree. Stored times are set and compared by it. */
  readonly clock: Clock
  /** How far this machine's clock is ahead of the store's, in ms; negative when it is behind. */
  clockAheadMs(): number
  /** Takes a lease that nobody holds, for `ms` by the store's clock. Undefined when another process holds it. */
  lease(name: string, ms: number): Promise<Lease | undefined>
  /**
   * Reports changes that other processes committed, until the returned function is called. A listener that throws is
   * called again. Changes missed while the store was unreachable are reported later; after a long outage, as one change
   * of kind `everything`.
   */
  follow(listener: (changes: Change[]) => Promise<void> | void): () => void
  /**
   * Resolves when the listeners have seen everything committed before the call.
   * @throws Failure `unavailable`
   */
  catchUp(): Promise<void>
  /** Sends the other processes a message that has no row in the store. */
  tell(change: Change & { kind: 'cancel' | 'breaker' | 'suspect' | 'erased' | 'approvals' }): Promise<void>
  jobs: {
    /**
     * Calls the handler, on one process only, with the keys of jobs that are due. The keys only say where to look: the
     * rows say what to do. Returns a function that stops the work.
     */
    work(kind: JobKind, handler: (keys: string[]) => Promise<void>): () => Promise<void>
  }
  /** Which work has anything due, or waiting, that any process may take. */
  dueWork(): Promise<('dispatch' | 'pending' | 'unclaimed' | 'timers')[]>
  /** Names of processes that ended, or were not seen for so long that they count as ended, until `forget` is called. */
  departed(): Promise<string[]>
  /**
   * Ends the claims and leases of departed processes. Call it only once their runs and idempotency keys are settled.
   */
  forget(nodes: string[]): Promise<void>
  /** Processes that are members now, oldest first. */
  members(): Promise<ClusterMember[]>
  /** Records that this process has caught up on the time in which no process was running. */
  caughtUp(): Promise<void>
  slots: SharedSlots
  /**
   * Agrees on one master key for all processes. Returns `id` when there was none, or when the stored one is in
   * `replaces`; otherwise the stored id.
   */
  agreeOnKey(id: string, replaces: readonly string[]): Promise<string>
}

/** What a job key of each kind identifies. `starts`: a tenant. `polls`: tenant and connection, as JSON. */
export type JobKind = 'starts' | 'polls'

/**
 * Times are ms by the store's clock. `version` and `schema` are those of the member's program; `hasCaughtUp`: see
 * `caughtUp`. `clockAheadMs` was measured when the member was last seen; null: an older program that does not measure
 * it.
 */
export type ClusterMember = {
  node: string
  startedAt: number
  seenAt: number
  version: string
  schema: number
  hasCaughtUp: boolean
  isAlive: boolean
  clockAheadMs: number | null
}

/**
 * A write with a fence is refused with `conflict` once another process has taken the lease, however late it arrives.
 */
export type Fence = { lease: string; epoch: number }
export type Lease = Fence & {
  /**
   * Whether the lease still lasts, by the monotonic clock and with a margin. Check before anything is sent to a
   * provider.
   */
  isHeld(): boolean
  /** Extends the lease to `ms` from now; false when it was lost. */
  renew(ms: number): Promise<boolean>
  release(): Promise<void>
}

/**
 * What another process changed: for most kinds, a row inserted, updated or removed. `id` is the row's id; for `app` it
 * is the integration, and for `keyring` it is empty. `cancel`: a run is to end. `breaker`: a provider started or
 * stopped failing. `suspect`: a request ended with an unknown outcome. `erased`: a person's data was erased.
 * `approvals`: rules of the tenant changed. `everything`: any row may have changed.
 */
export type Change = {
  kind:
    | 'tenant'
    | 'token'
    | 'app'
    | 'connection'
    | 'subscription'
    | 'hook'
    | 'keyring'
    | 'cancel'
    | 'breaker'
    | 'suspect'
    | 'erased'
    | 'approvals'
    | 'everything'
  tenant: string
  id: string
}

/**
 * One rate limit that all processes share, kept as a log of the calls in its last window. With `per: 'app'`, the
 * tenants get even shares. `weight`: how much of it each call takes, an integer; default 1.
 */
export type SharedWindow = {
  key: string
  max: number
  windowMs: number
  per: 'connection' | 'app' | 'route' | 'field'
  weight?: number
}
export type SharedSlots = {
  /**
   * Takes up to `count` calls of every window at once, by the store's clock. `granted` may be fewer; when it is 0, ask
   * again after `waitMs`. A grant is valid for `goodMs` from the time of the request; `at` identifies it.
   * @throws Failure `unavailable` when the store does not answer: nothing may be sent then
   */
  take(
    windows: readonly SharedWindow[],
    count: number,
    tenant: string,
    isBulk: boolean,
  ): Promise<{ granted: number; waitMs: number; goodMs: number; at: number }>
  /**
   * Moves the calls of these grants (their `at`) to the present: they were answered late, so the provider may have
   * counted them late, too.
   */
  move(windows: readonly SharedWindow[], at: readonly number[]): void
  /** Returns `count` calls of grant `at` that will not be made. */
  giveBack(windows: readonly SharedWindow[], at: number, count: number, tenant: string): void
  /** Stops all processes from sending within these windows for `ms`, because a provider refused. */
  pause(windows: readonly SharedWindow[], ms: number): void
}
