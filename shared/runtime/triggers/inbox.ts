import { randomUUID } from 'node:crypto'
import { fail } from '#kit'
import type { Json } from '#kit'
import type { Caller, Listed, Page, Start, StartFilter, StoredEvent } from '../ports/index.ts'
import type { MatchIndex } from './match-index.ts'
import { ownedConnections, ownedSubscriptions, splitOwned } from '../owned.ts'
import type { Owned } from '../owned.ts'
import { startKey } from './match.ts'
import type { TriggerParts } from './parts.ts'
import type { createPending } from './inbound/pending.ts'
import type { Subscriptions } from './subscriptions/subscriptions.ts'
import { isNotification, notificationsOwner } from './starts/notification.ts'
import { readEvent } from './stored-events.ts'
import { viewAnswers, viewEvent, viewGap, viewHook, viewStart, viewUndecodable } from './views.ts'
import type { EventDetail, EventView, EventWithStarts, GapView, HookView, StartDetail, StartView, UndecodableView } from './views.ts'

type Parts = Pick<TriggerParts, 'registry' | 'store'> & {
  now(): number
  index: MatchIndex
  pending: ReturnType<typeof createPending>
  subscriptions: Subscriptions
  onStarts(starts: Start[]): void
}

type StoredFilter = { connection?: string; hook?: string; type?: string; subject?: string; container?: string; state?: StoredEvent['state'] }
/** Also under the names that an integration declares for subject and container. */
export type EventFilter = StoredFilter & { [alias: string]: string | undefined }
export type EventAliases = { [alias: string]: 'subject' | 'container' }
const maxStarts = 200
/** Of all events of one page. */
const maxListedStarts = 2000

const listedAs = <T extends { connection: string }, V>({ items, next }: Listed<T>, caller: Caller, view: (row: T) => V): Listed<V> => {
  const mine = items.filter(({ connection }) => !caller.connections || caller.connections.includes(connection))
  return { items: mine.map(view), ...(next === undefined ? {} : { next }) }
}

const isOver = ({ state }: Start) => state === 'done' || state === 'dead' || state === 'missed' || state === 'cancelled'

/** Names that integrations declare for subject and container: accepted as filters and shown as fields of events. */
export const eventAliases = (registry: Parts['registry']): EventAliases => {
  const aliases: EventAliases = {}
  for (const { integration } of registry.all) {
    const { subject, container } = integration.aliases ?? {}
    if (subject !== undefined) aliases[subject] = 'subject'
    if (container !== undefined) aliases[container] = 'container'
  }
  return aliases
}

const payload = ({ raw }: StoredEvent): Json => {
  const stored = raw === null ? null : (JSON.parse(Buffer.from(raw).toString('utf8')) as { action?: Json; found?: Json })
  return stored && (stored.action ?? stored.found ?? null)
}

const integrationOf = (registry: Parts['registry'], row: StoredEvent) => registry.all.find(({ integration }) => integration.id === row.integration)?.integration

/** What an event changed, as its integration reads it from what is stored. */
const changeOf = (registry: Parts['registry'], row: StoredEvent) => {
  const source = integrationOf(registry, row)?.webhooks
  const event = source && readEvent(source, row)
  return { before: event?.before ?? null, after: event?.after ?? null }
}

/** Lists rows of connections that belong to somebody of the platform. */
const listOwned = async <F extends object, T>(
  { store }: Pick<Parts, 'store'>,
  tenant: string,
  filter: (F & Owned) | undefined,
  list: (filter: F & { connections?: string[] }) => Promise<Listed<T>>,
): Promise<Listed<T>> => {
  const { owned, isAsked, rest } = splitOwned<F>(filter ?? ({} as F))
  if (!isAsked) return list(rest as F)
  const connections = await ownedConnections(store, tenant, owned)
  return connections.length === 0 ? { items: [] } : list({ ...(rest as F), connections })
}

const listStarts = async (store: Parts['store'], tenant: string, page: Page, filter: StartFilter & Owned = {}): Promise<Listed<Start>> => {
  const { owned, isAsked, rest } = splitOwned<StartFilter>(filter)
  if (!isAsked) return store.starts.list(tenant, page, rest)
  const owners = { connections: await ownedConnections(store, tenant, owned), subscriptions: await ownedSubscriptions(store, tenant, owned) }
  return owners.connections.length + owners.subscriptions.length === 0 ? { items: [] } : store.starts.list(tenant, page, { ...rest, owners })
}

const addStarts = async (store: Parts['store'], tenant: string, { items, ...rest }: Listed<EventView>): Promise<Listed<EventWithStarts>> => {
  const found = await store.starts.ofEvents(tenant, [...new Set(items.map(({ id }) => id))], maxListedStarts)
  const byEvent = Map.groupBy(found, ({ event, connection }) => `${event} ${connection}`)
  const startsOf = ({ id, connection }: EventView) => byEvent.get(`${id} ${connection}`) ?? []
  return {
    ...rest,
    items: items.map((item) => ({ ...item, starts: startsOf(item).map(({ id, subscription, state }) => ({ id, subscription, state })) })),
  }
}

