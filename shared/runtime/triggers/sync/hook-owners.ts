import type { ProviderHook } from '#kit'
import type { Hook } from '../../ports/index.ts'
import { isForOptOuts } from '../inbound/opt-outs.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import type { HookCache } from './hook-cache.ts'
import type { HookRegistration } from './hook-registration.ts'

/**
 * What the provider lists for a hook. A webhook that has the address of another system by now is that system's: it is
 * neither changed nor removed.
 */
export const createDisown =
  ({ cache, registration }: { cache: HookCache; registration: HookRegistration }) =>
  async (hook: Hook, listedHook: ProviderHook | undefined) => {
    const isOther =
      listedHook &&
      listedHook.callbackUrl !== hook.callbackUrl &&
      !(await registration.isOurs(hook.integration, listedHook.callbackUrl))
    return isOther
      ? { hook: await cache.change(hook, { providerId: null }), providerHook: undefined }
      : { hook, providerHook: listedHook }
  }

/**
 * Removes hooks with our address that no subscription needs, and tells how many. Another connection with the same
 * credential may need a hook that this one does not.
 */
export const createRemoveOrphans =
  ({ log, registration }: Pick<TriggerParts, 'log'> & { registration: HookRegistration }) =>
  async (ref: ConnectionRef, listed: ProviderHook[], kept: Set<string>): Promise<number> => {
    const prefix = registration.prefixOf(ref.integration)
    if (prefix === undefined) return 0
    const orphans: ProviderHook[] = []
    for (const hook of listed) {
      const { providerId, callbackUrl } = hook
      const isOurs = callbackUrl.startsWith(prefix) && !isForOptOuts(callbackUrl.slice(prefix.length))
      if (isOurs && !kept.has(providerId) && !(await registration.usedElsewhere(ref, callbackUrl))) orphans.push(hook)
    }
    await registration.unregister(ref, orphans)
    if (orphans.length > 0) log('info', 'hook.orphan_removed', { connection: ref.connection, removed: orphans.length })
    return orphans.length
  }
