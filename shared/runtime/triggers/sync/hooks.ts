import { describeDefect, isFailure, needsReconnect } from '#kit'
import type { Hook, Store } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import type { KeyedMutex } from '../keyed-mutex.ts'
import { everyType, missingTypes } from './event-types.ts'
import { noConnection } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'
import { hookRefOf } from './hook-registration.ts'
import type { HookRegistration } from './hook-registration.ts'
import { createHookRemoval } from './hook-removal.ts'
import type { HookSecrets } from './hook-secrets.ts'
import { createReconcileHooks } from './reconcile-hooks.ts'
import type { Reconciled } from './reconcile-hooks.ts'
import { createSecretRenewal } from './renew-secret.ts'

type HooksDependencies = Pick<TriggerParts, 'store' | 'log'> & {
  now(): number
  cache: HookCache
  registration: HookRegistration
  secrets: HookSecrets
  mutex: KeyedMutex
}

/** How long after its removal a hook's model is still checked for hooks left at the provider. */
const orphanMs = 24 * 3_600_000
const pageSize = 200

/** Models that may have hooks at the provider: those in use or being removed, and those removed since a time in ms. */
const modelsOf = async (
  store: Pick<Store, 'hooks'>,
  cache: HookCache,
  { tenant, connection }: ConnectionRef,
  removedSince = -Infinity,
): Promise<string[]> => {
  const models = new Set(cache.ofConnection(tenant, connection).map(({ model }) => model))
  let cursor: string | undefined
  do {
    const page: Awaited<ReturnType<typeof store.hooks.list>> = await store.hooks.list(
      tenant,
      { limit: pageSize, cursor },
      { connection, state: 'deleted' },
    )
    for (const { model, updatedAt } of page.items) if (updatedAt >= removedSince) models.add(model)
    cursor = page.next
  } while (cursor !== undefined)
  return [...models]
}

export type Hooks = ReturnType<typeof createHooks>

/**
 * Keeps the provider's webhooks equal to what subscriptions need. Changes to the hooks of one connection are
 * serialised.
 */
