import type { ProviderHook } from '#kit'
import type { Hook } from '../../ports/index.ts'
import { readModel } from '../match-index.ts'
import { isLive } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'
import { hookRefOf } from './hook-registration.ts'
import type { HookRegistration } from './hook-registration.ts'
import { findListed } from './listed-hooks.ts'
import type { ListedHooks } from './listed-hooks.ts'

type RemovableHook = Pick<ProviderHook, 'providerId' | 'model'>

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

  /** The provider's ids of hooks in use. Such a hook may have taken over the one of a hook that ends. */
  const takenOver = ({ integration }: Hook) =>
    new Set(
      cache
        .all()
        .filter((other) => other.integration === integration && isLive(other))
        .map(({ providerId }) => providerId),
    )

  /** What has to be removed at the provider for a hook; undefined when it is gone, or is another system's by now. */
  const removableOf = async (hook: Hook, listed: ListedHooks): Promise<RemovableHook | undefined> => {
    const { integration, providerId } = hook
    const model = readModel(hook.model)
    const providerHook = findListed(hook, listed)
    // Its list may leave hooks out, and one that is gone already is no failure.
    if (!providerHook) return providerId === null ? undefined : { providerId, model }
    const isOurs =
      providerHook.callbackUrl === hook.callbackUrl ||
      (await registration.isOurs(integration, providerHook.callbackUrl))
    return isOurs ? { providerId: providerHook.providerId, model } : undefined
  }

  /** Removes hooks of one connection, as many as one request may name. */
  const end = async (hooks: readonly Hook[], listed: ListedHooks): Promise<void> => {
    const [first] = hooks
    if (!first) return
    const taken = takenOver(first)
    const removables: RemovableHook[] = []
    for (const hook of hooks) {
      const removable = await removableOf(hook, listed)
      if (removable && !taken.has(removable.providerId)) removables.push(removable)
    }
    await registration.unregister(hookRefOf(first), removables)
    await Promise.all(hooks.map((hook) => markEnded(hook, null)))
  }

  return { end, markEnded }
}
