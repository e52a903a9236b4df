import { describeDefect, fail, isFailure, ownAccountNeed } from '#kit'
import type { Event, Facts, WebhookSource } from '#kit'
import type { Start, StoredEvent } from '../../ports/index.ts'
import type { ConnectionCache } from '../connection-cache.ts'
import { matchAll } from '../match.ts'
import type { Known, ObservedEvent } from '../match.ts'
import { modelName } from '../match-index.ts'
import type { MatchIndex, ActiveSubscription } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef, ProviderSessions } from '../provider-session.ts'
import { readEvent } from '../stored-events.ts'
import { createInFlight } from './in-flight.ts'

type Parts = Pick<TriggerParts, 'registry' | 'store' | 'log'> & {
  now(): number
  index: MatchIndex
  connections: ConnectionCache
  sessions: ProviderSessions
  onStarts(starts: Start[]): void
  /** A tenant that had as much under way as it may has room again. */
  onRoom(): void
}

const batch = 20
/** A claimed event comes again after this, should the process die over it. */
const claimMs = 6 * 60_000
const firstWaitMs = 5_000
const maxWaitMs = 15 * 60_000
const noAccountWaitMs = 5 * 60_000
/** Earlier events of a subject that are searched for what the provider no longer says. */
const lookBack = 100

const nothingKnown: Known = { facts: {}, asked: new Set() }

const waitMs = (attempts: number, thrown: unknown) =>
  isFailure(thrown) && thrown.code === 'not_connected' ? noAccountWaitMs : Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(attempts - 1, 10))

/** Matches events for which something must be fetched first; tries until it has it, and never drops one. */
export const createPending = ({ registry, store, log, now, index, connections, sessions, onStarts, onRoom }: Parts) => {
  const underWay = createInFlight(batch, onRoom)
  const sourceOf = (integration: string): WebhookSource => registry.integration(integration).integration.webhooks!

  const accountId = async ({ tenant, connection }: ConnectionRef): Promise<string> => {
    const known = connections.accountId(tenant, connection) ?? (await connections.refresh(tenant, connection))?.accountId
    if (known) return known
    throw fail('not_connected', 'It is not known yet whose account this is: test the connection.')
  }

  /** Stored events of the same subject, newest first: for what the provider no longer says. */
  const earlierEvents = async (ref: ConnectionRef, event: Event): Promise<Event[]> => {
    if (event.subject === undefined) return []
    const { items } = await store.events.list(ref.tenant, { limit: lookBack }, { connection: ref.connection, subject: event.subject.id })
    return items.flatMap((row) => (row.id === event.id ? [] : (readEvent(sourceOf(ref.integration), row) ?? [])))
  }

  /** `limited`: within the scopes of the connection, for what a caller asks. */
  const fetchOne = async (ref: ConnectionRef, event: Event, need: string, limited?: 'limited'): Promise<unknown> => {
    if (need === ownAccountNeed) return accountId(ref)
    const source = sourceOf(ref.integration)
    if (!source.facts) throw fail('internal', `"${ref.integration}" has a trigger that needs "${need}", and nothing that fetches it.`)
    return (await sessions.use(ref, 'read', (ctx) => source.facts!(ctx, event, need, () => earlierEvents(ref, event)), limited)).value
  }

  const concerned = ({ tenant, connection, event }: ObservedEvent) => index.concerned(tenant, connection, event.models, event.type)

  /** Matches with everything fetched that is needed. `present` is asked again at the end: meanwhile a subscription may have come, changed or gone. */
  const matchFully = async (observed: ObservedEvent, present: () => readonly ActiveSubscription[], ignoreMark = false): Promise<Start[]> => {
    const { tenant, connection, integration, event } = observed
    const first = matchAll(present(), observed, nothingKnown, now(), log, ignoreMark)
    let facts: Facts = {}
    for (const need of first.lacking) facts = { ...facts, [need]: await fetchOne({ tenant, connection, integration }, event, need) }
    const { starts, lacking, failed } = matchAll(present(), observed, { facts, asked: first.lacking }, now(), log, ignoreMark)
    if (failed || lacking.size > 0) throw fail('internal', 'The event could not be matched with every subscription.')
    return starts
  }

  const observedOf = (row: StoredEvent): ObservedEvent | undefined => {
    const { tenant, connection, integration, hook, runId, depth } = row
    const event = readEvent(sourceOf(integration), row)
    return event && { tenant, connection, integration, hook, event, runId, depth }
  }

  const work = async (row: StoredEvent): Promise<void> => {
    try {
      const observed = observedOf(row)
      if (!observed) log('error', 'event.unreadable', { eventId: row.id })
      const starts = observed ? await matchFully(observed, () => concerned(observed)) : []
      await store.events.matched(row, starts)
      onStarts(starts)
    } catch (thrown) {
      log('warn', 'event.not_matched_yet', {
        eventId: row.id,
        attempts: row.attempts,
        reason: isFailure(thrown) ? thrown.code : describeDefect(thrown).message,
      })
      await store.events.postpone(row, now() + waitMs(row.attempts, thrown))
    }
  }

  const put = async (starts: Start[]): Promise<number> => {
    if (starts.length === 0) return 0
    const added = (await store.ingest({ starts })).starts
    onStarts(starts.filter(({ id }) => added.includes(id)))
    return added.length
  }

  return {
    /** Begins with some of what is due, of tenants that have not too much under way; gives how many. */
    async tick(): Promise<number> {
      const at = now()
      const rows = await store.events.claimPending(at, batch, at + claimMs, { exceptTenants: underWay.full() })
      for (const row of rows) underWay.add(row.tenant, work(row))
      return rows.length
    },
    idle: underWay.idle,
    /** Fetches and matches at once, for an event whose row another hook has made. */
    settle: async (observed: ObservedEvent): Promise<void> => void (await put(await matchFully(observed, () => concerned(observed)))),
    /** Matches an event of the inbox with some subscriptions more; gives how many starts that added. Those there are already stay as they are. */
    async rematch(row: StoredEvent, actives: readonly ActiveSubscription[], ignoreMark: boolean): Promise<number> {
      const observed = observedOf(row)
      if (!observed) return 0
      const names = new Set(observed.event.models.map(modelName))
      const fitting = actives.filter(({ models, types }) => models.some((model) => names.has(model)) && (types.includes('*') || types.includes(row.type)))
      return fitting.length === 0 ? 0 : put(await matchFully(observed, () => fitting, ignoreMark))
    },
    fetchOne,
  }
}
