import type { Event, Json } from '#kit'
import type { Fence } from './cluster.ts'
import type { Notice } from './notifications.ts'
import type { SealedSecrets } from './vault.ts'
import type { Hook as ShownHook } from '../../api/resources/hook.ts'
import type { StartState } from '../../api/resources/start.ts'

/** Times are ms since epoch. A watched model is named `kind:id`, e.g. `repository:5f1c…`. */

export type HookState = Exclude<ShownHook['state'], 'failing'>

/** Our webhook at the provider: one live hook per connection and model, shared by subscriptions. */
export type Hook = {
  tenant: string
  /** Unguessable; last part of the callback URL. */
  id: string
  integration: string
  connection: string
  model: string
  /** Exactly as registered: signatures cover it. */
  callbackUrl: string
  providerId: string | null
  state: HookState
  stateReason: string | null
  stateAt: number
  /** Failures in a row as the provider last said. */
  failures: number
  lastDeliveryAt: number | null
  /** From when it may have missed deliveries; null again once that is written down as a gap. */
  suspectSince: number | null
  /** Deliveries we refused in a row since one was accepted; with it from when, until when, and why the last one was. */
  refused: number
  refusedSince: number | null
  refusedAt: number | null
  refusedReason: string | null
  /** Its signing secrets, sealed, where they are ours; else empty. */
  secrets: SealedSecrets
  /** Event types it was registered for; '*' means every one. */
  types: string[]
  createdAt: number
  updatedAt: number
}

/** A fact in the inbox. Unique by tenant, connection and id, however often and however it arrives. */
export type StoredEvent = {
  tenant: string
  connection: string
  id: string
  integration: string
  /** Null unless a hook brought it. */
  hook: string | null
  type: string
  /** The provider's time. */
  at: number
  receivedAt: number
  via: Event['via']
  causedByUs: Event['causedByUs']
  /** Our run that caused it, where known. */
  runId: string | null
  /** Length of the chain of our own starts before it; 0 for an outside cause. */
  depth: number
  /** Id of what it is about, and of where that lies. */
  subject: string | null
  container: string | null
  /** `pending`: matching needs facts that are not fetched yet. */
  state: 'pending' | 'matched'
  /** Of fetching those facts. */
  attempts: number
  /** When matching is tried (again); means nothing once matched. */
  dueAt: number
  /** Bytes as received (or the JSON listed); null once retention took them. */
  raw: Uint8Array | null
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
export type QueuePosition = { tenant: string; /** null: after all of the tenant's. */ subscription: string | null }
/** What the agent said to the last attempt. */
export type AgentAnswer = { at: number; status: number | null; message: string | null; durationMs: number }
/** One attempt among several. `nextAt`: when the next one was due then; null: it was the last for the time being. */
export type StartAnswer = AgentAnswer & { nextAt: number | null }
export type Start = {
  tenant: string
  /**
   * The start key: hash of tenant, subscription and event id. The same event gives the same key, so it is inserted
   * once.
   */
  id: string
  subscription: string
  event: string
  integration: string
  trigger: string
  connection: string
  /** Id of what it is about, which serial order and quiet periods go by; null: neither. */
  subject: string | null
  /** True: waits for earlier open starts of the same subscription and subject. */
  serial: boolean
  /** Quiet period; null: none. */
  settleMs: number | null
  state: StartState
  attempts: number
  /** When to try next; while leased, when the lease ends. */
  dueAt: number
  /** Counts claims. A holder whose number is no longer this one has lost the start. */
  leaseEpoch: number
  eventAt: number
  via: Event['via']
  causedByUs: Event['causedByUs']
  depth: number
  late: boolean
  test: boolean
  mergedInto: string | null
  replayOf: string | null
  /** What the trigger's match gave; null once retention took it. */
  data: Json | null
  answer: AgentAnswer | null
  /**
   * The attempts, oldest first, those before a replay too; bounded. Null where there was none, or one that `answer`
   * describes.
   */
  answers: StartAnswer[] | null
  createdAt: number
  endedAt: number | null
}

/** How far a model's history is listed completely. Moved by the lister only. */
export type Cursor = {
  tenant: string
  connection: string
  model: string
  position: string | null
  at: number
  listedAt: number
}
/** What happened in this span and could not be recovered. */
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
/** One fetch per account and resource, shared by subscriptions. */
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
 * A start that is due at a known time. `key` is unique in the subscription and holds everything that must fire anew
 * when it changes.
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
 * An object at the provider that one of our runs made or changed, to recognise what comes back without a correlation
 * id.
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
 * One arrival: its parts are committed together or not at all. Keep it under some hundred rows, since the commit holds
 * the event loop: a long recovery goes in parts, oldest first, each with the cursor it reaches.
 */
export type Arrival = {
  /** Of the lease under which it was found. */
  fence?: Fence | undefined
  events?: StoredEvent[]
  starts?: Start[]
  /** The history cursor that these events move. */
  cursor?: Cursor
  /** The poll that found them. */
  poll?: PollState
  gaps?: Gap[]
  /** Timers that fired with it and end. */
  fired?: Pick<Timer, 'tenant' | 'subscription' | 'key'>[]
  /** Of its gaps: each is sent only if its gap is new. */
  notices?: (Notice & { gap: string })[]
}
/**
 * `isBehind`: nothing was stored, since another process changed a subscription of the connection that this one did not
 * know of when it matched: see `Cluster.catchUp`.
 */
export type Arrived = { events: string[]; starts: string[]; isBehind?: boolean }
