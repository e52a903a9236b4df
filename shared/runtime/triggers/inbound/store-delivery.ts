import { hash } from 'node:crypto'
import type { Event } from '#kit'
import type { Hook } from '../../ports/index.ts'
import type { LoadedIntegration } from '../../catalogue/registry.ts'
import type { Admit } from '../admit.ts'
import type { ObservedEvent } from '../match.ts'
import { readModel } from '../match-index.ts'
import { noConnection } from '../sync/hook-cache.ts'
import type { TriggerParts } from '../parts.ts'
import { namesAccount } from './app-events.ts'
import type { AppEvents, TakeDelivered } from './app-events.ts'
import { flatten, readJson } from './body.ts'
import type { Delivery, IntakeCounts } from './delivery.ts'

type TakeParts = Pick<TriggerParts, 'store'> & {
  admit: Admit
  counts: IntakeCounts
  /** Fetches the facts that a match lacks, before the delivery is acknowledged. */
  settle(event: ObservedEvent): Promise<void>
}

/** Admits the events that were delivered for one connection. */
export const createTakeDelivered = ({ store, admit, counts, settle }: TakeParts): TakeDelivered => {
  /**
   * The event was stored before, delivered by another hook: subscriptions that only this hook reaches are matched
   * before it is acknowledged.
   */
  const settleElsewhere = async (event: ObservedEvent): Promise<void> => {
    const row = await store.events.get(event.tenant, event.connection, event.event.id)
    if (row?.hook !== event.hook) await settle(event)
  }

  return async (ref, events, delivery) => {
    const observations = events.map((event) => ({ event }))
    const { arrived, repeatedLacking } = await admit({ ...ref, observations, delivery })
    counts.stored += arrived.events.length
    counts.repeated += events.length - arrived.events.length
    for (const event of repeatedLacking) await settleElsewhere(event)
  }
}

type StoreDeliveryDependencies = Pick<TriggerParts, 'store' | 'log'> & {
  now(): number
  counts: IntakeCounts
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
  onDelivered,
}: StoreDeliveryDependencies) => {
  const storeEvents = async (hook: Hook, events: Event[], correlation: string | undefined): Promise<void> => {
    const { tenant, integration, connection, id } = hook
    if (connection === noConnection) return appEvents.deliver(hook, events.filter(namesAccount), correlation)
    await take({ tenant, connection, integration }, events, { hook: id, correlation })
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

  return async (hook: Hook, { integration, wire }: LoadedIntegration, { headers, body }: Delivery): Promise<void> => {
    const json = readJson(body)
    if ('why' in json) return keepUndecodable(hook, body, json.why)
    const flatHeaders = flatten(headers)
    const { events, undecodable, ignored } = integration.webhooks!.decode(
      { body: json.value, headers: flatHeaders, model: readModel(hook.model) },
      'webhook',
    )
    if (events.length === 0 && undecodable === undefined && ignored !== undefined) return onDelivered(hook)
    const isNameless = undecodable === undefined && hook.connection === noConnection && !events.every(namesAccount)
    const nobody = isNameless ? 'An event does not say whose account it is for.' : undefined
    const why = undecodable ?? (events.length === 0 ? 'There is no event in it.' : nobody)
    const unread = why === undefined ? undefined : keepUndecodable(hook, body, why, nobody !== undefined)
    if (events.length === 0) return unread!
    const correlation = wire.writeMark && flatHeaders[wire.writeMark.header.toLowerCase()]
    await Promise.all([unread, storeEvents(hook, events, correlation)])
  }
}
