import type * as z from 'zod'
import { defineTrigger } from '../define.ts'
import type { Event, Facts } from '../event.ts'
import type { Trigger, TriggerDefinition, Within } from '../trigger.ts'
import type { Events } from './define.ts'
import type { EventWith } from './definition.ts'
import { historyOf, ofKind } from './history.ts'
import { pollOf } from './poll.ts'
import { accountModel, kindOf } from './read.ts'
import { isFor, modelsToWatch } from './watch.ts'

type FromEvents = 'webhook' | 'poll' | 'recoverable' | 'webhookOnly' | 'on' | 'within'

/** A trigger that starts on some kinds of events. */
export type EventTriggerDefinition<Own, C extends z.ZodObject, D extends z.ZodType> = Omit<
  TriggerDefinition<C, D>,
  FromEvents
> & {
  /** Types of events, by their names in `kinds`; '*' for every type. */
  on: string[]
  /** Which of them a config needs; default: all. */
  types?(config: z.output<C>): string[]
  /** The config field that names the containers to watch; none chosen, or absent: the whole account. */
  within?: Within & { field: string & keyof z.output<C> }
  /** Names of `facts` that must be fetched before `match` sees this event. */
  needs?(event: EventWith<Own>, config: z.output<C>): string[]
  /** Whether a config wants this event, where triggers share more filters than `on` and `within`. Pure. */
  filter?(event: EventWith<Own>, config: z.output<C>, facts: Facts): boolean
  /**
   * The data for the agent; undefined when the event starts nothing. Called for events of `on` in the watched
   * containers that pass `filter`. Pure.
   */
  match(event: EventWith<Own>, config: z.output<C>, facts: Facts): z.input<D> | undefined
  /** A key shared by all events that report the same occurrence; default: the event's id. */
  key?(event: EventWith<Own>, config: z.output<C>): string
  /** Default: what the histories of its kinds list. */
  recoverable?: Trigger['recoverable']
  /** Default: the kinds of `on` without a history. */
  webhookOnly?: string[]
}

const isListed = <Own>(events: Events<Own>, type: string, watchedKind: string): boolean => {
  if (!events.hooks && events.webhooks) return kindOf(events, type)?.history !== null
  const history = historyOf(events, type)
  if (history === undefined) return false
  const kind = ofKind(history)
  return kind === watchedKind || (!events.webhooks && kind === accountModel.kind)
}

/** The types that a trigger starts on. */
const typesOf = <Own>({ kinds }: Events<Own>, on: string[]) => (on.includes('*') ? Object.keys(kinds) : on)

/** What follows from the histories of the kinds. */
const recoveryOf = <Own>(events: Events<Own>, { on, within }: { on: string[]; within?: Within }) => {
  const types = typesOf(events, on)
  const webhookOnly = types.filter((type) => !isListed(events, type, within?.kind ?? accountModel.kind))
  const some = webhookOnly.length < types.length ? 'some' : 'none'
  return {
    recoverable: webhookOnly.length === 0 ? ('all' as const) : (some as Trigger['recoverable']),
    ...(webhookOnly.length > 0 ? { webhookOnly } : {}),
  }
}

/** Facts are fetched for the events of a history, not for the finds of a poll. */
const isPolled = <Own>(events: Events<Own>, on: string[], hasNeeds: boolean) =>
  !events.webhooks || (!hasNeeds && typesOf(events, on).every((type) => historyOf(events, type)?.conditional))

/** Gives a trigger its ways to events: webhooks with their history, and polls where there are none or they cost less. */
export const defineEventTrigger = <Own, C extends z.ZodObject, D extends z.ZodType>(
  events: Events<Own>,
  { types, needs, filter, match, key, ...trigger }: EventTriggerDefinition<Own, C, D>,
): Trigger => {
  const { on, within } = trigger
  const webhook: TriggerDefinition<C, D>['webhook'] = {
    watch: (config) => modelsToWatch(within, config),
    types: types ?? (() => on),
    match: (event: EventWith<Own> & Event, config, facts) =>
      isFor(trigger, event, config) && (!filter || filter(event, config, facts))
        ? match(event, config, facts)
        : undefined,
  }
  if (needs)
    webhook.needs = (event: EventWith<Own> & Event, config) =>
      isFor(trigger, event, config) ? needs(event, config) : []
  if (key) webhook.key = key as NonNullable<typeof webhook.key>
  const polled = {
    on,
    within,
    // Deliveries are chosen by type before they are matched; the entries of a list are not.
    match: (event: Event, config: z.output<C>) =>
      isFor({ on: webhook.types(config) }, event, config) ? webhook.match(event, config, {}) : undefined,
  }
  return defineTrigger<C, D>({
    ...recoveryOf(events, trigger),
    ...(trigger as unknown as Omit<TriggerDefinition<C, D>, 'recoverable'>),
    ...(events.webhooks ? { webhook } : {}),
    ...(isPolled(events, on, needs !== undefined)
      ? { poll: pollOf(events, polled) as NonNullable<TriggerDefinition<C, D>['poll']> }
      : {}),
  })
}
