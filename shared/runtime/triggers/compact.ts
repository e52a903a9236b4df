import type { ActiveSubscription, LiveSubscription } from './active-subscription.ts'

/** Maximum number of values in each shared map. */
const maxShared = 20_000

/** Whether its JSON text represents the whole value, so that equal texts mean equal values. */
const isPlain = (value: unknown): boolean => {
  if (value === null || typeof value !== 'object')
    return value === null || Number.isFinite(value) || typeof value === 'string' || typeof value === 'boolean'
  if (Array.isArray(value)) return value.every(isPlain)
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain)
}

/** Drops the columns that no match needs, and stores equal values of many subscriptions once. */
export const createCompact = () => {
  const texts = new Map<string, unknown>()
  const values = new Map<string, unknown>()
  const share = <T>(shared: Map<string, unknown>, name: string, value: T): T => {
    const sharedValue = shared.get(name)
    if (sharedValue !== undefined) return sharedValue as T
    // Values that are already shared stay shared; only later subscriptions start a new set.
    if (shared.size >= maxShared) shared.clear()
    shared.set(name, value)
    return value
  }
  const text = <T extends string>(value: T): T => share(texts, value, value)
  const deep = <T>(value: T): T => (isPlain(value) ? share(values, JSON.stringify(value), value) : value)

  const compactRow = (row: LiveSubscription): LiveSubscription => ({
    tenant: text(row.tenant),
    id: row.id,
    integration: text(row.integration),
    trigger: text(row.trigger),
    connection: text(row.connection),
    agent: deep(row.agent),
    options: deep(row.options),
    delivery: text(row.delivery),
    state: text(row.state),
    stateReason: row.stateReason === null ? null : text(row.stateReason),
    stateAt: row.stateAt,
    failingReason: row.failingReason === null ? null : text(row.failingReason),
    person: row.person ?? null,
    startMark: row.startMark,
    createdAt: row.createdAt,
  })

  return ({ subscription, trigger, config, models, types }: ActiveSubscription): ActiveSubscription => ({
    subscription: compactRow(subscription),
    trigger,
    config: deep(config),
    models: deep(models),
    types: deep(types.includes('*') ? ['*'] : types),
  })
}