export const createHooks = ({ store, log, now, cache, registration, secrets, mutex }: HooksDependencies) => {
  const inTurn = <T>({ tenant, connection }: ConnectionRef, work: () => Promise<T>) =>
    mutex(`hooks ${tenant} ${connection}`, async () => {
      if (store.cluster) await cache.reload(tenant, connection)
      return work()
    })
  const reconciler = createReconcileHooks({ log, now, cache, registration })
  const { end, markEnded } = createHookRemoval({ now, cache, registration })
  const renewSecret = createSecretRenewal({ log, now, cache, registration, secrets })

  const listAll = async (ref: ConnectionRef, removedSince?: number) =>
    registration.list(ref, await modelsOf(store, cache, ref, removedSince))

  /** The hook of a whole app: one per tenant, and permanent, since its address is entered at the provider by hand. */
  const ensureOfApp = async ({ tenant, integration }: ConnectionRef): Promise<Hook> => {
    const ref = { tenant, integration, connection: noConnection }
    const hook = cache.keep(await store.hooks.attach(registration.draft(ref, `app:${integration}`), 'app'))
    const callbackUrl = registration.addressOf(hook)
    if (hook.state === 'active' && hook.callbackUrl === callbackUrl) return hook
    return cache.change(hook, { callbackUrl, state: 'active', stateAt: now(), types: [everyType] })
  }

  const tryEnd = async (hook: Hook): Promise<boolean> => {
    try {
      await inTurn(hookRefOf(hook), async () => (cache.get(hook.id)?.state === 'deleting' ? end(hook) : undefined))
      return true
    } catch (thrown) {
      // A removed connection cannot remove its hooks; they end with its token, or their deliveries are answered 410.
      const isGone = needsReconnect(thrown) && !(await store.connections.get(hook.tenant, hook.connection))
      if (isGone) await markEnded(hook, 'The connection was removed before the hook could be removed at the provider.')
      else
        log('warn', 'hook.not_removed_yet', {
          hook: hook.id,
          reason: isFailure(thrown) ? thrown.code : describeDefect(thrown).message,
        })
      return isGone
    }
  }

  return {
    reconcile: (ref: ConnectionRef): Promise<Reconciled> =>
      inTurn(ref, async () => {
        if (registration.isOfApp(ref.integration)) return { repaired: [], broken: [], removed: 0 }
        const result = await reconciler.reconcile(ref, await listAll(ref, now() - orphanMs))
        for (const hook of cache.ofConnection(ref.tenant, ref.connection))
          if (hook.state === 'deleting') await end(hook)
        return result
      }),
    /**
     * Attaches a subscription to the hook of a model; resolves when the provider delivers these types to it. When the
     * provider refuses, this throws, but the subscription is attached nevertheless and must be released.
     */
    ensure: (ref: ConnectionRef, model: string, subscription: string, types: readonly string[]): Promise<Hook> =>
      inTurn(ref, async () => {
        if (registration.isOfApp(ref.integration)) return ensureOfApp(ref)
        const hook = cache.keep(await store.hooks.attach(registration.draft(ref, model), subscription))
        if (hook.state !== 'active' || hook.callbackUrl !== registration.addressOf(hook))
          return registration.register(hook, types)
        return missingTypes(hook.types, types).length === 0 ? hook : reconciler.extend(hook, types)
      }),
    /** Adds types to the hook of a model. A hook that does not work gets them when it is repaired. */
    includeTypes: (ref: ConnectionRef, model: string, types: readonly string[]): Promise<void> =>
      inTurn(ref, async () => {
        const hook = cache.live(ref.tenant, ref.connection, model)
        if (hook?.state === 'active' && missingTypes(hook.types, types).length > 0) await reconciler.extend(hook, types)
      }),
    /**
     * Deliveries to the hook are not signed with its secret: either somebody changed it at the provider, or they are
     * forged. The hook gets a new secret, and the present one stays valid. Does nothing where the secret is not ours to
     * set.
     */
    renewSecret: (hook: Hook): Promise<void> => inTurn(hookRefOf(hook), () => renewSecret(hook)),
    /**
     * Detaches a subscription from its hooks (of one model, if given). Hooks that no subscription needs are marked;
     * `endDeleting` removes them at the provider.
     */
    async release(tenant: string, subscription: string, model?: string): Promise<Hook[]> {
      const ending = await store.hooks.detach(tenant, subscription, now(), model)
      for (const hook of ending) cache.keep(hook)
      return ending
    },
    /** Removes the marked hooks at the provider; returns how many are still there. */
    async endDeleting(of?: { tenant: string; connection?: string }): Promise<number> {
      const isMeant = ({ tenant, connection }: Hook) =>
        !of || (tenant === of.tenant && (of.connection === undefined || connection === of.connection))
      let left = 0
      for (const hook of cache.all().filter((candidate) => candidate.state === 'deleting' && isMeant(candidate)))
        left += (await tryEnd(hook)) ? 0 : 1
      return left
    },
    /** For uninstalling: removes every hook at the provider whose address is ours; returns how many there were. */
    prune: (ref: ConnectionRef): Promise<number> =>
      inTurn(ref, async () => {
        if (registration.isOfApp(ref.integration)) return 0
        const prefix = registration.prefixOf(ref.integration)
        const isOurs = (callbackUrl: string) =>
          (prefix !== undefined && callbackUrl.startsWith(prefix)) ||
          cache.all().some((hook) => hook.callbackUrl === callbackUrl)
        const listed = (await listAll(ref)).filter(({ callbackUrl }) => isOurs(callbackUrl))
        for (const hook of listed) await registration.unregister(ref, hook)
        return listed.length
      }),
  }
}
