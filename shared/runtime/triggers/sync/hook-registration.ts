import { fail, Failure, isAbsent, isRejected } from '#kit'
import type { HookBatches, ProviderHook, WebhookSource } from '#kit'
import type { Hook } from '../../ports/index.ts'
import { readModel } from '../match-index.ts'
import type { MatchIndex } from '../match-index.ts'
import type { ConnectionCache } from '../connection-cache.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef, ProviderSessions } from '../provider-session.ts'
import { createHookAddresses } from './hook-addresses.ts'
import { createHookBatches, createRegistrars } from './hook-batches.ts'
import type { HookCache } from './hook-cache.ts'
import { createHookRecords } from './hook-records.ts'
import { createDrafts } from './hook-rows.ts'
import { createHookWants } from './hook-wants.ts'
import type { HookSecrets } from './hook-secrets.ts'

type HookRegistrationDependencies = Pick<TriggerParts, 'registry' | 'publicUrl'> & {
  now(): number
  index: MatchIndex
  connections: Pick<ConnectionCache, 'get'>
  cache: HookCache
  secrets: HookSecrets
  sessions: ProviderSessions
}

const explain = (thrown: unknown, callbackUrl: string): unknown => {
  if (!isRejected(thrown)) return thrown
  return new Failure(
    'rejected',
    `The provider did not accept our address ${callbackUrl}: ${thrown.details.providerMessage ?? thrown.message}. It must answer there from the internet: the operator sets the public URL. Or ask for options.delivery "poll" where the trigger has it.`,
    thrown.details,
  )
}

export const hookRefOf = ({ tenant, connection, integration }: Hook): ConnectionRef => ({
  tenant,
  connection,
  integration,
})

export type HookRegistration = ReturnType<typeof createHookRegistration>

/**
 * Single hooks at the provider: what each one should be, and the requests that make it so. Callers must serialise the
 * requests of one connection.
 */
export const createHookRegistration = ({
  registry,
  publicUrl,
  now,
  index,
  connections,
  cache,
  secrets,
  sessions,
}: HookRegistrationDependencies) => {
  const sourceOf = (integration: string): WebhookSource => registry.integration(integration).integration.webhooks!
  const signatureOf = ({ tenant, connection, integration }: ConnectionRef) =>
    registry.integration(integration).withProfile(connections.get(tenant, connection)?.profile).wire.signature
  const hasOwnSecret = (ref: ConnectionRef) => signatureOf(ref)?.secret === 'hook'
  const hasProviderSecret = (ref: ConnectionRef) => signatureOf(ref)?.secret === 'provider'
  const { prefixOf, addressOf, ownAddressOf, isOurs, usedElsewhere } = createHookAddresses({ publicUrl, cache })
  const registrarOf = createRegistrars({ sourceOf, isOurs, usedElsewhere })
  const batchesOf = (integration: string): HookBatches | undefined => sourceOf(integration)?.batches
  /** Whether one hook serves a whole app. It is registered by hand, so nothing needs to be done at the provider. */
  const isOfApp = (integration: string) =>
    registry.integration(integration).integration.webhooks?.registration === 'app'

  const draft = createDrafts({ now, secrets, prefixOf, addressOf, hasOwnSecret })
  const { wantedOf, isRight, isExact, hasDelivered, notedTypes } = createHookWants({
    index,
    secrets,
    hasOwnSecret,
    hasProviderSecret: (hook) => hasProviderSecret(hook) && !batchesOf(hook.integration),
    addressOf,
    ownAddressOf,
  })
  const { recordWorking, prepared, succeeded } = createHookRecords({
    now,
    cache,
    secrets,
    sourceOf,
    hasOwnSecret,
    addressOf,
  })

  /** Without the secret, every delivery would be refused, or a changed secret would stay unknown. */
  const requireSecret = (hook: Hook, secret: string | undefined) => {
    if (secret === undefined && hasProviderSecret(hook) && !batchesOf(hook.integration))
      throw fail('bad_reply', 'The provider registered the webhook, but gave no secret that signs its deliveries.')
  }

  const { registerAll, unregisterAll } = createHookBatches({
    batchesOf,
    sessions,
    prepared,
    wantedOf,
    succeeded,
    registrarOf,
    explain,
  })

  const register = async (storedHook: Hook, joining: readonly string[] = []): Promise<Hook> => {
    if (batchesOf(storedHook.integration)) {
      const [result] = await registerAll(hookRefOf(storedHook), [storedHook], joining)
      if (result instanceof Failure) throw result
      return result!
    }
    const hook = await prepared(storedHook)
    const wantedHook = wantedOf(hook, joining)
    try {
      const { value } = await sessions.use(hookRefOf(hook), 'create', (ctx) =>
        sourceOf(hook.integration).register!(ctx, wantedHook, registrarOf(hookRefOf(hook), ctx, [hook.model])),
      )
      requireSecret(hook, value.secret)
      return await succeeded(hook, value.providerId, wantedHook, value.secret)
    } catch (thrown) {
      throw explain(thrown, hook.callbackUrl)
    }
  }

  return {
    sourceOf,
    hasOwnSecret,
    hasProviderSecret,
    isOfApp,
    prefixOf,
    addressOf,
    isOurs,
    usedElsewhere,
    draft,
    isCharged: (integration: string) => sourceOf(integration).pause !== undefined,
    isExact,
    recordWorking,
    isRight,
    hasDelivered,
    notedTypes,
    register,
    batchesOf,
    registerAll,
    async repair(storedHook: Hook, providerId: string, joining: readonly string[] = []): Promise<Hook> {
      const hook = await prepared(storedHook)
      const wantedHook = wantedOf(hook, joining)
      try {
        const { value } = await sessions.use(hookRefOf(hook), 'update', (ctx) =>
          sourceOf(hook.integration).repair!(ctx, providerId, wantedHook),
        )
        requireSecret(hook, value?.secret)
        return await succeeded(hook, providerId, wantedHook, value?.secret)
      } catch (thrown) {
        if (isAbsent(thrown)) return register(hook, joining)
        throw explain(thrown, hook.callbackUrl)
      }
    },
    list: async (ref: ConnectionRef, models: readonly string[]): Promise<ProviderHook[]> =>
      (await sessions.use(ref, 'read', (ctx) => sourceOf(ref.integration).list!(ctx, models.map(readModel)))).value,
    pause: async (hook: Hook, providerId: string): Promise<void> =>
      void (await sessions.use(hookRefOf(hook), 'update', (ctx) => sourceOf(hook.integration).pause!(ctx, providerId))),
    /** Removes hooks at the provider; those that it refuses to remove are named in the failure that is thrown last. */
    async unregister(ref: ConnectionRef, hooks: readonly Pick<ProviderHook, 'providerId' | 'model'>[]): Promise<void> {
      if (batchesOf(ref.integration)) return unregisterAll(ref, hooks)
      for (const hook of hooks)
        await sessions.use(ref, 'delete', (ctx) => sourceOf(ref.integration).unregister!(ctx, hook))
    },
  }
}
