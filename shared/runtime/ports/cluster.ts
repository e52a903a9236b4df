import type { Clock } from './clock.ts'

/**
 * What the processes (nodes) that share one store need of each other. A store that belongs to one process has no
 * cluster: whatever its process holds in memory is all there is.
 */
export type Cluster = {
  /** Names this process; another one after every start. */
  readonly node: string
  /** Shows the time of the store, on which all processes agree: what is stored is timed and judged by it. */
  readonly clock: Clock
  /** How far the clock of this machine is ahead of that of the store, in ms; negative: behind. */
  clockAheadMs(): number
  /**
   * Takes a lease that nobody holds any more, for `ms` by the clock of the store. Undefined: another process has it.
   */
  lease(name: string, ms: number): Promise<Lease | undefined>
  /**
   * Tells what other processes changed, after their commits, until the function it gives is called. A listener that
   * fails is told again. What was missed while the store was away comes later, and where it was away for too long,
   * `everything`.
   */
  follow(listener: (changes: Change[]) => Promise<void> | void): () => void
  /**
   * Resolves when the listeners know of everything that was committed before the call. @throws Failure `unavailable`
   */
  catchUp(): Promise<void>
  /** Tells the other processes of what is no row. */
  tell(change: Change & { kind: 'cancel' | 'breaker' | 'suspect' | 'erased' }): Promise<void>
  jobs: {
    /**
     * Calls the handler on one process for jobs whose time has come, with their keys. What is to be done, rows say.
     * Gives a function that ends it.
     */
    work(kind: JobKind, handler: (keys: string[]) => Promise<void>): () => Promise<void>
  }
  /** Processes that ended or were not seen for so long that they count as ended, until they are forgotten. */
  departed(): Promise<string[]>
  /** Ends the claims and leases of departed processes, whose runs and keys are settled by now. */
  forget(nodes: string[]): Promise<void>
  /** The processes that are there, oldest first. */
  members(): Promise<ClusterMember[]>
  /** Notes that this process has looked after the time in which no process was there. */
  caughtUp(): Promise<void>
  slots: SharedSlots
  /**
   * The id of the master key of all processes: this one where there is none yet, or one of those that it replaces; else
   * the one that is there.
   */
  agreeOnKey(id: string, replaces: readonly string[]): Promise<string>
}

/** `starts`: by tenant. `polls`: by tenant and connection, as JSON. */
export type JobKind = 'starts' | 'polls'

/**
 * Times by the clock of the store, in ms. `version`, `schema`: of its program. `hasCaughtUp`: see `caughtUp`.
 * `clockAheadMs`: of its machine when it was seen last; null: an older program, which does not look.
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

/** A write with a fence is refused (`conflict`) once another process has taken the lease, however late it arrives. */
export type Fence = { lease: string; epoch: number }
export type Lease = Fence & {
  /** Judged by the monotonic clock, with a margin: to be asked before anything is sent to a provider. */
  isHeld(): boolean
  /** False: it was lost. */
  renew(ms: number): Promise<boolean>
  release(): Promise<void>
}

/**
 * A row that another process inserted, changed or removed; of an app the integration, of the keyring nothing names it.
 * `cancel`: a run is to end. `breaker`: a provider fails, or does not any more. `suspect`: a request ended with an
 * unknown outcome. `erased`: data of a person was erased. `everything`: any row may have changed.
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
    | 'everything'
  tenant: string
  id: string
}

/**
 * One rate limit that all processes share, as a log of the calls of its last window. `per`: of an app, its tenants get
 * even shares.
 */
export type SharedWindow = { key: string; max: number; windowMs: number; per: 'connection' | 'app' | 'route' }
export type SharedSlots = {
  /**
   * Takes up to `count` calls of every window at once, by the clock of the store. `granted` may be fewer; with none,
   * `waitMs` says when to ask again. A grant is good for `goodMs` from when it was asked for.
   * @throws Failure `unavailable` while the store does not answer: nothing may be sent then
   */
  take(
    windows: readonly SharedWindow[],
    count: number,
    tenant: string,
    isBulk: boolean,
  ): Promise<{ granted: number; waitMs: number; goodMs: number; at: number }>
  /**
   * Calls of these grants, as `at` named them, were answered late: they count from now on, since the provider may have
   * counted them late, too.
   */
  move(windows: readonly SharedWindow[], at: readonly number[]): void
  /** `count` calls of the grant named `at` were not made, and will not be. */
  giveBack(windows: readonly SharedWindow[], at: number, count: number, tenant: string): void
  /** A provider refused: no process sends anything of these windows for `ms`. */
  pause(windows: readonly SharedWindow[], ms: number): void
}
