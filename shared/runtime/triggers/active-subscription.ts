import type { Trigger } from '#kit'
import type { Subscription } from '../ports/index.ts'

/** The columns of a subscription that this process caches; the others are read from the store where they are needed. */
export type LiveSubscription = Pick<
  Subscription,
  | 'tenant'
  | 'id'
  | 'integration'
  | 'trigger'
  | 'connection'
  | 'person'
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

/** A subscription with its trigger and its parsed config: everything a match needs. */
export type ActiveSubscription = {
  subscription: LiveSubscription
  trigger: Trigger
  config: Record<string, unknown>
  /** Names of the watched models (`kind:id`); empty for a trigger that is only polled. */
  models: string[]
  /** '*' means every type. */
  types: string[]
}
/** An active subscription with its whole row. */
export type WholeSubscription = ActiveSubscription & { subscription: Subscription }
