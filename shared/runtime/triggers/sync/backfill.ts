import { hash } from 'node:crypto'
import type { Event, Json, Listing, WebhookSource } from '#kit'
import { gapsFound } from '../../notices.ts'
import type { Arrival, Arrived, Cursor, Gap } from '../../ports/index.ts'
import type { Admission, Admit } from '../admit.ts'
import { everyKind, newGap } from './gaps.ts'
import { modelName, readModel } from '../match-index.ts'
import type { MatchIndex, ActiveSubscription } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef, ProviderSessions } from '../provider-session.ts'
import type { KeyedMutex } from '../keyed-mutex.ts'

export type Backfilled = { events: number; starts: number; gaps: number; calls: number }

type Parts = Pick<TriggerParts, 'registry' | 'store' | 'log'> & {
  now(): number
  index: MatchIndex
  admit: Admit
  sessions: ProviderSessions
  mutex: KeyedMutex
}

/** Events per commit: bounds how much is listed again when the process dies over it. */
const chunk = 200
/** Without any history to go by, what happened up to two minutes ago counts as before. */
const unknownStartMs = 2 * 60_000
/** The newest facts that are looked through for ones that fit. */
const maxExamined = 1000

/** What the history no longer holds, where it does not go back to the cursor. */
const gapOf = (ref: ConnectionRef, model: string, cursor: Cursor, { events, reached }: Listing, now: number): Gap[] => {
  if (reached) return []
  const oldest = events[0] ? Date.parse(events[0].at) : now
  const span = { from: cursor.at, to: Math.max(cursor.at, oldest) }
  return [newGap(ref, model, span, everyKind, "The provider's history no longer goes back to where it was last read.", now)]
}

export type Backfill = ReturnType<typeof createBackfill>

