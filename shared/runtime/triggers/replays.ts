import { randomUUID } from 'node:crypto'
import { fail } from '#kit'
import type { Caller, Start } from '../ports/index.ts'
import { isForPerson, limitedTo } from '../people/act-for.ts'
import { findEvent, findStart, startsOf } from './find-rows.ts'
import type { createPending } from './inbound/pending.ts'
import { startKey } from './match.ts'
import type { MatchIndex } from './match-index.ts'
import type { Wording } from '../sentences/worded.ts'
import type { TriggerParts } from './parts.ts'
import { isNotification, notificationsOwner } from './starts/notification.ts'
import type { Subscriptions } from './subscriptions/subscriptions.ts'
import { viewStart } from './views.ts'
import type { StartView } from './views.ts'

export type ReplayDependencies = Pick<TriggerParts, 'store'> & {
  now(): number
  index: MatchIndex
  pending: Pick<ReturnType<typeof createPending>, 'rematch'>
  subscriptions: Pick<Subscriptions, 'mustGet'>
  wording: Wording
  onStarts(starts: Start[]): void
}

const isOver = ({ state }: Start) => state === 'done' || state === 'dead' || state === 'missed' || state === 'cancelled'

/** Sends starts to their agents again, and matches stored events again. */
export const createReplays = ({ store, now, index, pending, subscriptions, wording, onStarts }: ReplayDependencies) => {
  const view = async (start: Start): Promise<StartView> =>
    viewStart(start, (await wording.rows(start.tenant, [start]))[0]!)

  /** Makes a second start under a new key: the agent sees it as a new one. */
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

  /** The outcome of a start whose subscription was removed stays as it is: nobody would take another. */
  const hasReceiver = async (start: Start): Promise<boolean> =>
    isNotification(start) || (await store.subscriptions.get(start.tenant, start.subscription)) !== undefined

  const requireData = (start: Start) => {
    if (start.data === null)
      throw fail('conflict', 'Retention has removed the data of this start, so it cannot be sent again.')
  }

  return {
    /**
     * Replays the event's ended starts, and matches the subscriptions that have no start of it, including those
     * attached later.
     */
    async ofEvent(caller: Caller, id: string, connection?: string): Promise<{ replayed: number; started: number }> {
      const row = await findEvent(store, caller, id, connection)
      const starts = await startsOf(store, caller, row)
      let replayed = 0
      for (const start of starts)
        if (isOver(start) && start.data !== null && (await hasReceiver(start)))
          replayed += await store.starts.replay(caller.tenant, { id: start.id }, now())
      const having = new Set(starts.map(({ subscription }) => subscription))
      const otherSubscriptions = index
        .ofConnection(caller.tenant, row.connection)
        .filter(
          ({ subscription }) =>
            !having.has(subscription.id) && subscription.state !== 'paused' && isForPerson(caller, subscription),
        )
      const started = await pending.rematch(row, otherSubscriptions, true)
      if (replayed > 0) onStarts(starts)
      return { replayed, started }
    },
    /**
     * Sends an ended start again under the same key, so that an agent that has processed it can ignore it; with `force`
     * under a new key.
     */
    async ofStart(caller: Caller, id: string, options: { force?: boolean | undefined } = {}): Promise<StartView> {
      const start = await findStart(store, caller, id)
      requireData(start)
      if (!isNotification(start)) await subscriptions.mustGet(caller, start.subscription)
      if (options.force) return view(await startAnew(start))
      if (!isOver(start)) throw fail('conflict', `This start is ${start.state}, so there is nothing to repeat yet.`)
      await store.starts.replay(caller.tenant, { id }, now())
      onStarts([start])
      return view(await findStart(store, caller, id))
    },
    /** Sends all dead (or missed) starts of a subscription again, under the keys they have. */
    async ofSubscription(
      caller: Caller,
      which: { subscription: string; state?: 'dead' | 'missed' | undefined },
    ): Promise<{ replayed: number }> {
      const { subscription } = which
      if (subscription !== notificationsOwner || limitedTo(caller)) await subscriptions.mustGet(caller, subscription)
      const replayed = await store.starts.replay(caller.tenant, { subscription, state: which.state ?? 'dead' }, now())
      if (replayed > 0) onStarts([])
      return { replayed }
    },
  }
}
