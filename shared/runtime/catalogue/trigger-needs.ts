import { fail } from '#kit'
import type { Trigger } from '#kit'
import { whyNotOffered } from './offered-fields.ts'
import type { LoadedIntegration } from './registry.ts'

/** Settings that the operator has yet to set before the trigger can be used; of most triggers none. */
export const triggerNeeds = ({ endpoints }: Trigger, loaded: Pick<LoadedIntegration, 'needsOf'>): string[] =>
  endpoints === undefined ? [] : loaded.needsOf({ endpoints })

/** @throws Failure `wire_unset` when the profile does not offer the trigger */
export const requireTriggerReady = (trigger: Trigger, loaded: LoadedIntegration): void => {
  const why = whyNotOffered(trigger, loaded, triggerNeeds(trigger, loaded))
  if (why !== null) throw fail('wire_unset', `"${trigger.title}": ${why}`)
}
