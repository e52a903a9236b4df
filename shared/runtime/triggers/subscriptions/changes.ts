import type { Caller, Subscription } from '../../ports/index.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import { historyModels } from '../sync/hook-addresses.ts'
import type { Hooks } from '../sync/hooks.ts'
import type { Maintenance } from '../sync/maintenance.ts'
import type { Polling } from '../sync/polling.ts'
import { agentUnknown, createAgentChanges } from './agent-changes.ts'
import type { Attachment } from './attach.ts'
import { createConfigChanges } from './config-changes.ts'
import type { SubscriptionHealth } from './health.ts'
import type { SubscriptionChanges } from './input.ts'
import type { Preparation } from './prepare.ts'
import { connectionRefOf, toActive } from './registry.ts'
import type { SubscriptionRegistry } from './registry.ts'

type ChangesDependencies = Pick<TriggerParts, 'registry' | 'openConnections' | 'store' | 'vault'> & {
  now(): number
  index: MatchIndex
  subscriptions: SubscriptionRegistry
  health: Pick<SubscriptionHealth, 'follow'>
  sync: { hooks: Hooks; maintenance: Pick<Maintenance, 'sweep'>; polling: Polling }
  attachment: Attachment
  preparation: Preparation
  onHooksEnded(): void
  onResumed(): void
}

export const pausedByHand = 'It was paused by hand.'

/** Changes to an existing subscription. */
export const createChanges = ({
  registry,
  openConnections,
  store,
  vault,
  now,
  index,
  subscriptions,
  health,
  sync,
  attachment,
  preparation,
  onHooksEnded,
  onResumed,
}: ChangesDependencies) => {
  const { maintenance, polling } = sync
  const agents = createAgentChanges({
    store,
    vault,
    now,
    subscriptions,
    health,
    checkAgent: preparation.checkAgent,
    onResumed,
  })

  const { changeConfig, changeOptions, upgrade } = createConfigChanges({
    registry,
    openConnections,
    index,
    subscriptions,
    hooks: sync.hooks,
    attachment,
    preparation,
    onHooksEnded,
  })

  const pause = async (row: Subscription, reason: string, isTold = false): Promise<Subscription> => {
    if (row.state === 'paused') return row
    const { subscription } = await subscriptions.setState(row, 'paused', reason, isTold)
    await store.starts.pause(row.tenant, row.id)
    return subscription
  }

  /** Events from before the pause are still recovered; events during the pause start nothing. */
  const resume = async (row: Subscription): Promise<Subscription> => {
    if (row.state === 'paused_agent') return agents.switchOn(row)
    if (row.state !== 'paused') return row
    const { models } = toActive(registry, row)
    const ref = connectionRefOf(row)
    for (const model of historyModels(sync.hooks.isShared(ref), models)) await maintenance.sweep(ref, model)
    const startMark = Math.max(row.startMark, await attachment.begin(row, models))
    const begun = { state: 'active', stateReason: null, stateAt: now(), startMark, ...agentUnknown } as const
    const { subscription } = await subscriptions.change(row, begun)
    polling.put(toActive(registry, subscription))
    await store.starts.resume(row.tenant, row.id, now())
    onResumed()
    return subscription
  }

  const patch = async (
    caller: Caller,
    subscription: Subscription,
    { config, agent, options, externalId, labels, paused, upgrade: isUpgrade }: SubscriptionChanges,
  ): Promise<Subscription> => {
    let row = isUpgrade ? await upgrade(caller, subscription) : subscription
    if (config !== undefined) row = await changeConfig(caller, row, config)
    if (options !== undefined) row = await changeOptions(row, options)
    if (agent !== undefined) row = await agents.change(row, agent)
    if (externalId !== undefined || labels !== undefined) {
      const changed = {
        ...(externalId === undefined ? {} : { externalId }),
        ...(labels === undefined ? {} : { labels }),
      }
      row = (await subscriptions.change(row, changed)).subscription
    }
    if (paused === true) row = await pause(row, pausedByHand)
    if (paused === false) row = await resume(row)
    const active = index.get(row.tenant, row.id)
    if (active && (config !== undefined || options !== undefined || isUpgrade)) polling.put(active)
    return row
  }

  return { patch, pause, resume, ...agents }
}
export type Changes = ReturnType<typeof createChanges>
