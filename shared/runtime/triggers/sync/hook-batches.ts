import type { Failure, HookBatches, HookRegistrar, HookWanted, ProviderHook, WatchContext, WebhookSource } from '#kit'
import type { Hook } from '../../ports/index.ts'
import { readModel } from '../match-index.ts'
import type { ConnectionRef, ProviderSessions } from '../provider-session.ts'

type HookBatchDependencies = {
  batchesOf(integration: string): HookBatches | undefined
  sessions: ProviderSessions
  prepared(hook: Hook): Hook | Promise<Hook>
  wantedOf(hook: Hook, joining: readonly string[]): HookWanted
  succeeded(hook: Hook, providerId: string, wanted: HookWanted, secret: string | undefined): Promise<Hook>
  registrarOf(ref: ConnectionRef, ctx: WatchContext, models: string[]): HookRegistrar
  explain(thrown: unknown, callbackUrl: string): unknown
}

/** The items in groups of at most `max`. */
export const groupsOf = <T>(items: readonly T[], max: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / max) }, (_, n) => items.slice(n * max, (n + 1) * max))

type RegistrarDependencies = {
  sourceOf(integration: string): Pick<WebhookSource, 'list'>
  isOurs(integration: string, callbackUrl: string): Promise<boolean>
  usedElsewhere(ref: ConnectionRef, callbackUrl: string): Promise<boolean>
}

/** What the registration of hooks of these models may ask. */
export const createRegistrars =
  ({ sourceOf, isOurs, usedElsewhere }: RegistrarDependencies) =>
  (ref: ConnectionRef, ctx: WatchContext, models: string[]): HookRegistrar => {
    let listing: Promise<ProviderHook[]> | undefined
    return {
      isOurs: (callbackUrl) => isOurs(ref.integration, callbackUrl),
      usedElsewhere: (callbackUrl) => usedElsewhere(ref, callbackUrl),
      listed: () => (listing ??= sourceOf(ref.integration).list!(ctx, models.map(readModel))),
    }
  }

/** Makes and removes many hooks by one request, for providers that can. */
export const createHookBatches = ({
  batchesOf,
  sessions,
  prepared,
  wantedOf,
  succeeded,
  registrarOf,
  explain,
}: HookBatchDependencies) => ({
  /**
   * Sends one request for at most `max` hooks, and returns the result of each, in their order. A hook that the provider
   * refused stays as it was.
   */
  async registerAll(
    ref: ConnectionRef,
    storedHooks: readonly Hook[],
    joining: readonly string[] = [],
  ): Promise<(Hook | Failure)[]> {
    const hooks = await Promise.all(storedHooks.map(async (hook) => prepared(hook)))
    const wantedHooks = hooks.map((hook) => wantedOf(hook, joining))
    const models = hooks.map(({ model }) => model)
    try {
      const { value } = await sessions.use(ref, 'create', (ctx) =>
        batchesOf(ref.integration)!.register(ctx, wantedHooks, registrarOf(ref, ctx, models)),
      )
      return await Promise.all(
        value.map(async (result, n) =>
          'failure' in result ? result.failure : succeeded(hooks[n]!, result.providerId, wantedHooks[n]!, undefined),
        ),
      )
    } catch (thrown) {
      throw explain(thrown, hooks[0]?.callbackUrl ?? '')
    }
  },
  /** @throws Failure of the first hook that the provider did not remove, after it was asked for all of them */
  async unregisterAll(ref: ConnectionRef, hooks: readonly Pick<ProviderHook, 'providerId'>[]): Promise<void> {
    const { max, unregister } = batchesOf(ref.integration)!
    let failure: Failure | undefined
    for (const group of groupsOf(hooks, max)) {
      const ids = group.map(({ providerId }) => providerId)
      const { value } = await sessions.use(ref, 'delete', (ctx) => unregister(ctx, ids))
      failure ??= value.flatMap((result) => ('failure' in result ? [result.failure] : []))[0]
    }
    if (failure) throw failure
  },
})
