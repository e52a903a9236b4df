import { isFailure } from '#kit'
import type { Caller } from '../../ports/index.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { Hooks } from '../sync/hooks.ts'
import type { Changes } from './changes.ts'
import { isForPerson, mayUse, mayUseConnection } from '../../people/act-for.ts'

type PruneDependencies = Pick<TriggerParts, 'registry' | 'store' | 'log'> & {
  index: MatchIndex
  hooks: Hooks
  changes: Changes
}

/**
 * Prepares for uninstalling: pauses the subscriptions that webhooks deliver, and removes all our hooks, on the
 * connections that the caller may use.
 */
export const createPrune =
  ({ registry, store, log, index, hooks, changes }: PruneDependencies) =>
  async (caller: Caller): Promise<{ subscriptions: number; hooks: number }> => {
    const all = [...index.all()]
      .map(({ subscription }) => subscription)
      .filter(
        (row) => row.tenant === caller.tenant && mayUseConnection(caller, row.connection) && isForPerson(caller, row),
      )
    const mine = all.filter(({ delivery, state }) => delivery === 'webhook' && state !== 'paused')
    for (const live of mine) {
      const row = await store.subscriptions.get(caller.tenant, live.id)
      if (row) await changes.pause(row, 'Its webhooks were removed.')
    }
    let ending = 0
    for (const { id } of all) ending += (await hooks.release(caller.tenant, id)).length
    const left = await hooks.endDeleting({ tenant: caller.tenant })
    let removed = Math.max(0, ending - left)
    const seen = new Set<string>()
    for (const row of await store.connections.list(caller.tenant)) {
      const { id, integration } = row
      if (
        seen.has(id) ||
        !(mayUse(caller, row) && isForPerson(caller, row)) ||
        !registry.all.some((loaded) => loaded.integration.id === integration && loaded.integration.webhooks)
      )
        continue
      seen.add(id)
      removed += await hooks.prune({ tenant: caller.tenant, connection: id, integration }).catch((thrown: unknown) => {
        if (!isFailure(thrown)) throw thrown
        log('warn', 'hooks.not_pruned', { connection: id, reason: thrown.code })
        return 0
      })
    }
    log('info', 'hooks.pruned', { subscriptions: mine.length, hooks: removed, left })
    return { subscriptions: mine.length, hooks: removed }
  }
