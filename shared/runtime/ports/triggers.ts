import type { Event, Json } from '#kit'
import type { Fence } from './cluster.ts'
import type { Notice } from './notifications.ts'
import type { SealedSecrets } from './vault.ts'
import type { Hook as ShownHook } from '../../api/resources/hook.ts'
import type { StartState } from '../../api/resources/start.ts'

/** Times are ms since epoch. A watched model is written `kind:id`, e.g. `repository:5f1c…`. */

export type HookState = Exclude<ShownHook['state'], 'failing'>

/** Our webhook at the provider: one live hook per connection and model, shared by subscriptions. */
export type Hook = {
  tenant: string
  /** Unguessable; the last part of the callback URL. */
  id: string
  integration: string
  connection: string
  model: string
  /** Exactly as registered, because signatures cover it. */
  callbackUrl: string
  providerId: string | null
  state: HookState
  stateReason: string | null
  stateAt: number
  /** Consecutive failures, as the provider last reported them. */
  failures: number
  lastDeliveryAt: number | null
  /** Since when the hook may have missed deliveries; null again once that span is recorded as a gap. */
  suspectSince: number | null
  /**
   * Consecutive deliveries that we refused; then the time of the first and of the last one, and the reason of the last.
   */
  refused: number
  refusedSince: number | null
  refusedAt: number | null
  refusedReason: string | null
  /** The hook's sealed signing secrets, if we chose them; otherwise empty. */
  secrets: SealedSecrets
  /** Event types the hook was registered for; '*' means all. */
  types: string[]
  createdAt: number
  updatedAt: number
}

/** An event in the inbox. Unique by tenant, connection and id, however often and by whatever route it arrives. */
export type StoredEvent = {
  tenant: string
  connection: string
  id: string
  integration: string
  /** Null unless it arrived through a hook. */
  hook: string | null
  type: string
  /** When it happened, by the provider's clock. */
  at: number
  receivedAt: number
  via: Event['via']
  causedByUs: Event['causedByUs']
  /** Our run that caused the event, if known. */
  runId: string | null
  /** How many of our own starts, each causing the next, preceded the event; 0 when something else caused it. */
  depth: number
  /** Id of the object the event is about, and of the container that object lies in. */
  subject: string | null
  container: string | null
  /** `pending`: matching needs facts that have not been fetched yet. */
  state: 'pending' | 'matched'
  /** Attempts at fetching those facts. */
  attempts: number
  /** When matching is next attempted; ignored once matched. */
  dueAt: number
  /** Bytes as received, or the JSON of a listed event; null once retention has removed them. */
  raw: Uint8Array | null
  /** What happened in words, as JSON; null where nobody has words for it, and once retention has removed it. */
  summary: string | null
}
/** A verified delivery without a readable event, stored for inspection. */
export type Undecodable = {
  tenant: string
  id: string
  integration: string
  connection: string
  hook: string
  receivedAt: number
  reason: string
  raw: Uint8Array | null
}

export type { StartState }

/** Due starts of one subscription. */
export type StartQueue = { tenant: string; subscription: string; dueAt: number }
export type QueuePosition = { tenant: string; /** null: after the tenant's last. */ subscription: string | null }
/** The agent's response to the last attempt. */
export type AgentAnswer = { at: number; status: number | null; message: string | null; durationMs: number }
/** One of several attempts. `nextAt`: when the next attempt was due, as planned then; null: none was planned. */
export type StartAnswer = AgentAnswer & { nextAt: number | null }
export type RecentStart = Pick<Start, 'id' | 'state' | 'test' | 'answer' | 'createdAt'>
export type Start = {
  tenant: string
  /**
   * The start key: a hash of tenant, subscription and event id. The same event gives the same key, so its start is
   * inserted only once.
   */
  id: string
  subscription: string
  event: string
  integration: string
  trigger: string
  connection: string
  /** Id of the event's subject, which `serial` and `settleMs` apply to; null: neither does. */
  subject: string | null
  /** True: the start waits for earlier open starts of the same subscription and subject. */
  serial: boolean
  /** Quiet period in ms; null: none. */
  settleMs: number | null
  state: StartState
  attempts: number
  /** When to try next; while leased, when the lease expires. */
  dueAt: number
  /** Counts claims. A holder with a different number has lost the start. */
  leaseEpoch: number
  eventAt: number
  via: Event['via']
  causedByUs: Event['causedByUs']
  depth: number
  late: boolean
  test: boolean
  mergedInto: string | null
  replayOf: string | null
  /** The result of the trigger's `match`; null once retention has removed it. */
  data: Json | null
  /** What happened in words, as JSON: that of the event. Removed with `data`. */
  summary: string | null
  answer: AgentAnswer | null
  /**
   * The attempts, oldest first, including those before a replay; limited in number. Null when there was none, or only
   * the one in `answer`.
   */
  answers: StartAnswer[] | null
  createdAt: number
  endedAt: number | null
}

/** How far a model's history has been listed completely. Only the lister moves it. */
export type Cursor = {
  tenant: string
  connection: string
  model: string
  /** Id of the newest listed event. */
  position: string | null
  /** The provider's own position of it, where its events have one. */
  historyPosition: string | null
  at: number
  listedAt: number
}
/** A span of time whose events could not be recovered. */
export type Gap = {
  tenant: string
  id: string
  connection: string
  model: string
  fromAt: number
  toAt: number
  kind: string
  reason: string
  createdAt: number
}
/** State of polling one resource: one fetch per connection and resource, shared by subscriptions. */
export type PollState = {
  tenant: string
  connection: string
  integration: string
  resource: string
  cursor: string | null
  scannedAt: number | null
  dueAt: number
  failures: number
  reason: string | null
}
/**
 * A start that is due at a known time. `key` is unique in the subscription and contains every value whose change must
 * fire the timer anew.
 */
export type Timer = {
  tenant: string
  subscription: string
  key: string
  connection: string
  resource: string
  dueAt: number
  data: Json
}
/**
 * An object at the provider that one of our runs created or changed. Events without a correlation id are recognised as
 * our own by it.
 */
export type OwnWrite = {
  tenant: string
  connection: string
  object: string
  runId: string
  step: string
  startId: string | null
  at: number
}

/**
 * One arrival, committed as a whole or not at all. Keep it below a few hundred rows, since the commit blocks the event
 * loop: split a long recovery into parts, oldest first, each with the cursor it reaches.
 */
export type Arrival = {
  /** The lease under which the parts were found. */
  fence?: Fence | undefined
  events?: StoredEvent[]
  starts?: Start[]
  /** The history cursor that these events move. */
  cursor?: Cursor
  /** State of the poll that found the events. */
  poll?: PollState
  gaps?: Gap[]
  /** Timers that fired with this arrival and are removed. */
  fired?: Pick<Timer, 'tenant' | 'subscription' | 'key'>[]
  /** Notices about the gaps; each is sent only if its gap is new. */
  notices?: (Notice & { gap: string })[]
}
/**
 * The ids that were new. `isBehind`: nothing was stored, because another process changed a subscription of the
 * connection that this one did not know of when it matched; see `Cluster.catchUp`.
 */
export type ArrivalResult = { events: string[]; starts: string[]; isBehind?: boolean }
