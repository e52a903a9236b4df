import type { Event, Model, Ref } from './event.ts'
import type { Json } from './json.ts'
import type { WatchContext } from './trigger.ts'

/** Names in lower case; a repeated header joined with commas. */
export type DeliveryHeaders = { readonly [name: string]: string | undefined }
/** One genuine request of the provider to a hook of ours. */
export type DeliveredBody = { body: unknown; headers: DeliveryHeaders; /** What the hook watches. */ model: Model }

/**
 * `undecodable`: why nothing could be read; such a delivery is stored for a person to look at. `ignored`: why it holds
 * no event on purpose, as a ping.
 */
export type Decoded = { events: Event[]; undecodable?: string; ignored?: string }

/**
 * `types`: event types that subscriptions of the model want; '*' means every type. `secret`: made by us, where each
 * hook has one of its own.
 */
export type HookWanted = { model: Model; callbackUrl: string; description: string; types: string[]; secret?: string }

/**
 * `failures`: failed deliveries in a row, 0 where the provider does not count. `types` as in `HookWanted`, where the
 * provider says.
 */
export type ProviderHook = {
  providerId: string
  callbackUrl: string
  model: Model
  description: string
  active: boolean
  failures: number
  types?: string[]
}

/** `id` and `at` (ms) of the newest fact that is listed already. */
export type HistoryMark = { id?: string; at: number }

/**
 * `since`: everything from that position on, to the end of the history. `limit`: only so many of the newest. `types`:
 * only these (none or '*': every type history has).
 */
export type HistoryAsked = { since?: HistoryMark; limit?: number; types?: string[]; via: 'poll' | 'recovery' }

/**
 * Oldest first; facts around that position come again. `reached` is false when the history no longer goes back to it,
 * so that facts after it may be missing. `newest` is the position for the next time (not after a listing by `types` or
 * `limit`, which leaves facts out); absent when nothing was listed.
 */
export type Listing = { events: Event[]; reached: boolean; newest?: Required<HistoryMark>; undecodable: Json[] }

/** A write of one of our runs, as it was sent and answered. */
export type SentWrite = { method: string; path: string; body: Json | undefined; reply: unknown }

/** A request to a hook that wants an answer of its own: a challenge that verifies who owns the address. */
export type HookRequest = {
  method: string
  query: { readonly [name: string]: string | undefined }
  headers: DeliveryHeaders
  body: unknown
}
/** `contentType`: default `text/plain`. */
export type HookAnswer = { status: number; body: string; contentType?: 'text/plain' | 'application/json' }

/** How an integration's deliveries are read, its hooks managed and its history listed. */
export type WebhookSource = {
  /**
   * Waits in ms after which the provider repeats a delivery that failed, in order; [] when it never does. Decides how
   * short a downtime loses nothing.
   */
  retries: number[]
  /**
   * `model` (the default): one hook at the provider for each watched thing, managed by the four functions below. `app`:
   * the provider delivers the events of every account to one address, which whoever owns the app enters there; each
   * event says by `account` whose it is.
   */
  registration?: 'model' | 'app'
  /** Never throws. */
  decode(delivery: DeliveredBody, via: Event['via']): Decoded
  /** Reads an event's `raw` again, with the model it was reported for. Never throws. */
  decodeStored(raw: Json, model: Model, via: Event['via']): Decoded
  /**
   * Answers a handshake; undefined: an ordinary request. Of a POST, called once its signature was verified. Never
   * throws.
   */
  respond?(request: HookRequest): HookAnswer | undefined
  /** Types that are delivered by webhook only. */
  webhookOnly: string[]
  /** Answers only when the hook is there; one that exists already is taken over. */
  register?(ctx: WatchContext, hook: HookWanted): Promise<{ providerId: string }>
  /**
   * Switches a hook on again and sets address, types and secret as they should be. `not_found`: it is gone, register it
   * anew.
   */
  repair?(ctx: WatchContext, providerId: string, hook: HookWanted): Promise<void>
  /**
   * The hooks of these models, or all of the account's credential; other people's too: only those whose address is ours
   * are ours.
   */
  list?(ctx: WatchContext, models: Model[]): Promise<ProviderHook[]>
  /** Safe to repeat: a hook that is gone already is fine. */
  unregister?(ctx: WatchContext, hook: { providerId: string; model: Model }): Promise<void>
  /** undefined: the provider lists no history of this model. */
  history(ctx: WatchContext, model: Model, request: HistoryAsked): Promise<Listing | undefined>
  /**
   * Fetches one need of an event; undefined when it cannot be known any more. `earlier` gives stored events of the same
   * subject, newest first, for what the provider no longer says.
   */
  facts?(ctx: WatchContext, event: Event, need: string, earlier: () => Promise<Event[]>): Promise<unknown>
  /** The subject as it is now, for the end of a quiet period; null: it is gone. */
  current?(ctx: WatchContext, event: Event): Promise<Json>
  /**
   * What a write of ours touches, where its path, body and answer do not name it as events do. Absent: read from them
   * (fields named id, somethingId).
   */
  writtenObjects?(write: SentWrite): Ref[]
  /** Whether an event says that a watched thing was closed or opened again. */
  availability?(event: Event): { model: Model; open: boolean } | undefined
}
