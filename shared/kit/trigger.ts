import type * as z from 'zod'
import type { Actor, Event, Facts, Model, Ref } from './event.ts'
import type { FieldSpec, StepContext } from './step.ts'
import type { Json } from './json.ts'

/** The part of a step's context that triggers need to read from the provider. */
export type WatchContext = Pick<StepContext, 'send' | 'exchange' | 'signal' | 'now'>

export type PollItem = { id: string; at: string; [name: string]: unknown }

/** `undecodable`: entries that cannot be read; they are kept for a person to look at. */
export type PollFetched = { items: PollItem[]; cursor: string | undefined; undecodable?: Json[] }

/**
 * Times in ms since 1970. `since`: the subscription's start mark. `scanned`: when the resource was last polled and its
 * finds committed; undefined before the first poll.
 */
export type PollTime = { since: number; scanned: number | undefined; now: number }

/**
 * The containers that a trigger watches: their kind, and the config field that holds their ids (text or a list). `name`:
 * the name of a container, where its id tells it. `list`: for people and companies, the field that names a stored list
 * whose rows are watched instead, and the columns that may have their ids; the first one with a value is used.
 */
export type Within = {
  kind: string
  field: string
  name?(id: string): string
  list?: { field: string; columns: string[] }
  /**
   * The field, whose schema comes from `orDefault`, may be left out: the subscription then watches the default container
   * of its connection.
   */
  orDefault?: true
}

/**
 * A find of a poll. `key` is unique in the subscription, so finding it again starts nothing: it includes everything
 * that must fire anew when it changes. With `fireAt` (ms since 1970, in the future) the find waits for that time, and
 * is dropped when the next poll of its resource does not find it again. `late`: more than a few polls past its time.
 * `missed`: too late to be of use, so recorded instead of started. `subject`, `container` and `objects` are as in an
 * event; `actor` may be an account id alone. Finds caused by our own writes are recognised by `own`, `actor` and `objects`, where
 * given, as events are.
 */
export type PollFound<D> = {
  key: string
  /** The type of the event, where a trigger finds several; default: the id of the trigger. */
  type?: string
  at: string
  data: D
  fireAt?: number
  late?: true
  missed?: true
  actor?: string | Actor
  own?: boolean
  subject?: Ref
  container?: Ref
  objects?: Ref[]
}

export type TriggerDefinition<C extends z.ZodObject, D extends z.ZodType> = {
  id: string
  title: string
  /** One sentence, written for the builder. */
  purpose: string
  /** Other words people search for the trigger by. */
  keywords?: string[]
  /** Name of an icon in `manifests/icons/steps`. */
  icon?: string
  /** Endpoints of the wire profile that it needs; without one of them the profile does not offer it. */
  endpoints?: string[]
  /** OAuth scopes of the provider that the connection needs for the trigger. */
  oauthScopes?: string[]
  /** Version of the trigger's contract, `major.minor`; minor grows with every field it gains. Default "1.0". */
  version?: string
  /**
   * Replaced by the trigger in `use`; works as before until the next major version of the integration. `migrate`
   * returns the config of the other trigger that does what this one did; `toolyard upgrade` moves subscriptions with
   * it.
   */
  deprecated?: { since: string; use: string; migrate?(config: Record<string, Json>): Record<string, unknown> }
  /** A schema, or a function that makes it when the trigger is first used. */
  config: C | (() => C)
  data: D | (() => D)
  fields?: { [field in string & keyof C['shape']]?: FieldSpec }
  /** How much of what happens while we are down can be recovered; with polling delivery, how much is seen at all. */
  recoverable: 'all' | 'some' | 'none'
  /** Event types that only webhooks carry: neither recovered nor seen with polling delivery. */
  webhookOnly?: string[]
  caveat?: string
  /** Types of the events that start it, where it is made from them. */
  on?: string[]
  /** What it watches; absent: the whole account. */
  within?: Within
  /** What a subscription waits for, as it goes before the names of containers: "a new issue in". */
  waits?: string
  /**
   * Turns what a person pastes into the ids that `watch` and `match` compare. Called when a subscription is created or
   * changed; the result is stored. Throws a failure that names the field.
   */
  resolve?(ctx: WatchContext, config: z.output<C>): Promise<z.output<C>>
  webhook?: {
    /** The models to watch; an empty list when a subscription with this config can only be polled. */
    watch(config: z.output<C>): Model[]
    /** The event types to match; '*' means every type, including unknown ones. */
    types(config: z.output<C>): string[]
    /**
     * The facts that must be fetched before `match` sees this event, by names that the integration chooses (`me`: the
     * account's id). Called only for events of `types`.
     */
    needs?(event: Event, config: z.output<C>): string[]
    /** Pure: the same event, config and facts give the same data. undefined: the event does not start anything. */
    match(event: Event, config: z.output<C>, facts: Facts): z.input<D> | undefined
    /** A key shared by all events that report the same occurrence, which then starts once; default: the event's id. */
    key?(event: Event, config: z.output<C>): string
  }
  poll?: {
    /** Names of what is polled. Triggers that give the same name share one poll. */
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
