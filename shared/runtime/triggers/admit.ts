import { fail, ownAccountNeed } from '#kit'
import { ages } from '../admin/retention.ts'
import type { Event, Json, WebhookSource } from '#kit'
import type { Arrival, Arrived, Hook, Start } from '../ports/index.ts'
import type { Cause, Causation } from './inbound/causation.ts'
import type { ConnectionCache } from './connection-cache.ts'
import { sliceSize } from './inbound/pending.ts'
import { isRecognised, matchAll, mayStart, startFor, storedEvent } from './match.ts'
import type { Found, Known, Matching, ObservedEvent } from './match.ts'
import type { ActiveSubscription, MatchIndex } from './match-index.ts'
import type { TriggerParts } from './parts.ts'
import type { ConnectionRef } from './provider-session.ts'

type Parts = Pick<TriggerParts, 'registry' | 'store' | 'log'> & {
  now(): number
  /** How long ids of events and starts are stored at least. */
  keepIdsMs?: number | undefined
  own: Causation
  index: MatchIndex
  connections: ConnectionCache
  /** Called with starts that were added, when an event waits for facts, and when a watched thing was closed or opened again. */
  onStarts(starts: Start[]): void
  onPending(): void
  onAvailability(ref: ConnectionRef, availability: NonNullable<ReturnType<NonNullable<WebhookSource['availability']>>>): void
}

/** Matches of one admission. */
const maxTries = 20

/** A fact that came in. `found`: what a poll made of it for its subscriptions, in place of a match. */
export type Observation = { event: Event; found?: { subscription: ActiveSubscription; found: Found }[] }

export type Admission = ConnectionRef & {
  observations: readonly Observation[]
  /**
   * The hook that delivered it (null: one that is not for its tenant to know), with the correlation id the provider gave
   * back. Without a delivery, it was listed or polled.
   */
  delivery?: { hook: Hook['id'] | null; correlation: string | undefined }
  /** In place of the subscriptions that the index finds for an event. */
  only?: (event: Event) => readonly ActiveSubscription[]
  /** Committed together with the events. */
  alongside?: Pick<Arrival, 'cursor' | 'poll' | 'gaps' | 'notices' | 'fired'>
}
export type Admitted = {
  /** Ids of the events and starts that were new. */
  arrived: Arrived
  /** Events that were stored already and are not matched here: whoever stored them may not have asked for the same facts or subscriptions. */
  repeatedLacking: ObservedEvent[]
}
export type Admit = (admission: Admission) => Promise<Admitted>

/**
 * The one way in, for deliveries, polls and the backfill: observe (what caused it), match (each subscription), commit (events, starts and what goes
 * with them, at once), wake (whatever works on them). Resolves after the commit. @throws Failure `unavailable`, with nothing stored
 */