/** Lists what happened at the provider since it was last listed, and puts it in the inbox. The only mover of history cursors. */
export const createBackfill = ({ registry, store, log, now, index, admit, sessions, mutex }: Parts) => {
  const sourceOf = (integration: string): WebhookSource => registry.integration(integration).integration.webhooks!
  const inTurn = <T>(ref: ConnectionRef, model: string, work: () => Promise<T>) => mutex(`history ${ref.tenant} ${ref.connection} ${model}`, work)
  const cursorAt = ({ tenant, connection }: ConnectionRef, model: string, position: string | null, at: number): Cursor => ({
    tenant,
    connection,
    model,
    position,
    at,
    listedAt: now(),
  })

  const list = (ref: ConnectionRef, model: string, asked: Parameters<WebhookSource['history']>[2]) =>
    sessions.use(ref, 'read', (ctx) => sourceOf(ref.integration).history(ctx, readModel(model), asked))

  /** One commit: these events, what they start, and the cursor behind them. */
  const take = async (
    ref: ConnectionRef,
    events: Event[],
    alongside: Pick<Arrival, 'cursor' | 'gaps' | 'notices'>,
    only?: Admission['only'],
  ): Promise<Arrived> => (await admit({ ...ref, observations: events.map((event) => ({ event })), alongside, ...(only ? { only } : {}) })).arrived

  const keepUndecodable = async ({ tenant, integration, connection }: ConnectionRef, facts: Json[]) => {
    for (const fact of facts) {
      const raw = Buffer.from(JSON.stringify(fact))
      await store.undecodable.add({
        tenant,
        id: hash('sha256', raw),
        integration,
        connection,
        hook: '',
        receivedAt: now(),
        reason: 'The history holds a fact that cannot be read.',
        raw,
      })
    }
  }

  const takeListing = async (ref: ConnectionRef, model: string, cursor: Cursor, listing: Listing) => {
    const gaps = gapOf(ref, model, cursor, listing, now())
    const notices = gaps.length > 0 ? gapsFound(gaps, await store.connections.get(ref.tenant, ref.connection)) : []
    const found = { events: 0, starts: 0, gaps: gaps.length }
    const { events } = listing
    await keepUndecodable(ref, listing.undecodable)
    for (let from = 0; from < events.length; from += chunk) {
      const part = events.slice(from, from + chunk)
      const last = part.at(-1)!
      const lastAt = Date.parse(last.at)
      // Events from before the mark come again; the cursor never goes back.
      const moved = lastAt >= cursor.at ? cursorAt(ref, model, last.id, lastAt) : undefined
      const arrived = await take(ref, part, { ...(moved ? { cursor: moved } : {}), ...(from === 0 ? { gaps, notices } : {}) })
      found.events += arrived.events.length
      found.starts += arrived.starts.length
    }
    if (events.length === 0) await store.ingest({ cursor: { ...cursor, listedAt: now() }, gaps, notices })
    return found
  }

  const listAll = async (
    ref: ConnectionRef,
    { models, types }: ActiveSubscription,
    asked: Pick<Parameters<WebhookSource['history']>[2], 'since' | 'limit'>,
  ): Promise<Event[]> => {
    const events: Event[] = []
    for (const model of models) events.push(...((await list(ref, model, { ...asked, types, via: 'recovery' })).value?.events ?? []))
    return events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  }

  return {
    /** Whether the provider keeps a history of the model that can be listed. */
    async hasHistory(ref: ConnectionRef, model: string): Promise<boolean> {
      return (await store.cursors.get(ref.tenant, ref.connection, model)) !== undefined
    },
    /**
     * Where a subscription to the model begins, read now: just after the newest fact. Sets the cursor there when nobody has listed the model
     * yet, or nobody watches it any more.
     */
    begin: (ref: ConnectionRef, model: string): Promise<number> =>
      inTurn(ref, model, async () => {
        const { value: listing } = await list(ref, model, { limit: 1, via: 'recovery' })
        const found = listing?.newest
        const start = found ? found.at + 1 : now() - unknownStartMs
        const isWatched = index.watching(ref.tenant, ref.connection, model).length > 0
        const present = await store.cursors.get(ref.tenant, ref.connection, model)
        if (listing && (!present || !isWatched)) await store.cursors.put(cursorAt(ref, model, found?.id ?? null, found?.at ?? start))
        return start
      }),
    /** Lists everything since the cursor, oldest first; the cursor moves in the same commits. */
    recover: (ref: ConnectionRef, model: string, via: 'recovery' | 'poll' = 'recovery'): Promise<Backfilled> =>
      inTurn(ref, model, async () => {
        const cursor = await store.cursors.get(ref.tenant, ref.connection, model)
        if (!cursor) return { events: 0, starts: 0, gaps: 0, calls: 0 }
        const since = { at: cursor.at, ...(cursor.position === null ? {} : { id: cursor.position }) }
        const { value, calls } = await list(ref, model, { since, via })
        if (!value) return { events: 0, starts: 0, gaps: 0, calls }
        const found = await takeListing(ref, model, cursor, value)
        if (found.events > 0) log(via === 'poll' ? 'debug' : 'info', 'history.found', { connection: ref.connection, model, ...found })
        return { ...found, calls }
      }),
    /** What happened since a time, for one subscription alone. The cursor stays. */
    async replay(ref: ConnectionRef, active: ActiveSubscription, since: number): Promise<number> {
      const only = (event: Event) => (event.models.some((one) => active.models.includes(modelName(one))) ? [active] : [])
      const events = await listAll(ref, active, { since: { at: since } })
      let starts = 0
      for (let from = 0; from < events.length; from += chunk) starts += (await take(ref, events.slice(from, from + chunk), {}, only)).starts.length
      return starts
    },
    /** The newest events that fit a subscription, newest first; stored nowhere. */
    async examples(ref: ConnectionRef, active: ActiveSubscription, count: number): Promise<Event[]> {
      return newestThatFit(await listAll(ref, active, { limit: maxExamined }), active, count)
    },
  }
}

/** What cannot be decided without fetching counts as fitting. */
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
