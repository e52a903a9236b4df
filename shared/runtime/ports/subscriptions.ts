import type { Json } from '#kit'
import type { SealedSecrets } from './vault.ts'
import type { SubscriptionOptions } from '../../api/resources/subscription-options.ts'
import type { SubscriptionState } from '../../api/resources/subscription.ts'

export type { SubscriptionOptions, SubscriptionState }

export type Subscription = {
  tenant: string
  id: string
  integration: string
  trigger: string
  connection: string
  config: Record<string, Json>
  /** `url` is null where an `onStart` callback takes the starts. */
  agent: { id?: string; url: string | null }
  /** The agent's signing secret and, until `previousUntil`, the one before, sealed. */
  secrets: SealedSecrets
  previousUntil: number | null
  /** Since when every call of its agent failed; null: the last one succeeded, or there was none. */
  failingSince: number | null
  /** What its agent answered and what to do, while it takes nothing. */
  failingReason: string | null
  options: SubscriptionOptions
  delivery: 'webhook' | 'poll'
  state: SubscriptionState
  stateReason: string | null
  stateAt: number
  /** Events before this start nothing. */
  startMark: number
  externalId: string | null
  labels: Record<string, string>
  createdAt: number
  updatedAt: number
  /** Stored for 30 days after, so that late repeats are recognised. */
  deletedAt: number | null
}
