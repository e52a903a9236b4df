import type { ProviderHook } from '#kit'
import type { EventCharges } from '../../credits/event-charges.ts'
import type { Hook } from '../../ports/index.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { sharedModel } from './hook-addresses.ts'
import { isLive } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'
import type { HookRegistration } from './hook-registration.ts'

type HookPauseDependencies = {
  cache: Pick<HookCache, 'ofConnection'>
  registration: Pick<HookRegistration, 'sourceOf' | 'pause'>
  charges: Pick<EventCharges, 'budgetWithout'>
}

/** The beginning of the reason that a paused hook shows. */
const pausedReason = 'Paused, since deliveries cost credits:'

/**
 * The credits that a budget must have left for hooks to stay active: what may arrive while they are paused, which takes
 * longer where there are many.
 */
const marginOf = (hooks: number) => Math.min(hooks, 25) + Math.floor(hooks / 100)

/** Whether a hook was paused for a budget. */
export const isPaused = ({ state, stateReason }: Pick<Hook, 'state' | 'stateReason'>): boolean =>
  state === 'broken' && stateReason?.startsWith(pausedReason) === true

/** Pauses hooks whose deliveries cost credits before a budget is used up. */
export const createHookPauses = ({ cache, registration, charges }: HookPauseDependencies) => {
  const liveHooks = ({ tenant, connection }: ConnectionRef) =>
    cache.ofConnection(tenant, connection).filter((hook) => isLive(hook) && hook.model !== sharedModel)

  /** Why hooks of a connection have to be paused; undefined: they may deliver. `joining`: hooks about to be made. */
  const whyPaused = async (ref: ConnectionRef, joining = 0): Promise<string | undefined> => {
    if (!registration.sourceOf(ref.integration).pause) return undefined
    const margin = marginOf(liveHooks(ref).length + joining)
    const budget = await charges.budgetWithout(ref, margin)
    return (
      budget &&
      `${pausedReason} the budget "${budget.id}" has ${budget.left} of ${budget.credits} credits left, and ${margin} more deliveries may be on their way. Raise the budget, or wait for its next period.`
    )
  }

  return {
    whyPaused,
    /** Whether hooks of the connection deliver and have to be paused. */
    isDue: async (ref: ConnectionRef): Promise<boolean> =>
      liveHooks(ref).some((hook) => !isPaused(hook)) && (await whyPaused(ref)) !== undefined,
    /** Stops the deliveries at the provider, unless they have stopped already. */
    async pause(hook: Hook, providerHook: ProviderHook | undefined): Promise<void> {
      if (providerHook?.active) await registration.pause(hook, providerHook.providerId)
    },
  }
}
export type HookPauses = ReturnType<typeof createHookPauses>