export const createAdmit = ({
  registry,
  store,
  own,
  log,
  now,
  keepIdsMs = ages.ids,
  index,
  connections,
  onStarts,
  onPending,
  onAvailability,
}: Parts): Admit => {
  /** A fact that is stored already: a delivery knew more of the cause than a list does. */
  const storedCause = async ({ tenant, connection }: ConnectionRef, event: Event) => {
    const known = await store.events.get(tenant, connection, event.id)
    return known && known.causedByUs !== 'unknown' ? known : undefined
  }

  const observed = ({ tenant, connection, integration, delivery }: Admission, event: Event, { causedByUs, runId }: Cause, depth = 0): ObservedEvent => ({
    tenant,
    connection,
    integration,
    hook: delivery?.hook ?? null,
    event: { ...event, causedByUs },
    runId,
    depth,
  })

  const withDepth = async (admission: Admission, event: Event, cause: Cause): Promise<ObservedEvent> =>
    observed(admission, event, cause, await own.depthOf(admission.tenant, admission.connection, cause, event.subject?.id ?? null))

  const observeListed = async (admission: Admission, { event, found }: Observation): Promise<ObservedEvent> => {
    const { tenant, connection } = admission
    const known = found ? undefined : await storedCause(admission, event)
    if (known) return observed(admission, event, known, known.depth)
    const account = connections.accountId(tenant, connection) ?? null
    return withDepth(admission, event, await own.ofListed({ tenant, connection, event, account, hasSiblings: connections.count(tenant) > 1 }))
  }

  /** Waits only where our own runs may be the cause. */
  const observe = (admission: Admission, observation: Observation): ObservedEvent | Promise<ObservedEvent> => {
    if (!admission.delivery) return observeListed(admission, observation)
    const { tenant, connection, delivery } = admission
    const { event } = observation
    const of = (cause: Cause) => (cause.causedByUs === true ? withDepth(admission, event, cause) : observed(admission, event, cause))
    const cause = own.ofDelivery(
      { tenant, connection, event, account: connections.accountId(tenant, connection) ?? null, hasSiblings: connections.count(tenant) > 1 },
      delivery.correlation,
    )
    return cause instanceof Promise ? cause.then(of) : of(cause)
  }

  const knownOf = ({ tenant, connection }: ConnectionRef): Known => {
    const me = connections.accountId(tenant, connection)
    return me === undefined ? { facts: {}, asked: new Set() } : { facts: { me }, asked: new Set([ownAccountNeed]) }
  }

  const match = (admission: Admission, { found }: Observation, one: ObservedEvent, at: number): Matching & { isDeferred?: true } => {
    const { event, tenant, connection } = one
    if (found) {
      const recognised = found.filter(({ subscription }) => isRecognised(subscription, event, at - keepIdsMs))
      const starts = recognised.map((each) => startFor(each.subscription, one, each.found, at))
      return { starts: starts.filter((start, n) => mayStart(recognised[n]!.subscription, start)), lacking: new Set(), failed: false }
    }
    const concerned = admission.only?.(event) ?? index.concerned(tenant, connection, event.models, event.type)
    const isOld = Date.parse(event.at) < at - keepIdsMs
    // Too many for one turn of the event loop: the event is acknowledged as pending, and its starts are made in slices.
    if (admission.delivery && !isOld && concerned.length > sliceSize) return { starts: [], lacking: new Set(), failed: false, isDeferred: true }
    const asked = isOld ? concerned.filter((active) => isRecognised(active, event, at - keepIdsMs)) : concerned
    return matchAll(asked, one, knownOf(admission), at, log)
  }

  const commitOnce = async (admission: Admission, all: readonly ObservedEvent[]) => {
    // From here to the hand-over nothing waits, so that a subscription made meanwhile finds either the event or itself in the index.
    const at = now()
    const matched = all.map((one, n) => ({ one, ...match(admission, admission.observations[n]!, one, at) }))
    const starts = matched.flatMap((each) => each.starts)
    const rows = matched.map(({ one, lacking, failed, isDeferred }) => storedEvent(one, at, lacking.size > 0 || failed || isDeferred ? 'pending' : 'matched'))
    return { matched, starts, rows, arrived: await store.ingest({ events: rows, starts, ...admission.alongside }) }
  }

  /** Once more where another process changed a subscription of the connection meanwhile. */
  const commit = async (admission: Admission, all: readonly ObservedEvent[]) => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const committed = await commitOnce(admission, all)
      if (!committed.arrived.isBehind) return committed
      await store.cluster!.catchUp()
    }
    throw fail('unavailable', 'Subscriptions of this connection change too fast for the event to be matched. Try again in a moment.')
  }

  return async (admission) => {
    const { observations } = admission
    const all: ObservedEvent[] = []
    for (const observation of observations) {
      const one = observe(admission, observation)
      all.push(one instanceof Promise ? await one : one)
    }
    const { matched, starts, rows, arrived } = await commit(admission, all)

    const open = starts.filter(({ id, state }) => state !== 'missed' && arrived.starts.includes(id))
    if (open.length > 0) onStarts(open)
    const isNew = new Set(arrived.events)
    if (rows.some(({ id, state }) => state === 'pending' && isNew.has(id))) onPending()
    const source = registry.integration(admission.integration).integration.webhooks
    for (const { event } of all) {
      const availability = isNew.has(event.id) ? source?.availability?.(event) : undefined
      if (availability) onAvailability(admission, availability)
    }
    return {
      arrived,
      repeatedLacking: matched.flatMap(({ one, lacking, isDeferred }) => ((lacking.size > 0 || isDeferred) && !isNew.has(one.event.id) ? [one] : [])),
    }
  }
}

/** What a poll found, as an event of its trigger. */
export const foundEvent = (trigger: string, { key, at, data, actor, subject, container, objects }: Found): Event => ({
  id: key,
  type: trigger,
  at,
  actor: actor === undefined ? undefined : { id: actor },
  model: { kind: '', id: '' },
  models: [],
  ...(subject ? { subject } : {}),
  ...(container ? { container } : {}),
  objects: objects ?? [],
  via: 'poll',
  causedByUs: 'unknown',
  raw: data as Json,
})
