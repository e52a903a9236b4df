import { hash } from 'node:crypto'
import type { Event } from '#kit'
import type { Hook } from '../../ports/index.ts'
import type { Loaded } from '../../catalogue/registry.ts'
import type { Admit } from '../admit.ts'
import type { ConnectionCache } from '../connection-cache.ts'
import type { ObservedEvent } from '../match.ts'
import { readModel } from '../match-index.ts'
import { noConnection } from '../sync/hook-cache.ts'
import type { TriggerParts } from '../parts.ts'
import { flatten, readJson } from './body.ts'
import type { Delivery, IntakeCounts } from './delivery.ts'

type Parts = Pick<TriggerParts, 'store' | 'log'> & {
  now(): number
  connections: Pick<ConnectionCache, 'ofAccount'>
  admit: Admit
  counts: IntakeCounts
  /** Fetches what a match lacks, before the delivery is acknowledged. */
  settle(event: ObservedEvent): Promise<void>
  onDelivered(hook: Hook): void
}

/** Reads a genuine delivery and stores what it holds: its events, or the bytes where none can be read. */
export const createStoreDelivery = ({ store, log, now, connections, admit, counts, settle, onDelivered }: Parts) => {
  /** The event is there already, delivered by another hook: subscriptions that only this one reaches are matched before it is acknowledged. */
  const settleElsewhere = async (event: ObservedEvent): Promise<void> => {
    const row = await store.events.get(event.tenant, event.connection, event.event.id)
    if (row?.hook !== event.hook) await settle(event)
  }

  /** Each connection with its events. Those of a hook that serves a whole app name their account. */
  const recipients = ({ tenant, integration, connection }: Hook, events: Event[]): Map<string, Event[]> => {
    if (connection !== noConnection) return new Map([[connection, events]])
    const found = new Map<string, Event[]>()
    for (const event of events)
      for (const id of connections.ofAccount(tenant, integration, event.account ?? '')) found.set(id, [...(found.get(id) ?? []), event])
    return found
  }

  /** Why nobody receives an event of a hook that serves a whole app. */
  const whyNobody = ({ tenant, integration, connection }: Hook, events: Event[]): string | undefined => {
    const lost = connection === noConnection && events.find(({ account }) => connections.ofAccount(tenant, integration, account ?? '').length === 0)
    if (!lost) return undefined
    return lost.account === undefined ? 'An event does not say whose account it is for.' : `There is no connection of the account "${lost.account}".`
  }

  const storeEvents = async (hook: Hook, events: Event[], correlation: string | undefined): Promise<void> => {
    const { tenant, integration } = hook
    for (const [connection, mine] of recipients(hook, events)) {
      const observations = mine.map((event) => ({ event }))
      const { arrived, repeatedLacking } = await admit({ tenant, connection, integration, observations, delivery: { hook: hook.id, correlation } })
      counts.stored += arrived.events.length
      counts.repeated += mine.length - arrived.events.length
      for (const event of repeatedLacking) await settleElsewhere(event)
    }
    onDelivered(hook)
  }

  /** `isForeign`: events of accounts that nobody connected here are another's to read, so only the reason is stored. */
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

  return async (hook: Hook, { integration, wire }: Loaded, { headers, body }: Delivery): Promise<void> => {
    const json = readJson(body)
    if ('why' in json) return keepUndecodable(hook, body, json.why)
    const given = flatten(headers)
    const { events, undecodable, ignored } = integration.webhooks!.decode({ body: json.value, headers: given, model: readModel(hook.model) }, 'webhook')
    if (events.length === 0 && undecodable === undefined && ignored !== undefined) return onDelivered(hook)
    // An account may have been connected by another process a moment ago.
    if (store.cluster && whyNobody(hook, events) !== undefined) await store.cluster.catchUp()
    const nobody = undecodable === undefined && events.length > 0 ? whyNobody(hook, events) : undefined
    const why = undecodable ?? (events.length === 0 ? 'There is no event in it.' : nobody)
    const unread = why === undefined ? undefined : keepUndecodable(hook, body, why, nobody !== undefined)
    if (events.length === 0) return unread!
    const correlation = wire.writeMark && given[wire.writeMark.header.toLowerCase()]
    await Promise.all([unread, storeEvents(hook, events, correlation)])
  }
}
