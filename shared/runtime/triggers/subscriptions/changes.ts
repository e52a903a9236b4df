import { failField } from '#kit'
import { findTrigger } from '../../catalogue/find-trigger.ts'
import type { Subscription } from '../../ports/index.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { Hooks } from '../sync/hooks.ts'
import type { Maintenance } from '../sync/maintenance.ts'
import type { Polling } from '../sync/polling.ts'
import { createAgentChanges } from './agent-changes.ts'
import type { Attachment } from './attach.ts'
import { checkOptions } from './delivery.ts'
import { parseOptions, readSecret } from './input.ts'
import type { NewSubscription, SubscriptionChanges } from './input.ts'
import type { Preparation } from './prepare.ts'
import { connectionRefOf, toActive } from './registry.ts'
import type { SubscriptionRegistry } from './registry.ts'

type Parts = Pick<TriggerParts, 'registry' | 'openConnections' | 'store' | 'vault'> & {
  now(): number
  index: MatchIndex
  subscriptions: SubscriptionRegistry
  sync: { hooks: Hooks; maintenance: Pick<Maintenance, 'sweep'>; polling: Polling }
  attachment: Attachment
  preparation: Preparation
  onHooksEnded(): void
  onResumed(): void
}

export const pausedByHand = 'It was paused by hand.'
const noPrevious = { previousUntil: null }

/** Changes of a subscription that is there. */
export const createChanges = ({
  registry,
  openConnections,
  store,
  vault,
  now,
  index,
  subscriptions,
  sync,
  attachment,
  preparation,
  onHooksEnded,
  onResumed,
}: Parts) => {
  const { hooks, maintenance, polling } = sync
  const agents = createAgentChanges({ store, vault, now, subscriptions, onResumed })

  /** What is watched besides is attached first; what is no longer watched is released last. */
  const changeConfig = async (row: Subscription, given: unknown): Promise<Subscription> => {
    const { loaded, trigger } = findTrigger(registry, row.integration, row.trigger)
    const config = await preparation.prepareConfig(await openConnections.open({ tenant: row.tenant }, loaded, row.connection), loaded, trigger, given)
    const before = (index.get(row.tenant, row.id) ?? toActive(registry, row)).models
    const next = { ...row, config }
    const { models, types } = toActive(registry, next)
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
    const { subscription } = await subscriptions.change(row, { config })
    for (const model of before) if (!models.includes(model)) await hooks.release(row.tenant, row.id, model)
    onHooksEnded()
    return subscription
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

  const changeAgent = async (row: Subscription, { id, url, secret }: NonNullable<NewSubscription['agent']>): Promise<Subscription> => {
    const next = url === undefined ? row.agent.url : url
    preparation.checkAgent(next)
    const agentId = id ?? row.agent.id
    const sealed =
      secret === undefined ? {} : { ...noPrevious, secrets: vault.seal({ tenant: row.tenant, owner: row.id }, { secret: readSecret(secret).secret }) }
    const changed = { agent: { url: next, ...(agentId === undefined ? {} : { id: agentId }) }, failingSince: null, ...sealed }
    return (await subscriptions.change(row, changed)).subscription
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
    const { subscription } = await subscriptions.change(row, { state: 'active', stateReason: null, stateAt: now(), startMark, failingSince: null })
    polling.put(toActive(registry, subscription))
    await store.starts.resume(row.tenant, row.id, now())
    onResumed()
    return subscription
  }

  const patch = async (given: Subscription, { config, agent, options, externalId, labels, paused }: SubscriptionChanges): Promise<Subscription> => {
    let row = given
    if (config !== undefined) row = await changeConfig(row, config)
    if (options !== undefined) row = await changeOptions(row, options)
    if (agent !== undefined) row = await changeAgent(row, agent)
    if (externalId !== undefined || labels !== undefined) {
      const changed = { ...(externalId === undefined ? {} : { externalId }), ...(labels === undefined ? {} : { labels }) }
      row = (await subscriptions.change(row, changed)).subscription
    }
    if (paused === true) row = await pause(row, pausedByHand)
    if (paused === false) row = await resume(row)
    const active = index.get(row.tenant, row.id)
    if (active && (config !== undefined || options !== undefined)) polling.put(active)
    return row
  }

  return { patch, pause, resume, ...agents }
}
export type Changes = ReturnType<typeof createChanges>
