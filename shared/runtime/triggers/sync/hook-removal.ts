import type { Hook } from '../../ports/index.ts'
import { readModel } from '../match-index.ts'
import type { HookCache } from './hook-cache.ts'
import { hookRefOf } from './hook-registration.ts'
import type { HookRegistration } from './hook-registration.ts'

/** Removes hooks at the provider that no subscription needs any more. */
export const createHookRemoval = ({
  now,
  cache,
  registration,
}: {
  now(): number
  cache: HookCache
  registration: HookRegistration
}) => {
  const markEnded = (hook: Hook, reason: string | null) => {
    const at = now()
    return cache.change(hook, { state: 'deleted', stateReason: reason, updatedAt: at })
  }

  const end = async (hook: Hook): Promise<void> => {
    const ref = hookRefOf(hook)
    const listed = async () =>
      (await registration.list(ref, [hook.model])).find(({ callbackUrl }) => callbackUrl === hook.callbackUrl)
        ?.providerId
    // A hook without the provider's id may exist nevertheless: the response to its registration may have been lost.
    const providerId = hook.providerId ?? (await listed())
    if (providerId !== undefined) await registration.unregister(ref, { providerId, model: readModel(hook.model) })
    await markEnded(hook, null)
  }

  return { end, markEnded }
}
