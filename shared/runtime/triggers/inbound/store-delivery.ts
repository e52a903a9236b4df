import { hash } from 'node:crypto'
import { namedBy } from '#kit'
import type { Event } from '#kit'
import type { ChargedEvent, EventCharges } from '../../credits/event-charges.ts'
import type { Hook } from '../../ports/index.ts'
import type { LoadedIntegration } from '../../catalogue/registry.ts'
import type { Observation } from '../admission.ts'
import type { Admit } from '../admit.ts'
import type { ObservedEvent } from '../match.ts'
import { readModel } from '../match-index.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { noConnection } from '../sync/hook-cache.ts'
import type { TriggerParts } from '../parts.ts'
import { namesAccount } from './app-events.ts'
import type { AppEvents, TakeDelivered } from './app-events.ts'
import { flatten, readJson } from './body.ts'
import type { ReadBody } from './body.ts'
import type { Delivery, IntakeCounts } from './delivery.ts'

type ChargeParts = Pick<TakeParts, 'charges' | 'onCharged'>

const isCharged = ({ charge }: Event) => charge !== undefined && charge > 0

/** Adds what the provider charges for these events to the ledger. */
const recordCharges = async (ref: ConnectionRef, events: readonly Event[], { charges, onCharged }: ChargeParts) => {
  const charged: ChargedEvent[] = events.filter(isCharged).map(({ id, type, charge = 0 }) => ({ id, type, charge }))
  if (charged.length === 0) return
  await charges.record(ref, charged)
  onCharged(ref)
}

/** A delivery to a hook that ended starts nothing, but the provider charges for it nevertheless. */
export const recordEndedCharges = async (
  parts: ChargeParts,
  { tenant, integration, connection, model }: Hook,
  { integration: { webhooks } }: LoadedIntegration,
  { headers, body }: Delivery,
  read: ReadBody | undefined,
): Promise<void> => {
  const content = read ?? readJson(body)
  if ('why' in content) return
  const delivery = { body: content.value, headers: flatten(headers), model: readModel(model) }
  await recordCharges({ tenant, integration, connection }, webhooks!.decode(delivery, 'webhook').events, parts)
}

type TakeParts = Pick<TriggerParts, 'store'> & {
  admit: Admit
  charges: Pick<EventCharges, 'record'>
  /** The charges of these events are in the ledger. */
  onCharged(ref: ConnectionRef): void
  counts: IntakeCounts
  /** Fetches the facts that a match lacks, before the delivery is acknowledged. */
  settle(event: ObservedEvent): Promise<void>
}

/** Admits the events that were delivered for one connection. */
export const createTakeDelivered = ({ store, admit, charges, onCharged, counts, settle }: TakeParts): TakeDelivered => {
  /**
   * The event was stored before, delivered by another hook: subscriptions that only this hook reaches are matched
   * before it is acknowledged.
   */
  const settleElsewhere = async (event: ObservedEvent): Promise<void> => {
    const row = await store.events.get(event.tenant, event.connection, event.event.id)
    if (row?.hook !== event.hook) await settle(event)
  }

  return async (ref, events, delivery) => {
    const observations: Observation[] = []
    let charge = 0
    for (const event of events) {
      observations.push({ event })
      charge += event.charge ?? 0
    }
    // Most providers charge nothing, and their deliveries need no further call.
    if (charge > 0) await recordCharges(ref, events, { charges, onCharged })
    const { arrived, repeatedLacking } = await admit({ ...ref, observations, delivery })
    counts.stored += arrived.events.length
    counts.repeated += events.length - arrived.events.length
    for (const event of repeatedLacking) await settleElsewhere(event)
  }
}

type StoreDeliveryDependencies = Pick<TriggerParts, 'store' | 'log' | 'suppressed'> & {
  now(): number
  counts: IntakeCounts
  charges: ChargeParts
  /** People who are suppressed were still watched. */
  onSuppressed(ref: ConnectionRef): void
  take: TakeDelivered
  appEvents: Pick<AppEvents, 'deliver'>
  onDelivered(hook: Hook): void
}

/** Decodes a genuine delivery and stores its events, or its bytes where none can be decoded. */
export const createStoreDelivery = ({
  store,
  log,
  now,
  counts,
  take,
  appEvents,
  charges,
  suppressed,
  onSuppressed,
  onDelivered,
}: StoreDeliveryDependencies) => {
  /** The events that may be stored. What the provider charged for the others is in the ledger. */
  const withoutSuppressed = async (ref: ConnectionRef, events: Event[]): Promise<Event[]> => {
    const hidden = await suppressed(
      ref.tenant,
      events.map(({ subject, raw }) => [subject ? namedBy(subject) : null, raw]),
    )
    if (!hidden.includes(true)) return events
    const about = events.filter((_, n) => hidden[n])
    await recordCharges(ref, about, charges)
    log('info', 'delivery.suppressed', { connection: ref.connection, events: about.length })
    onSuppressed(ref)
    return events.filter((_, n) => !hidden[n])
  }

  /** `mayNamePeople`: the provider reports people who opted out. */
  const storeEvents = async (
    hook: Hook,
    events: Event[],
    correlation: string | undefined,
    mayNamePeople: boolean,
  ): Promise<void> => {
    const { tenant, integration, connection, id } = hook
    if (connection === noConnection) return appEvents.deliver(hook, events.filter(namesAccount), correlation)
    const ref = { tenant, connection, integration }
    const shown = mayNamePeople ? await withoutSuppressed(ref, events) : events
    if (shown.length > 0) await take(ref, shown, { hook: id, correlation })
    onDelivered(hook)
  }

  /** `isForeign`: events that do not name their account may belong to another tenant, so only the reason is stored. */
  const keepUndecodable = async (hook: Hook, body: Uint8Array, reason: string, isForeign = false): Promise<void> => {
    const { tenant, integration, connection, id } = hook
    await store.undecodable.add({
      tenant,
      id: hash('sha256', Buffer.concat([Buffer.from(`${id}\n`), body])),
      integration,
      connection,
      hook: id,
      receivedAt: now(),
      reason,
      raw: isForeign ? null : body,
    })
    counts.undecodable += 1
    log('warn', 'delivery.undecodable', { hook: id, reason })
  }

  /** `read`: the parsed body, where it is not JSON or something else stands for it. */
  return async (
    hook: Hook,
    { integration, wire }: LoadedIntegration,
    { headers, body }: Delivery,
    read: ReadBody | undefined,
  ): Promise<void> => {
    const content = read ?? readJson(body)
    if ('why' in content) return keepUndecodable(hook, body, content.why)
    const flatHeaders = flatten(headers)
    const { events, undecodable, ignored } = integration.webhooks!.decode(
      { body: content.value, headers: flatHeaders, model: readModel(hook.model) },
      'webhook',
    )
    if (events.length === 0 && undecodable === undefined && ignored !== undefined) return onDelivered(hook)
    const isNameless = undecodable === undefined && hook.connection === noConnection && !events.every(namesAccount)
    const nobody = isNameless ? 'An event does not say whose account it is for.' : undefined
    const why = undecodable ?? (events.length === 0 ? 'There is no event in it.' : nobody)
    const unread = why === undefined ? undefined : keepUndecodable(hook, body, why, nobody !== undefined)
    if (events.length === 0) return unread!
    const correlation = wire.writeMark && flatHeaders[wire.writeMark.header.toLowerCase()]
    await Promise.all([unread, storeEvents(hook, events, correlation, wire.optOuts !== undefined)])
  }
}
