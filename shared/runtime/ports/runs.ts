import type { Effect, FailureCode, FailureJson, Json } from '#kit'
import type { Settlement } from './credits.ts'
import type { Notice } from './notifications.ts'
import type { Listed, Page } from './paging.ts'
import type { RunState } from '../../api/resources/run.ts'
import type { UsageRow } from '../../api/resources/usage.ts'

/** Usage of one person. */
export type PersonUsageRow = UsageRow & { person: string }

export type { RunState, UsageRow }

/**
 * One attempt at an exchange with the provider. `at`: when it was sent, in ms since the run began. `waitedMs`: wait for
 * a rate limit, or since the previous attempt. `status`: null when no answer came. `code`: why there is none, or
 * `rate_limited`. `path` is a template, as in the audit log.
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
  /** The person it acted for, or whose account it used; null: nobody. */
  person?: string | null
  startId: string | null
  /** The run that this one is part of, such as a lookup at several providers. */
  parentId: string | null
  /** The job whose row it looked up. */
  jobId: string | null
  effect: Effect
  state: RunState
  /** Failure code; null unless the run failed. */
  code: string | null
  failure: FailureJson | null
  attempts: number
  calls: number
  credits: number
  creditsEstimated: boolean
  /** Time spent waiting for rate limits and between attempts, summed over all exchanges. */
  waitedMs: number
  /** How often the provider refused because its rate limit was exhausted. */
  refused: number
  /** Null: nothing was sent; or an earlier version wrote the row, which left out a single exchange that succeeded at once. */
  exchanges: RunExchange[] | null
  /**
   * What it has done in words, as JSON, without names and without what people wrote; null where nobody has words for
   * it, and unless it succeeded.
   */
  summary: string | null
  createdAt: number
  durationMs: number
}

/** What is known about a repeat-safe request, by its idempotency key. */
export type Intent = {
  tenant: string
  key: string
  /** SHA-256 over integration, step, connection and input. */
  requestHash: string
  runId: string
  state: 'planned' | 'sending' | 'done' | 'not_sent'
  /** Stored outcome of a finished run: `{ sealed }`, or plain JSON when an earlier version wrote it. */
  outcome: Json | null
  createdAt: number
  expiresAt: number
}

/** Handle of a run that the store shows as being sent. */
export type ShownRun = { place: number }

export type RunStore = {
  runs: {
    /**
     * Inserts the run, or replaces the row with the same id. Joins the next group commit and resolves when durable;
     * callers that need not wait do not await it. `admits`: refused when the disk is nearly full. `settles`: closes the
     * run's entry in the ledger.
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
     * Shows the run as being sent until its handle is passed to `record` as `endsShown`. Present in stores that do not
     * outlive the process. Nothing is written, so a request need not wait for it.
     */
    showSending?(row: () => Run): ShownRun
    /** Runs left `sending` by a process that died; `of`: only those of these nodes, where several share the store. */
    cutOff(of?: string[]): Promise<Run[]>
    get(tenant: string, id: string): Promise<Run | undefined>
    /** `since` and `until` limit when the run began: at `since` or later, and before `until`. */
    list(
      tenant: string,
      page: Page,
      filter?: {
        integration?: string
        step?: string
        connection?: string
        connections?: string[]
        person?: string
        state?: RunState
        startId?: string
        parentId?: string
        since?: number
        until?: number
      },
    ): Promise<Listed<Run>>
    /** Totals by day, newest first. */
    usage(tenant: string, since: number): Promise<UsageRow[]>
    /** The same of all people, each row with its person. */
    usageByPerson(tenant: string, since: number): Promise<PersonUsageRow[]>
    /** The same for each of these people, of the runs that are still stored. */
    usageOfPeople(tenant: string, since: number, people: readonly string[]): Promise<Map<string, UsageRow[]>>
  }
  /** Repeat-safe runs, see runtime/idempotency.ts. Every write resolves only when durable. */
  intents: {
    /** Inserts the intent as `planned`, or returns the existing row unless it has expired. */
    plan(intent: Intent): Promise<{ inserted: boolean; intent: Intent }>
    /**
     * Inserts a row in its given state; the caller knows that nobody else can have inserted it. Returns its size in
     * bytes. `evictable`: see `update`.
     * @throws Failure `conflict` when there is a row that has not expired
     */
    insert(intent: Intent, evictable?: boolean): Promise<number>
    /**
     * Returns the size of the row in bytes. `evictable`: the run only read, so the row may be removed before it
     * expires. `runId`: update only while the row belongs to that run.
     * @throws Failure `conflict` when another run has taken the row, `internal` when it is gone
     */
    update(
      tenant: string,
      key: string,
      state: Intent['state'],
      outcome?: Json,
      evictable?: boolean,
      runId?: string,
    ): Promise<number>
    /** Makes a row that was not sent `planned` again, for run `runId`. False when another process was quicker. */
    claim(intent: Pick<Intent, 'tenant' | 'key' | 'runId'>, runId: string): Promise<boolean>
    get(tenant: string, key: string): Promise<Intent | undefined>
    /** Removes a row that has just been planned. */
    drop(tenant: string, key: string): Promise<void>
    /** Total size of the tenant's rows in bytes. */
    bytes(tenant: string): Promise<number>
    /**
     * Removes a tenant's oldest evictable rows until `bytes` are free, a few hundred rows at most. Returns the bytes
     * freed.
     */
    evict(tenant: string, bytes: number): Promise<number>
    /**
     * Rows left `planned` or `sending` by a process that died; `of`: only those of these nodes, where several share the
     * store.
     */
    open(of?: string[]): Promise<Intent[]>
    /** Removes expired rows of one tenant or of all. */
    prune(now: number, tenant?: string): Promise<number>
  }
}
