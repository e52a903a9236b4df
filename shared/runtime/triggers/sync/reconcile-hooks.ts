import { endsBatch, isAbsent, isFailure } from '#kit'
import type { ProviderHook } from '#kit'
import type { Hook } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { settlingMs } from './gaps.ts'
import { sharedModel } from './hook-addresses.ts'
import { isLive } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'
import { createDisown, createRemoveOrphans } from './hook-owners.ts'
import { isPaused } from './hook-pauses.ts'
import type { HookPauses } from './hook-pauses.ts'
import { hookRefOf } from './hook-registration.ts'
import type { HookRegistration } from './hook-registration.ts'
import { findListed, indexListed } from './listed-hooks.ts'
import type { NarrowTypes } from './narrow-types.ts'
import type { ComparisonResult, ReconcileResult, RepairHooks, HookToRepair } from './repair-hooks.ts'
import type { SharedAddresses } from './shared-addresses.ts'

type ReconcileHooksDependencies = Pick<TriggerParts, 'log'> & {
  now(): number
  cache: HookCache
  registration: HookRegistration
  addresses: Pick<SharedAddresses, 'find' | 'noteWorking'>
  pauses: HookPauses
  repairs: RepairHooks
  narrowTypes: NarrowTypes
}

const takenElsewhere =
  'Another connection to the same account receives these deliveries, and the provider sends them to only one address. Use that connection, or remove its subscriptions.'

/** Compares a connection's hooks with those the provider lists. */
export const createReconcileHooks = ({
  log,
  now,
  cache,
  registration,
  addresses,
  pauses,
  repairs,
  narrowTypes,
}: ReconcileHooksDependencies) => {
  const { suspect, settledUntil, noteRight, markBroken, settle } = repairs
  const disown = createDisown({ cache, registration })
  const removeOrphans = createRemoveOrphans({ log, registration })

  const setRight = async (
    storedHook: Hook,
    providerHook: ProviderHook | undefined,
    result: ComparisonResult,
  ): Promise<void> => {
    if (providerHook && registration.isRight(storedHook, providerHook)) {
      if (!registration.isCharged(storedHook.integration) || registration.isExact(storedHook, providerHook))
        return noteRight(storedHook, providerHook, result)
      // Nothing was missed: the hook delivers more than is needed.
      const hookToRepair = { hook: storedHook, providerHook }
      if (registration.batchesOf(storedHook.integration)) result.left.push(hookToRepair)
      else await settle(hookToRepair, result)
      return
    }
    const hasMissed =
      storedHook.state !== 'wanted' && !(providerHook && registration.hasDelivered(storedHook, providerHook))
    const hook = hasMissed ? await suspect(storedHook, settledUntil(storedHook)) : storedHook
    if (providerHook && (await registration.usedElsewhere(hookRefOf(hook), providerHook.callbackUrl)))
      return void result.broken.push(await markBroken(hook, 'conflict', takenElsewhere))
    if (registration.batchesOf(hook.integration)) result.left.push({ hook, providerHook })
    else await settle({ hook, providerHook }, result)
  }

  /**
   * Stores from when a hook that is being paused misses deliveries: from now, including those that wait for a repeat, or
   * from when it last worked.
   */
  const suspectPaused = ({ hook, providerHook }: HookToRepair): Hook | Promise<Hook> => {
    if (hook.state === 'wanted') return hook
    const workedUntil = now() - settlingMs(registration.sourceOf(hook.integration))
    return suspect(hook, providerHook?.active ? workedUntil : settledUntil(hook))
  }

  const pause = async (hookToRepair: HookToRepair, why: string, result: ReconcileResult) => {
    const { providerHook } = hookToRepair
    const hook = await suspectPaused(hookToRepair)
    try {
      await pauses.pause(hook, providerHook)
    } catch (thrown) {
      if (!isFailure(thrown) || endsBatch(thrown)) throw thrown
      // It still delivers, so the next round tries again.
      if (!isAbsent(thrown)) return log('warn', 'hook.not_paused', { hook: hook.id, reason: thrown.code })
    }
    result.broken.push(await markBroken(hook, 'budget_exceeded', why))
  }

  /** Pauses hooks that were made together: where there are many, removing them takes a fraction of the time. */
  const pauseTogether = async (
    ref: ConnectionRef,
    all: readonly HookToRepair[],
    why: string,
    result: ComparisonResult,
  ) => {
    const hooks = all.filter(({ hook, providerHook }) => providerHook?.active || !isPaused(hook))
    const delivering = hooks.flatMap(({ providerHook }) => (providerHook?.active ? [providerHook] : []))
    if (delivering.length <= registration.batchesOf(ref.integration)!.max) {
      for (const hookToRepair of hooks) await pause(hookToRepair, why, result)
      return
    }
    for (const hookToRepair of hooks) await suspectPaused(hookToRepair)
    await registration.unregister(ref, delivering)
    for (const { hook } of hooks)
      result.broken.push(await markBroken(cache.get(hook.id) ?? hook, 'budget_exceeded', why))
  }

  /** Compares hooks with those that the provider lists, and repairs them or returns what is left to do. */
  const compare = async (ref: ConnectionRef, listed: ProviderHook[]): Promise<ComparisonResult> => {
    await narrowTypes(ref)
    const result: ComparisonResult = { repaired: [], broken: [], removed: 0, left: [] }
    const kept = new Set<string>()
    const whyPaused = await pauses.whyPaused(ref)
    const listedHooks = indexListed(listed)
    const isShared = registration.batchesOf(ref.integration) !== undefined
    const paused: HookToRepair[] = []
    for (const storedHook of cache.ofConnection(ref.tenant, ref.connection)) {
      // Those that end are removed together, and not as orphans before.
      if (storedHook.state === 'deleting' && storedHook.providerId !== null) kept.add(storedHook.providerId)
      if (!isLive(storedHook) || storedHook.model === sharedModel) continue
      const { hook, providerHook } = await disown(storedHook, findListed(storedHook, listedHooks))
      if (providerHook) kept.add(providerHook.providerId)
      if (whyPaused === undefined) await setRight(hook, providerHook, result)
      else if (isShared) paused.push({ hook, providerHook })
      else await pause({ hook, providerHook }, whyPaused, result)
      const providerId = cache.get(hook.id)?.providerId
      if (providerId) kept.add(providerId)
    }
    if (whyPaused !== undefined && isShared) await pauseTogether(ref, paused, whyPaused, result)
    const address = isShared ? addresses.find(ref) : undefined
    if (address) await addresses.noteWorking(address)
    result.removed = await removeOrphans(ref, listed, kept)
    return result
  }

  return compare
}
