import { hash } from 'node:crypto'
import { isFailure } from '#kit'
import type { Event, Json, Listing, Need, WebhookSource } from '#kit'
import type { Cursor, Gap, Start } from '../../ports/index.ts'
import type { AccountBook } from '../connection-cache.ts'
import { everyKind, newGap } from './gaps.ts'
import { matchAll, storedEvent } from '../match.ts'
import type { Known, Sighting } from '../match.ts'
import { modelName, readModel } from '../match-index.ts'
import type { MatchIndex, Watcher } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { At, Reach } from '../provider-session.ts'
import type { Turns } from '../keyed-mutex.ts'

export type Recovered = { events: number; starts: number; gaps: number; calls: number }

type Parts = Pick<TriggerParts, 'registry' | 'store' | 'own' | 'log'> & {
  now(): number
  index: MatchIndex
  accounts: AccountBook
  reach: Reach
  turns: Turns
  onStarts(starts: Start[]): void
  onPending(): void
  onStanding(at: At, standing: NonNullable<ReturnType<WebhookSource['standing']>>): void
}

/** Events per commit: bounds how much is listed again when the process dies over it. */
const chunk = 200
/** Without any history to go by, what happened up to two minutes ago counts as before. */
const unknownStartMs = 2 * 60_000
/** The newest facts that are looked through for ones that fit. */
const mostLookedAt = 1000

export type Recovery = ReturnType<typeof createRecovery>

