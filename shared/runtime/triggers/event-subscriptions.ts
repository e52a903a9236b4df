import type { EventDetail } from '../../api/resources/event.ts'
import { isForPerson } from '../people/act-for.ts'
import type { Caller, Start, StoredEvent } from '../ports/index.ts'
import type { ConnectionCache } from './connection-cache.ts'
import type { FetchFact } from './inbound/fetch-fact.ts'
import { maxReads, previewFacts } from './inbound/preview-facts.ts'
import type { ObservedEvent } from './match.ts'
import type { ActiveSubscription, MatchIndex } from './match-index.ts'
import type { TriggerParts } from './parts.ts'
import { readEvent } from './stored-events.ts'
import { iso, matchVerdict, no, unknown, whyNotConcerned, whyNotOwn, whyPaused } from './why-not.ts'
import type { FactSource } from './why-not.ts'

type ExplainEventDependencies = Pick<TriggerParts, 'registry' | 'store' | 'clock'> & {
  index: Pick<MatchIndex, 'ofConnection'>
  connections: Pick<ConnectionCache, 'get'>
  fetchFact: FetchFact
}
type Explained = EventDetail['subscriptions'][number]
type StoredVerdict = Pick<Explained, 'starts' | 'why' | 'reason' | 'fields' | 'start'>

const cannotMatch = 'Retention has removed the payload of the event, so it cannot be matched again.'
const nothingKnown: FactSource = {
  initialFacts: { facts: {}, checkedNeeds: new Set() },
  give: async () => ({ why: cannotMatch }),
}
const maxSubscriptions = 100
/** How long facts are read from the provider for one answer, in ms: whoever looks at an event waits for it. */
const readMs = 4_000

const didStart = ({ id, state, mergedInto }: Start): StoredVerdict => ({
  starts: true,
  why: null,
  reason:
    mergedInto !== null && state === 'merged'
      ? 'The event joined an earlier start about the same subject, within the quiet period.'
      : null,
  fields: [],
  start: id,
})

/** Why a subscription was not waiting when the event happened; undefined when it was. */
const whyNotThen = ({ subscription }: ActiveSubscription, at: number): StoredVerdict | undefined => {
  const { state, stateAt, startMark, createdAt } = subscription
  if (state === 'paused' && at >= stateAt) return whyPaused(subscription)
  if (at >= startMark) return undefined
  // Attaching sets it to the time after the newest event there was, so only resuming moves it past an event that came later.
  if (at >= createdAt) return no('paused', 'It was paused when the event happened, and was resumed later.')
  return no('before_start', `It starts its agent for events since ${iso(startMark)}. The event is from ${iso(at)}.`)
}

/** The event as it was decoded, or why it cannot be: a poll found it, or retention has removed its payload. */
type Decoded = ObservedEvent | 'polled' | 'removed'

const explainUndecoded = (active: ActiveSubscription, row: StoredEvent, isPolled: boolean): StoredVerdict => {
  const { types, trigger, models } = active
  if (isPolled ? trigger.id !== row.type : !types.includes('*') && !types.includes(row.type))
    return no('type', `The event has type "${row.type}". ${trigger.title} looks for something else.`)
  if (isPolled && models.length > 0)
    return no('polled', 'The event was found by polling, and this subscription receives its events by webhook.')
  const early = whyNotThen(active, row.at) ?? whyNotOwn(active, { event: row, depth: row.depth })
  if (early) return early
  return isPolled
    ? no('config', 'The poll found the event for another subscription. It does not match the config of this one.')
    : unknown('facts', cannotMatch)
}

/**
 * Why a stored event did not start a subscription. The config is compared before the times are: a subscription that was
 * resumed yesterday may have been active before its pause, and then only its config explains why nothing started.
 */
