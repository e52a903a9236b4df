import type { Event, HistoryMark, WebhookSource } from '#kit'
import type { Cursor } from '../../ports/index.ts'
import type { Admit } from '../admit.ts'
import { modelName, readModel } from '../match-index.ts'
import type { MatchIndex, ActiveSubscription } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef, ProviderSessions } from '../provider-session.ts'
import type { KeyedMutex } from '../keyed-mutex.ts'
import { createAdmitListed } from './admit-listed.ts'

export type Backfilled = { events: number; starts: number; gaps: number; calls: number }

type BackfillDependencies = Pick<TriggerParts, 'registry' | 'store' | 'log'> & {
  now(): number
  index: MatchIndex
  admit: Admit
  sessions: ProviderSessions
  mutex: KeyedMutex
}

/** Without a history to start from, events up to two minutes ago count as earlier. */
const unknownStartMs = 2 * 60_000
/** Maximum number of newest events that are searched for matching ones. */
const maxExamined = 1000

export type Backfill = ReturnType<typeof createBackfill>

/**
 * Lists what happened at the provider since its history was last listed, and admits it. Nothing else moves the cursors
 * of histories.
 */
export const createBackfill = ({ registry, store, log, now, index, admit, sessions, mutex }: BackfillDependencies) => {
  const sourceOf = (integration: string): WebhookSource => registry.integration(integration).integration.webhooks!
  const inTurn = <T>(ref: ConnectionRef, model: string, work: () => Promise<T>) =>
    mutex(`history ${ref.tenant} ${ref.connection} ${model}`, work)
  const listed = createAdmitListed({ store, admit, now })

  const list = (ref: ConnectionRef, model: string, query: Parameters<WebhookSource['history']>[2]) =>
    sessions.use(ref, 'read', (ctx) => sourceOf(ref.integration).history(ctx, readModel(model), query))

  const listAll = async (
    ref: ConnectionRef,
    { models, types }: ActiveSubscription,
    query: Pick<Parameters<WebhookSource['history']>[2], 'since' | 'limit'>,
  ): Promise<Event[]> => {
    const events: Event[] = []
    for (const model of models)
      events.push(...((await list(ref, model, { ...query, types, via: 'recovery' })).value?.events ?? []))
    return events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  }

  return {
    /** Whether the provider has a history of the model that can be listed. */
    async hasHistory(ref: ConnectionRef, model: string): Promise<boolean> {
      return (await store.cursors.get(ref.tenant, ref.connection, model)) !== undefined
    },
    /**
     * The time in ms from which a new subscription to the model begins: just after the newest event in its history,
     * read now. Sets the cursor there when the model has no cursor yet, or when nobody watches it any more.
     */
    begin: (ref: ConnectionRef, model: string): Promise<number> =>
      inTurn(ref, model, async () => {
        const { value: listing } = await list(ref, model, { limit: 1, via: 'recovery' })
        const newestMark = listing?.newest
        const start = newestMark ? newestMark.at + 1 : now() - unknownStartMs
        const isWatched = index.watching(ref.tenant, ref.connection, model).length > 0
        const present = await store.cursors.get(ref.tenant, ref.connection, model)
        if (listing && (!present || !isWatched))
          await store.cursors.put(listed.cursorAt(ref, model, newestMark ?? { at: start }))
        return start
      }),
    /** Lists everything since the cursor, oldest first; the cursor moves in the same commits. */
    recover: (ref: ConnectionRef, model: string, via: 'recovery' | 'poll' = 'recovery'): Promise<Backfilled> =>
      inTurn(ref, model, async () => {
        const cursor = await store.cursors.get(ref.tenant, ref.connection, model)
        if (!cursor) return { events: 0, starts: 0, gaps: 0, calls: 0 }
        const since = markOf(cursor)
        const { value, calls } = await list(ref, model, { since, via })
        if (!value) return { events: 0, starts: 0, gaps: 0, calls }
        const found = await listed.admitListing(ref, model, cursor, value)
        if (found.events > 0)
          log(via === 'poll' ? 'debug' : 'info', 'history.found', { connection: ref.connection, model, ...found })
        return { ...found, calls }
      }),
    /** Admits what happened since a time, for one subscription only. The cursor stays. */
    async replay(ref: ConnectionRef, active: ActiveSubscription, since: number): Promise<number> {
      const only = (event: Event) =>
        event.models.some((model) => active.models.includes(modelName(model))) ? [active] : []
      const events = await listAll(ref, active, { since: { at: since } })
      return listed.admitFor(ref, events, only)
    },
    /** The newest events that match a subscription, newest first; stores nothing. */
    async examples(ref: ConnectionRef, active: ActiveSubscription, count: number): Promise<Event[]> {
      return newestThatFit(await listAll(ref, active, { limit: maxExamined }), active, count)
    },
  }
}

const markOf = ({ at, position, historyPosition }: Cursor): HistoryMark => ({
  at,
  ...(position === null ? {} : { id: position }),
  ...(historyPosition === null ? {} : { position: historyPosition }),
})

/** An event that cannot be decided without fetching facts counts as matching. */
const newestThatFit = (events: Event[], { trigger, config }: ActiveSubscription, count: number): Event[] => {
  const { needs, match, key } = trigger.webhook!
  const fits = (event: Event) => (needs?.(event, config) ?? []).length > 0 || match(event, config, {}) !== undefined
  const chosen = new Map<string, Event>()
  for (const event of events.toReversed()) {
    const name = key?.(event, config) ?? event.id
    if (chosen.size < count && !chosen.has(name) && fits(event)) chosen.set(name, event)
  }
  return [...chosen.values()]
}
