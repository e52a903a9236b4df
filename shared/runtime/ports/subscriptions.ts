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
  /** `url` is null when an `onStart` callback receives the starts. */
  agent: { id?: string; url: string | null }
  /** The agent's sealed signing secret and, until `previousUntil` (ms since epoch), the previous one. */
  secrets: SealedSecrets
  previousUntil: number | null
  /**
   * Since when every call of the agent has failed, ms since epoch; null: the last call succeeded, or there was none.
   */
  failingSince: number | null
  /** While the agent accepts nothing: what it answered, and what to do about it. */
  failingReason: string | null
  options: SubscriptionOptions
  delivery: 'webhook' | 'poll'
  state: SubscriptionState
  stateReason: string | null
  stateAt: number
  /** Events before this time start nothing. */
  startMark: number
  externalId: string | null
  /** The person its agent acts for; null: nobody. */
  person?: string | null
  /** The models that it watches, read from a stored list; null: those that its config names. */
  watched?: string[] | null
  labels: Record<string, string>
  createdAt: number
  updatedAt: number
  /** Deleted subscriptions stay stored for 30 days so that late repeats are recognised. */
  deletedAt: number | null
}
