import { isFailure } from '#kit'
import type { Hook } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import { sharedModel } from './hook-addresses.ts'
import { isLive } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'
import { isPaused } from './hook-pauses.ts'
import { createDisown } from './hook-owners.ts'
import { hookRefOf } from './hook-registration.ts'
import type { HookRegistration } from './hook-registration.ts'
import type { HookSecrets } from './hook-secrets.ts'
import { findListed, indexListed } from './listed-hooks.ts'
import type { SharedAddresses } from './shared-addresses.ts'

type RenewalDependencies = Pick<TriggerParts, 'log'> & {
  now(): number
  cache: HookCache
  registration: HookRegistration
  secrets: HookSecrets
  addresses: Pick<SharedAddresses, 'readSecret'>
}

/**
 * Minimum time between two new secrets of a hook: anybody who knows its address can forge deliveries, and must not be
 * able to make us work.
 */
const renewMs = 10 * 60_000

export const createSecretRenewal = ({ log, now, cache, registration, secrets, addresses }: RenewalDependencies) => {
  const renewedAt = new Map<string, number>()
  const disown = createDisown({ cache, registration })

  const isRenewable = (hook: Hook) =>
    isLive(hook) &&
    !isPaused(hook) &&
    (registration.hasOwnSecret(hook) || registration.hasProviderSecret(hook)) &&
    (hook.providerId !== null || hook.model === sharedModel)

  /** Nothing is done where another system has made the hook its own since the last round. */
  const renew = async (present: Hook): Promise<void> => {
    if (present.model === sharedModel) return void (await addresses.readSecret(present))
    const listed = indexListed(await registration.list(hookRefOf(present), [present.model]))
    const { hook, providerHook } = await disown(present, findListed(present, listed))
    if (!providerHook) return
    // The repair of a hook whose secret the provider makes reads that secret again.
    const changed = registration.hasOwnSecret(hook)
      ? await cache.change(hook, { secrets: secrets.renewed(hook) })
      : hook
    await registration.repair(changed, providerHook.providerId)
  }

  return async ({ id }: Hook): Promise<void> => {
    const present = cache.get(id)
    const isDue = now() - (renewedAt.get(id) ?? -Infinity) >= renewMs
    if (!present || !isDue || !isRenewable(present)) return
    for (const [other, at] of renewedAt) if (now() - at >= renewMs) renewedAt.delete(other)
    renewedAt.set(id, now())
    try {
      await renew(present)
      log('warn', 'hook.secret_renewed', { hook: id })
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      log('warn', 'hook.secret_not_renewed', { hook: id, reason: thrown.code })
    }
  }
}
