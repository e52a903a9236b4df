import { describeDefect, isFailure } from '#kit'
import type { Log, Subscription } from '../ports/index.ts'
import type { ConnectionRef } from './provider-session.ts'

/** What must happen next in another part of the runtime, which may be created after the part that notices it. */
export type FollowUp =
  /** A background task has work before its next interval. */
  | { kind: 'task-due'; task: 'dispatch' | 'pending' | 'hooks' }
  /** A watched object was closed or reopened. */
  | { kind: 'availability-changed'; ref: ConnectionRef; model: string; isOpen: boolean }
  /** The provider charged for events that it delivered for a connection. */
  | { kind: 'charged'; ref: ConnectionRef }
  /** A connection needs more hooks than were created at once. */
  | { kind: 'hooks-left'; ref: ConnectionRef }
  /** A connection still watches people who are suppressed. */
  | { kind: 'suppressed'; ref: ConnectionRef }
  /** A connection can be used again. */
  | { kind: 'reconnected'; ref: ConnectionRef }
  /** What the store knows about a subscription's agent has changed. */
  | { kind: 'agent-changed'; subscription: Pick<Subscription, 'tenant' | 'id'> }

type FollowUpHandlers = {
  [Kind in FollowUp['kind']]: (followUp: Extract<FollowUp, { kind: Kind }>) => void | Promise<void>
}

/** The log event for each follow-up that fails. */
const failedEvents: Record<FollowUp['kind'], string> = {
  'task-due': 'task.not_woken',
  'availability-changed': 'subscription_health.failed',
  charged: 'hooks.not_paused',
  'hooks-left': 'hooks.not_made',
  suppressed: 'hooks.not_released',
  reconnected: 'connection.not_recovered',
  'agent-changed': 'agent.not_followed',
}

export const textOf = (error: unknown) => (isFailure(error) ? { error: error.message } : describeDefect(error))

/**
 * Work whose result nobody waits for: the promises passed to `run`, and follow-ups, which are queued in order until
 * their handlers are set.
 */
export const createFollowUps = (log: Log) => {
  const running = new Set<Promise<unknown>>()
  const waiting: FollowUp[] = []
  let handlers: FollowUpHandlers | undefined

  const run = (event: string, work: Promise<unknown>): void => {
    const logged = work
      .catch((error: unknown) => log('error', event, textOf(error)))
      .finally(() => running.delete(logged))
    running.add(logged)
  }
  const add = (followUp: FollowUp): void => {
    if (!handlers) return void waiting.push(followUp)
    const handle = handlers[followUp.kind] as (followUp: FollowUp) => void | Promise<void>
    const work = handle(followUp)
    if (work) run(failedEvents[followUp.kind], work)
  }

  return {
    add,
    /** Runs work in the background; a rejection is logged as `event`. */
    run,
    /** Handles the queued follow-ups, and every one that is added from now on. */
    handleWith(all: FollowUpHandlers): void {
      handlers = all
      for (const followUp of waiting.splice(0)) add(followUp)
    },
    /** Resolves when nothing is running. */
    async idle(): Promise<void> {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
export type FollowUps = ReturnType<typeof createFollowUps>
