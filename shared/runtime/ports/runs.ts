import type { Effect, FailureCode, FailureJson, Json } from '#kit'
import type { Settlement } from './credits.ts'
import type { Notice } from './notifications.ts'
import type { Listed, Page } from './paging.ts'
import type { RunState } from '../../api/resources/run.ts'
import type { UsageRow } from '../../api/resources/usage.ts'

export type { RunState, UsageRow }

/**
 * One attempt at an exchange with the provider, in ms: when it was sent, counted from the beginning of the run; what it
 * waited for a rate limit or since the attempt before; how long it took; its answer (null: none came); why there is
 * none, or `rate_limited`. `path` as in the audit log.
 */
export type RunExchange = [
  at: number,
  waitedMs: number,
  durationMs: number,
  status: number | null,
  code: FailureCode | null,
  method: string,
  path: string,
]

export type Run = {
  id: string
  tenant: string
  integration: string
  step: string
  connection: string | null
  token: string | null
  startId: string | null
  /** What it is a part of, such as a lookup at several providers. */
  parentId: string | null
  effect: Effect
  state: RunState
  /** Failure code where it failed. */
  code: string | null
  failure: FailureJson | null
  attempts: number
  calls: number
  credits: number
  creditsEstimated: boolean
  /** For rate limits and between attempts, added up over its exchanges. */
  waitedMs: number
  /** How often the provider refused because its rate limit was used up. */
  refused: number
  /**
   * Null: one exchange went well at the first attempt, without waiting, so that the row describes it; or an earlier
   * version wrote the row.
   */
  exchanges: RunExchange[] | null
  createdAt: number
  durationMs: number
}

/** A keyed run: what is known about a repeat-safe request. */
export type Intent = {
  tenant: string
  key: string
  /** SHA-256 over integration, step, connection and input. */
  requestHash: string
  runId: string
  state: 'planned' | 'sending' | 'done' | 'not_sent'
  /** Stored outcome of a finished run: sealed as `{ sealed }`, or as JSON where an earlier version wrote it. */
  outcome: Json | null
  createdAt: number
  expiresAt: number
}

/** A run that is being sent, in the store that shows it. */
export type ShownRun = { place: number }

export type RunStore = {
  runs: {
    /**
     * Inserts, or replaces the row of the same id. Joins the next group commit; resolves when durable. A caller that
     * need not wait does not await it. `admits`: refused when the disk is nearly full. `settles`: ends its entry in the
     * ledger.
     */
    record(
      run: Run,
      options?: {
        admits?: true
        notices?: Notice[]
        settles?: Settlement | undefined
        endsShown?: ShownRun | undefined
      },
    ): Promise<void>
    /**
     * Present where nothing survives the process: the run is shown as being sent until `endsShown` of `record` has what
     * this gives. Nothing is written, so a request need not wait for it.
     */
    showSending?(row: () => Run): ShownRun
    /** Runs that a process which died left `sending`; `of`: one of these, where several share the store. */
    cutOff(of?: string[]): Promise<Run[]>
    get(tenant: string, id: string): Promise<Run | undefined>
    /** `since`, `until`: begun then or later, and before. */
    list(
      tenant: string,
      page: Page,
      filter?: {
        integration?: string
        step?: string
        connection?: string
        connections?: string[]
        state?: RunState
        startId?: string
        parentId?: string
        since?: number
        until?: number
      },
    ): Promise<Listed<Run>>
    usage(tenant: string, since: number): Promise<UsageRow[]>
  }
  /** Repeat-safe runs, see runtime/idempotency.ts. Each write resolves only when durable. */
  intents: {
    /** Inserts as `planned`, or gives the row that is there (unless expired). */
    plan(intent: Intent): Promise<{ inserted: boolean; intent: Intent }>
    /**
     * Inserts a row in its state, which nobody else can have done. Returns its size in bytes. `evictable` as below.
     * @throws Failure `conflict` where there is one that has not expired
     */
    insert(intent: Intent, evictable?: boolean): Promise<number>
    /**
     * Returns the size of the row in bytes. `evictable`: the run only read, so the row may be removed before it
     * expires. `runId`: only while the row is that run's. @throws Failure `conflict` where another run has it by now,
     * `internal` where it is gone
     */
    update(
      tenant: string,
      key: string,
      state: Intent['state'],
      outcome?: Json,
      evictable?: boolean,
      runId?: string,
    ): Promise<number>
    /** Makes a row that was not sent `planned` again, for another run. False: another process was quicker. */
    claim(intent: Pick<Intent, 'tenant' | 'key' | 'runId'>, runId: string): Promise<boolean>
    get(tenant: string, key: string): Promise<Intent | undefined>
    /** Takes a row back that was just planned. */
    drop(tenant: string, key: string): Promise<void>
    /** What the tenant's rows take. */
    bytes(tenant: string): Promise<number>
    /**
     * Removes the oldest evictable rows of a tenant until `bytes` are free, a few hundred rows at most. Returns the
     * bytes freed.
     */
    evict(tenant: string, bytes: number): Promise<number>
    /**
     * Rows left `planned` or `sending` by a process that died; `of`: by one of these, where several share the store.
     */
    open(of?: string[]): Promise<Intent[]>
    /** Removes what has expired, of one tenant or of all. */
    prune(now: number, tenant?: string): Promise<number>
  }
}
