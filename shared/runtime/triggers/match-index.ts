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
  /** Connections with subscriptions. */
  connections(): Iterable<{ tenant: string; connection: string }>
  all(): Iterable<ActiveSubscription>
  /** Changes with every `put` and `drop`. */
  version(): number
  size(): number
}

/**
 * Subscriptions that watch one model, grouped by their types: `members[n]` watch it for `types[n]`. There are few
 * groups, however many subscriptions.
 */
type Watchers = { types: string[][]; members: ActiveSubscription[][] }
type ByModel = Map<string, Watchers>
type OfConnection = { byModel: ByModel; members: Set<ActiveSubscription> }

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
  /** By tenant and connection: a joined name would be made, and hashed, for each event. */
  const byConnection = new Map<string, Map<string, OfConnection>>()
  let size = 0
  let version = 0

  const connectionOf = ({ subscription: { tenant, connection } }: ActiveSubscription) => {
    let ofTenant = byConnection.get(tenant)
    if (!ofTenant) byConnection.set(tenant, (ofTenant = new Map()))
    let entry = ofTenant.get(connection)
    if (!entry) ofTenant.set(connection, (entry = { byModel: new Map(), members: new Set() }))
    return entry
  }

  const drop = (tenant: string, id: string) => {
    const ofTenant = byTenant.get(tenant)
    const storedSubscription = ofTenant?.get(id)
    if (!ofTenant || !storedSubscription) return
    ofTenant.delete(id)
    if (ofTenant.size === 0) byTenant.delete(tenant)
    size -= 1
    version += 1
    const { byModel, members } = connectionOf(storedSubscription)
    members.delete(storedSubscription)
    for (const model of storedSubscription.models) remove(byModel, model, storedSubscription)
    if (members.size > 0) return
    byConnection.get(tenant)!.delete(storedSubscription.subscription.connection)
    if (byConnection.get(tenant)!.size === 0) byConnection.delete(tenant)
  }

  /** The subscriptions that watch any of these models for this type, each once. */
  const concernedIn = (byModel: ByModel, models: readonly Model[], type: string): readonly ActiveSubscription[] => {
    let first: readonly ActiveSubscription[] = none
    let all: ActiveSubscription[] | undefined
    let watched = 0
    for (const model of models) {
      const watchers = byModel.get(modelName(model))
      if (!watchers) continue
      watched += 1
      for (let n = 0; n < watchers.types.length; n += 1) {
        const types = watchers.types[n]!
        if (types[0] !== '*' && !types.includes(type)) continue
        const members = watchers.members[n]!
        if (first === none) first = members
        else {
          all ??= first.slice()
          for (const active of members) all.push(active)
        }
      }
    }
    if (!all) return first
    return watched === 1 ? all : [...new Set(all)]
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
      version += 1
      const { byModel, members } = connectionOf(held)
      members.add(held)
      for (const model of held.models) add(byModel, model, held)
    },
    drop,
    get: (tenant, id) => byTenant.get(tenant)?.get(id),
    concerned(tenant, connection, models, type) {
      const entry = byConnection.get(tenant)?.get(connection)
      return entry ? concernedIn(entry.byModel, models, type) : none
    },
    watching(tenant, connection, model) {
      return byConnection.get(tenant)?.get(connection)?.byModel.get(model)?.members.flat() ?? none
    },
    ofConnection: (tenant, connection) => [...(byConnection.get(tenant)?.get(connection)?.members ?? [])],
    *connections() {
      for (const [tenant, ofTenant] of byConnection)
        for (const connection of ofTenant.keys()) yield { tenant, connection }
    },
    *all() {
      for (const ofTenant of byTenant.values()) yield* ofTenant.values()
    },
    version: () => version,
    size: () => size,
  }
}
