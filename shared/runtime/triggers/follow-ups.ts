import { describeDefect, isFailure } from '#kit'
import type { Log, Subscription } from '../ports/index.ts'
import type { ConnectionRef } from './provider-session.ts'

/** What has to happen next in another part, which may be made after the one that notices it. */
export type FollowUp =
  /** A background task has something to do before its time. */
  | { kind: 'task-due'; task: 'dispatch' | 'pending' | 'hooks' }
  /** A watched thing was closed, or opened again. */
  | { kind: 'availability-changed'; ref: ConnectionRef; model: string; isOpen: boolean }
  /** A connection can be used again. */
  | { kind: 'reconnected'; ref: ConnectionRef }
  /** What is known of a subscription's agent has changed. */
  | { kind: 'agent-changed'; subscription: Pick<Subscription, 'tenant' | 'id'> }

type FollowUpHandlers = {
  [Kind in FollowUp['kind']]: (followUp: Extract<FollowUp, { kind: Kind }>) => void | Promise<void>
}

/** What is logged when a follow-up fails. */
const failedEvents: Record<FollowUp['kind'], string> = {
  'task-due': 'task.not_woken',
  'availability-changed': 'standing.failed',
  reconnected: 'account.not_recovered',
  'agent-changed': 'agent.not_followed',
}

export const textOf = (error: unknown) => (isFailure(error) ? { error: error.message } : describeDefect(error))

/**
 * Work whose result nobody waits for: follow-ups, which wait in order until their handlers are there, and whatever
 * `run` is given.
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
    /** Runs work in the background; a defect in it is logged as `event`. */
    run,
    /** Handles what waits, and everything that is added from now on. */
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
