import { failField } from '#kit'
import { findTrigger } from '../../catalogue/find-trigger.ts'
import { deliveriesOf } from '../../catalogue/manifest.ts'
import type { Subscription } from '../../ports/index.ts'
import type { ActiveSubscription, MatchIndex } from '../match-index.ts'
import { resourcesOf } from '../sync/poll-set.ts'
import type { TriggerParts } from '../parts.ts'
import type { Hooks } from '../sync/hooks.ts'
import type { Maintenance } from '../sync/maintenance.ts'
import type { Polling } from '../sync/polling.ts'
import { agentUnknown, createAgentChanges } from './agent-changes.ts'
import type { Attachment } from './attach.ts'
import { checkOptions } from './delivery.ts'
import type { SubscriptionHealth } from './health.ts'
import { parseOptions } from './input.ts'
import type { SubscriptionChanges } from './input.ts'
import type { Preparation } from './prepare.ts'
import { connectionRefOf, toActive } from './registry.ts'
import type { SubscriptionRegistry } from './registry.ts'

type Parts = Pick<TriggerParts, 'registry' | 'openConnections' | 'store' | 'vault'> & {
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

const insteadOf = (use: string) => `Make a subscription to "${use}", then delete this one.`

/** Another poll would begin now, so that what happened since the last one of the former trigger would be lost. */
const checkPolls = (before: ActiveSubscription, next: ActiveSubscription): void => {
  const known = resourcesOf(before)
  if (resourcesOf(next).every((resource) => known.includes(resource))) return
  const use = next.trigger.id
  throw failField('/upgrade', `"${use}" polls something else than "${before.trigger.id}", so events between the two would be lost. ${insteadOf(use)}`)
}

/** Changes of a subscription that is there. */
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
}: Parts) => {
  const { hooks, maintenance, polling } = sync
  const agents = createAgentChanges({ store, vault, now, subscriptions, health, checkAgent: preparation.checkAgent, onResumed })

  /** What is watched besides is attached first; what is no longer watched is released last. */
  const changeConfig = async (row: Subscription, given: unknown, to = row.trigger): Promise<Subscription> => {
    const { loaded, trigger } = findTrigger(registry, row.integration, to)
    const config = await preparation.prepareConfig(await openConnections.open({ tenant: row.tenant }, loaded, row.connection), loaded, trigger, given)
    const before = (index.get(row.tenant, row.id) ?? toActive(registry, row)).models
    const next = { ...row, trigger: to, config }
    const active = toActive(registry, next)
    if (to !== row.trigger) checkPolls(toActive(registry, row), active)
    const { models, types } = active
    const added = models.filter((model) => !before.includes(model))
    // The hooks it has may not deliver every type it wants now.
    const present = row.delivery === 'webhook' ? models.filter((model) => before.includes(model)) : []
    for (const model of present) await hooks.includeTypes(connectionRefOf(row), model, types)
    try {
      await attachment.begin(next, added)
    } catch (thrown) {
      for (const model of added) await hooks.release(row.tenant, row.id, model)
      throw thrown
    }
    const { subscription } = await subscriptions.change(row, { trigger: to, config })
    for (const model of before) if (!models.includes(model)) await hooks.release(row.tenant, row.id, model)
    onHooksEnded()
    return subscription
  }

  /** To the trigger that replaces its own. What it watches goes on without a gap: what is new is attached before anything is released. */
  const upgrade = async (row: Subscription): Promise<Subscription> => {
    const { deprecated } = findTrigger(registry, row.integration, row.trigger).trigger
    if (!deprecated) throw failField('/upgrade', `The trigger "${row.trigger}" is not deprecated, so there is nothing to upgrade to.`)
    const { use, migrate } = deprecated
    if (!migrate) throw failField('/upgrade', `The config of "${row.trigger}" cannot be turned into one of "${use}". ${insteadOf(use)}`)
    const { trigger } = findTrigger(registry, row.integration, use)
    if (!deliveriesOf(trigger).includes(row.delivery)) throw failField('/upgrade', `"${use}" has no delivery by ${row.delivery}. ${insteadOf(use)}`)
    return changeConfig(row, migrate(row.config), use)
  }

  const changeOptions = async (row: Subscription, given: unknown): Promise<Subscription> => {
    const options = parseOptions(given)
    const { trigger } = findTrigger(registry, row.integration, row.trigger)
    checkOptions(trigger, options, undefined)
    if (options.delivery !== undefined && options.delivery !== row.delivery)
      throw failField('/options/delivery', 'The delivery of a subscription cannot be changed. Make a new subscription and delete this one.')
    if (options.startFrom !== undefined && options.startFrom !== row.options.startFrom)
      throw failField('/options/startFrom', 'startFrom is set when a subscription is made. Replay single events instead.')
    return (await subscriptions.change(row, { options })).subscription
  }

  const pause = async (row: Subscription, reason: string, isTold = false): Promise<Subscription> => {
    if (row.state === 'paused') return row
    const { subscription } = await subscriptions.setState(row, 'paused', reason, isTold)
    await store.starts.pause(row.tenant, row.id)
    return subscription
  }

  /** What happened before the pause is still found; what happened during it starts nothing. */
  const resume = async (row: Subscription): Promise<Subscription> => {
    if (row.state === 'paused_agent') return agents.switchOn(row)
    if (row.state !== 'paused') return row
    const { models } = toActive(registry, row)
    for (const model of models) await maintenance.sweep(connectionRefOf(row), model)
    const startMark = Math.max(row.startMark, await attachment.begin(row, models))
    const begun = { state: 'active', stateReason: null, stateAt: now(), startMark, ...agentUnknown } as const
    const { subscription } = await subscriptions.change(row, begun)
    polling.put(toActive(registry, subscription))
    await store.starts.resume(row.tenant, row.id, now())
    onResumed()
    return subscription
  }

  const patch = async (
    given: Subscription,
    { config, agent, options, externalId, labels, paused, upgrade: isUpgrade }: SubscriptionChanges,
  ): Promise<Subscription> => {
    let row = isUpgrade ? await upgrade(given) : given
    if (config !== undefined) row = await changeConfig(row, config)
    if (options !== undefined) row = await changeOptions(row, options)
    if (agent !== undefined) row = await agents.change(row, agent)
    if (externalId !== undefined || labels !== undefined) {
      const changed = { ...(externalId === undefined ? {} : { externalId }), ...(labels === undefined ? {} : { labels }) }
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
