import { Failure, isAgainstNamed, isConflict } from '#kit'
import type { ProviderHook } from '#kit'
import type { Hook } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { everyType, missingTypes } from './event-types.ts'
import { deliveryLagMs, lossyFailures, settlingMs } from './gaps.ts'
import { groupsOf } from './hook-batches.ts'
import { isLive } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'
import { createDisown } from './hook-owners.ts'
import { isPaused } from './hook-pauses.ts'
import { hookRefOf } from './hook-registration.ts'
import type { HookRegistration } from './hook-registration.ts'
import type { ListedHooks } from './listed-hooks.ts'
import type { SharedAddresses } from './shared-addresses.ts'

/** A repaired hook. If it had worked before, its `suspectSince` is the time from which deliveries may be missing. */
export type RepairedHook = { hook: Hook; why: string }
/** A hook that is not set up as it should be, and what the provider lists for it. */
export type HookToRepair = { hook: Hook; providerHook: ProviderHook | undefined }
export type ReconcileResult = { repaired: RepairedHook[]; broken: Hook[]; removed: number }
/** `left`: hooks still to repair, because there may be too many to repair at once. */
export type ComparisonResult = ReconcileResult & { left: HookToRepair[] }

type RepairHooksDependencies = Pick<TriggerParts, 'log'> & {
  now(): number
  cache: HookCache
  registration: HookRegistration
  addresses: Pick<SharedAddresses, 'find'>
}

/** Whether the failure concerns only one hook, so that the others can still be repaired. */
const isOfOneHook = (thrown: unknown) => isAgainstNamed(thrown) || isConflict(thrown)

/** `callbackUrl`: the address that the hook should have. */
const whyWrong = (hook: Hook, providerHook: ProviderHook | undefined, callbackUrl: string) => {
  const blockReason = providerHook?.active === false ? providerHook.blockReason : undefined
  // Even where a budget was used up afterwards: the provider had stopped before.
  if (blockReason !== undefined) return `The provider had switched the webhook off (${blockReason}).`
  if (isPaused(hook)) return 'The webhook was paused for a budget.'
  if (!providerHook) return 'The provider had lost the webhook.'
  if (!providerHook.active) return 'The provider had switched the webhook off.'
  if (providerHook.callbackUrl !== callbackUrl) return 'The webhook pointed elsewhere.'
  const isIncomplete = missingTypes(providerHook.types ?? hook.types, hook.types).length > 0
  return isIncomplete ? 'The webhook left event types out.' : 'The webhook was not as it should be.'
}

export type RepairHooks = ReturnType<typeof createRepairHooks>

