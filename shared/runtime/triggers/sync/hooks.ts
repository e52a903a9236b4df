import { fail } from '#kit'
import type { EventCharges } from '../../credits/event-charges.ts'
import type { Hook, Store } from '../../ports/index.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import type { KeyedMutex } from '../keyed-mutex.ts'
import { createEndHooks } from './end-hooks.ts'
import { createEnsureHooks, maxAtOnce } from './ensure-hooks.ts'
import { everyType } from './event-types.ts'
import { groupsOf } from './hook-batches.ts'
import { isLive, noConnection } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'
import { createHookPauses } from './hook-pauses.ts'
import { hookRefOf } from './hook-registration.ts'
import type { HookRegistration } from './hook-registration.ts'
import type { HookSecrets } from './hook-secrets.ts'
import { createReconcileHooks } from './reconcile-hooks.ts'
import { createRepairHooks } from './repair-hooks.ts'
import type { ReconcileResult } from './repair-hooks.ts'
import { createNarrowTypes } from './narrow-types.ts'
import { createSecretRenewal } from './renew-secret.ts'
import { createSuppressedWatches } from './suppressed-watches.ts'
import type { SharedAddresses } from './shared-addresses.ts'

type HooksDependencies = Pick<TriggerParts, 'store' | 'log' | 'suppressed'> & {
  now(): number
  cache: HookCache
  registration: HookRegistration
  secrets: HookSecrets
  addresses: SharedAddresses
  index: MatchIndex
  charges: Pick<EventCharges, 'budgetWithout'>
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

/** The hook of a whole app: one per tenant, and permanent, since its address is entered at the provider by hand. */
const createAppHooks =
  ({ store, now, cache, registration }: Pick<HooksDependencies, 'store' | 'now' | 'cache' | 'registration'>) =>
  async ({ tenant, integration }: Omit<ConnectionRef, 'connection'>): Promise<Hook> => {
    const ref = { tenant, integration, connection: noConnection }
    const hook = cache.keep(await store.hooks.attach(registration.draft(ref, `app:${integration}`), 'app'))
    const callbackUrl = registration.addressOf(hook)
    if (hook.state === 'active' && hook.callbackUrl === callbackUrl) return hook
    return cache.change(hook, { callbackUrl, state: 'active', stateAt: now(), types: [everyType] })
  }

export type Hooks = ReturnType<typeof createHooks>

/**
 * Keeps the provider's webhooks equal to what subscriptions need. Changes to the hooks of one connection are
 * serialised.
 */
export const createHooks = (parts: HooksDependencies) => {
  const { store, now, cache, registration, addresses, mutex } = parts
  const inTurn = <T>({ tenant, connection }: ConnectionRef, work: () => Promise<T>) =>
    mutex(`hooks ${tenant} ${connection}`, async () => {
      if (store.cluster) await cache.reload(tenant, connection)
      return work()
    })
  const pauses = createHookPauses(parts)
  const repairs = createRepairHooks(parts)
  const compare = createReconcileHooks({ ...parts, pauses, repairs, narrowTypes: createNarrowTypes(parts) })
  const ensuring = createEnsureHooks({ ...parts, repairs })
  const { endMarked, endDeleting } = createEndHooks({ ...parts, inTurn })
  const renewSecret = createSecretRenewal(parts)
  const { withoutSuppressed, releaseSuppressed } = createSuppressedWatches(parts)
  const isShared = ({ integration }: Pick<ConnectionRef, 'integration'>) =>
    registration.batchesOf(integration) !== undefined

  const listAll = async (ref: ConnectionRef, removedSince?: number) =>
    registration.list(ref, await modelsOf(store, cache, ref, removedSince))

  const ensureOfApp = createAppHooks(parts)

  return {
    /**
     * The address that deliveries of a whole app come to, which is entered at the provider; made when it is first asked
     * for. Undefined where hooks are made one by one.
     */
    async addressOfApp(tenant: string, integration: string): Promise<string | null | undefined> {
      if (!registration.isOfApp(integration)) return undefined
      if (registration.prefixOf(integration) === undefined) return null
      return (
        await inTurn({ tenant, integration, connection: noConnection }, () => ensureOfApp({ tenant, integration }))
      ).callbackUrl
    },
    /** Whether all hooks of a connection have one address, and what is missed of them is found together. */
    isShared,
    /** Detaches people who are suppressed by now from the hooks that watch them; returns how many hooks end. */
    releaseSuppressed,
    async reconcile(ref: ConnectionRef): Promise<ReconcileResult> {
      if (registration.isOfApp(ref.integration)) return { repaired: [], broken: [], removed: 0 }
      if (isShared(ref)) await releaseSuppressed(ref)
      const { left, ...result } = await inTurn(ref, async () => {
        const isWatched = cache.ofConnection(ref.tenant, ref.connection).some(isLive)
        if (isShared(ref) && isWatched) await addresses.ensure(ref)
        return compare(ref, await listAll(ref, now() - orphanMs))
      })
      for (const some of groupsOf(left, maxAtOnce)) {
        const { repaired, broken } = await inTurn(ref, () => repairs.settleSome(ref, some))
        result.repaired.push(...repaired)
        result.broken.push(...broken)
        // The next round pauses them.
        if (await pauses.isDue(ref)) break
      }
      await endMarked(ref)
      return result
    },
    /**
     * Attaches a subscription to the hooks of models; resolves when the provider delivers these types to them, or to the
     * first of very many, and returns how many the next round has to make. When the provider refuses, this throws, but
     * the subscription is attached nevertheless and must be released.
     */
    ensure: (
      ref: ConnectionRef,
      models: readonly string[],
      subscription: string,
      types: readonly string[],
    ): Promise<number> =>
      inTurn(ref, async () => {
        if (models.length === 0) return 0
        if (registration.isOfApp(ref.integration)) {
          await ensureOfApp(ref)
          return 0
        }
        const whyPaused = await pauses.whyPaused(ref, models.length)
        if (whyPaused !== undefined) throw fail('budget_exceeded', whyPaused)
        const watchable = isShared(ref) ? await withoutSuppressed(ref.tenant, models) : models
        return ensuring.ensure(ref, watchable, subscription, types)
      }),
    /** Whether hooks of the connection deliver and have to be paused for a budget. */
    mustPause: pauses.isDue,
    /** Adds types to the hooks of models. Hooks that do not work get them when they are repaired. */
    includeTypes: (ref: ConnectionRef, models: readonly string[], types: readonly string[]): Promise<void> =>
      inTurn(ref, () =>
        ensuring.includeTypes(
          models.flatMap((model) => cache.live(ref.tenant, ref.connection, model) ?? []),
          types,
        ),
      ),
    /**
     * Deliveries to the hook are not signed with its secret: either somebody changed it at the provider, or they are
     * forged. The hook gets a new secret, and the present one stays valid; a secret that the provider makes is read again.
     * Does nothing where the secret is that of an app.
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
    endDeleting,
    /** For uninstalling: removes every hook at the provider whose address is ours; returns how many there were. */
    prune: (ref: ConnectionRef): Promise<number> =>
      inTurn(ref, async () => {
        if (registration.isOfApp(ref.integration)) return 0
        const prefix = registration.prefixOf(ref.integration)
        const isOurs = (callbackUrl: string) =>
          (prefix !== undefined && callbackUrl.startsWith(prefix)) ||
          cache.all().some((hook) => hook.callbackUrl === callbackUrl)
        const listed = (await listAll(ref)).filter(({ callbackUrl }) => isOurs(callbackUrl))
        await registration.unregister(ref, listed)
        return listed.length
      }),
  }
}
