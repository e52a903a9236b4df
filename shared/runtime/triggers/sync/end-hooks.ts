import { describeDefect, endsBatch, isAbsent, isFailure, needsReconnect } from '#kit'
import type { Hook, Store } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { groupsOf } from './hook-batches.ts'
import type { HookCache } from './hook-cache.ts'
import { hookRefOf } from './hook-registration.ts'
import type { HookRegistration } from './hook-registration.ts'
import { createHookRemoval } from './hook-removal.ts'
import { indexListed } from './listed-hooks.ts'
import type { SharedAddresses } from './shared-addresses.ts'

type EndHooksDependencies = Pick<TriggerParts, 'log'> & {
  store: Pick<Store, 'connections'>
  now(): number
  cache: HookCache
  registration: HookRegistration
  addresses: SharedAddresses
  /** Serialises changes to the hooks of one connection. */
  inTurn<T>(ref: ConnectionRef, work: () => Promise<T>): Promise<T>
}

/** Removes hooks that are marked at the provider. */
export const createEndHooks = ({ store, log, now, cache, registration, addresses, inTurn }: EndHooksDependencies) => {
  const { end, markEnded } = createHookRemoval({ now, cache, registration })
  const markedOf = ({ tenant, connection }: ConnectionRef) =>
    cache.ofConnection(tenant, connection).filter(({ state }) => state === 'deleting')

  /** What the provider lists for hooks that end. */
  const listEnding = async (ref: ConnectionRef, hooks: readonly Hook[]) => {
    try {
      return indexListed(await registration.list(ref, [...new Set(hooks.map(({ model }) => model))]))
    } catch (thrown) {
      if (isAbsent(thrown)) return indexListed([])
      throw thrown
    }
  }

  /** Removes the marked hooks of a connection, as many at a time as one request may name. */
  const endMarked = async (ref: ConnectionRef): Promise<void> => {
    const batches = registration.batchesOf(ref.integration)
    const marked = markedOf(ref)
    // One list holds all of them, or is read for each.
    const listed = batches && marked.length > 0 ? await inTurn(ref, () => listEnding(ref, marked)) : undefined
    let failure: unknown
    for (const group of groupsOf(marked, batches?.max ?? 1))
      await inTurn(ref, async () => {
        const ending = group.filter(({ id }) => cache.get(id)?.state === 'deleting')
        if (ending.length > 0) await end(ending, listed ?? (await listEnding(ref, ending)))
      }).catch((thrown: unknown) => {
        if (endsBatch(thrown)) throw thrown
        failure ??= thrown
      })
    if (failure !== undefined) throw failure
    if (batches) await inTurn(ref, () => addresses.endUnused(ref))
  }

  const tryEnd = async (ref: ConnectionRef): Promise<void> => {
    try {
      await endMarked(ref)
    } catch (thrown) {
      // A removed connection cannot remove its hooks; they end with its token, or their deliveries are answered 410.
      const isGone = needsReconnect(thrown) && !(await store.connections.get(ref.tenant, ref.connection))
      if (!isGone) {
        const reason = isFailure(thrown) ? thrown.code : describeDefect(thrown).message
        return log('warn', 'hook.not_removed_yet', { connection: ref.connection, reason })
      }
      for (const hook of markedOf(ref))
        await markEnded(hook, 'The connection was removed before the hook could be removed at the provider.')
      if (registration.batchesOf(ref.integration)) await addresses.endUnused(ref)
    }
  }

  return {
    /** @throws Failure for those that could not be removed, after all were tried */
    endMarked,
    async endDeleting(of?: { tenant: string; connection?: string }): Promise<number> {
      const isMeant = ({ state, tenant, connection }: Hook) =>
        state === 'deleting' &&
        (!of || (tenant === of.tenant && (of.connection === undefined || connection === of.connection)))
      const marked = () => cache.all().filter(isMeant)
      const refs = new Map(marked().map((hook) => [`${hook.tenant}\n${hook.connection}`, hookRefOf(hook)]))
      for (const ref of refs.values()) await tryEnd(ref)
      return marked().length
    },
  }
}
