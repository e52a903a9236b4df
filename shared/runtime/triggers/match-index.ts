import type { Model, Trigger } from '#kit'
import type { Subscription } from '../ports/index.ts'

/** A subscription with its trigger and its parsed config: what a match asks. */
export type ActiveSubscription = {
  subscription: Subscription
  trigger: Trigger
  config: Record<string, unknown>
  /** `kind:id` of what it watches; empty for a trigger that is only polled. */
  models: string[]
  /** '*' means every type. */
  types: string[]
}

export const modelName = ({ kind, id }: Model) => `${kind}:${id}`
export const readModel = (name: string): Model => {
  const at = name.indexOf(':')
  return { kind: name.slice(0, at), id: name.slice(at + 1) }
}

const none: readonly ActiveSubscription[] = []
const scope = (tenant: string, rest: string) => `${tenant}\n${rest}`

/** Which subscriptions an event concerns, found by connection, watched model and type: never by going through all of them. */
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

type ByModel = Map<string, Map<string, ActiveSubscription[]>>

const add = (byModel: ByModel, model: string, type: string, active: ActiveSubscription) => {
  let types = byModel.get(model)
  if (!types) byModel.set(model, (types = new Map()))
  const list = types.get(type)
  if (list) list.push(active)
  else types.set(type, [active])
}

const remove = (byModel: ByModel, model: string, type: string, active: ActiveSubscription) => {
  const types = byModel.get(model)
  const left = types?.get(type)?.filter((other) => other !== active)
  if (!types || !left) return
  if (left.length > 0) types.set(type, left)
  else types.delete(type)
  if (types.size === 0) byModel.delete(model)
}

const typesOf = ({ types }: ActiveSubscription) => (types.includes('*') ? ['*'] : [...new Set(types)])

export const createMatchIndex = (): MatchIndex => {
  const byId = new Map<string, ActiveSubscription>()
  const byConnection = new Map<string, { byModel: ByModel; members: Set<ActiveSubscription> }>()

  const connectionOf = ({ subscription: { tenant, connection } }: ActiveSubscription) => {
    const name = scope(tenant, connection)
    let found = byConnection.get(name)
    if (!found) byConnection.set(name, (found = { byModel: new Map(), members: new Set() }))
    return found
  }

  const drop = (tenant: string, id: string) => {
    const known = byId.get(scope(tenant, id))
    if (!known) return
    byId.delete(scope(tenant, id))
    const { byModel, members } = connectionOf(known)
    members.delete(known)
    for (const model of known.models) for (const type of typesOf(known)) remove(byModel, model, type, known)
    if (members.size === 0) byConnection.delete(scope(tenant, known.subscription.connection))
  }

  /** The lists of subscriptions for this type and these models; usually one. */
  const listsFor = (byModel: ByModel, models: readonly Model[], type: string) => {
    const lists: ActiveSubscription[][] = []
    for (const model of models) {
      const types = byModel.get(modelName(model))
      const own = types?.get(type)
      const every = types?.get('*')
      if (own) lists.push(own)
      if (every) lists.push(every)
    }
    return lists
  }

  return {
    put(active) {
      const { tenant, id } = active.subscription
      drop(tenant, id)
      byId.set(scope(tenant, id), active)
      const { byModel, members } = connectionOf(active)
      members.add(active)
      for (const model of active.models) for (const type of typesOf(active)) add(byModel, model, type, active)
    },
    drop,
    get: (tenant, id) => byId.get(scope(tenant, id)),
    concerned(tenant, connection, models, type) {
      const found = byConnection.get(scope(tenant, connection))
      if (!found) return none
      const lists = listsFor(found.byModel, models, type)
      if (lists.length < 2) return lists[0] ?? none
      return [...new Set(lists.flat())]
    },
    watching(tenant, connection, model) {
      const types = byConnection.get(scope(tenant, connection))?.byModel.get(model)
      return types ? [...new Set([...types.values()].flat())] : none
    },
    ofConnection: (tenant, connection) => [...(byConnection.get(scope(tenant, connection))?.members ?? [])],
    all: () => byId.values(),
    size: () => byId.size,
  }
}