const explain = async (
  active: ActiveSubscription,
  row: StoredEvent,
  decoded: Decoded,
  facts: FactSource & Pick<ExplainEventDependencies, 'store'>,
): Promise<StoredVerdict> => {
  const { state, createdAt } = active.subscription
  const then = whyNotThen(active, row.at)
  if (then && row.at < createdAt) return then
  if (typeof decoded === 'string') return explainUndecoded(active, row, decoded === 'polled')
  const early = whyNotConcerned(active, decoded) ?? whyNotOwn(active, decoded)
  if (early) return early
  if (then && state === 'paused') return then
  if (row.state === 'pending')
    return unknown('pending', 'The event is still being matched: facts are being read from the provider.')
  const matched = await matchVerdict(active, decoded, facts)
  if ('verdict' in matched) return matched.verdict.why === 'facts' && then ? then : matched.verdict
  if (then) return then
  const earlier = await facts.store.starts.get(row.tenant, matched.start.id)
  if (earlier) return { ...no('started', 'Another event with the same key had started its agent.'), start: earlier.id }
  return no(
    'changed',
    'As it is now, it would start. Its settings, or what they depend on at the provider, have changed since the event arrived.',
  )
}

/** A race that leaves the read to end by itself: its own timeouts apply, and nobody waits for it any more. */
const withinTime = (facts: FactSource, clock: ExplainEventDependencies['clock']): FactSource => {
  const until = clock.monotonic() + readMs
  const late = { why: 'What it depends on at the provider could not be read in time.' }
  return {
    ...facts,
    give: async (needs) => {
      const leftMs = until - clock.monotonic()
      if (leftMs <= 0) return late
      const timer = new AbortController()
      try {
        return await Promise.race([
          facts.give(needs),
          clock.sleep(leftMs, timer.signal).then(
            () => late,
            () => late,
          ),
        ])
      } finally {
        timer.abort()
      }
    },
  }
}

export type ExplainEvent = ReturnType<typeof createExplainEvent>

/** Explains for every subscription of an event's connection why the event started its agent, or why not. */
export const createExplainEvent = ({
  registry,
  store,
  clock,
  index,
  connections,
  fetchFact,
}: ExplainEventDependencies) => {
  const decode = (row: StoredEvent): Decoded => {
    const { tenant, connection, integration, hook, runId, depth, summary } = row
    const definition = registry.all.find((loaded) => loaded.integration.id === integration)?.integration
    if (row.via === 'poll' && definition?.triggers?.some(({ id }) => id === row.type)) return 'polled'
    const event = definition?.webhooks && readEvent(definition.webhooks, row)
    return event ? { tenant, connection, integration, hook, event, runId, depth, summary } : 'removed'
  }

  return async (
    caller: Caller,
    row: StoredEvent,
    starts: readonly Start[],
  ): Promise<Pick<EventDetail, 'subscriptions' | 'moreSubscriptions'>> => {
    // Newest first, so that a subscription is shown with its first start, not with a repeat of it.
    const startOf = new Map(starts.map((start) => [start.subscription, start]))
    const visible = index
      .ofConnection(row.tenant, row.connection)
      .filter(({ subscription }) => isForPerson(caller, subscription))
    const isStarted = ({ subscription }: ActiveSubscription) => startOf.has(subscription.id)
    const startedFirst = [
      ...visible.filter(isStarted),
      ...visible.filter((active) => !isStarted(active)).toReversed(),
    ].slice(0, maxSubscriptions)
    const decoded = decode(row)
    const facts =
      typeof decoded === 'string'
        ? nothingKnown
        : withinTime(previewFacts({ store, connections, fetchFact }, caller, decoded, { left: maxReads }), clock)
    const subscriptions: Explained[] = []
    for (const active of startedFirst) {
      const { id, trigger, agent } = active.subscription
      const start = startOf.get(id)
      const verdict = start ? didStart(start) : await explain(active, row, decoded, { ...facts, store })
      subscriptions.push({ subscription: id, trigger, agent: agent.id ?? null, ...verdict })
    }
    return { subscriptions, moreSubscriptions: visible.length - startedFirst.length }
  }
}
