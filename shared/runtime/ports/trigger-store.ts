import type { Fence } from './cluster.ts'
import type { Notice } from './notifications.ts'
import type { Listed, Page } from './paging.ts'
import type { Subscription, SubscriptionState } from './subscriptions.ts'
import type {
  AgentAnswer,
  Arrival,
  ArrivalResult,
  Cursor,
  Gap,
  Hook,
  HookState,
  OwnWrite,
  PollState,
  QueuePosition,
  RecentStart,
  Start,
  StartAnswer,
  StartQueue,
  StartState,
  StoredEvent,
  Timer,
  Undecodable,
} from './triggers.ts'

export type SubscriptionFilter = {
  integration?: string
  trigger?: string
  connection?: string
  state?: SubscriptionState
  externalId?: string
  person?: string
  labels?: Record<string, string>
}
/**
 * `owners`: starts of any of these connections or subscriptions. Notifications are listed only when `subscription`
 * names theirs.
 */
export type StartFilter = {
  subscription?: string
  event?: string
  state?: StartState
  connection?: string
  owners?: { connections: string[]; subscriptions: string[] }
  subscriptions?: string[]
}

/** Ends a claim. Has no effect (false) when the claim was lost in the meantime. */
export type StartEnd = {
  state: Exclude<StartState, 'leased' | 'merged'>
  at: number
  dueAt?: number
  attempts?: number
  answer?: AgentAnswer | null
  answers?: StartAnswer[]
}

/**
 * Committed together with the end of a start, if that end takes effect. `agent`: what the answer says about the health
 * of the subscription's agent.
 */
export type EndedAlongside = {
  notices?: Notice[]
  agent?: { subscription: string } & Pick<Subscription, 'failingSince' | 'failingReason'>
}

