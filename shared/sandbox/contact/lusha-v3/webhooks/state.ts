/** What an account has of webhooks: its secret, subscriptions, and the log of deliveries. */
import type { World } from '../../../lookups/world.ts'
import type { Person } from '../../../people/data-set.ts'

/** The one signal type of the subscription to people who opt out. */
export const optOutType = 'optOut'

export type EntityType = 'contact' | 'company'

export type Subscription = {
  id: string
  entityType: EntityType
  entityId: string
  signalTypes: string[]
  url: string
  name?: string
  isActive: boolean
  blockReason: string | null
  blockedAt: string | null
  createdAt: string
  updatedAt: string
}

export type AuditLog = {
  id: string
  subscriptionId: string
  payloadId: string
  status: 'success' | 'failed' | 'permanent_failure'
  statusCode: number
  url: string
  deliveredAt: string
  durationMs: number
  error: string | null
}

export type Settings = {
  /** Waits before the repeats of a failed delivery. */
  waitsMs: number[]
  maxSubscriptions: number
}

export type Webhooks = {
  world: World
  secret: string | undefined
  /** How many secrets and ids were made, so that each is new. */
  made: number
  /** By id, oldest first. */
  subscriptions: Map<string, Subscription>
  /** The same ones by what they are about. */
  byEntity: Map<string, Subscription>
  /** People who opted out since the start. */
  optedOut: Person[]
  logs: AuditLog[]
  settings: Settings
  /** Repeats that wait. */
  timers: Set<() => void>
}

const fresh = () => ({
  secret: undefined,
  made: 0,
  subscriptions: new Map<string, Subscription>(),
  byEntity: new Map<string, Subscription>(),
  optedOut: [] as Person[],
  logs: [] as AuditLog[],
  settings: { waitsMs: [60_000, 120_000, 240_000], maxSubscriptions: 50_000 },
  timers: new Set<() => void>(),
})

export const createWebhooks = (world: World): Webhooks => ({ world, ...fresh() })

export const cancelTimers = ({ timers }: Webhooks): void => {
  for (const cancel of timers) cancel()
  timers.clear()
}

export const resetWebhooks = (webhooks: Webhooks): void => {
  cancelTimers(webhooks)
  for (const person of webhooks.optedOut) person.suppressed = false
  Object.assign(webhooks, fresh())
}

export const timeIn = ({ world }: Webhooks): string => new Date(world.now()).toISOString()

type About = Pick<Subscription, 'entityType' | 'entityId' | 'signalTypes'>

const entityOf = ({ entityType, entityId, signalTypes }: About): string =>
  signalTypes.includes(optOutType) ? optOutType : `${entityType} ${entityId}`

export const findSubscription = ({ byEntity }: Webhooks, about: About): Subscription | undefined =>
  byEntity.get(entityOf(about))
export const findOptOuts = ({ byEntity }: Webhooks): Subscription | undefined => byEntity.get(optOutType)

export const store = ({ subscriptions, byEntity }: Webhooks, subscription: Subscription): void => {
  subscriptions.set(subscription.id, subscription)
  byEntity.set(entityOf(subscription), subscription)
}

export const drop = ({ subscriptions, byEntity }: Webhooks, subscription: Subscription): void => {
  subscriptions.delete(subscription.id)
  byEntity.delete(entityOf(subscription))
}
