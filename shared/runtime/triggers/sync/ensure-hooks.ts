import { Failure } from '#kit'
import type { Hook, Store } from '../../ports/index.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { missingTypes } from './event-types.ts'
import { groupsOf } from './hook-batches.ts'
import type { HookCache } from './hook-cache.ts'
import { hookRefOf } from './hook-registration.ts'
import type { HookRegistration } from './hook-registration.ts'
import { indexListed } from './listed-hooks.ts'
import type { RepairHooks } from './repair-hooks.ts'
import type { SharedAddresses } from './shared-addresses.ts'

type EnsureHooksDependencies = {
  store: Pick<Store, 'hooks'>
  cache: HookCache
  registration: HookRegistration
  addresses: SharedAddresses
  repairs: Pick<RepairHooks, 'extend' | 'markBroken'>
}

/** How many hooks are made or changed in one turn, while other changes of the connection wait. */
export const maxAtOnce = 100

/** Makes the hooks that a subscription needs, and adds the types that it needs of them. */
export const createEnsureHooks = ({ store, cache, registration, addresses, repairs }: EnsureHooksDependencies) => {
  /** Attaches a subscription to the hooks of models. */
  const attach = async (ref: ConnectionRef, models: readonly string[], subscription: string): Promise<Hook[]> => {
    const attachOne = async (model: string) =>
      cache.keep(await store.hooks.attach(registration.draft(ref, model), subscription))
    const hooks: Hook[] = []
    for (const group of groupsOf(models, maxAtOnce)) hooks.push(...(await Promise.all(group.map(attachOne))))
    return hooks
  }

  const isUnregistered = (hook: Hook) => hook.state !== 'active' || hook.callbackUrl !== registration.addressOf(hook)

  /** Adds types to the hooks that work and lack them. */
  const includeTypes = async (hooks: readonly Hook[], types: readonly string[]): Promise<void> => {
    const lacking = hooks.filter((hook) => hook.state === 'active' && missingTypes(hook.types, types).length > 0)
    const [first] = lacking
    if (!first) return
    const models = lacking.map(({ model }) => model)
    const listed = indexListed(await registration.list(hookRefOf(first), models))
    for (const hook of lacking) await repairs.extend(hook, types, listed)
  }

  const ensureSingly = async (hooks: readonly Hook[], types: readonly string[]): Promise<void> => {
    for (const hook of hooks)
      if (isUnregistered(hook)) await registration.register(hook, types)
      else await includeTypes([hook], types)
  }

  /** @throws Failure when the provider refuses all hooks; those that it refuses among others show why */
  const registerTogether = async (ref: ConnectionRef, hooks: readonly Hook[], types: readonly string[]) => {
    const refused: [Hook, Failure][] = []
    for (const group of groupsOf(hooks, registration.batchesOf(ref.integration)!.max))
      for (const [n, result] of (await registration.registerAll(ref, group, types)).entries())
        if (result instanceof Failure) refused.push([group[n]!, result])
    if (refused.length > 0 && refused.length === hooks.length) throw refused[0]![1]
    for (const [hook, { code, message }] of refused) await repairs.markBroken(hook, code, message)
  }

  return {
    includeTypes,
    /** Returns how many hooks of very many are left to be made by the next round. */
    async ensure(
      ref: ConnectionRef,
      models: readonly string[],
      subscription: string,
      types: readonly string[],
    ): Promise<number> {
      const isShared = registration.batchesOf(ref.integration) !== undefined
      if (isShared) await addresses.ensure(ref)
      const hooks = await attach(ref, models, subscription)
      if (!isShared) {
        await ensureSingly(hooks, types)
        return 0
      }
      const [unregistered, registered] = [hooks.filter(isUnregistered), hooks.filter((hook) => !isUnregistered(hook))]
      await registerTogether(ref, unregistered.slice(0, maxAtOnce), types)
      await includeTypes(registered.slice(0, maxAtOnce), types)
      return Math.max(0, unregistered.length - maxAtOnce) + Math.max(0, registered.length - maxAtOnce)
    },
  }
}
