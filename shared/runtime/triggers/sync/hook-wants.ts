import type { HookWanted, ProviderHook } from '#kit'
import type { Hook } from '../../ports/index.ts'
import { readModel } from '../match-index.ts'
import type { MatchIndex } from '../match-index.ts'
import { everyType, missingTypes, unionOfTypes } from './event-types.ts'
import type { HookSecrets } from './hook-secrets.ts'

type HookWantsDependencies = {
  index: Pick<MatchIndex, 'watching'>
  secrets: Pick<HookSecrets, 'wantedSecret'>
  hasOwnSecret(hook: Hook): boolean
  /** Whether the provider makes a secret for each hook. */
  hasProviderSecret(hook: Hook): boolean
  addressOf(hook: Hook): string
  /** The address that a hook has where its connection shares none; undefined without a public URL. */
  ownAddressOf(hook: Hook): string | undefined
}

const description = 'toolyard: starts agents'

/** How a hook should be set up at the provider, and whether it is. */
export const createHookWants = ({
  index,
  secrets,
  hasOwnSecret,
  hasProviderSecret,
  addressOf,
  ownAddressOf,
}: HookWantsDependencies) => {
  /** A hook never loses types while it exists: a subscription that is being attached is not in the index yet. */
  const typesOf = ({ tenant, connection, model, types }: Hook, joining: readonly string[] = []) =>
    unionOfTypes(types, joining, ...index.watching(tenant, connection, model).map((active) => active.types))
  const wantedOf = (hook: Hook, joining: readonly string[]): HookWanted => {
    const secret = hasOwnSecret(hook) ? secrets.wantedSecret(hook) : undefined
    return {
      model: readModel(hook.model),
      callbackUrl: hook.callbackUrl,
      description,
      types: typesOf(hook, joining),
      ...(secret === undefined ? {} : { secret }),
    }
  }

  const isRightAt = (
    address: string | undefined,
    hook: Hook,
    { active, callbackUrl, model, types }: ProviderHook,
  ): boolean => {
    const isComplete = types === undefined || missingTypes(types, typesOf(hook)).length === 0
    const isSigned = hasOwnSecret(hook) || hasProviderSecret(hook)
    const hasSecret = !isSigned || secrets.wantedSecret(hook) !== undefined
    return active && callbackUrl === address && model.id === readModel(hook.model).id && isComplete && hasSecret
  }

  return {
    wantedOf,
    /** Whether the provider delivers no types that the hook does not need. */
    isExact: (hook: Hook, { types }: ProviderHook): boolean =>
      types === undefined || missingTypes(typesOf(hook), types).length === 0,
    /** Whether the provider has the hook as it should be. */
    isRight: (hook: Hook, providerHook: ProviderHook) => isRightAt(addressOf(hook), hook, providerHook),
    /** Whether a hook from before the shared address has delivered everything so far, at an address of its own. */
    hasDelivered: (hook: Hook, providerHook: ProviderHook) =>
      hook.state === 'active' && isRightAt(ownAddressOf(hook), hook, providerHook),
    /** The types to store for a hook: a provider that lists no types delivers every type. */
    notedTypes: (hook: Hook, { types }: ProviderHook): string[] => (types === undefined ? [everyType] : typesOf(hook)),
  }
}
