import { randomUUID } from 'node:crypto'
import { fail, isFailure } from '#kit'
import type { Event, Facts, Json } from '#kit'
import type { Caller, Start } from '../../ports/index.ts'
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

type SamplesDependencies = Pick<TriggerParts, 'store' | 'log'> & {
  now(): number
  fetchFact: FetchFact
  backfill: Backfill
  subscriptions: Subscriptions
  /** The data of the trigger's first example; undefined when it has none. */
  exampleOf(integration: string, trigger: string): Promise<Json | undefined>
  onStarts(starts: Start[]): void
}

/** How many matching events are tried until one gives data. */
const tried = 3

export const createSamples = ({
  store,
  log,
  now,
  fetchFact,
  backfill,
  subscriptions,
  exampleOf,
  onStarts,
}: SamplesDependencies) => {
  const dataOf = async (active: ActiveSubscription, event: Event): Promise<Json | undefined> => {
    const { needs, match } = active.trigger.webhook!
    let facts: Facts = {}
    for (const need of needs?.(event, active.config) ?? [])
      facts = { ...facts, [need]: await fetchFact(connectionRefOf(active.subscription), event, need) }
    const data = match(event, active.config, facts)
    return data === undefined ? undefined : (active.trigger.data.parse(data) as Json)
  }

  const fromHistory = async (active: ActiveSubscription): Promise<{ data: Json; event: Event } | undefined> => {
    if (active.models.length === 0) return undefined
    for (const event of await backfill.examples(connectionRefOf(active.subscription), active, tried)) {
      const data = await dataOf(active, event)
      if (data !== undefined) return { data, event }
    }
    return undefined
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
        },
      }
    }
    const data = await exampleOf(integration, trigger)
    if (data === undefined)
      throw fail('not_found', 'Nothing in the history fits these settings, and this trigger has no example.')
    return { from: 'example', start: { ...start, data } }
  }

  return {
    async sample(caller: Caller, id: string): Promise<Sample> {
      const row = await subscriptions.mustGet(caller, id)
      const { from, start } = await find(subscriptions.activeOf(row))
      return { from, start: agentStart(start, row, undefined) }
    },
    /** Starts the agent once with a sample, marked as a test; returns the id of the start. */
    async test(caller: Caller, id: string): Promise<{ start: string; from: Sample['from'] }> {
      const row = await subscriptions.mustGet(caller, id)
      const { from, start } = await find(subscriptions.activeOf(row))
      await store.ingest({ starts: [start] })
      onStarts([start])
      return { start: start.id, from }
    },
  }
}
