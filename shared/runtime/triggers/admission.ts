import type { Event } from '#kit'
import type { Arrival, Hook } from '../ports/index.ts'
import type { Found } from './match.ts'
import type { ActiveSubscription } from './match-index.ts'
import type { ConnectionRef } from './provider-session.ts'

/** A fact that came in. `finds`: what a poll made of it for its subscriptions, in place of a match. */
export type Observation = { event: Event; finds?: { subscription: ActiveSubscription; find: Found }[] }

export type Admission = ConnectionRef & {
  observations: readonly Observation[]
  /**
   * The hook that delivered it (null: one that is not for its tenant to know), with the correlation id the provider
   * gave back. Without a delivery, it was listed or polled.
   */
  delivery?: { hook: Hook['id'] | null; correlation: string | undefined }
  /** In place of the subscriptions that the index finds for an event. */
  only?: (event: Event) => readonly ActiveSubscription[]
  /** Committed together with the events. */
  alongside?: Pick<Arrival, 'cursor' | 'poll' | 'gaps' | 'notices' | 'fired'>
}
