import type { Fence } from './cluster.ts'
import type { Notice } from './notifications.ts'
import type { Listed, Page } from './paging.ts'
import type { Subscription, SubscriptionState } from './subscriptions.ts'
import type {
  AgentAnswer,
  Arrival,
  Arrived,
  Cursor,
  Gap,
  Hook,
  HookState,
  OwnWrite,
  PollState,
  QueuePosition,
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
  labels?: Record<string, string>
}
/**
 * `owners`: of any of these connections or subscriptions. Notifications are listed only where their subscription is
 * named.
 */
export type StartFilter = {
  subscription?: string
  event?: string
  state?: StartState
  connection?: string
  owners?: { connections: string[]; subscriptions: string[] }
}

/** Ends a claim. Ignored (false) when the claim was lost meanwhile. */
export type StartEnd = {
  state: Exclude<StartState, 'leased' | 'merged'>
  at: number
  dueAt?: number
  attempts?: number
  answer?: AgentAnswer | null
  answers?: StartAnswer[]
}

/**
 * Committed with the end of a start, if it ended so. `agent`: what the answer says of the agent of its subscription.
 */
export type EndedAlongside = {
  notices?: Notice[]
  agent?: { subscription: string } & Pick<Subscription, 'failingSince' | 'failingReason'>
}

export type TriggerStore = {
  subscriptions: {
    add(subscription: Subscription, notices?: Notice[]): Promise<void>
    /** Deleted ones are not found. */
    get(tenant: string, id: string): Promise<Subscription | undefined>
    list(tenant: string, page: Page, filter?: SubscriptionFilter): Promise<Listed<Subscription>>
    patch(
      tenant: string,
      id: string,
      changes: Partial<Omit<Subscription, 'tenant' | 'id' | 'createdAt'>>,
      notices?: Notice[],
    ): Promise<boolean>
    /** How many of a tenant there are, deleted ones not counted. */
    count(tenant: string): Promise<number>
    /** Every live row of every tenant, for the match index of the process. */
    all(): Promise<Subscription[]>
    /** Whether any tenant has one. */
    any(): Promise<boolean>
  }
  hooks: {
    /**
     * Joins the subscription to the live hook of that connection and model, which is `hook` when there is none. Gives
     * the hook that is there.
     */
    attach(hook: Hook, subscription: string): Promise<Hook>
    /**
     * Takes the subscription off its hooks (of `model` only, if given); those that nobody uses any more become
     * `deleting` and are given back.
     */
    detach(tenant: string, subscription: string, at: number, model?: string): Promise<Hook[]>
    /** Finds the tenant of a delivery. */
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
   * The inbox. Resolves only after the commit; repeats are absorbed by unique keys. Gives the ids that were new. A
   * start with `settleMs` joins an open one of the same subscription and subject as `merged` and prolongs its quiet
   * period.
   * @throws Failure `unavailable` when the disk is full or nearly full, or the store is locked: nothing is there then
   */
  ingest(arrival: Arrival): Promise<Arrived>
  events: {
    get(tenant: string, connection: string, id: string): Promise<StoredEvent | undefined>
    /** Rows of one provider id, over the connections that saw it. */
    byId(tenant: string, id: string): Promise<StoredEvent[]>
    /** `since`, `until`: received. */
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
      },
    ): Promise<Listed<StoredEvent>>
    /**
     * Takes up to `limit` due pending events of every tenant; each comes again after `claimMs` unless matched or
     * postponed. `now`: see `starts.claim`.
     */
    claimPending(
      now: number,
      limit: number,
      claimMs: number,
      options?: { exceptTenants?: string[] },
    ): Promise<StoredEvent[]>
    /**
     * Ends the matching of an event together with the starts it gives. False when it was matched already; the starts
     * are inserted in any case, once.
     */
    matched(event: Pick<StoredEvent, 'tenant' | 'connection' | 'id'>, starts: Start[]): Promise<boolean>
    postpone(event: Pick<StoredEvent, 'tenant' | 'connection' | 'id'>, dueAt: number): Promise<void>
  }
  undecodable: {
    /** The same id is stored once. */
    add(delivery: Undecodable): Promise<void>
    list(tenant: string, page: Page): Promise<Listed<Undecodable>>
  }
  starts: {
    get(tenant: string, id: string): Promise<Start | undefined>
    list(tenant: string, page: Page, filter?: StartFilter): Promise<Listed<Start>>
    /** What these events started, oldest first: at most `limit` starts of all of them together. */
    ofEvents(
      tenant: string,
      events: string[],
      limit: number,
    ): Promise<Pick<Start, 'id' | 'event' | 'connection' | 'subscription' | 'state'>[]>
    /** Ids of the events whose starts joined this one, in the order they came. */
    merged(start: Pick<Start, 'tenant' | 'subscription' | 'id' | 'createdAt'>): Promise<string[]>
    /**
     * Subscriptions of every tenant with due starts, and since when, by id. Looks at `limit` of them; `next`: where
     * there may be more.
     */
    queues(
      now: number,
      limit: number,
      after?: QueuePosition,
    ): Promise<{ items: StartQueue[]; next: QueuePosition | undefined }>
    /**
     * Leases up to `limit` due starts for `leaseMs`, earliest first, with a new epoch and one attempt more: of every
     * tenant, or of each of the queues given as many as it says. `now`: where several processes share the store, its
     * own clock says what is due, and when a lease ends.
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
     * Ended starts become pending again under the same key, attempts from 0; `since`: those that ended then or later.
     * Gives how many.
     */
    replay(
      tenant: string,
      which: { id: string } | { subscription: string; state: 'dead' | 'missed'; since?: number },
      dueAt: number,
    ): Promise<number>
    /**
     * Open starts of a subscription: pending → paused, paused → pending, or open → cancelled. Leased ones are the
     * holder's. Gives how many.
     */
    pause(tenant: string, subscription: string): Promise<number>
    resume(tenant: string, subscription: string, dueAt: number): Promise<number>
    cancel(tenant: string, subscription: string, at: number): Promise<number>
    /** When the next start of any tenant is due; undefined when none is open. */
    nextDueAt(): Promise<number | undefined>
  }
  cursors: {
    get(tenant: string, connection: string, model: string): Promise<Cursor | undefined>
    /** Moves it without events (first baseline, account exchanged). */
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
    /** Writes to any of these objects through that connection in the span, newest first. */
    find(tenant: string, connection: string, objects: string[], from: number, to: number): Promise<OwnWrite[]>
    /** The same through any other connection of the tenant. */
    findOfOthers(tenant: string, connection: string, objects: string[], from: number, to: number): Promise<OwnWrite[]>
  }
  /** Times that must survive a restart, by name. */
  timestamps: {
    get(name: string): Promise<number | undefined>
    put(name: string, at: number): Promise<void>
  }
}
