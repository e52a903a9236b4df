import type { Json } from '#kit'
import type { Caller, Listed, Page, Start, StartFilter, StoredEvent } from '../ports/index.ts'
import { ownedConnections, ownedSubscriptions, splitOwned } from '../owner-filter.ts'
import type { Owned } from '../owner-filter.ts'
import type { ExplainEvent } from './event-subscriptions.ts'
import { findEvent, findStart, startsOf } from './find-rows.ts'
import type { TriggerParts } from './parts.ts'
import { createReplays } from './replays.ts'
import type { ReplayDependencies } from './replays.ts'
import { readEvent } from './stored-events.ts'
import { viewAnswers, viewEvent, viewGap, viewHook, viewStart, viewUndecodable } from './views.ts'
import type {
  EventDetail,
  EventView,
  EventWithStarts,
  GapView,
  HookView,
  StartDetail,
  StartView,
  UndecodableView,
} from './views.ts'
import { isBoundToPerson, mayUseConnection } from '../people/act-for.ts'
import { subscriptionIds } from './subscriptions/agent-name.ts'
import type { SubscriptionsOf } from './subscriptions/agent-name.ts'

type InboxDependencies = Pick<TriggerParts, 'registry'> & ReplayDependencies & { explainEvent: ExplainEvent }

type StoredFilter = {
  connection?: string
  hook?: string
  type?: string
  subject?: string
  container?: string
  about?: string
  state?: StoredEvent['state']
}
/**
 * Also accepts the names that an integration declares for subject and container, and `trigger` or `agent` for events
 * that started its subscriptions.
 */
export type EventFilter = StoredFilter & { [alias: string]: string | undefined }
export type EventAliases = { [alias: string]: 'subject' | 'container' }
/** Maximum number of starts listed for all events of one page. */
const maxListedStarts = 2000

/** The rows of a page that the caller may see. */
const visibleTo = <T extends { connection: string }>(caller: Caller, { items, ...page }: Listed<T>): Listed<T> => ({
  items: items.filter(({ connection }) => mayUseConnection(caller, connection)),
  ...page,
})

const listedAs = <T extends { connection: string }, V>(
  listed: Listed<T>,
  caller: Caller,
  view: (row: T) => V,
): Listed<V> => {
  const { items, ...page } = visibleTo(caller, listed)
  return { items: items.map(view), ...page }
}

/** Names that integrations declare for subject and container: accepted as filters and shown as fields of events. */
const eventAliases = (registry: TriggerParts['registry']): EventAliases => {
  const aliases: EventAliases = {}
  for (const { integration } of registry.all) {
    const { subject, container } = integration.aliases ?? {}
    if (subject !== undefined) aliases[subject] = 'subject'
    if (container !== undefined) aliases[container] = 'container'
  }
  return aliases
}

const payload = ({ raw }: StoredEvent): Json => {
  const stored =
    raw === null ? null : (JSON.parse(Buffer.from(raw).toString('utf8')) as { action?: Json; found?: Json })
  return stored && (stored.action ?? stored.found ?? null)
}

const integrationOf = (registry: TriggerParts['registry'], row: StoredEvent) =>
  registry.all.find(({ integration }) => integration.id === row.integration)?.integration

/** What an event changed, as its integration decodes it from the stored payload. */
const changeOf = (registry: TriggerParts['registry'], row: StoredEvent) => {
  const source = integrationOf(registry, row)?.webhooks
  const event = source && readEvent(source, row)
  return { before: event?.before ?? null, after: event?.after ?? null }
}

/** Lists rows of the connections that carry the platform's own id or labels in `filter`. */
const listOwned = async <F extends object, T>(
  { store }: Pick<TriggerParts, 'store'>,
  tenant: string,
  filter: (F & Owned) | undefined,
  list: (filter: F & { connections?: string[] }) => Promise<Listed<T>>,
): Promise<Listed<T>> => {
  const { owned, isAsked, rest: remainingFilter } = splitOwned<F>(filter ?? ({} as F))
  if (!isAsked) return list(remainingFilter as F)
  const connections = await ownedConnections(store, tenant, owned)
  return connections.length === 0 ? { items: [] } : list({ ...(remainingFilter as F), connections })
}

const ownersOf = async (store: TriggerParts['store'], tenant: string, owned: Owned) => ({
  connections: await ownedConnections(store, tenant, owned),
  subscriptions: await ownedSubscriptions(store, tenant, owned),
})

/** The subscriptions of one person, also removed ones; those that carry the platform's own id or labels if the filter has them. */
const ownersFor = async (store: TriggerParts['store'], tenant: string, person: string, owned: Owned | undefined) => {
  const rows = await store.subscriptions.attachedFor(tenant, person)
  const owners = owned && (await ownersOf(store, tenant, owned))
  const isOwned = ({ id, connection }: { id: string; connection: string }) =>
    owners === undefined || owners.subscriptions.includes(id) || owners.connections.includes(connection)
  return { connections: [], subscriptions: rows.filter(isOwned).map(({ id }) => id) }
}

type AskedStarts = StartFilter & Owned & SubscriptionsOf & { person?: string }

const listStarts = async (
  store: TriggerParts['store'],
  caller: Caller,
  page: Page,
  { person: wantedPerson, trigger, agent, ...filter }: AskedStarts = {},
): Promise<Listed<Start>> => {
  const { tenant } = caller
  const subscriptions = await subscriptionIds(store, caller, { trigger, agent })
  if (subscriptions?.length === 0) return { items: [] }
  const person = isBoundToPerson(caller) ? caller.person : wantedPerson
  if (wantedPerson !== undefined && wantedPerson !== person) return { items: [] }
  const { owned, isAsked, rest } = splitOwned<StartFilter>(filter)
  const remainingFilter = { ...rest, ...(subscriptions ? { subscriptions } : {}) }
  if (person === undefined && !isAsked) return store.starts.list(tenant, page, remainingFilter)
  const owners =
    person === undefined
      ? await ownersOf(store, tenant, owned)
      : await ownersFor(store, tenant, person, isAsked ? owned : undefined)
  return owners.connections.length + owners.subscriptions.length === 0
    ? { items: [] }
    : store.starts.list(tenant, page, { ...remainingFilter, owners })
}

