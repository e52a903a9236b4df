import type { HookWanted } from '#kit'
import type { Hook } from '../../ports/index.ts'
import type { HookCache } from './hook-cache.ts'
import type { HookSecrets } from './hook-secrets.ts'

type HookRecordDependencies = {
  now(): number
  cache: HookCache
  secrets: HookSecrets
  hasOwnSecret(integration: string): boolean
  addressOf(hook: Hook): string
}

/** Changes the row of a hook before and after its registration at the provider. */
export const createHookRecords = ({ now, cache, secrets, hasOwnSecret, addressOf }: HookRecordDependencies) => {
  /**
   * Records that a hook works. `updatedAt` is when it last worked without failures, so it stays while deliveries fail;
   * `stateAt` is when failures were last counted, or ended.
   */
  const recordWorking = (
    hook: Hook,
    providerId: string,
    { failures = 0, ...changes }: Partial<Pick<Hook, 'failures' | 'types' | 'secrets'>> = {},
  ) => {
    const at = now()
    const state = hook.state === 'active' ? {} : { state: 'active' as const, stateReason: null }
    const isOther = hook.state !== 'active' || failures > 0 || hook.failures > 0
    const seen = { ...(isOther ? { stateAt: at } : {}), ...(failures === 0 ? { updatedAt: at } : {}) }
    return cache.change(hook, { ...state, ...seen, ...changes, providerId, failures })
  }

  /** The provider's signature covers address and secret, so both are stored before the provider learns them. */
  const prepared = (hook: Hook): Hook | Promise<Hook> => {
    const callbackUrl = addressOf(hook)
    const isLacking = hasOwnSecret(hook.integration) && secrets.wantedSecret(hook) === undefined
    if (hook.callbackUrl === callbackUrl && !isLacking) return hook
    return cache.change(hook, { callbackUrl, ...(isLacking ? { secrets: secrets.first(hook) } : {}) })
  }

  /** The provider has registered the hook as requested. */
  const succeeded = (hook: Hook, providerId: string, { types, secret }: HookWanted) => {
    const reached = secret === undefined ? undefined : secrets.reached(hook)
    return recordWorking(hook, providerId, { types, ...(reached ? { secrets: reached } : {}) })
  }

  return { recordWorking, prepared, succeeded }
}