export type TriggerStore = {
  subscriptions: {
    add(subscription: Subscription, notices?: Notice[]): Promise<void>
    /** Undefined for deleted subscriptions. */
    get(tenant: string, id: string): Promise<Subscription | undefined>
    /**
     * Those attached for this person, or only that with this `id`. Includes those that were removed and whose rows
     * are still stored, because their starts are.
     */
    attachedFor(tenant: string, person: string, id?: string): Promise<Pick<Subscription, 'id' | 'connection'>[]>
    list(tenant: string, page: Page, filter?: SubscriptionFilter): Promise<Listed<Subscription>>
    patch(
      tenant: string,
      id: string,
      changes: Partial<Omit<Subscription, 'tenant' | 'id' | 'createdAt'>>,
      notices?: Notice[],
    ): Promise<boolean>
    /** How many subscriptions a tenant has, not counting deleted ones. */
    count(tenant: string): Promise<number>
    /** Every live subscription of every tenant, for the process's match index. */
    all(): Promise<Subscription[]>
    /** Whether any tenant has a subscription. */
    any(): Promise<boolean>
  }
  hooks: {
    /**
     * Joins the subscription to the live hook of this connection and model; if there is none, inserts `hook`. Returns
     * the hook in use.
     */
    attach(hook: Hook, subscription: string): Promise<Hook>
    /**
     * Detaches the subscription from its hooks (only that of `model`, if given). Hooks that nobody uses any more become
     * `deleting` and are returned.
     */
    detach(tenant: string, subscription: string, at: number, model?: string): Promise<Hook[]>
    /** Looks up without a tenant: a delivery names only its hook. */
    byId(id: string): Promise<Hook | undefined>
    get(tenant: string, id: string): Promise<Hook | undefined>
    list(
      tenant: string,
      page: Page,
      filter?: { connection?: string; connections?: string[]; integration?: string; state?: HookState },
    ): Promise<Listed<Hook>>
    subscriptions(tenant: string, hook: string): Promise<string[]>
    patch(
      tenant: string,
      id: string,
      changes: Partial<Omit<Hook, 'tenant' | 'id' | 'createdAt'>>,
      fence?: Fence,
    ): Promise<boolean>
    /** Every hook of every tenant that is not deleted, for the reconciler. */
    all(): Promise<Hook[]>
  }
  /**
   * The inbox. Resolves only after the commit and returns the ids that were new; unique keys absorb repeats. A start
   * with `settleMs` joins the open start of the same subscription and subject as `merged` and extends its quiet period.
   * @throws Failure `unavailable` when the disk is full or nearly full, or the store is locked: nothing is stored then
   */
  ingest(arrival: Arrival): Promise<ArrivalResult>
  events: {
    get(tenant: string, connection: string, id: string): Promise<StoredEvent | undefined>
    /** All rows with this provider id: one for each connection that received the event. */
    byId(tenant: string, id: string): Promise<StoredEvent[]>
    /** Most recently received first. */
    list(
      tenant: string,
      page: Page,
      filter?: {
        connection?: string
        connections?: string[]
        hook?: string
        type?: string
        subject?: string
        container?: string
        state?: StoredEvent['state']
        /** Id of the subject or the container. */
        about?: string
        /** Events with a start of one of these subscriptions. */
        startedBy?: string[]
      },
    ): Promise<Listed<StoredEvent>>
    /**
     * Claims up to `limit` due pending events of every tenant. A claimed event becomes due again after `claimMs` unless
     * it is matched or postponed. `now`: see `starts.claim`.
     */
    claimPending(
      now: number,
      limit: number,
      claimMs: number,
      options?: { exceptTenants?: string[] },
    ): Promise<StoredEvent[]>
    /**
     * Ends the matching of an event together with the resulting starts. False when it was matched already; the starts
     * are inserted in any case, once.
     */
    matched(event: Pick<StoredEvent, 'tenant' | 'connection' | 'id'>, starts: Start[]): Promise<boolean>
    postpone(event: Pick<StoredEvent, 'tenant' | 'connection' | 'id'>, dueAt: number): Promise<void>
  }
  undecodable: {
    /** A repeated id is stored once. */
    add(delivery: Undecodable): Promise<void>
    list(tenant: string, page: Page): Promise<Listed<Undecodable>>
  }
  starts: {
    get(tenant: string, id: string): Promise<Start | undefined>
    list(tenant: string, page: Page, filter?: StartFilter): Promise<Listed<Start>>
    /** The starts of these events, oldest first: at most `limit` in total. */
    ofEvents(
      tenant: string,
      events: string[],
      limit: number,
    ): Promise<Pick<Start, 'id' | 'event' | 'connection' | 'subscription' | 'state'>[]>
    /** The newest starts of a subscription, tests included, newest first, without what they carry. */
    recent(tenant: string, subscription: string, limit: number): Promise<RecentStart[]>
    /** Ids of the events whose starts were merged into this one, in order of arrival. */
    merged(start: Pick<Start, 'tenant' | 'subscription' | 'id' | 'createdAt'>): Promise<string[]>
    /**
     * Subscriptions of every tenant that have due starts, with the earliest due time, ordered by id. Examines `limit`
     * of them; `next`: where to continue when there may be more.
     */
    queues(
      now: number,
      limit: number,
      after?: QueuePosition,
    ): Promise<{ items: StartQueue[]; next: QueuePosition | undefined }>
    /**
     * Leases up to `limit` due starts for `leaseMs`, earliest first, each with a new epoch and one more attempt: from
     * every tenant or, with `queues`, up to the given number from each. Where several processes share the store, its
     * clock replaces `now`.
     */
    claim(
      now: number,
      limit: number,
      leaseMs: number,
      queues?: (Omit<StartQueue, 'dueAt'> & { limit: number })[],
    ): Promise<Start[]>
    renew(tenant: string, id: string, epoch: number, now: number, leaseMs: number): Promise<boolean>
    end(tenant: string, id: string, epoch: number, end: StartEnd, alongside?: EndedAlongside): Promise<boolean>
    /**
     * Makes ended starts pending again under the same key, with attempts reset to 0. `since`: only those that ended
     * then or later. Returns how many.
     */
    replay(
      tenant: string,
      which: { id: string } | { subscription: string; state: 'dead' | 'missed'; since?: number },
      dueAt: number,
    ): Promise<number>
    /**
     * `pause`: pending → paused. `resume`: paused → pending. `cancel`: open → cancelled. Leased starts stay with the
     * holder of the lease. Each returns how many starts it changed.
     */
    pause(tenant: string, subscription: string): Promise<number>
    resume(tenant: string, subscription: string, dueAt: number): Promise<number>
    cancel(tenant: string, subscription: string, at: number): Promise<number>
    /** When the next start of any tenant is due, ms since epoch; undefined when none is open. */
    nextDueAt(): Promise<number | undefined>
  }
  cursors: {
    get(tenant: string, connection: string, model: string): Promise<Cursor | undefined>
    /** Moves the cursor without events, for a first baseline or after the account was exchanged. */
    put(cursor: Cursor, fence?: Fence): Promise<void>
    list(tenant: string, connection: string): Promise<Cursor[]>
  }
  gaps: {
    list(
      tenant: string,
      page: Page,
      filter?: { connection?: string; connections?: string[]; model?: string },
    ): Promise<Listed<Gap>>
  }
  polls: {
    get(tenant: string, connection: string, resource: string): Promise<PollState | undefined>
    put(poll: PollState, fence?: Fence): Promise<void>
    remove(tenant: string, connection: string, resource: string): Promise<void>
    all(): Promise<PollState[]>
  }
  timers: {
    put(timers: Timer[], fence?: Fence): Promise<void>
    drop(tenant: string, subscription: string, keys?: string[], fence?: Fence): Promise<void>
    of(tenant: string, subscription: string): Promise<Timer[]>
    /** Due timers of every tenant, earliest first. */
    due(now: number, limit: number): Promise<Timer[]>
    nextDueAt(): Promise<number | undefined>
  }
  ownWrites: {
    add(writes: OwnWrite[]): Promise<void>
    /** Writes to any of these objects through this connection between `from` and `to`, newest first. */
    find(tenant: string, connection: string, objects: string[], from: number, to: number): Promise<OwnWrite[]>
    /** The same, through any other connection of the tenant. */
    findOfOthers(tenant: string, connection: string, objects: string[], from: number, to: number): Promise<OwnWrite[]>
  }
  /** Named times that must survive a restart, ms since epoch. */
  timestamps: {
    get(name: string): Promise<number | undefined>
    put(name: string, at: number): Promise<void>
  }
}
