import { describeDefect, fail, isFailure, needsReconnect } from '#kit'
import type { Facts, WebhookSource } from '#kit'
import { ages } from '../../admin/retention.ts'
import { createDescribeStarts } from '../../sentences/describe.ts'
import type { Start, StoredEvent } from '../../ports/index.ts'
import { isRecognised, matchAll } from '../match.ts'
import type { MatchFacts, ObservedEvent } from '../match.ts'
import { modelName } from '../match-index.ts'
import type { MatchIndex, ActiveSubscription } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import { readEvent } from '../stored-events.ts'
import type { FetchFact } from './fetch-fact.ts'
import { createInFlight } from './in-flight.ts'

type PendingDependencies = Pick<TriggerParts, 'registry' | 'store' | 'log'> & {
  now(): number
  keepIdsMs?: number | undefined
  index: MatchIndex
  fetchFact: FetchFact
  onStarts(starts: Start[]): void
  /** Called when a tenant that had reached its limit may have more in progress again. */
  onRoom(): void
}

const batch = 20
/** How many starts are made and committed at a time: each blocks the event loop for about 40 µs. */
export const sliceSize = 100
/** A claimed event becomes due again after this time, in case the process dies while working on it. */
const claimMs = 6 * 60_000
const firstWaitMs = 5_000
const maxWaitMs = 15 * 60_000
const noAccountWaitMs = 5 * 60_000

const nothingKnown: MatchFacts = { facts: {}, checkedNeeds: new Set() }

const waitMs = (attempts: number, thrown: unknown) =>
  needsReconnect(thrown) ? noAccountWaitMs : Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(attempts - 1, 10))

/**
 * The subscriptions of an event in slices, each subscription once. `present` is called for each slice, since
 * subscriptions may be added, changed or removed meanwhile; while it returns the same list, nothing is looked at twice.
 */
const createSlices = (present: () => readonly ActiveSubscription[]) => {
  const done = new Set<string>()
  let list: readonly ActiveSubscription[] = []
  let at = 0
  return {
    next(): ActiveSubscription[] {
      const presentList = present()
      if (presentList !== list) at = 0
      list = presentList
      const slice: ActiveSubscription[] = []
      for (let n = at; n < list.length && slice.length < sliceSize; n += 1) {
        if (!done.has(list[n]!.subscription.id)) slice.push(list[n]!)
        else if (slice.length === 0) at = n + 1
      }
      return slice
    },
    finish(slice: readonly ActiveSubscription[]) {
      for (const { subscription } of slice) done.add(subscription.id)
    },
  }
}

/** The subscriptions that an event concerns, found anew only after any of them has changed. */
const createConcerned = (index: MatchIndex, { tenant, connection, event }: ObservedEvent, keptSince: () => number) => {
  let version: number | undefined
  let list: readonly ActiveSubscription[] = []
  return () => {
    if (version === index.version()) return list
    version = index.version()
    const all = index.concerned(tenant, connection, event.models, event.type)
    const since = keptSince()
    list = Date.parse(event.at) >= since ? all : all.filter((active) => isRecognised(active, event, since))
    return list
  }
}

/** Matches events for which a fact must be fetched first; retries until it has the fact, and never drops an event. */
export const createPending = ({
  registry,
  store,
  log,
  now,
  keepIdsMs = ages.ids,
  index,
  fetchFact,
  onStarts,
  onRoom,
}: PendingDependencies) => {
  const underWay = createInFlight(batch, onRoom)
  const describeStarts = createDescribeStarts({ registry, log })
  const sourceOf = (integration: string): WebhookSource => registry.integration(integration).integration.webhooks!

  const concerned = (observed: ObservedEvent) => createConcerned(index, observed, () => now() - keepIdsMs)

  /**
   * Matches with every fact that is needed, one slice of the subscriptions at a time. Returns the starts of the last
   * slice; those of earlier slices are committed. `present` is called for each slice, since subscriptions may be added,
   * changed or removed meanwhile.
   */
  const matchFully = async (
    observed: ObservedEvent,
    present: () => readonly ActiveSubscription[],
    commit: (starts: Start[]) => Promise<unknown>,
    ignoreMark = false,
  ): Promise<Start[]> => {
    const { tenant, connection, integration, event } = observed
    const slices = createSlices(present)
    let knownFacts = nothingKnown
    for (;;) {
      let slice = slices.next()
      let matching = matchAll(slice, observed, knownFacts, now(), log, ignoreMark)
      if (matching.lacking.size > 0) {
        let facts: Facts = knownFacts.facts
        for (const need of matching.lacking)
          facts = { ...facts, [need]: await fetchFact({ tenant, connection, integration }, event, need) }
        knownFacts = { facts, checkedNeeds: new Set([...knownFacts.checkedNeeds, ...matching.lacking]) }
        slice = slices.next()
        matching = matchAll(slice, observed, knownFacts, now(), log, ignoreMark)
      }
      if (matching.failed || matching.lacking.size > 0)
        throw fail('internal', 'The event could not be matched with every subscription.')
      describeStarts(integration, matching.starts)
      if (slice.length < sliceSize) return matching.starts
      await commit(matching.starts)
      slices.finish(slice)
    }
  }

  const observedOf = (row: StoredEvent): ObservedEvent | undefined => {
    const { tenant, connection, integration, hook, runId, depth, summary } = row
    const event = readEvent(sourceOf(integration), row)
    return event && { tenant, connection, integration, hook, event, runId, depth, summary }
  }

  const put = async (starts: Start[]): Promise<number> => {
    if (starts.length === 0) return 0
    const added = (await store.ingest({ starts })).starts
    onStarts(starts.filter(({ id }) => added.includes(id)))
    return added.length
  }

  const work = async (row: StoredEvent): Promise<void> => {
    try {
      const observed = observedOf(row)
      if (!observed) log('error', 'event.unreadable', { eventId: row.id })
      const starts = observed ? await matchFully(observed, concerned(observed), put) : []
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

  return {
    /** Starts work on due events of tenants below their limit; returns how many. */
    async tick(): Promise<number> {
      const rows = await store.events.claimPending(now(), batch, claimMs, { exceptTenants: underWay.full() })
      for (const row of rows) underWay.add(row.tenant, work(row))
      return rows.length
    },
    idle: underWay.idle,
    /** Fetches and matches at once, for an event whose row was stored for another hook. */
    settle: async (observed: ObservedEvent): Promise<void> =>
      void (await put(await matchFully(observed, concerned(observed), put))),
    /**
     * Matches a stored event against additional subscriptions; returns how many starts were added. Existing starts are
     * left as they are.
     */
    async rematch(row: StoredEvent, actives: readonly ActiveSubscription[], ignoreMark: boolean): Promise<number> {
      const observed = observedOf(row)
      if (!observed) return 0
      const names = new Set(observed.event.models.map(modelName))
      const fitting = actives.filter(
        ({ models, types }) =>
          models.some((model) => names.has(model)) && (types.includes('*') || types.includes(row.type)),
      )
      if (fitting.length === 0) return 0
      let added = 0
      const count = async (starts: Start[]) => void (added += await put(starts))
      await count(await matchFully(observed, () => fitting, count, ignoreMark))
      return added
    },
  }
}
