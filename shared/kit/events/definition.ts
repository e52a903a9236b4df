import type { Actor, Event, Model, Ref } from '../event.ts'
import type { Json } from '../json.ts'
import type { PagingRule } from '../provider-paging.ts'
import type { ProviderRequest } from '../request.ts'
import type { Names, Sentence } from '../sentence.ts'
import type { WatchContext } from '../trigger.ts'
import type { DeliveredBody, WebhookSource } from '../webhook.ts'

/**
 * What `read` says of something that happened. It may have further fields of its own, which triggers and sentences
 * read; they are JSON and are stored with the event. Fields that are undefined are left out.
 */
export type Fact = {
  /** Unique within a connection, and the same in a delivery and in a history. */
  id: string
  /** When it happened: a date as text, or ms since 1970. */
  at: string | number
  /** Who did it. */
  actor?: Actor | undefined
  /** What it is about. */
  subject?: Ref | undefined
  /** What the subject lies in: triggers watch it, scopes and lists use it. */
  container?: Ref | undefined
  /** What a write that caused it would name; default: the subject. */
  objects?: Ref[] | undefined
  /** Whether we did it, where the event itself says so; absent: it is found from the actor and our own runs. */
  own?: boolean | undefined
  /** Credits that the provider charged for it, where it charges for deliveries. */
  charge?: number | undefined
  /** The account it was delivered for, where one address serves a whole app. */
  account?: string | undefined
  /** The app whose key made the change; null where the provider says that none did. */
  app?: string | null | undefined
  /** The provider's own position in the history of the container, where requests need more than a time. */
  position?: string | undefined
  before?: Event['before'] | undefined
  after?: Event['after'] | undefined
  /** What is stored to decode the event again; default: the fact. */
  raw?: Json | undefined
}

/** An event with the fields that its fact has of its own. */
export type EventWith<Own> = Event & Own

/** `delivery`: the whole of it; absent for an entry of a history. `model`: what the hook or history belongs to. */
export type FactSource = { model: Model; via: Event['via']; delivery?: DeliveredBody }

/** A kind of event in a delivery: its type, and the record that `read` gets. */
export type Recognised = { type: unknown; item: unknown }

/** Where to start: everything since then is wanted. Absent for the newest page. */
export type HistoryStart = { since?: Date; position?: string }

/** A list at the provider that shows what has happened. */
export type EventHistory = {
  /** Kind of the things that have such a list; default `account`. */
  of?: string
  /** May ignore `start`: entries from before it are left out. */
  request(model: Model, start: HistoryStart): ProviderRequest
  paging: PagingRule
  /** Dotted path of the list in the body; default: the whole body. */
  items?: string
  /** Default `newest-first`: reading ends at the first page that goes back far enough. Otherwise all pages are read. */
  order?: 'newest-first' | 'any'
  /** The type of an entry, where one list holds many types; default: each kind with this history may read it. */
  typeOf?(entry: Json): string | undefined
  /** The time of an entry that is of no kind, so that reading ends without one. */
  at?(entry: Json): string | number | undefined
  /** How far before the last known event it is read again, in ms; default a minute. Times may have whole seconds. */
  overlapMs?: number
  /** False where the provider drops old entries: then a gap is reported when the list no longer goes back far enough. */
  keepsAll?: boolean
  /** Unchanged pages are answered with 304 (If-None-Match), so that polls of them cost nothing. */
  conditional?: boolean
}

export type EventKind<Own> = {
  /**
   * The fact of a delivered record, or of an entry of the history; undefined when it is none of this kind. Throws when
   * it cannot be read; a zod error becomes a sentence.
   */
  read?(item: unknown, source: FactSource): (Fact & Own) | undefined
  /** Where past events of this kind are listed; null when nowhere: it is delivered by webhook only. */
  history?: EventHistory | null
  /**
   * With `history: null`: why no history holds it, in one sentence for people ("A message shows its reactions, but not
   * when they were added.").
   */
  whyLost?: string
  /**
   * What happened, as a person would say it. Of an item that a poll found, the fact's own fields are those of the
   * trigger's data.
   */
  sentence(event: EventWith<Own>, names: Names): Sentence | undefined
}

/** What the provider's webhooks need, where it has any. */
export type Hooks = Pick<
  WebhookSource,
  | 'retries'
  | 'registration'
  | 'respond'
  | 'register'
  | 'repair'
  | 'pause'
  | 'list'
  | 'missed'
  | 'unregister'
  | 'batches'
>

/** Fetches what an event does not say; undefined when it can no longer be known. */
export type ReadFact<Own> = {
  read(ctx: WatchContext, event: EventWith<Own>, earlier: () => Promise<EventWith<Own>[]>): Promise<unknown>
}['read']

export type EventsDefinition<Own> = {
  /** By the provider's own names for what happens. */
  kinds: { [type: string]: EventKind<Own> }
  /** Of types that are not in `kinds`; absent: they are ignored. */
  otherKind?: EventKind<Own>
  /** `read` and `history` of the kinds that have none of their own. */
  read?(item: unknown, source: FactSource): (Fact & Own) | undefined
  history?: EventHistory
  /** What is in a delivery, several in a batch; undefined: nothing on purpose, such as a ping. */
  recognise?(delivery: DeliveredBody): Recognised | Recognised[] | undefined
  /** The kind and record of what was stored, where facts have a `raw`. */
  recogniseStored?(raw: Json): Recognised
  /** Absent: the provider has no webhooks, so triggers poll the histories. */
  hooks?: Hooks
  /**
   * Instead of `hooks`: a whole source, where deliveries or histories have a form of their own. Kinds are then listed in
   * its history unless theirs is null.
   */
  webhooks?: WebhookSource
  /** By need: what a trigger asks for in `needs`. */
  facts?: { [need: string]: ReadFact<Own> }
} & { [hook in 'current' | 'writtenObjects' | 'availability']?: WebhookSource[hook] }
