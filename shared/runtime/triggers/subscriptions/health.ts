import { nextTurn } from '#kit'
import type { Connection, Log, Subscription } from '../../ports/index.ts'
import { isUsable } from '../connection-cache.ts'
import type { ConnectionCache } from '../connection-cache.ts'
import { sharedModel } from '../sync/hook-addresses.ts'
import type { HookCache } from '../sync/hook-cache.ts'
import type { KeyedMutex } from '../keyed-mutex.ts'
import type { MatchIndex, ActiveSubscription } from '../match-index.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { connectionRefOf } from './registry.ts'
import type { SubscriptionRegistry } from './registry.ts'

type SubscriptionHealthDependencies = {
  index: MatchIndex
  subscriptions: SubscriptionRegistry
  hooks: HookCache
  connections: ConnectionCache
  mutex: KeyedMutex
  log: Log
  /** A connection can be used again. */
  onBack(ref: ConnectionRef): void
}
type Health = Pick<Subscription, 'state' | 'stateReason'>

const closed = 'It was closed.'
/** Subscriptions checked in one turn of the event loop, about 1 µs each. */
const checkedAtATime = 1000

/** Updates the states of subscriptions when connections, watched objects or agents change. */
export const createSubscriptionHealth = ({
  index,
  subscriptions,
  hooks,
  connections,
  mutex,
  log,
  onBack,
}: SubscriptionHealthDependencies) => {
  const healthOf = ({ subscription, models }: ActiveSubscription, connection: Connection | undefined): Health => {
    if (!connection) return { state: 'paused_auth', stateReason: 'The connected account was removed.' }
    if (!isUsable(connection))
      return { state: 'paused_auth', stateReason: connection.stateReason ?? 'The account must be connected again.' }
    const { tenant, connection: id, delivery } = subscription
    const address = hooks.live(tenant, id, sharedModel)
    let refusing: string | null = address && address.refused > 0 ? address.refusedReason : null
    let unseen: string | null = null
    let count = 0
    for (const model of models) {
      const hook = hooks.live(tenant, id, model)
      if (delivery === 'webhook' && hook && hook.refused > 0) refusing ??= `${model}: ${hook.refusedReason ?? ''}`
      if (!hook || (hook.state !== 'broken' && hook.stateReason !== closed)) continue
      unseen ??= `${model}: ${hook.stateReason ?? 'cannot be seen'}`
      count += 1
    }
    // Where hooks share an address, those that cannot be watched do not stop the others.
    if (unseen !== null && (!address || count === models.length)) return { state: 'paused_model', stateReason: unseen }
    if (subscription.failingReason !== null) return { state: 'failing', stateReason: subscription.failingReason }
    // It stays active: the history still lists its events, and anybody may have sent the refused deliveries.
    return {
      state: 'active',
      stateReason: refusing ?? (unseen === null ? null : `Not everything is watched. ${unseen}`),
    }
  }

  /** The new health; undefined when nothing changes, or when the subscription is paused until its owner resumes it. */
  const changeOf = (active: ActiveSubscription, connection: Connection | undefined): Health | undefined => {
    const { state, stateReason } = active.subscription
    if (state === 'paused' || state === 'paused_agent') return undefined
    const health = healthOf(active, connection)
    return health.state === state && health.stateReason === stateReason ? undefined : health
  }

  /** Whether its owner is notified. A failing agent is reported once, whatever it answers next. */
  const mustNotify = (row: Subscription, { state, stateReason }: Health): boolean =>
    state === 'paused_model' ||
    (state === 'active' && stateReason !== null) ||
    (state === 'failing' && row.state !== 'failing')

  /** Serialised, so that each change is notified only once. Returns whether the connection can be used again. */
  const set = (active: ActiveSubscription, connection: Connection | undefined): Promise<boolean> =>
    mutex(`health ${active.subscription.tenant} ${active.subscription.id}`, async () => {
      // Its owner may have paused or removed it while other subscriptions were updated.
      const row = await subscriptions.row(active.subscription)
      const next = row && changeOf({ ...active, subscription: row }, connection)
      if (!next) return false
      log('info', 'subscription.state', { subscription: row.id, state: next.state })
      await subscriptions.setState(row, next.state, next.stateReason, mustNotify(row, next))
      return row.state === 'paused_auth' && next.state !== 'paused_auth'
    })

  /** Sets the states of a connection's subscriptions; those that their owner paused stay paused. */
  const refresh = async (tenant: string, connection: Connection | undefined, id: string): Promise<void> => {
    let reconnected: ConnectionRef | undefined
    for (const [n, active] of index.ofConnection(tenant, id).entries()) {
      if (n % checkedAtATime === checkedAtATime - 1) await nextTurn()
      if (!changeOf(active, connection)) continue
      if (await set(active, connection)) reconnected = connectionRefOf(active.subscription)
    }
    if (reconnected) onBack(reconnected)
  }

  return {
    /**
     * Updates the subscriptions of one connection after it changed; `newerState` is newer than the connection's row.
     */
    async refresh(
      tenant: string,
      id: string,
      newerState: Partial<Pick<Connection, 'state' | 'stateReason'>> = {},
    ): Promise<void> {
      const connection = await connections.refresh(tenant, id)
      await refresh(tenant, connection && { ...connection, ...newerState }, id)
    },
    /** Updates one subscription after the stored state of its agent changed. */
    async follow({ tenant, id }: Pick<Subscription, 'tenant' | 'id'>): Promise<void> {
      await subscriptions.reload(tenant, id)
      const active = index.get(tenant, id)
      if (active) await set(active, await connections.refresh(tenant, active.subscription.connection))
    },
    /** Updates the subscriptions of every connection. */
    async sync(): Promise<void> {
      const rows = new Map(
        (await connections.load()).map((connection) => [`${connection.tenant}\n${connection.id}`, connection]),
      )
      for (const { tenant, connection: id } of index.connections())
        await refresh(tenant, rows.get(`${tenant}\n${id}`), id)
    },
    /** Updates the subscriptions of a watched object after it was closed or reopened. */
    async noteAvailability({ tenant, connection }: ConnectionRef, model: string, open: boolean): Promise<void> {
      const hook = hooks.live(tenant, connection, model)
      if (hook) await hooks.change(hook, { stateReason: open ? null : closed })
      await refresh(tenant, await connections.refresh(tenant, connection), connection)
    },
  }
}
export type SubscriptionHealth = ReturnType<typeof createSubscriptionHealth>
