import type * as z from 'zod'
import type { FieldSpec, Json, Method, StepContext } from './types.ts'

export type Actor = { id: string; name?: string; username?: string }
/** A thing as an event names it. */
export type Named = { id: string; name?: string; shortLink?: string }
/** Where something is: a list, a board, or a list of a board. */
export type Place = { board?: Named; list?: Named }
/** Something that can be watched. The runtime names it `kind:id`. */
export type Model = { kind: string; id: string }

/** A provider fact, decoded. The same fact gives the same event, however it reached us; only `via` and `model` differ. */
export type Event = {
  /** The provider's id of the fact; unique in a connection. */
  id: string
  /** The provider's word for it; an unknown one is kept. */
  type: string
  /** RFC 3339, the provider's time. */
  at: string
  actor: Actor | undefined
  /** Id of the app whose key made the change; null where the provider says that none did (a person, in its own pages), absent where it does not say. */
  app?: string | null
  /** The watched thing it was told through. */
  model: Model
  /** Everything it concerns that can be watched: `model`, then what the fact itself names. Subscriptions watching any of them are asked. */
  models: Model[]
  organization?: Named
  board?: Named
  card?: Named
  /** For a move, the list moved to. */
  list?: Named
  /** Of a move. What the provider does not tell is absent: `from.list` of an arrival on another board, `to.list` of a departure. */
  from?: Place
  to?: Place
  /** What somebody wrote: the text of a comment. */
  text?: string
  /** Other things it names, by kind (label, member, checklist, attachment, …), as the provider gives them. */
  about: { [kind: string]: { [field: string]: Json } }
  /**
   * Ids of what it is about, its own id first and wider things last; our own writes are recognised by them. Ids that are short or numbers, so that
   * things of two kinds may share one, as `kind:id`.
   */
  objects: string[]
  via: 'webhook' | 'poll' | 'recovery'
  /** `unknown` when decoded; the runtime decides, by the mark of the delivery, `app` and its own runs. */
  causedByUs: true | false | 'unknown'
  /** The changed properties, as they were and as they are. */
  before?: { [property: string]: Json }
  after?: { [property: string]: Json }
  /** The fact as the provider gave it, without private records of members and without names that could change a prototype. */
  raw: Json
}

/** What a match may need beyond the event: the card as it is now, the list it is in, the account's own member id. */
export type Need = 'card' | 'list' | 'me'
/** What was fetched for a match. What was asked for and is absent cannot be known any more (the card is gone). */
export type Facts = { card?: Record<string, unknown>; list?: Named; me?: string }

/** The part of a step's context that reading for triggers takes. */
export type WatchContext = Pick<StepContext, 'send' | 'signal' | 'now'>

export type PollItem = { id: string; at: string; [name: string]: unknown }
export type PollFetched = { items: PollItem[]; cursor: string | undefined }
/** ms since epoch. `since`: the subscription's start mark. `scanned`: when the resource was last scanned and its finds committed; undefined before the first time. */
export type PollTime = { since: number; scanned: number | undefined; now: number }
/**
 * A find of a poll. `key` is unique in the subscription, so finding it again starts nothing: it holds everything that must fire anew when it
 * changes. With `fireAt` (ms, in the future) it waits for that time, and is dropped when the next scan of its resource does not find it.
 * `late`: past its time by more than a few scans. `missed`: too late to be of use, to be recorded instead of started.
 * `actor` (account id) and `objects` as of an event, where they are told: by them our own are known.
 */
export type PollFound<D> = { key: string; at: string; data: D; fireAt?: number; late?: true; missed?: true; actor?: string; objects?: string[] }

export type TriggerDefinition<C extends z.ZodObject, D extends z.ZodType> = {
  id: string
  title: string
  /** One sentence, written for the builder. */
  purpose: string
  /** Of its contract, `major.minor`; minor grows with every field it gains. Default "1.0". */
  version?: string
  /** Replaced by another trigger, which to use instead; works as before until the next major version of the integration. */
  deprecated?: { since: string; use: string }
  /** A schema, or a function that makes it when the trigger is first used. */
  config: C | (() => C)
  data: D | (() => D)
  fields?: { [field in string & keyof C['shape']]?: FieldSpec }
  /** How much of what happens while we are down can be found again; with polling delivery, how much is seen at all. */
  recoverable: 'all' | 'some' | 'none'
  /** Types that only webhooks carry: neither recovered nor seen with polling delivery. */
  webhookOnly?: string[]
  caveat?: string
  /**
   * Turns what a person pastes into the ids that `watch` and `match` compare. Run when a subscription is made or changed; the result is stored.
   * Throws a failure that names the field.
   */
  resolve?(ctx: WatchContext, config: z.output<C>): Promise<z.output<C>>
  webhook?: {
    /** Nothing: a subscription with this config can only be polled. */
    watch(config: z.output<C>): Model[]
    /** '*' stands for every type, unknown ones too. */
    types(config: z.output<C>): string[]
    /** What must be fetched before `match` of this event; asked only for events of `types`. */
    needs?(event: Event, config: z.output<C>): Need[]
    /** Pure: the same event, config and facts give the same answer. undefined: this does not start anything. */
    match(event: Event, config: z.output<C>, facts: Facts): z.input<D> | undefined
    /** What is told by several events but happened once has one key; default is the event's id. */
    key?(event: Event, config: z.output<C>): string
  }
  poll?: {
    /** Names of what is scanned; the same name is the same scan, whichever trigger asks. */
    resources(config: z.output<C>): string[]
    fetch(ctx: WatchContext, resource: string, cursor: string | undefined): Promise<PollFetched>
    /** Pure. */
    pick(items: PollItem[], config: z.output<C>, time: PollTime): PollFound<z.input<D>>[]
  }
}
export type Trigger = Omit<TriggerDefinition<z.ZodObject, z.ZodType>, 'config' | 'data' | 'fields'> & {
  config: z.ZodObject
  data: z.ZodType
  fields?: { [field: string]: FieldSpec }
}

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

/** One case of a trigger's example file: either an event that came in and what it starts, or a scan and what it finds. */
export type TriggerExampleCase = {
  title: string
  config: Record<string, unknown>
  /** A delivery as the provider sends it. */
  delivery?: Json
  facts?: Facts
  /** With `delivery`: what the agent gets; null when it starts nothing. */
  data?: Json
  /** Instead of `delivery`. Times are RFC 3339. */
  scan?: {
    cursor?: string
    exchanges: { request: { method: Method; path: string; query?: Record<string, Json> }; reply: Json }[]
    since: string
    scanned?: string
    now: string
  }
  /** With `scan`. */
  found?: PollFound<Json>[]
  nextCursor?: string
}
/** `integrations/<id>/examples/<trigger>.json` */
export type TriggerExampleFile = { trigger: string; cases: TriggerExampleCase[] }
