import type { Event } from '#kit'
import type { Arrival, Hook } from '../ports/index.ts'
import type { PolledItem } from './match.ts'
import type { ActiveSubscription } from './match-index.ts'
import type { ConnectionRef } from './provider-session.ts'

/** An event that came in. `finds`: what a poll found for each of its subscriptions, which replaces the match. */
export type Observation = { event: Event; finds?: { subscription: ActiveSubscription; find: PolledItem }[] }

export type Admission = ConnectionRef & {
  observations: readonly Observation[]
  /**
   * The hook that delivered the event, or null when its tenant may not know that hook, and the correlation id that the
   * provider returned. Absent when the event was listed or polled.
   */
  delivery?: { hook: Hook['id'] | null; correlation: string | undefined }
  /** Chooses the subscriptions to match, in place of the index. */
  only?: (event: Event) => readonly ActiveSubscription[]
  /** Rows committed in the same transaction as the events. */
  alongside?: Pick<Arrival, 'cursor' | 'poll' | 'gaps' | 'notices' | 'fired'>
}
