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

/** One subscription, or several: most are alone, and a list around each would be one more place in memory to go to. */
type Members = ActiveSubscription | ActiveSubscription[]
/**
 * Subscriptions that watch one model, grouped by their types: at each even place the types, after them who watches the
 * model for these. There are few groups, however many subscriptions.
 */
type Watchers = (string[] | Members)[]
/** By kind and id: a joined name would be made, and hashed, for each event. */
type ByModel = Map<string, Map<string, Watchers>>
type OfConnection = { byModel: ByModel; members: Set<ActiveSubscription> }

const placeOf = (watchers: Watchers, { types }: ActiveSubscription): number => {
  for (let n = 0; n < watchers.length; n += 2) if (watchers[n] === types) return n
  return -1
}

const add = (byModel: ByModel, name: string, active: ActiveSubscription) => {
  const { kind, id } = readModel(name)
  let ofKind = byModel.get(kind)
  if (!ofKind) byModel.set(kind, (ofKind = new Map()))
  const watchers = ofKind.get(id)
  if (!watchers) return void ofKind.set(id, [active.types, active])
  const at = placeOf(watchers, active)
  if (at < 0) return void watchers.push(active.types, active)
  const members = watchers[at + 1] as Members
  if (Array.isArray(members)) members.push(active)
  else watchers[at + 1] = [members, active]
}

/** Replaces the list instead of changing it: a caller may be iterating over the old one. */
const remove = (byModel: ByModel, name: string, active: ActiveSubscription) => {
  const { kind, id } = readModel(name)
  const ofKind = byModel.get(kind)
  const watchers = ofKind?.get(id)
  const at = watchers ? placeOf(watchers, active) : -1
  if (!ofKind || !watchers || at < 0) return
  const left = [watchers[at + 1] as Members].flat().filter((other) => other !== active)
  if (left.length > 0) return void (watchers[at + 1] = left.length === 1 ? left[0]! : left)
  watchers.splice(at, 2)
  if (watchers.length > 0) return
  ofKind.delete(id)
  if (ofKind.size === 0) byModel.delete(kind)
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
    // A list that is the only one is not copied: 20,000 may be in it.
    let list = none
    let all: ActiveSubscription[] | undefined
    let watched = 0
    for (const { kind, id } of models) {
      const watchers = byModel.get(kind)?.get(id)
      if (!watchers) continue
      watched += 1
      for (let n = 0; n < watchers.length; n += 2) {
        const types = watchers[n] as string[]
        if (types[0] !== '*' && !types.includes(type)) continue
        const members = watchers[n + 1] as Members
        if (!Array.isArray(members)) (all ??= list.slice()).push(members)
        else if (all === undefined && list === none) list = members
        else {
          all ??= list.slice()
          for (const active of members) all.push(active)
        }
      }
    }
    if (!all) return list
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
      const { kind, id } = readModel(model)
      const watchers = byConnection.get(tenant)?.get(connection)?.byModel.get(kind)?.get(id) ?? []
      return watchers.flatMap((members, n) => (n % 2 === 0 ? [] : (members as Members)))
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
