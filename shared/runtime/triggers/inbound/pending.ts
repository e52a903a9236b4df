import { describeDefect, fail, isFailure } from '#kit'
import type { Event, Facts, Named, Need, WebhookSource } from '#kit'
import type { Start, StoredEvent } from '../../ports/index.ts'
import type { AccountBook } from '../connection-cache.ts'
import { matchAll } from '../match.ts'
import type { Known, Sighting } from '../match.ts'
import { modelName } from '../match-index.ts'
import type { MatchIndex, Watcher } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { At, Reach } from '../provider-session.ts'
import { readEvent } from '../stored-events.ts'
import { createUnderWay } from './in-flight.ts'

type Parts = Pick<TriggerParts, 'registry' | 'store' | 'log'> & {
  now(): number
  index: MatchIndex
  accounts: AccountBook
  reach: Reach
  onStarts(starts: Start[]): void
  /** A tenant that had as much under way as it may has room again. */
  onRoom(): void
}

const batch = 20
/** A claimed event comes again after this, should the process die over it. */
const claimMs = 6 * 60_000
const firstWaitMs = 5_000
const longestWaitMs = 15 * 60_000
const noAccountWaitMs = 5 * 60_000
/** Earlier events of a card that are looked through for the list it was in. */
const lookBack = 100

const nothingKnown: Known = { facts: {}, asked: new Set() }

const waitMs = (attempts: number, thrown: unknown) =>
  isFailure(thrown) && thrown.code === 'not_connected' ? noAccountWaitMs : Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempts - 1, 10))

/** Matches events for which something must be fetched first; tries until it has it, and never drops one. */
export const createPending = ({ registry, store, log, now, index, accounts, reach, onStarts, onRoom }: Parts) => {
  const underWay = createUnderWay(batch, onRoom)
  const sourceOf = (integration: string): WebhookSource => registry.integration(integration).integration.webhooks!

  const accountId = async ({ tenant, connection }: At): Promise<string> => {
    const known = accounts.accountId(tenant, connection) ?? (await accounts.refresh(tenant, connection))?.accountId
    if (known) return known
    throw fail('not_connected', 'It is not known yet whose account this is: test the connection.')
  }

  /** A deleted card is in no list any more; what was last told of it counts. */
  const lastKnownList = async (at: At, event: Event): Promise<Named | undefined> => {
    if (event.card === undefined) return undefined
    const { items } = await store.events.list(at.tenant, { limit: lookBack }, { connection: at.connection, card: event.card.id })
    for (const row of items) {
      const list = row.id === event.id ? undefined : readEvent(sourceOf(at.integration), row)?.list
      if (list) return list
    }
    return undefined
  }

  const fetchOne = async (at: At, event: Event, need: Need): Promise<Facts> => {
    if (need === 'me') return { me: await accountId(at) }
    const { value } = await reach.use(at, 'read', (ctx) => sourceOf(at.integration).facts(ctx, event, need))
    if (need === 'card' || value.list) return value
    const list = await lastKnownList(at, event)
    return list ? { list } : {}
  }

  const concerned = ({ tenant, connection, event }: Sighting) => index.concerned(tenant, connection, event.models, event.type)

  /** Matches with everything fetched that is needed. `present` is asked again at the end: meanwhile a subscription may have come, changed or gone. */
  const matchFully = async (sighting: Sighting, present: () => readonly Watcher[], ignoreMark = false): Promise<Start[]> => {
    const { tenant, connection, integration, event } = sighting
    const first = matchAll(present(), sighting, nothingKnown, now(), log, ignoreMark)
    let facts: Facts = {}
    for (const need of first.lacking) facts = { ...facts, ...(await fetchOne({ tenant, connection, integration }, event, need)) }
    const { starts, lacking, failed } = matchAll(present(), sighting, { facts, asked: first.lacking }, now(), log, ignoreMark)
    if (failed || lacking.size > 0) throw fail('internal', 'The event could not be matched with every subscription.')
    return starts
  }

  const sightingOf = (row: StoredEvent): Sighting | undefined => {
    const { tenant, connection, integration, hook, runId, depth } = row
    const event = readEvent(sourceOf(integration), row)
    return event && { tenant, connection, integration, hook, event, runId, depth }
  }

  const work = async (row: StoredEvent): Promise<void> => {
    try {
      const sighting = sightingOf(row)
      if (!sighting) log('error', 'event.unreadable', { eventId: row.id })
      const starts = sighting ? await matchFully(sighting, () => concerned(sighting)) : []
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
    settle: async (sighting: Sighting): Promise<void> => void (await put(await matchFully(sighting, () => concerned(sighting)))),
    /** Matches an event of the inbox with some subscriptions more; gives how many starts that added. Those there are already stay as they are. */
    async rematch(row: StoredEvent, watchers: readonly Watcher[], ignoreMark: boolean): Promise<number> {
      const sighting = sightingOf(row)
      if (!sighting) return 0
      const names = new Set(sighting.event.models.map(modelName))
      const fitting = watchers.filter(({ models, types }) => models.some((model) => names.has(model)) && (types.includes('*') || types.includes(row.type)))
      return fitting.length === 0 ? 0 : put(await matchFully(sighting, () => fitting, ignoreMark))
    },
    fetchOne,
  }
}
