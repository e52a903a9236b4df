import type { Connection, Log, Subscription } from '../../ports/index.ts'
import { isUsable } from '../connection-cache.ts'
import type { ConnectionCache } from '../connection-cache.ts'
import type { HookCache } from '../sync/hook-cache.ts'
import type { MatchIndex, ActiveSubscription } from '../match-index.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { connectionRefOf } from './registry.ts'
import type { SubscriptionRegistry } from './registry.ts'

type Parts = {
  index: MatchIndex
  roster: SubscriptionRegistry
  hooks: HookCache
  accounts: ConnectionCache
  log: Log
  /** An account can be used again. */
  onBack(at: ConnectionRef): void
}
type Standing = Pick<Subscription, 'state' | 'stateReason'>

const closed = 'It was closed.'

/** Keeps the states of subscriptions equal to those of their accounts and of what they watch. */
export const createSubscriptionHealth = ({ index, roster, hooks, accounts, log, onBack }: Parts) => {
  const standingOf = ({ subscription, models }: ActiveSubscription, connection: Connection | undefined): Standing => {
    if (!connection) return { state: 'paused_auth', stateReason: 'The connected account was removed.' }
    if (!isUsable(connection)) return { state: 'paused_auth', stateReason: connection.stateReason ?? 'The account must be connected again.' }
    let refusing: string | null = null
    for (const model of models) {
      const hook = hooks.live(subscription.tenant, subscription.connection, model)
      if (subscription.delivery === 'webhook' && hook && hook.refused > 0) refusing ??= `${model}: ${hook.refusedReason ?? ''}`
      if (hook && (hook.state === 'broken' || hook.stateReason === closed))
        return { state: 'paused_model', stateReason: `${model}: ${hook.stateReason ?? 'cannot be seen'}` }
    }
    // It stays active: what the history tells is found there, and who sent what was refused is not known.
    return { state: 'active', stateReason: refusing }
  }

  /** Sets the states of an account's subscriptions; a subscription its owner paused stays so. */
  const refresh = async (tenant: string, connection: Connection | undefined, id: string): Promise<void> => {
    let cameBack: ConnectionRef | undefined
    for (const watcher of index.ofConnection(tenant, id)) {
      const { subscription } = watcher
      if (subscription.state === 'paused') continue
      const { state, stateReason } = standingOf(watcher, connection)
      if (state === subscription.state && stateReason === subscription.stateReason) continue
      log('info', 'subscription.state', { subscription: subscription.id, state })
      if (subscription.state === 'paused_auth' && state !== 'paused_auth') cameBack = connectionRefOf(subscription)
      await roster.setState(subscription, state, stateReason)
    }
    if (cameBack) onBack(cameBack)
  }

  return {
    /** Of one account, after something about it changed; `told` is newer than its row. */
    async refresh(tenant: string, id: string, told: Partial<Pick<Connection, 'state' | 'stateReason'>> = {}): Promise<void> {
      const connection = await accounts.refresh(tenant, id)
      await refresh(tenant, connection && { ...connection, ...told }, id)
    },
    /** Of every account. */
    async sync(): Promise<void> {
      const known = new Map((await accounts.load()).map((connection) => [`${connection.tenant}\n${connection.id}`, connection]))
      const used = new Set([...index.all()].map(({ subscription: { tenant, connection } }) => `${tenant}\n${connection}`))
      for (const name of used) {
        const [tenant, id] = name.split('\n') as [string, string]
        await refresh(tenant, known.get(name), id)
      }
    },
    /** A watched thing was closed or opened again. */
    async told({ tenant, connection }: ConnectionRef, model: string, open: boolean): Promise<void> {
      const hook = hooks.live(tenant, connection, model)
      if (hook) await hooks.change(hook, { stateReason: open ? null : closed })
      await refresh(tenant, await accounts.refresh(tenant, connection), connection)
    },
  }
}
export type SubscriptionHealth = ReturnType<typeof createSubscriptionHealth>
