import type { Trigger } from '#kit'
import type { Subscription } from '../ports/index.ts'

/** What this process holds of a subscription; the rest of its row is read from the store where it is needed. */
export type LiveSubscription = Pick<
  Subscription,
  | 'tenant'
  | 'id'
  | 'integration'
  | 'trigger'
  | 'connection'
  | 'agent'
  | 'options'
  | 'delivery'
  | 'state'
  | 'stateReason'
  | 'stateAt'
  | 'failingReason'
  | 'startMark'
  | 'createdAt'
>

/** A subscription with its trigger and its parsed config: what a match asks. */
export type ActiveSubscription = {
  subscription: LiveSubscription
  trigger: Trigger
  config: Record<string, unknown>
  /** `kind:id` of what it watches; empty for a trigger that is only polled. */
  models: string[]
  /** '*' means every type. */
  types: string[]
}
/** The same with its whole row, where that was read. */
export type WholeSubscription = ActiveSubscription & { subscription: Subscription }