/** Lists what happened at the provider since it was last listed, and puts it in the inbox. The only mover of history cursors. */
export const createRecovery = ({ registry, store, own, log, now, index, accounts, reach, turns, onStarts, onPending, onStanding }: Parts) => {
  const sourceOf = (integration: string): WebhookSource => registry.integration(integration).integration.webhooks!
  const inTurn = <T>(at: At, model: string, work: () => Promise<T>) => turns(`history ${at.tenant} ${at.connection} ${model}`, work)
  const cursorAt = ({ tenant, connection }: At, model: string, position: string | null, at: number): Cursor => ({
    tenant,
    connection,
    model,
    position,
    at,
    listedAt: now(),
  })

  const list = (at: At, model: string, asked: Parameters<WebhookSource['history']>[2]) =>
    reach.use(at, 'read', (ctx) => sourceOf(at.integration).history(ctx, readModel(model), asked))

  const see = async (at: At, event: Event, account: string | null): Promise<Sighting> => {
    const { tenant, connection, integration } = at
    const known = await store.events.get(tenant, connection, event.id)
    // A delivery knew more of the cause than a history tells.
    const cause = known && known.causedByUs !== 'unknown' ? known : await own.ofListed({ tenant, connection, event, account })
    const depth = known ? known.depth : await own.depthOf(tenant, connection, cause, event.card?.id ?? null)
    return { tenant, connection, integration, hook: null, event: { ...event, causedByUs: cause.causedByUs }, runId: cause.runId, depth }
  }

  const knownOf = (account: string | null): Known =>
    account === null ? { facts: {}, asked: new Set<Need>() } : { facts: { me: account }, asked: new Set<Need>(['me']) }

  /** One commit: these events, what they start, and the cursor behind them. */
  const take = async (at: At, events: Event[], rest: { cursor?: Cursor; gaps?: Gap[] }, watchersOf: (event: Event) => readonly Watcher[]) => {
    const account = accounts.accountId(at.tenant, at.connection) ?? null
    const sightings: Sighting[] = []
    for (const event of events) sightings.push(await see(at, event, account))
    const matched = sightings.map((sighting) => ({ sighting, ...matchAll(watchersOf(sighting.event), sighting, knownOf(account), now(), log) }))
    const starts = matched.flatMap((one) => one.starts)
    const rows = matched.map(({ sighting, lacking, failed }) => storedEvent(sighting, now(), lacking.size > 0 || failed ? 'pending' : 'matched'))
    const arrived = await store.ingest({ events: rows, starts, ...rest })
    onStarts(starts.filter(({ id }) => arrived.starts.includes(id)))
    if (rows.some(({ id, state }) => state === 'pending' && arrived.events.includes(id))) onPending()
    for (const { event } of sightings) {
      const standing = arrived.events.includes(event.id) ? sourceOf(at.integration).standing(event) : undefined
      if (standing) onStanding(at, standing)
    }
    return arrived
  }

  const keepUndecodable = async ({ tenant, integration, connection }: At, facts: Json[]) => {
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

  const gapOf = (at: At, model: string, cursor: Cursor, { events, reached }: Listing): Gap[] => {
    if (reached) return []
    const oldest = events[0] ? Date.parse(events[0].at) : now()
    return [
      newGap(
        at,
        model,
        { from: cursor.at, to: Math.max(cursor.at, oldest) },
        everyKind,
        "The provider's history no longer goes back to where it was last read.",
        now(),
      ),
    ]
  }

  const takeListing = async (at: At, model: string, cursor: Cursor, listing: Listing) => {
    const gaps = gapOf(at, model, cursor, listing)
    const found = { events: 0, starts: 0, gaps: gaps.length }
    const { events } = listing
    await keepUndecodable(at, listing.undecodable)
    for (let from = 0; from < events.length; from += chunk) {
      const part = events.slice(from, from + chunk)
      const last = part.at(-1)!
      const lastAt = Date.parse(last.at)
      // Events from before the mark come again; the cursor never goes back.
      const moved = lastAt >= cursor.at ? cursorAt(at, model, last.id, lastAt) : undefined
      const arrived = await take(at, part, { ...(moved ? { cursor: moved } : {}), ...(from === 0 ? { gaps } : {}) }, ({ models, type }) =>
        index.concerned(at.tenant, at.connection, models, type),
      )
      found.events += arrived.events.length
      found.starts += arrived.starts.length
    }
    if (events.length === 0) await store.ingest({ cursor: { ...cursor, listedAt: now() }, gaps })
    return found
  }

  /** Some watched things have no history that can be listed; the integration refuses to. */
  const orNothing = async (listing: Promise<{ value: Listing }>): Promise<Listing | undefined> => {
    try {
      return (await listing).value
    } catch (thrown) {
      if (isFailure(thrown) && thrown.code === 'internal') return undefined
      throw thrown
    }
  }

  const listAll = async (at: At, { models, types }: Watcher, asked: Pick<Parameters<WebhookSource['history']>[2], 'since' | 'limit'>): Promise<Event[]> => {
    const events: Event[] = []
    for (const model of models) events.push(...((await orNothing(list(at, model, { ...asked, types, via: 'recovery' })))?.events ?? []))
    return events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  }

  return {
    /** Whether the provider keeps a history of the model that can be listed. */
    async hasHistory(at: At, model: string): Promise<boolean> {
      return (await store.cursors.get(at.tenant, at.connection, model)) !== undefined
    },
    /**
     * Where a subscription to the model begins, read now: just after the newest fact. Sets the cursor there when nobody has listed the model
     * yet, or nobody watches it any more.
     */
    begin: (at: At, model: string): Promise<number> =>
      inTurn(at, model, async () => {
        const listing = await orNothing(list(at, model, { limit: 1, via: 'recovery' }))
        const found = listing?.newest
        const start = found ? found.at + 1 : now() - unknownStartMs
        const isWatched = index.watching(at.tenant, at.connection, model).length > 0
        const present = await store.cursors.get(at.tenant, at.connection, model)
        if (listing && (!present || !isWatched)) await store.cursors.put(cursorAt(at, model, found?.id ?? null, found?.at ?? start))
        return start
      }),
    /** Lists everything since the cursor, oldest first; the cursor moves in the same commits. */
    recover: (at: At, model: string, via: 'recovery' | 'poll' = 'recovery'): Promise<Recovered> =>
      inTurn(at, model, async () => {
        const cursor = await store.cursors.get(at.tenant, at.connection, model)
        if (!cursor) return { events: 0, starts: 0, gaps: 0, calls: 0 }
        const since = { at: cursor.at, ...(cursor.position === null ? {} : { id: cursor.position }) }
        const { value, calls } = await list(at, model, { since, via })
        const found = await takeListing(at, model, cursor, value)
        if (found.events > 0) log(via === 'poll' ? 'debug' : 'info', 'history.found', { connection: at.connection, model, ...found })
        return { ...found, calls }
      }),
    /** What happened since a time, for one subscription alone. The cursor stays. */
    async replay(at: At, watcher: Watcher, since: number): Promise<number> {
      const only = (event: Event) => (event.models.some((one) => watcher.models.includes(modelName(one))) ? [watcher] : [])
      const events = await listAll(at, watcher, { since: { at: since } })
      let starts = 0
      for (let from = 0; from < events.length; from += chunk) starts += (await take(at, events.slice(from, from + chunk), {}, only)).starts.length
      return starts
    },
    /** The newest events that fit a subscription, newest first; stored nowhere. */
    async examples(at: At, watcher: Watcher, count: number): Promise<Event[]> {
      return newestThatFit(await listAll(at, watcher, { limit: mostLookedAt }), watcher, count)
    },
  }
}

/** What cannot be decided without fetching counts as fitting. */
const newestThatFit = (events: Event[], { trigger, config }: Watcher, count: number): Event[] => {
  const { needs, match, key } = trigger.webhook!
  const fits = (event: Event) => (needs?.(event, config) ?? []).length > 0 || match(event, config, {}) !== undefined
  const chosen = new Map<string, Event>()
  for (const event of events.toReversed()) {
    const name = key?.(event, config) ?? event.id
    if (chosen.size < count && !chosen.has(name) && fits(event)) chosen.set(name, event)
  }
  return [...chosen.values()]
}
