import type { WebhookSource } from '../webhook.ts'
import type { EventsDefinition, EventWith } from './definition.ts'
import { historyOf, listHistory } from './history.ts'
import { decodeDelivery, decodeStored } from './read.ts'

/** Kinds of events, and the webhook source that follows from them. */
export type Events<Own = unknown> = EventsDefinition<Own>

/** The reasons that kinds of events state for not being recoverable. */
const reasonsOf = <Own>({ kinds }: EventsDefinition<Own>): Pick<WebhookSource, 'whyWebhookOnly'> => {
  const reasons = Object.entries(kinds).flatMap(([type, { whyLost }]) => (whyLost ? [[type, whyLost] as const] : []))
  return reasons.length > 0 ? { whyWebhookOnly: Object.fromEntries(reasons) } : {}
}

const sourceOf = <Own>(
  events: EventsDefinition<Own>,
  hooks: NonNullable<EventsDefinition<Own>['hooks']>,
): WebhookSource => {
  const { facts, current, writtenObjects, availability } = events
  return {
    ...hooks,
    decode: (delivery, via) => decodeDelivery(events, delivery, via),
    decodeStored: (raw, model, via) => decodeStored(events, raw, model, via),
    webhookOnly: Object.keys(events.kinds).filter((type) => !historyOf(events, type)),
    ...reasonsOf(events),
    history: (ctx, model, request) => listHistory(ctx, events, model, request),
    ...(facts
      ? {
          facts: (ctx, event, need, earlier) =>
            Object.hasOwn(facts, need)
              ? facts[need]!(ctx, event as EventWith<Own>, earlier as () => Promise<EventWith<Own>[]>)
              : Promise.resolve(undefined),
        }
      : {}),
    ...(current ? { current } : {}),
    ...(writtenObjects ? { writtenObjects } : {}),
    ...(availability ? { availability } : {}),
  }
}

/**
 * Lists the kinds of events of an integration once. Decoding, histories, polls, sentences and the names of things
 * follow from it; `defineEventTrigger` makes triggers of it.
 */
export const defineEvents = <Own>(events: EventsDefinition<Own>): Events<Own> => ({
  ...events,
  ...(events.webhooks ? { webhooks: { ...events.webhooks, ...reasonsOf(events) } } : {}),
  ...(events.hooks ? { webhooks: sourceOf(events, events.hooks) } : {}),
})
