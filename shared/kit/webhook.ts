import type { Event, Facts, Model } from './event.ts'
import type { Json } from './json.ts'
import type { WatchContext } from './trigger.ts'

/** `undecodable`: why nothing could be read; such a delivery is kept for a person to look at. */
export type Decoded = { events: Event[]; undecodable?: string }

export type HookWanted = { model: Model; callbackUrl: string; description: string }

export type ProviderHook = { providerId: string; callbackUrl: string; model: string; description: string; active: boolean; failures: number }

/** `id` and `at` (ms) of the newest fact that is listed already. */
export type HistoryMark = { id?: string; at: number }

/** `since`: everything from that mark on, to its end. `limit`: only so many of the newest. `types`: only these (none or '*': every type history has). */
export type HistoryAsked = { since?: HistoryMark; limit?: number; types?: string[]; via: 'poll' | 'recovery' }

/**
 * Oldest first; facts around the mark come again. `reached` is false when the history no longer goes back to the mark, so that facts after it may be missing.
 * `newest` is the mark for the next time (not after a listing by `types` or `limit`, which leaves facts out); absent when nothing was listed.
 */
export type Listing = { events: Event[]; reached: boolean; newest?: Required<HistoryMark>; undecodable: Json[] }

/** How an integration's deliveries are read, its hooks kept and its history listed. */
export type WebhookSource = {
  /** Never throws. One delivery, or one fact of a history as `{ action, model: { kind, id } }`. */
  decode(delivery: unknown, via: Event['via']): Decoded
  /** Types that reach us by webhook only. */
  webhookOnly: string[]
  /** Answers only when the hook is there; one that exists already is taken over. */
  register(ctx: WatchContext, hook: HookWanted): Promise<{ providerId: string }>
  /** Switches a hook on again and points it where it belongs. `not_found`: it is gone, register it anew. */
  repair(ctx: WatchContext, providerId: string, hook: HookWanted): Promise<void>
  /** All hooks of the account's credential, other people's too: only those whose address is ours are ours. */
  list(ctx: WatchContext): Promise<ProviderHook[]>
  /** Safe to repeat: a hook that is gone already is fine. */
  unregister(ctx: WatchContext, providerId: string): Promise<void>
  history(ctx: WatchContext, model: Model, asked: HistoryAsked): Promise<Listing>
  /** Fetches one need of an event; {} when the thing is gone for good. `me` is not fetched: it is the connection's account id. */
  facts(ctx: WatchContext, event: Event, need: 'card' | 'list'): Promise<Pick<Facts, 'card' | 'list'>>
  /** Whether an event says that a watched thing was closed or opened again. */
  standing(event: Event): { model: Model; open: boolean } | undefined
}
