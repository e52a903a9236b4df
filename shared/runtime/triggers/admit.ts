import { fail } from '#kit'
import { ages } from '../admin/retention.ts'
import type { Event, Json, WebhookSource } from '#kit'
import type { ArrivalResult, Start, StoredEvent } from '../ports/index.ts'
import type { Admission, Observation } from './admission.ts'
import type { Causation } from './inbound/causation.ts'
import type { ConnectionCache } from './connection-cache.ts'
import type { LearnedNames } from '../sentences/learned-names.ts'
import { createDescribeEvent, createDescribeStarts } from '../sentences/describe.ts'
import { isRecognised, knownFacts, matchAll, mayStart, startFor, storedEvent } from './match.ts'
import type { PolledItem, Matching, ObservedEvent } from './match.ts'
import type { MatchIndex } from './match-index.ts'
import { createObserve } from './observe.ts'
import type { TriggerParts } from './parts.ts'
import type { ConnectionRef } from './provider-session.ts'

type AdmitDependencies = Pick<TriggerParts, 'registry' | 'store' | 'log'> & {
  now(): number
  /** Minimum time in ms for which ids of events and starts are stored. */
  keepIdsMs?: number | undefined
  own: Causation
  names: Pick<LearnedNames, 'noteEvent'>
  index: MatchIndex
  connections: ConnectionCache
  /**
   * Called after the commit: with the starts that were added, when an event waits for facts, and when a watched object
   * was closed or reopened.
   */
  onStarts(starts: Start[]): void
  onPending(): void
  onAvailability(
    ref: ConnectionRef,
    availability: NonNullable<ReturnType<NonNullable<WebhookSource['availability']>>>,
  ): void
}

/** Maximum number of subscriptions that are matched before a delivery is answered. */
const maxAtOnce = 50
/** Maximum attempts to match and commit one admission while its subscriptions keep changing. */
const maxTries = 20

export type Admitted = {
  /** Ids of the events and starts that were not stored before. */
  arrived: ArrivalResult
  /**
   * Events that were stored before and for which facts are missing or the match was deferred. They are not matched
   * here, and the admission that stored them may have had other subscriptions.
   */
  repeatedLacking: ObservedEvent[]
}
export type Admit = (admission: Admission) => Promise<Admitted>

/**
 * The single entry for deliveries, polls and the backfill: finds what caused each event, matches it against the
 * subscriptions, commits events and starts in one transaction, and wakes the tasks that process them. Resolves after
 * the commit. @throws Failure `unavailable`, with nothing stored
 */
export const createAdmit = ({
  registry,
  store,
  own,
  names,
  log,
  now,
  keepIdsMs = ages.ids,
  index,
  connections,
  onStarts,
  onPending,
  onAvailability,
}: AdmitDependencies): Admit => {
  const observe = createObserve({ store, own, connections, describe: createDescribeEvent({ registry, log }) })
  const describeStarts = createDescribeStarts({ registry, log })
  const match = (
    admission: Admission,
    { finds }: Observation,
    observedEvent: ObservedEvent,
    at: number,
  ): Matching & { isDeferred?: true } => {
    const { event, tenant, connection } = observedEvent
    if (finds) {
      const recognised = finds.filter(({ subscription }) => isRecognised(subscription, event, at - keepIdsMs))
      const starts = recognised.map((each) => startFor(each.subscription, observedEvent, each.find, at))
      return {
        starts: starts.filter((start, n) => mayStart(recognised[n]!.subscription, start)),
        lacking: new Set(),
        failed: false,
      }
    }
    const concerned = admission.only?.(event) ?? index.concerned(tenant, connection, event.models, event.type)
    const isOld = Date.parse(event.at) < at - keepIdsMs
    // Matching so many at once would block the event loop: the event is stored as pending, and its starts are made in
    // slices.
    if (admission.delivery && !isOld && concerned.length > maxAtOnce)
      return { starts: [], lacking: new Set(), failed: false, isDeferred: true }
    const candidates = isOld ? concerned.filter((active) => isRecognised(active, event, at - keepIdsMs)) : concerned
    return matchAll(candidates, observedEvent, knownFacts(connections.get(tenant, connection)), at, log)
  }

  const commitOnce = async (admission: Admission, all: readonly ObservedEvent[]) => {
    // There is no `await` between the match and the hand-over to the store, so a subscription created meanwhile finds
    // either the stored event or itself in the index.
    const at = now()
    const starts: Start[] = []
    const rows: StoredEvent[] = []
    const lackingEvents: ObservedEvent[] = []
    for (const [n, observedEvent] of all.entries()) {
      const matching = match(admission, admission.observations[n]!, observedEvent, at)
      const isLacking = matching.lacking.size > 0 || matching.isDeferred === true
      describeStarts(admission.integration, matching.starts)
      starts.push(...matching.starts)
      rows.push(storedEvent(observedEvent, at, isLacking || matching.failed ? 'pending' : 'matched'))
      if (isLacking) lackingEvents.push(observedEvent)
    }
    const arrived = await store.ingest({ events: rows, starts, ...admission.alongside })
    return { starts, rows, lackingEvents, arrived }
  }

  /** Commits; matches again when another process has changed a subscription of the connection meanwhile. */
  const commit = async (admission: Admission, all: readonly ObservedEvent[]) => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const committed = await commitOnce(admission, all)
      if (!committed.arrived.isBehind) return committed
      await store.cluster!.catchUp()
    }
    throw fail(
      'unavailable',
      'Subscriptions of this connection change too fast for the event to be matched. Try again in a moment.',
    )
  }

  return async (admission) => {
    const { observations } = admission
    const all: ObservedEvent[] = []
    for (const observation of observations) {
      const observedEvent = observe(admission, observation)
      all.push(observedEvent instanceof Promise ? await observedEvent : observedEvent)
    }
    const { starts, rows, lackingEvents, arrived } = await commit(admission, all)

    const open: Start[] = []
    for (const start of starts) if (start.state !== 'missed' && arrived.starts.includes(start.id)) open.push(start)
    if (open.length > 0) onStarts(open)
    const isNew = new Set(arrived.events)
    const source = registry.integration(admission.integration).integration.webhooks
    let isPending = false
    for (const { id, state } of rows) isPending ||= state === 'pending' && isNew.has(id)
    if (isPending) onPending()
    for (const { event } of all) {
      if (!isNew.has(event.id)) continue
      names.noteEvent(admission, event)
      const availability = source?.availability?.(event)
      if (availability) onAvailability(admission, availability)
    }
    return { arrived, repeatedLacking: lackingEvents.filter(({ event }) => !isNew.has(event.id)) }
  }
}

/** An item found by a poll, as an event whose type is the trigger. */
export const foundEvent = (
  trigger: string,
  { key, type = trigger, at, data, actor, own, subject, container, objects }: PolledItem,
): Event => ({
  id: key,
  type,
  at,
  actor: typeof actor === 'string' ? { id: actor } : actor,
  model: { kind: '', id: '' },
  models: [],
  ...(subject ? { subject } : {}),
  ...(container ? { container } : {}),
  objects: objects ?? [],
  ...(own === undefined ? {} : { own }),
  via: 'poll',
  causedByUs: 'unknown',
  raw: data as Json,
})