/** Repairs hooks one by one, and records the result of each. */
export const createRepairHooks = ({ log, now, cache, registration, addresses }: RepairHooksDependencies) => {
  const { addressOf, sourceOf, recordWorking } = registration
  const disown = createDisown({ cache, registration })
  /**
   * Until when nothing can have been missed: although a hook worked, an earlier delivery may still have been waiting
   * for a retry. Where hooks share an address, its row says when all of them were last seen to work.
   */
  const settledUntil = (hook: Hook) => {
    const seenAt = hook.state === 'active' ? addresses.find(hookRefOf(hook))?.updatedAt : undefined
    return Math.max(hook.updatedAt, hook.lastDeliveryAt ?? 0, seenAt ?? 0) - settlingMs(sourceOf(hook.integration))
  }

  /** Stored before the repair: if the process dies in between, the next one still knows from when to search. */
  const suspect = async (hook: Hook, since: number) =>
    hook.suspectSince === null ? cache.change(hook, { suspectSince: since }) : hook

  /** Records that a hook is set up as it should be, and whether it may have missed deliveries before. */
  const noteRight = async (storedHook: Hook, providerHook: ProviderHook, result: ReconcileResult) => {
    const { providerId, failures } = providerHook
    if (failures > storedHook.failures) log('warn', 'hook.failing', { hook: storedHook.id, failures })
    const lossy = lossyFailures(sourceOf(storedHook.integration))
    const isLossy = storedHook.failures >= lossy && failures < lossy
    const hook = isLossy ? await suspect(storedHook, storedHook.updatedAt - deliveryLagMs) : storedHook
    const types = registration.notedTypes(hook, providerHook)
    const isNoted =
      registration.batchesOf(hook.integration) !== undefined &&
      hook.state === 'active' &&
      hook.providerId === providerId &&
      hook.failures === failures &&
      missingTypes(hook.types, types).length === 0
    const changed = isNoted ? hook : await recordWorking(hook, providerId, { failures, types })
    if (hook.suspectSince === null) return
    const why =
      hook.state === 'broken'
        ? 'The watched thing could not be seen for a while.'
        : 'Deliveries did not reach us for a while.'
    result.repaired.push({ hook: changed, why })
  }

  const markBroken = (hook: Hook, code: string, stateReason: string) => {
    if (hook.state !== 'broken') log('warn', 'hook.broken', { hook: hook.id, reason: code })
    return cache.change(hook, { state: 'broken', stateReason, stateAt: hook.state === 'broken' ? hook.stateAt : now() })
  }

  const settle = async ({ hook, providerHook }: HookToRepair, result: ReconcileResult): Promise<void> => {
    try {
      const why = whyWrong(hook, providerHook, addressOf(hook))
      const changed = providerHook
        ? await registration.repair(hook, providerHook.providerId)
        : await registration.register(hook)
      log('warn', 'hook.repaired', { hook: hook.id, why })
      result.repaired.push({ hook: changed, why })
    } catch (thrown) {
      if (!isOfOneHook(thrown)) throw thrown
      result.broken.push(await markBroken(hook, thrown.code, thrown.message))
    }
  }

  /** Registers hooks by one request. */
  const registerTogether = async (
    ref: ConnectionRef,
    hooks: readonly Hook[],
    result: ReconcileResult,
  ): Promise<void> => {
    const results = await registration.registerAll(ref, hooks).catch((thrown: unknown) => {
      if (!isOfOneHook(thrown)) throw thrown
      return hooks.map(() => thrown)
    })
    for (const [n, registered] of results.entries()) {
      const hook = hooks[n]!
      if (registered instanceof Failure) result.broken.push(await markBroken(hook, registered.code, registered.message))
      else result.repaired.push({ hook: registered, why: whyWrong(hook, undefined, addressOf(hook)) })
    }
    log('info', 'hooks.registered', { connection: ref.connection, hooks: hooks.length })
  }

  /** Repairs some of the hooks that were left. Those that ended or were changed meanwhile are left out. */
  const settleSome = async (ref: ConnectionRef, some: readonly HookToRepair[]): Promise<ReconcileResult> => {
    const result: ReconcileResult = { repaired: [], broken: [], removed: 0 }
    const present = some.flatMap(({ hook: seen, providerHook }) => {
      const hook = cache.get(seen.id)
      const isSame = hook?.state === seen.state && hook.providerId === seen.providerId
      return hook && isSame && isLive(hook) ? [{ hook, providerHook }] : []
    })
    for (const hookToRepair of present) if (hookToRepair.providerHook) await settle(hookToRepair, result)
    const missing = present.filter(({ providerHook }) => !providerHook).map(({ hook }) => hook)
    for (const group of groupsOf(missing, registration.batchesOf(ref.integration)!.max))
      await registerTogether(ref, group, result)
    return result
  }

  /** Adds types to an existing hook. */
  const extend = async (storedHook: Hook, types: readonly string[], listed: ListedHooks): Promise<Hook> => {
    const { hook, providerHook } = await disown(storedHook, listed.byId.get(storedHook.providerId ?? ''))
    if (providerHook?.active && providerHook.types === undefined) return cache.change(hook, { types: [everyType] })
    // A hook that was lost or switched off has missed deliveries: the next round records that.
    const noted = providerHook?.active ? hook : await suspect(hook, settledUntil(hook))
    return providerHook
      ? registration.repair(noted, providerHook.providerId, types)
      : registration.register(noted, types)
  }

  return { suspect, settledUntil, noteRight, markBroken, settle, settleSome, extend }
}
