import { randomUUID } from 'node:crypto'
import { fail, isFailure } from '#kit'
import type { DeliveredBody, Event, Facts, Json } from '#kit'
import { parseTriggerData } from '../../catalogue/parse.ts'
import type { Catalogue, TriggerExample } from '../../catalogue/catalogue.ts'
import type { Caller, Start } from '../../ports/index.ts'
import type { DescribeEvent, DescribeStarts } from '../../sentences/describe.ts'
import type { Wording } from '../../sentences/worded.ts'
import { foundEvent } from '../admit.ts'
import { agentStart } from '../starts/agent-call.ts'
import type { AgentStart } from '../starts/agent-call.ts'
import { newStart, startKey } from '../match.ts'
import type { ActiveSubscription } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { FetchFact } from '../inbound/fetch-fact.ts'
import type { Backfill } from '../sync/backfill.ts'
import { connectionRefOf } from './registry.ts'
import type { Subscriptions } from './subscriptions.ts'

/**
 * The start that the agent would get, without waiting for an event: made from the newest event that matches, otherwise
 * from the trigger's example.
 */
export type Sample = { from: 'history' | 'example'; start: AgentStart }

type SamplesDependencies = Pick<TriggerParts, 'registry' | 'store' | 'log'> & {
  now(): number
  fetchFact: FetchFact
  backfill: Backfill
  subscriptions: Subscriptions
  /** The trigger's first example; undefined when it has none. */
  exampleOf: Catalogue['exampleOf']
  describe: DescribeEvent
  describeStarts: DescribeStarts
  wording: Pick<Wording, 'text'>
  onStarts(starts: Start[]): void
}

/** The delivery of an example: its body alone, or body and headers where the provider says something there. */
const exampleDelivery = (delivery: Json): DeliveredBody => {
  const model = { kind: '', id: '' }
  if (delivery === null || typeof delivery !== 'object' || Array.isArray(delivery) || !('headers' in delivery))
    return { body: delivery, headers: {}, model }
  return { body: delivery['body'], headers: delivery['headers'] as Record<string, string>, model }
}

/** How many matching events are tried until one gives data. */
const tried = 3

export const createSamples = ({
  registry,
  store,
  log,
  now,
  fetchFact,
  backfill,
  subscriptions,
  exampleOf,
  describe,
  describeStarts,
  wording,
  onStarts,
}: SamplesDependencies) => {
  const dataOf = async (active: ActiveSubscription, event: Event): Promise<Json | undefined> => {
    const { needs, match } = active.trigger.webhook!
    let facts: Facts = {}
    for (const need of needs?.(event, active.config) ?? [])
      facts = { ...facts, [need]: await fetchFact(connectionRefOf(active.subscription), event, need) }
    const data = match(event, active.config, facts)
    return data === undefined ? undefined : parseTriggerData(active.trigger, data)
  }

  const fromHistory = async (active: ActiveSubscription): Promise<{ data: Json; event: Event } | undefined> => {
    if (active.models.length === 0) return undefined
    for (const event of await backfill.examples(connectionRefOf(active.subscription), active, tried)) {
      const data = await dataOf(active, event)
      if (data !== undefined) return { data, event }
    }
    return undefined
  }

  const exampleEvent = (integration: string, trigger: string, { delivery, found }: TriggerExample) => {
    if (found) return foundEvent(trigger, found)
    const { webhooks } = registry.integration(integration).integration
    return delivery === undefined ? undefined : webhooks?.decode(exampleDelivery(delivery), 'webhook').events[0]
  }

  const find = async (active: ActiveSubscription): Promise<{ from: Sample['from']; start: Start }> => {
    const { tenant, id, integration, trigger } = active.subscription
    const name = `test ${randomUUID()}`
    const start: Start = {
      ...newStart(active, startKey(tenant, id, name), now()),
      event: name,
      state: 'pending',
      serial: false,
      test: true,
    }
    const historySample = await fromHistory(active).catch((thrown: unknown) => {
      if (!isFailure(thrown)) throw thrown
      log('warn', 'sample.not_listed', { subscription: id, reason: thrown.code })
      return undefined
    })
    if (historySample) {
      const { event, data } = historySample
      return {
        from: 'history',
        start: {
          ...start,
          event: event.id,
          eventAt: Date.parse(event.at),
          subject: event.subject?.id ?? null,
          via: event.via,
          data,
          summary: describe(integration, event),
        },
      }
    }
    const example = await exampleOf(integration, trigger)
    if (example === undefined)
      throw fail('not_found', 'Nothing in the history fits these settings, and this trigger has no example.')
    const event = exampleEvent(integration, trigger, example)
    const summary = event ? describe(integration, event) : null
    return { from: 'example', start: { ...start, data: example.data, summary } }
  }

  /** With the sentence that a start of this trigger gets. */
  const findDescribed = async (active: ActiveSubscription) => {
    const sample = await find(active)
    describeStarts(active.subscription.integration, [sample.start])
    return sample
  }

  return {
    async sample(caller: Caller, id: string): Promise<Sample> {
      const row = await subscriptions.mustGet(caller, id)
      const { from, start } = await findDescribed(subscriptions.activeOf(row))
      return { from, start: agentStart(start, row, undefined, await wording.text(start)) }
    },
    /** Starts the agent once with a sample, marked as a test; returns the id of the start. */
    async test(caller: Caller, id: string): Promise<{ start: string; from: Sample['from'] }> {
      const row = await subscriptions.mustGet(caller, id)
      const { from, start } = await findDescribed(subscriptions.activeOf(row))
      await store.ingest({ starts: [start] })
      onStarts([start])
      return { start: start.id, from }
    },
  }
}
