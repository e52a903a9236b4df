import type { Model } from '#kit'
import type { ActiveSubscription } from './active-subscription.ts'
import { createCompact } from './compact.ts'
export type { ActiveSubscription, LiveSubscription, WholeSubscription } from './active-subscription.ts'

export const modelName = ({ kind, id }: Model) => `${kind}:${id}`
export const readModel = (name: string): Model => {
  const at = name.indexOf(':')
  return { kind: name.slice(0, at), id: name.slice(at + 1) }
}

const none: readonly ActiveSubscription[] = []
const scope = (tenant: string, suffix: string) => `${tenant}\n${suffix}`

/**
 * Finds the subscriptions that an event concerns by connection, watched model and type, without scanning all of them.
 */
export type MatchIndex = {
  /** Adds a subscription, or replaces its entry. */
  put(active: ActiveSubscription): void
  drop(tenant: string, id: string): void
  get(tenant: string, id: string): ActiveSubscription | undefined
  /** Subscriptions that watch any of the models for this type, each once. */
  concerned(tenant: string, connection: string, models: readonly Model[], type: string): readonly ActiveSubscription[]
  /** Subscriptions that watch the model, for any type. */
  watching(tenant: string, connection: string, model: string): readonly ActiveSubscription[]
  ofConnection(tenant: string, connection: string): ActiveSubscription[]
  all(): Iterable<ActiveSubscription>
  size(): number
}

/**
 * Subscriptions that watch one model, grouped by their types: `members[n]` watch it for `types[n]`. There are few
 * groups, however many subscriptions.
 */
type Watchers = { types: string[][]; members: ActiveSubscription[][] }
type ByModel = Map<string, Watchers>

const add = (byModel: ByModel, model: string, active: ActiveSubscription) => {
  const watchers = byModel.get(model)
  if (!watchers) return void byModel.set(model, { types: [active.types], members: [[active]] })
  const list = watchers.members[watchers.types.indexOf(active.types)]
  if (list) list.push(active)
  else {
    watchers.types.push(active.types)
    watchers.members.push([active])
  }
}

/** Replaces the list instead of changing it: a caller may be iterating over the old one. */
const remove = (byModel: ByModel, model: string, active: ActiveSubscription) => {
  const watchers = byModel.get(model)
  const at = watchers?.types.indexOf(active.types) ?? -1
  if (!watchers || at < 0) return
  watchers.members[at] = watchers.members[at]!.filter((other) => other !== active)
  if (watchers.members[at].length > 0) return
  watchers.types.splice(at, 1)
  watchers.members.splice(at, 1)
  if (watchers.types.length === 0) byModel.delete(model)
}

export const createMatchIndex = (): MatchIndex => {
  const compact = createCompact()
  const byTenant = new Map<string, Map<string, ActiveSubscription>>()
  const byConnection = new Map<string, { byModel: ByModel; members: Set<ActiveSubscription> }>()
  let size = 0

  const connectionOf = ({ subscription: { tenant, connection } }: ActiveSubscription) => {
    const name = scope(tenant, connection)
    let entry = byConnection.get(name)
    if (!entry) byConnection.set(name, (entry = { byModel: new Map(), members: new Set() }))
    return entry
  }

  const drop = (tenant: string, id: string) => {
    const ofTenant = byTenant.get(tenant)
    const storedSubscription = ofTenant?.get(id)
    if (!ofTenant || !storedSubscription) return
    ofTenant.delete(id)
    if (ofTenant.size === 0) byTenant.delete(tenant)
    size -= 1
    const { byModel, members } = connectionOf(storedSubscription)
    members.delete(storedSubscription)
    for (const model of storedSubscription.models) remove(byModel, model, storedSubscription)
    if (members.size === 0) byConnection.delete(scope(tenant, storedSubscription.subscription.connection))
  }

  /** The lists of subscriptions that watch any of these models for this type. */
  const listsFor = (byModel: ByModel, models: readonly Model[], type: string) => {
    const lists: ActiveSubscription[][] = []
    for (const model of models) {
      const watchers = byModel.get(modelName(model))
      if (!watchers) continue
      for (let n = 0; n < watchers.types.length; n += 1) {
        const types = watchers.types[n]!
        if (types[0] === '*' || types.includes(type)) lists.push(watchers.members[n]!)
      }
    }
    return lists
  }

  return {
    put(active) {
      const { tenant, id } = active.subscription
      drop(tenant, id)
      const held = compact(active)
      const ofTenant = byTenant.get(tenant) ?? new Map<string, ActiveSubscription>()
      byTenant.set(held.subscription.tenant, ofTenant)
      ofTenant.set(id, held)
      size += 1
      const { byModel, members } = connectionOf(held)
      members.add(held)
      for (const model of held.models) add(byModel, model, held)
    },
    drop,
    get: (tenant, id) => byTenant.get(tenant)?.get(id),
    concerned(tenant, connection, models, type) {
      const entry = byConnection.get(scope(tenant, connection))
      if (!entry) return none
      const lists = listsFor(entry.byModel, models, type)
      if (lists.length < 2) return lists[0] ?? none
      return models.length === 1 ? lists.flat() : [...new Set(lists.flat())]
    },
    watching(tenant, connection, model) {
      return byConnection.get(scope(tenant, connection))?.byModel.get(model)?.members.flat() ?? none
    },
    ofConnection: (tenant, connection) => [...(byConnection.get(scope(tenant, connection))?.members ?? [])],
    *all() {
      for (const ofTenant of byTenant.values()) yield* ofTenant.values()
    },
    size: () => size,
  }
}