/** What arrived and what it started, to be read and replayed. */
export const createInbox = ({ registry, store, now, index, pending, subscriptions, onStarts }: Parts) => {
  const aliases = eventAliases(registry)
  const filterOf = (given: EventFilter): StoredFilter =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [Object.hasOwn(aliases, name) ? aliases[name]! : name, value]))
  const view = (row: StoredEvent): EventView => viewEvent(row, integrationOf(registry, row)?.aliases)

  const eventOf = async (caller: Caller, id: string, connection: string | undefined): Promise<StoredEvent> => {
    const rows = await store.events.byId(caller.tenant, id)
    const mine = rows.filter(
      (row) => (connection === undefined || row.connection === connection) && (!caller.connections || caller.connections.includes(row.connection)),
    )
    // Each connection that received the event has a row of its own; without a connection named, the latest row is used.
    const row = mine.at(-1)
    if (!row) throw fail('not_found', `There is no event "${id}".`)
    return row
  }
  const startOf = async (caller: Caller, id: string): Promise<Start> => {
    const start = await store.starts.get(caller.tenant, id)
    if (!start || (caller.connections && !caller.connections.includes(start.connection))) throw fail('not_found', `There is no start "${id}".`)
    return start
  }
  const startsOf = async ({ tenant, id, connection }: StoredEvent) => (await store.starts.list(tenant, { limit: maxStarts }, { event: id, connection })).items
  const detail = (start: Start): StartDetail => ({ ...viewStart(start), ...viewAnswers(start), data: start.data })

  /** A second start with a key of its own: to the agent it is new. */
  const startAnew = async (start: Start): Promise<Start> => {
    const at = now()
    const id = startKey(start.tenant, start.subscription, `${start.event} ${randomUUID()}`)
    const again: Start = {
      ...start,
      id,
      replayOf: start.replayOf ?? start.id,
      state: 'pending',
      attempts: 0,
      dueAt: at,
      leaseEpoch: 0,
      settleMs: null,
      mergedInto: null,
      answer: null,
      answers: null,
      createdAt: at,
      endedAt: null,
    }
    await store.ingest({ starts: [again] })
    onStarts([again])
    return again
  }

  const requireData = (start: Start) => {
    if (start.data === null) throw fail('conflict', 'Retention has removed the data of this start, so it cannot be sent again.')
  }

  return {
    hooks: {
      list: async (caller: Caller, page: Page, filter?: { connection?: string; integration?: string } & Owned): Promise<Listed<HookView>> =>
        listedAs(await listOwned({ store }, caller.tenant, filter, (asked) => store.hooks.list(caller.tenant, page, asked)), caller, viewHook),
    },
    gaps: {
      list: async (caller: Caller, page: Page, filter?: { connection?: string; model?: string } & Owned): Promise<Listed<GapView>> =>
        listedAs(await listOwned({ store }, caller.tenant, filter, (asked) => store.gaps.list(caller.tenant, page, asked)), caller, viewGap),
    },
    events: {
      /** The same events, each with what it started. */
      withStarts: async (caller: Caller, events: Listed<EventView>) => addStarts(store, caller.tenant, events),
      list: async (caller: Caller, page: Page, filter: EventFilter = {}, owned: Owned = {}): Promise<Listed<EventView>> =>
        listedAs(
          await listOwned({ store }, caller.tenant, { ...filterOf(filter), ...owned }, (asked) => store.events.list(caller.tenant, page, asked)),
          caller,
          view,
        ),
      undecodable: async (caller: Caller, page: Page): Promise<Listed<UndecodableView>> =>
        listedAs(await store.undecodable.list(caller.tenant, page), caller, viewUndecodable),
      async get(caller: Caller, id: string, connection?: string): Promise<EventDetail> {
        const row = await eventOf(caller, id, connection)
        const starts = (await startsOf(row)).map((start) => ({ ...viewStart(start), ...viewAnswers(start) }))
        return { ...view(row), ...changeOf(registry, row), raw: payload(row), starts }
      },
      /** Replays the event's ended starts, and matches the subscriptions that have no start of it, including those attached later. */
      async replay(caller: Caller, id: string, connection?: string): Promise<{ replayed: number; started: number }> {
        const row = await eventOf(caller, id, connection)
        const starts = await startsOf(row)
        let replayed = 0
        for (const start of starts.filter(isOver)) replayed += start.data === null ? 0 : await store.starts.replay(caller.tenant, { id: start.id }, now())
        const having = new Set(starts.map(({ subscription }) => subscription))
        const others = index
          .ofConnection(caller.tenant, row.connection)
          .filter(({ subscription }) => !having.has(subscription.id) && subscription.state !== 'paused')
        const started = await pending.rematch(row, others, true)
        if (replayed > 0) onStarts(starts)
        return { replayed, started }
      },
    },
    starts: {
      /** `externalId` and `labels`: of the subscription or of its connection. */
      list: async (caller: Caller, page: Page, filter?: StartFilter & Owned): Promise<Listed<StartView>> =>
        listedAs(await listStarts(store, caller.tenant, page, filter), caller, viewStart),
      get: async (caller: Caller, id: string): Promise<StartDetail> => detail(await startOf(caller, id)),
      /** Sends an ended start again under the same key, so that an agent that has it can ignore it; with `force` under a new key. */
      async replay(caller: Caller, id: string, options: { force?: boolean | undefined } = {}): Promise<StartView> {
        const start = await startOf(caller, id)
        requireData(start)
        if (!isNotification(start)) await subscriptions.mustGet(caller, start.subscription)
        if (options.force) return viewStart(await startAnew(start))
        if (!isOver(start)) throw fail('conflict', `This start is ${start.state}, so there is nothing to repeat yet.`)
        await store.starts.replay(caller.tenant, { id }, now())
        onStarts([start])
        return viewStart(await startOf(caller, id))
      },
      /** Sends all dead (or missed) starts of a subscription again under their own keys. */
      async replayAll(caller: Caller, which: { subscription: string; state?: 'dead' | 'missed' | undefined }): Promise<{ replayed: number }> {
        const { subscription } = which
        if (subscription !== notificationsOwner || caller.connections) await subscriptions.mustGet(caller, subscription)
        const replayed = await store.starts.replay(caller.tenant, { subscription, state: which.state ?? 'dead' }, now())
        if (replayed > 0) onStarts([])
        return { replayed }
      },
    },
  }
}
