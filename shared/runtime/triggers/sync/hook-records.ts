import type { HookWanted, WebhookSource } from '#kit'
import type { Hook } from '../../ports/index.ts'
import { settlingMs } from './gaps.ts'
import type { HookCache } from './hook-cache.ts'
import type { HookSecrets } from './hook-secrets.ts'

type HookRecordDependencies = {
  now(): number
  cache: HookCache
  secrets: HookSecrets
  sourceOf(integration: string): Pick<WebhookSource, 'retries'>
  hasOwnSecret(hook: Hook): boolean
  addressOf(hook: Hook): string
}

/** Changes the row of a hook before and after its registration at the provider. */
export const createHookRecords = ({
  now,
  cache,
  secrets,
  sourceOf,
  hasOwnSecret,
  addressOf,
}: HookRecordDependencies) => {
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
    const isLacking = hasOwnSecret(hook) && secrets.wantedSecret(hook) === undefined
    if (hook.callbackUrl === callbackUrl && !isLacking) return hook
    return cache.change(hook, { callbackUrl, ...(isLacking ? { secrets: secrets.first(hook) } : {}) })
  }

  /** The provider has registered the hook as requested. `told`: the secret that it made for it. */
  const succeeded = (hook: Hook, providerId: string, { types, secret }: HookWanted, told: string | undefined) => {
    const until = now() + settlingMs(sourceOf(hook.integration))
    const reached = secret === undefined ? undefined : secrets.reached(hook, until)
    const changed = told === undefined ? reached : secrets.told(hook, told, until)
    return recordWorking(hook, providerId, { types, ...(changed ? { secrets: changed } : {}) })
  }

  return { recordWorking, prepared, succeeded }
}
