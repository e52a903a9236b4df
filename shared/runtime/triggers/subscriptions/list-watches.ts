import { isAgainstNamed, isConflict, isFailure, watchedList } from '#kit'
import type { Subscription } from '../../ports/index.ts'
import type { Leases } from '../../leases.ts'
import { modelName } from '../match-index.ts'
import type { ActiveSubscription, MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { createDueTimes } from '../sync/due-times.ts'
import type { Hooks } from '../sync/hooks.ts'
import { reconcileMs } from '../sync/maintenance.ts'
import type { Attachment } from './attach.ts'
import type { Changes } from './changes.ts'
import { connectionRefOf } from './registry.ts'
import type { SubscriptionRegistry } from './registry.ts'

type ListWatchesDependencies = Pick<TriggerParts, 'log' | 'random' | 'watchLists'> & {
  now(): number
  leases: Leases
  index: MatchIndex
  subscriptions: SubscriptionRegistry
  hooks: Pick<Hooks, 'release'>
  attachment: Pick<Attachment, 'begin'>
  changes: Pick<Changes, 'pause'>
  /** Hooks are no longer needed and must be removed at the provider. */
  onHooksEnded(): void
}

/** Keeps what subscriptions watch in step with the stored lists that they name. */
export const createListWatches = ({
  log,
  random,
  watchLists,
  now,
  leases,
  index,
  subscriptions,
  hooks,
  attachment,
  changes,
  onHooksEnded,
}: ListWatchesDependencies) => {
  const due = createDueTimes({ now, random, leases }, 'lists', reconcileMs)
  const listIn = ({ trigger, config }: ActiveSubscription) => watchedList(trigger.within, config)

  /** Watches new rows at the provider. Returns false when that has to wait. */
  const begin = async (row: Subscription, added: string[]): Promise<boolean> => {
    try {
      await attachment.begin(row, added)
      return true
    } catch (thrown) {
      // What the provider refuses shows why, as after any round.
      if (isAgainstNamed(thrown) || isConflict(thrown)) return true
      if (!isFailure(thrown)) throw thrown
      log('warn', 'list.not_watched', { subscription: row.id, reason: thrown.code })
      return false
    }
  }

  const watch = async (row: Subscription, models: string[]): Promise<void> => {
    const [before, after] = [new Set(row.watched ?? []), new Set(models)]
    const added = models.filter((model) => !before.has(model))
    const removed = [...before].filter((model) => !after.has(model))
    if (added.length + removed.length === 0 || !(await begin(row, added))) return
    await subscriptions.change(row, { watched: models })
    for (const model of removed) await hooks.release(row.tenant, row.id, model)
    log('info', 'list.watched', { subscription: row.id, added: added.length, removed: removed.length })
    if (removed.length > 0) onHooksEnded()
  }

  const refreshOne = async (active: ActiveSubscription): Promise<void> => {
    const row = await subscriptions.row(active.subscription)
    const { kind, list } = active.trigger.within!
    const name = listIn(active)!
    if (!row || row.state === 'paused') return
    const read = await watchLists.ids(row.tenant, name, list!.columns)
    if (!read) {
      await watch(row, [])
      const rest = (await subscriptions.row(row)) ?? row
      await changes.pause(
        rest,
        `The list "${name}" no longer exists. Name another list, then resume the subscription.`,
        true,
      )
      return
    }
    await watch(
      row,
      read.ids.map((id) => modelName({ kind, id })),
    )
  }

  /** Reads the lists that subscriptions of a connection watch, and adds and removes watches. */
  const refresh = async ({ tenant, connection }: ConnectionRef): Promise<void> => {
    for (const active of index.ofConnection(tenant, connection))
      if (listIn(active) !== undefined) await refreshOne(active)
  }

  return {
    refresh,
    /** Refreshes what is due. */
    async tick(): Promise<void> {
      const refs = new Map<string, ConnectionRef>()
      for (const active of index.all()) {
        if (listIn(active) === undefined) continue
        const ref = connectionRefOf(active.subscription)
        refs.set(`${ref.tenant}\n${ref.connection}`, ref)
      }
      for (const ref of refs.values()) if (await due.claim(ref)) await refresh(ref)
    },
  }
}
