import { isFailure } from '#kit'
import type { Hook } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import { isLive } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'
import type { HookRegistration } from './hook-registration.ts'
import type { HookSecrets } from './hook-secrets.ts'

type RenewalDependencies = Pick<TriggerParts, 'log'> & {
  now(): number
  cache: HookCache
  registration: HookRegistration
  secrets: HookSecrets
}

/**
 * Minimum time between two new secrets of a hook: anybody who knows its address can forge deliveries, and must not be
 * able to make us work.
 */
const renewMs = 10 * 60_000

export const createSecretRenewal = ({ log, now, cache, registration, secrets }: RenewalDependencies) => {
  const renewedAt = new Map<string, number>()

  return async (hook: Hook): Promise<void> => {
    const present = cache.get(hook.id)
    const isDue = now() - (renewedAt.get(hook.id) ?? -Infinity) >= renewMs
    if (
      !registration.hasOwnSecret(hook.integration) ||
      !present ||
      !isLive(present) ||
      present.providerId === null ||
      !isDue
    )
      return
    for (const [id, at] of renewedAt) if (now() - at >= renewMs) renewedAt.delete(id)
    renewedAt.set(hook.id, now())
    try {
      await registration.repair(await cache.change(present, { secrets: secrets.renewed(present) }), present.providerId)
      log('warn', 'hook.secret_renewed', { hook: hook.id })
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      log('warn', 'hook.secret_not_renewed', { hook: hook.id, reason: thrown.code })
    }
  }
}
