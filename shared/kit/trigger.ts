import type * as z from 'zod'
import type { Event, Facts, Model, Ref } from './event.ts'
import type { FieldSpec, StepContext } from './step.ts'
import type { Json } from './json.ts'

/** The part of a step's context that reading for triggers takes. */
export type WatchContext = Pick<StepContext, 'send' | 'exchange' | 'signal' | 'now'>

export type PollItem = { id: string; at: string; [name: string]: unknown }

export type PollFetched = { items: PollItem[]; cursor: string | undefined }

/**
 * ms since epoch. `since`: the subscription's start mark. `scanned`: when the resource was last polled and its finds
 * committed; undefined before the first time.
 */
export type PollTime = { since: number; scanned: number | undefined; now: number }

/**
 * A find of a poll. `key` is unique in the subscription, so finding it again starts nothing: it holds everything that
 * must fire anew when it changes. With `fireAt` (ms, in the future) it waits for that time, and is dropped when the
 * next poll of its resource does not find it. `late`: past its time by more than a few polls. `missed`: too late to be
 * of use, to be recorded instead of started. `subject`, `container`, `objects` as of an event; `actor` is an account
 * id. Own finds are recognised by `actor` and `objects`, where they are given.
 */
export type PollFound<D> = {
  key: string
  at: string
  data: D
  fireAt?: number
  late?: true
  missed?: true
  actor?: string
  subject?: Ref
  container?: Ref
  objects?: Ref[]
}

export type TriggerDefinition<C extends z.ZodObject, D extends z.ZodType> = {
  id: string
  title: string
  /** One sentence, written for the builder. */
  purpose: string
  /** Other words people search it by. */
  keywords?: string[]
  /** Name of an icon in `manifests/icons/steps`. */
  icon?: string
  /** OAuth scopes of the provider that the connection needs for it. */
  oauthScopes?: string[]
  /** Of its contract, `major.minor`; minor grows with every field it gains. Default "1.0". */
  version?: string
  /**
   * Replaced by another trigger, which to use instead; works as before until the next major version of the integration.
   * `migrate`: the config of the other trigger that does what this one did; `toolyard upgrade` moves subscriptions with
   * it.
   */
  deprecated?: { since: string; use: string; migrate?(config: Record<string, Json>): Record<string, unknown> }
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
   * Turns what a person pastes into the ids that `watch` and `match` compare. Run when a subscription is made or
   * changed; the result is stored. Throws a failure that names the field.
   */
  resolve?(ctx: WatchContext, config: z.output<C>): Promise<z.output<C>>
  webhook?: {
    /** Nothing: a subscription with this config can only be polled. */
    watch(config: z.output<C>): Model[]
    /** '*' means every type, including unknown ones. */
    types(config: z.output<C>): string[]
    /**
     * What must be fetched before `match` of this event, by names of the integration's own (`me`: the account's id);
     * asked only for events of `types`.
     */
    needs?(event: Event, config: z.output<C>): string[]
    /** Pure: the same event, config and facts give the same answer. undefined: this does not start anything. */
    match(event: Event, config: z.output<C>, facts: Facts): z.input<D> | undefined
    /** What several events report but happened once has one key; default is the event's id. */
    key?(event: Event, config: z.output<C>): string
  }
  poll?: {
    /** Names of what is polled; the same name is the same poll, whichever trigger asks. */
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
