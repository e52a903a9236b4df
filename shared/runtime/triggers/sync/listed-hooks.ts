import type { ProviderHook } from '#kit'
import type { Hook } from '../../ports/index.ts'
import { readModel } from '../match-index.ts'

/** Indexes of the hooks that a provider lists. */
export type ListedHooks = {
  byPlace: Map<string, ProviderHook>
  byId: Map<string, ProviderHook>
  byAddress: Map<string, ProviderHook>
}

const placeOf = (callbackUrl: string, id: string) => `${callbackUrl}\n${id}`

/** The first one listed counts. */
const firstBy = (hooks: readonly ProviderHook[], nameOf: (hook: ProviderHook) => string) =>
  new Map(hooks.toReversed().map((hook) => [nameOf(hook), hook]))

export const indexListed = (hooks: readonly ProviderHook[]): ListedHooks => ({
  byPlace: firstBy(hooks, ({ callbackUrl, model }) => placeOf(callbackUrl, model.id)),
  byId: firstBy(hooks, ({ providerId }) => providerId),
  byAddress: firstBy(hooks, ({ callbackUrl }) => callbackUrl),
})

/** Finds a hook among those that the provider lists. An address that ends with another hook's id proves nothing. */
export const findListed = (hook: Hook, { byPlace, byId, byAddress }: ListedHooks): ProviderHook | undefined =>
  byPlace.get(placeOf(hook.callbackUrl, readModel(hook.model).id)) ??
  byId.get(hook.providerId ?? '') ??
  (hook.callbackUrl.endsWith(`/${hook.id}`) ? byAddress.get(hook.callbackUrl) : undefined)
