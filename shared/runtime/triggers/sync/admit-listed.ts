import type { Event, HistoryMark, Listing } from '#kit'
import { gapNotices } from '../../notices.ts'
import type { Arrival, ArrivalResult, Cursor, Gap } from '../../ports/index.ts'
import type { Admission } from '../admission.ts'
import type { Admit } from '../admit.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { everyKind, newGap } from './gaps.ts'
import { keepUndecodable } from './keep-undecodable.ts'

/** Events per commit: limits how many are listed again when the process dies in between. */
const chunk = 200

/** The gap between the cursor and the oldest listed event, where the history does not go back to the cursor. */
const gapOf = (ref: ConnectionRef, model: string, cursor: Cursor, { events, reached }: Listing, now: number): Gap[] => {
  if (reached) return []
  const oldest = events[0] ? Date.parse(events[0].at) : now
  const span = { from: cursor.at, to: Math.max(cursor.at, oldest) }
  return [
    newGap(ref, model, span, everyKind, "The provider's history no longer goes back to where it was last read.", now),
  ]
}

/** The last position in a list of events; where none has one, that of the cursor, from which more is listed again. */
const positionIn = (events: Event[], { historyPosition }: Cursor): Pick<HistoryMark, 'position'> => {
  const position = events.findLast((event) => event.position !== undefined)?.position ?? historyPosition
  return position === null ? {} : { position }
}

/** Admits events that the provider listed, and moves the cursor of their history. */
export const createAdmitListed = ({
  store,
  admit,
  now,
}: Pick<TriggerParts, 'store'> & { admit: Admit; now(): number }) => {
  const cursorAt = (
    { tenant, connection }: ConnectionRef,
    model: string,
    { id, position, at }: HistoryMark,
  ): Cursor => ({
    tenant,
    connection,
    model,
    position: id ?? null,
    historyPosition: position ?? null,
    at,
    listedAt: now(),
  })

  /** One commit: these events, their starts, and the cursor after them. */
  const admitEvents = async (
    ref: ConnectionRef,
    events: Event[],
    alongside: Pick<Arrival, 'cursor' | 'gaps' | 'notices'>,
    only?: Admission['only'],
  ): Promise<ArrivalResult> =>
    (await admit({ ...ref, observations: events.map((event) => ({ event })), alongside, ...(only ? { only } : {}) }))
      .arrived

  const admitListing = async (ref: ConnectionRef, model: string, cursor: Cursor, listing: Listing) => {
    const gaps = gapOf(ref, model, cursor, listing, now())
    const notices = gaps.length > 0 ? gapNotices(gaps, await store.connections.get(ref.tenant, ref.connection)) : []
    const counts = { events: 0, starts: 0, gaps: gaps.length }
    const { events } = listing
    await keepUndecodable(store, now(), ref, listing.undecodable)
    for (let from = 0; from < events.length; from += chunk) {
      const part = events.slice(from, from + chunk)
      const last = part.at(-1)!
      const lastAt = Date.parse(last.at)
      // Events from before the cursor may be listed again; the cursor never moves back.
      const mark = { id: last.id, at: lastAt, ...positionIn(part, cursor) }
      const moved = lastAt >= cursor.at ? cursorAt(ref, model, mark) : undefined
      const arrived = await admitEvents(ref, part, {
        ...(moved ? { cursor: moved } : {}),
        ...(from === 0 ? { gaps, notices } : {}),
      })
      counts.events += arrived.events.length
      counts.starts += arrived.starts.length
    }
    if (events.length === 0) await store.ingest({ cursor: { ...cursor, listedAt: now() }, gaps, notices })
    return counts
  }

  /**
   * Admits events for the subscriptions that `only` returns, without moving the cursor; returns how many starts were
   * added.
   */
  const admitFor = async (ref: ConnectionRef, events: Event[], only: Admission['only']): Promise<number> => {
    let starts = 0
    for (let from = 0; from < events.length; from += chunk)
      starts += (await admitEvents(ref, events.slice(from, from + chunk), {}, only)).starts.length
    return starts
  }

  return { cursorAt, admitListing, admitFor }
}
