import { failField } from '#kit'
import { findTrigger } from '../../catalogue/find-trigger.ts'
import { deliveriesOf } from '../../catalogue/manifest.ts'
import type { Caller, Subscription } from '../../ports/index.ts'
import type { ActiveSubscription, MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { Hooks } from '../sync/hooks.ts'
import { resourcesOf } from '../sync/poll-set.ts'
import type { Attachment } from './attach.ts'
import { checkOptions } from './delivery.ts'
import { parseOptions } from './input.ts'
import type { Preparation } from './prepare.ts'
import { connectionRefOf, toActive } from './registry.ts'
import type { SubscriptionRegistry } from './registry.ts'

type ConfigDependencies = Pick<TriggerParts, 'registry' | 'openConnections'> & {
  index: MatchIndex
  subscriptions: SubscriptionRegistry
  hooks: Hooks
  attachment: Attachment
  preparation: Preparation
  onHooksEnded(): void
}

const insteadOf = (use: string) => `Make a subscription to "${use}", then delete this one.`

/** Throws when the new trigger polls other resources: events since the last poll of the former ones would be lost. */
const checkPolls = (before: ActiveSubscription, next: ActiveSubscription): void => {
  const knownResources = resourcesOf(before)
  if (resourcesOf(next).every((resource) => knownResources.includes(resource))) return
  const use = next.trigger.id
  throw failField(
    '/upgrade',
    `"${use}" polls something else than "${before.trigger.id}", so events between the two would be lost. ${insteadOf(use)}`,
  )
}

/** Changes what a subscription watches, and its options. */
export const createConfigChanges = ({
  registry,
  openConnections,
  index,
  subscriptions,
  hooks,
  attachment,
  preparation,
  onHooksEnded,
}: ConfigDependencies) => {
  /** Newly watched models are attached first; those no longer watched are released last. */
  const changeConfig = async (
    caller: Caller,
    row: Subscription,
    input: unknown,
    to = row.trigger,
  ): Promise<Subscription> => {
    const { loaded, trigger } = findTrigger(registry, row.integration, to)
    const { config, watched } = await preparation.prepareConfig(
      caller,
      await openConnections.open({ tenant: row.tenant }, loaded, row.connection),
      loaded,
      trigger,
      input,
    )
    const before = new Set((index.get(row.tenant, row.id) ?? toActive(registry, row)).models)
    const next = { ...row, trigger: to, config, watched }
    const active = toActive(registry, next)
    if (to !== row.trigger) checkPolls(toActive(registry, row), active)
    const { models, types } = active
    const added = models.filter((model) => !before.has(model))
    // The existing hooks may not deliver every type that is needed now.
    const present = row.delivery === 'webhook' ? models.filter((model) => before.has(model)) : []
    await hooks.includeTypes(connectionRefOf(row), present, types)
    try {
      await attachment.begin(next, added)
    } catch (thrown) {
      for (const model of added) await hooks.release(row.tenant, row.id, model)
      throw thrown
    }
    const { subscription } = await subscriptions.change(row, { trigger: to, config, watched })
    const after = new Set(models)
    for (const model of before) if (!after.has(model)) await hooks.release(row.tenant, row.id, model)
    onHooksEnded()
    return subscription
  }

  /**
   * Moves a subscription to the trigger that replaces its own. No event is lost: what is newly watched is attached
   * before anything is released.
   */
  const upgrade = async (caller: Caller, row: Subscription): Promise<Subscription> => {
    const { deprecated } = findTrigger(registry, row.integration, row.trigger).trigger
    if (!deprecated)
      throw failField('/upgrade', `The trigger "${row.trigger}" is not deprecated, so there is nothing to upgrade to.`)
    const { use, migrate } = deprecated
    if (!migrate)
      throw failField(
        '/upgrade',
        `The config of "${row.trigger}" cannot be turned into one of "${use}". ${insteadOf(use)}`,
      )
    const { trigger } = findTrigger(registry, row.integration, use)
    if (!deliveriesOf(trigger).includes(row.delivery))
      throw failField('/upgrade', `"${use}" has no delivery by ${row.delivery}. ${insteadOf(use)}`)
    return changeConfig(caller, row, migrate(row.config), use)
  }

  const changeOptions = async (row: Subscription, input: unknown): Promise<Subscription> => {
    const options = parseOptions(input)
    const { trigger } = findTrigger(registry, row.integration, row.trigger)
    checkOptions(trigger, options, undefined)
    if (options.delivery !== undefined && options.delivery !== row.delivery)
      throw failField(
        '/options/delivery',
        'The delivery of a subscription cannot be changed. Make a new subscription and delete this one.',
      )
    if (options.startFrom !== undefined && options.startFrom !== row.options.startFrom)
      throw failField(
        '/options/startFrom',
        'startFrom is set when a subscription is made. Replay single events instead.',
      )
    return (await subscriptions.change(row, { options })).subscription
  }

  return { changeConfig, changeOptions, upgrade }
}
