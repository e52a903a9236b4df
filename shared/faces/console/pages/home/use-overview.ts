/**
 * What the overview knows about the tenant. All of it comes from the API, so that it is the same after a reload and for
 * every user.
 */
import { useEffect, useRef } from 'preact/hooks'
import type { Approval } from '../../../../api/resources/approval.ts'
import type { Connection } from '../../../../api/resources/connection.ts'
import type { Event } from '../../../../api/resources/event.ts'
import type { Hook } from '../../../../api/resources/hook.ts'
import type { Run } from '../../../../api/resources/run.ts'
import type { Start } from '../../../../api/resources/start.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { listen, useItems } from '../../api/index.ts'
import type { Change } from '../../api/index.ts'
import { createRecent, keyOf as eventKeyOf, rowsOf as eventsIn } from '../events/event-rows.ts'
import { useLiveList } from '../events/use-live-list.ts'

const startsIn = (changes: Change[]) =>
  changes.flatMap(({ kind, row }) => (kind === 'start' ? [row as unknown as Start] : []))
const keyOf = ({ id }: { id: string }) => id
const latest = { limit: 5 }

/** Subscriptions that do not work although their account does. */
const useUnhealthy = () => {
  const lists = [
    useItems<Subscription>('subscriptions', { state: 'failing', ...latest }),
    useItems<Subscription>('subscriptions', { state: 'paused_agent', ...latest }),
    useItems<Subscription>('subscriptions', { state: 'paused_model', ...latest }),
  ]
  return {
    lists,
    rows: lists.flatMap(({ items }) => items),
    reload: () => lists.forEach((loadedList) => loadedList.reload()),
  }
}

/** Whether a start's answer contradicts the health that its subscription reports. */
const isNews = ({ state, answer, subscription }: Start, unhealthy: Subscription[]) =>
  answer !== null && (state === 'done') === unhealthy.some(({ id }) => id === subscription)

export const useOverview = () => {
  const connections = useItems<Connection>('connections')
  const hooks = useItems<Hook>('hooks')
  const runs = useItems<Run>('runs', latest)
  const done = useItems<Run>('runs', { state: 'done', limit: 1 })
  const subscriptions = useItems<Subscription>('subscriptions', latest)
  const dead = useItems<Start>('starts', { state: 'dead', ...latest })
  const recent = useRef(createRecent())
  const events = useLiveList<Event>(
    {
      path: 'events',
      query: {},
      keyOf: eventKeyOf,
      accepts: () => true,
      rowsOf: (changes, findRow) => eventsIn(changes, findRow, recent.current),
    },
    false,
  )
  const approvals = useItems<Approval>('approvals', { state: 'open', ...latest })
  const starts = useLiveList<Start>({ path: 'starts', query: {}, keyOf, accepts: () => true, rowsOf: startsIn }, false)
  const unhealthy = useUnhealthy()
  const rows = useRef(unhealthy.rows)
  rows.current = unhealthy.rows
  useEffect(
    () =>
      listen({
        changed: (changes) => {
          if (startsIn(changes).some(({ state }) => state === 'dead')) dead.reload()
          if (startsIn(changes).some((start) => isNews(start, rows.current))) unhealthy.reload()
        },
        reconnected: () => {
          dead.reload()
          unhealthy.reload()
        },
      }),
    [],
  )
  const all = [connections, hooks, runs, done, subscriptions, dead, approvals, ...unhealthy.lists]
  return {
    connections: connections.items,
    hooks: hooks.items,
    runs: runs.items,
    hasRun: done.items.length > 0,
    subscriptions: subscriptions.items,
    hasEvent: events.items.length > 0 || starts.items.length > 0,
    events: events.items.slice(0, latest.limit),
    approvals: approvals.items,
    unhealthy: unhealthy.rows,
    dead: dead.items,
    starts: starts.items.slice(0, latest.limit),
    /** Looks at all loaded starts, because the newest may still be waiting for its agent. */
    hasStart: starts.items.some(({ state }) => state === 'done'),
    problem: all.find(({ problem }) => problem)?.problem ?? starts.problem ?? events.problem,
    isReady:
      all.every(({ data }) => data !== undefined) &&
      (!starts.loading || starts.items.length > 0) &&
      (!events.loading || events.items.length > 0),
    reload: () => {
      for (const loadedList of all) loadedList.reload()
      starts.reload()
      events.reload()
    },
    ran: () => {
      runs.reload()
      done.reload()
    },
    attached: () => {
      subscriptions.reload()
      hooks.reload()
    },
  }
}
export type Overview = ReturnType<typeof useOverview>