const addStarts = async (
  store: TriggerParts['store'],
  caller: Caller,
  { items, ...rest }: Listed<EventView>,
): Promise<Listed<EventWithStarts>> => {
  const { tenant, person } = caller
  const all = await store.starts.ofEvents(tenant, [...new Set(items.map(({ id }) => id))], maxListedStarts)
  const own = isBoundToPerson(caller)
    ? new Set((await store.subscriptions.attachedFor(tenant, person!)).map(({ id }) => id))
    : undefined
  const starts = all.filter(({ subscription }) => own?.has(subscription) ?? true)
  const byEvent = Map.groupBy(starts, ({ event, connection }) => `${event} ${connection}`)
  const startsOf = ({ id, connection }: EventView) => byEvent.get(`${id} ${connection}`) ?? []
  return {
    ...rest,
    items: items.map((item) => ({
      ...item,
      starts: startsOf(item).map(({ id, subscription, state }) => ({ id, subscription, state })),
    })),
  }
}

/** Lists events, starts, hooks and gaps, and replays events and starts. */
export const createInbox = ({ registry, explainEvent, ...dependencies }: InboxDependencies) => {
  const { store, wording } = dependencies
  const replays = createReplays(dependencies)
  const aliases = eventAliases(registry)
  const filterOf = (filter: EventFilter): StoredFilter =>
    Object.fromEntries(
      Object.entries(filter).map(([name, value]) => [Object.hasOwn(aliases, name) ? aliases[name]! : name, value]),
    )
  const viewEvents = async (tenant: string, rows: StoredEvent[]): Promise<EventView[]> => {
    const words = await wording.rows(tenant, rows)
    return rows.map((row, index) => viewEvent(row, integrationOf(registry, row)?.aliases, words[index]!))
  }
  const viewStarts = async (tenant: string, starts: Start[]): Promise<StartView[]> => {
    const words = await wording.rows(tenant, starts)
    return starts.map((start, index) => viewStart(start, words[index]!))
  }

  return {
    hooks: {
      list: async (
        caller: Caller,
        page: Page,
        filter?: { connection?: string; integration?: string } & Owned,
      ): Promise<Listed<HookView>> =>
        listedAs(
          await listOwned({ store }, caller.tenant, filter, (narrowedFilter) =>
            store.hooks.list(caller.tenant, page, narrowedFilter),
          ),
          caller,
          viewHook,
        ),
    },
    gaps: {
      list: async (
        caller: Caller,
        page: Page,
        filter?: { connection?: string; model?: string } & Owned,
      ): Promise<Listed<GapView>> =>
        listedAs(
          await listOwned({ store }, caller.tenant, filter, (narrowedFilter) =>
            store.gaps.list(caller.tenant, page, narrowedFilter),
          ),
          caller,
          viewGap,
        ),
    },
    events: {
      /** Adds to each event the starts it led to. */
      withStarts: async (caller: Caller, events: Listed<EventView>) => addStarts(store, caller, events),
      list: async (
        caller: Caller,
        page: Page,
        { trigger, agent, ...filter }: EventFilter = {},
        owned: Owned = {},
      ): Promise<Listed<EventView>> => {
        const startedBy = await subscriptionIds(store, caller, { trigger, agent })
        if (startedBy?.length === 0) return { items: [] }
        const rows = await listOwned({ store }, caller.tenant, { ...filterOf(filter), ...owned }, (narrowedFilter) =>
          store.events.list(caller.tenant, page, { ...narrowedFilter, ...(startedBy ? { startedBy } : {}) }),
        )
        const { items, ...paging } = visibleTo(caller, rows)
        return { items: await viewEvents(caller.tenant, items), ...paging }
      },
      undecodable: async (caller: Caller, page: Page): Promise<Listed<UndecodableView>> =>
        listedAs(await store.undecodable.list(caller.tenant, page), caller, viewUndecodable),
      async get(caller: Caller, id: string, connection?: string): Promise<EventDetail> {
        const row = await findEvent(store, caller, id, connection)
        const starts = await startsOf(store, caller, row)
        const [view] = await viewEvents(caller.tenant, [row])
        const startViews = await viewStarts(caller.tenant, starts)
        return {
          ...view!,
          ...changeOf(registry, row),
          raw: payload(row),
          starts: startViews.map((start, index) => ({ ...start, ...viewAnswers(starts[index]!) })),
          ...(await explainEvent(caller, row, starts)),
        }
      },
      replay: replays.ofEvent,
    },
    starts: {
      /** `externalId` and `labels` match those of the subscription or of its connection. */
      async list(caller: Caller, page: Page, filter?: AskedStarts): Promise<Listed<StartView>> {
        const { items, ...paging } = visibleTo(caller, await listStarts(store, caller, page, filter))
        return { items: await viewStarts(caller.tenant, items), ...paging }
      },
      async get(caller: Caller, id: string): Promise<StartDetail> {
        const start = await findStart(store, caller, id)
        const [view] = await viewStarts(caller.tenant, [start])
        return { ...view!, ...viewAnswers(start), data: start.data }
      },
      replay: replays.ofStart,
      replayAll: replays.ofSubscription,
    },
  }
}
