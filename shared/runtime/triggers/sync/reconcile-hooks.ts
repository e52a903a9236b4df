import { isAgainstNamed } from '#kit'
import type { ProviderHook } from '#kit'
import type { Hook } from '../../ports/index.ts'
import { readModel } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { everyType, missingTypes } from './event-types.ts'
import { deliveryLagMs, lossyFailures, settlingMs } from './gaps.ts'
import { isLive } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'
import { hookRefOf } from './hook-registration.ts'
import type { HookRegistration } from './hook-registration.ts'

/** A repaired hook. If it had worked before, its `suspectSince` is the time from which deliveries may be missing. */
export type Repaired = { hook: Hook; why: string }
export type Reconciled = { repaired: Repaired[]; broken: Hook[]; removed: number }

type ReconcileHooksDependencies = Pick<TriggerParts, 'log'> & {
  now(): number
  cache: HookCache
  registration: HookRegistration
}

const findListed = (hook: Hook, listed: ProviderHook[]) =>
  listed.find(({ callbackUrl, model }) => callbackUrl === hook.callbackUrl && model.id === readModel(hook.model).id) ??
  listed.find(({ providerId }) => providerId === hook.providerId) ??
  listed.find(({ callbackUrl }) => callbackUrl === hook.callbackUrl)

/** Compares a connection's hooks with those the provider lists, and repairs those that differ. */
export const createReconcileHooks = ({ log, now, cache, registration }: ReconcileHooksDependencies) => {
  const { addressOf, prefixOf, sourceOf, recordWorking } = registration
  /**
   * Until when nothing can have been missed: although a hook worked, an earlier delivery may still have been waiting
   * for a retry.
   */
  const settledUntil = (hook: Hook) =>
    Math.max(hook.updatedAt, hook.lastDeliveryAt ?? 0) - settlingMs(sourceOf(hook.integration))

  /** Stored before the repair: if the process dies in between, the next one still knows from when to search. */
  const suspect = async (hook: Hook, since: number) =>
    hook.suspectSince === null ? cache.change(hook, { suspectSince: since }) : hook

  /** The provider has the hook as it should be; whether it had so all the time is decided here. */
  const noteRight = async (storedHook: Hook, providerHook: ProviderHook, result: Reconciled) => {
    const { providerId, failures } = providerHook
    if (failures > storedHook.failures) log('warn', 'hook.failing', { hook: storedHook.id, failures })
    const lossy = lossyFailures(sourceOf(storedHook.integration))
    const isLossy = storedHook.failures >= lossy && failures < lossy
    const hook = isLossy ? await suspect(storedHook, storedHook.updatedAt - deliveryLagMs) : storedHook
    const changed = await recordWorking(hook, providerId, {
      failures,
      types: registration.notedTypes(hook, providerHook),
    })
    if (hook.suspectSince === null) return
    const why =
      hook.state === 'broken'
        ? 'The watched thing could not be seen for a while.'
        : 'Deliveries did not reach us for a while.'
    result.repaired.push({ hook: changed, why })
  }

  const whyWrong = (hook: Hook, providerHook: ProviderHook | undefined) => {
    if (!providerHook) return 'The provider had lost the webhook.'
    if (!providerHook.active) return 'The provider had switched the webhook off.'
    const isIncomplete =
      providerHook.callbackUrl === addressOf(hook) &&
      missingTypes(providerHook.types ?? hook.types, hook.types).length > 0
    return isIncomplete ? 'The webhook left event types out.' : 'The webhook pointed elsewhere.'
  }

  const setRight = async (
    storedHook: Hook,
    providerHook: ProviderHook | undefined,
    result: Reconciled,
  ): Promise<void> => {
    if (providerHook && registration.isRight(storedHook, providerHook))
      return noteRight(storedHook, providerHook, result)
    const hook = storedHook.state === 'wanted' ? storedHook : await suspect(storedHook, settledUntil(storedHook))
    try {
      const why = whyWrong(hook, providerHook)
      const changed = providerHook
        ? await registration.repair(hook, providerHook.providerId)
        : await registration.register(hook)
      log('warn', 'hook.repaired', { hook: hook.id, why })
      result.repaired.push({ hook: changed, why })
    } catch (thrown) {
      if (!isAgainstNamed(thrown)) throw thrown
      if (hook.state !== 'broken') log('warn', 'hook.broken', { hook: hook.id, reason: thrown.code })
      const stateAt = hook.state === 'broken' ? hook.stateAt : now()
      result.broken.push(await cache.change(hook, { state: 'broken', stateReason: thrown.message, stateAt }))
    }
  }

  /**
   * Removes hooks with our address that no subscription needs. Another connection with the same credential may need
   * one.
   */
  const removeOrphans = async (ref: ConnectionRef, listed: ProviderHook[], kept: Set<string>, result: Reconciled) => {
    const prefix = prefixOf(ref.integration)
    if (prefix === undefined) return
    for (const { providerId, callbackUrl, model } of listed) {
      if (kept.has(providerId) || !callbackUrl.startsWith(prefix)) continue
      const storedHook = await cache.find(callbackUrl.slice(prefix.length))
      if (
        storedHook &&
        isLive(storedHook) &&
        !(storedHook.tenant === ref.tenant && storedHook.connection === ref.connection)
      )
        continue
      await registration.unregister(ref, { providerId, model })
      result.removed += 1
      log('info', 'hook.orphan_removed', { connection: ref.connection })
    }
  }

  /** Adds types to an existing hook. */
  const extend = async (hook: Hook, types: readonly string[]): Promise<Hook> => {
    const providerHook = (await registration.list(hookRefOf(hook), [hook.model])).find(
      ({ providerId }) => providerId === hook.providerId,
    )
    if (providerHook?.active && providerHook.types === undefined) return cache.change(hook, { types: [everyType] })
    // A hook that was lost or switched off has missed deliveries: the next round records that.
    const noted = providerHook?.active ? hook : await suspect(hook, settledUntil(hook))
    return providerHook
      ? registration.repair(noted, providerHook.providerId, types)
      : registration.register(noted, types)
  }

  const reconcile = async (ref: ConnectionRef, listed: ProviderHook[]): Promise<Reconciled> => {
    const result: Reconciled = { repaired: [], broken: [], removed: 0 }
    const kept = new Set<string>()
    for (const hook of cache.ofConnection(ref.tenant, ref.connection).filter(isLive)) {
      const providerHook = findListed(hook, listed)
      if (providerHook) kept.add(providerHook.providerId)
      await setRight(hook, providerHook, result)
      const providerId = cache.get(hook.id)?.providerId
      if (providerId) kept.add(providerId)
    }
    await removeOrphans(ref, listed, kept, result)
    return result
  }

  return { reconcile, extend }
}
