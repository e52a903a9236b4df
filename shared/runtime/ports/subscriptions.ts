import type { Json } from '#kit'
import type { SealedSecrets } from './vault.ts'

export type SubscriptionState =
  /** Being set up: its hook is not verified yet. */
  | 'pending'
  | 'active'
  /** Its agent did not take the last start. It is still started, and is active again with the first start it takes. */
  | 'failing'
  /** By its owner, or by its agent answering 410. */
  | 'paused'
  /** The account must be reconnected; cursors are frozen. */
  | 'paused_auth'
  /** The watched model is closed, gone or no longer visible. */
  | 'paused_model'
  /** Its agent failed for days. Events are still taken, and their starts wait until it is resumed. */
  | 'paused_agent'
export type SubscriptionOptions = {
  delivery?: 'webhook' | 'poll'
  startFrom?: string
  settleMs?: number
  ownEvents?: boolean
  serial?: boolean
  timeoutMs?: number
}
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
