import { fail, isAbsent, isFailure } from '#kit'
import type { Effect, WatchContext } from '#kit'
import { createContext } from '../steps/context.ts'
import { openSession } from '../session/session.ts'
import type { Connection } from '../ports/index.ts'
import type { Leases } from '../leases.ts'
import type { TriggerParts } from './parts.ts'

/** Identifies a connection, as rows of events and hooks do. */
export type ConnectionRef = { tenant: string; connection: string; integration: string }
export type SessionResult<T> = { value: T; /** Number of requests sent. */ calls: number }
export type ProviderSessions = {
  /**
   * Runs `work` against the provider with a connection, at a lower priority than steps. A connection's policy limits
   * what callers ask for (`limited`), but not the upkeep of our own hooks. @throws Failure `not_connected` when the
   * connection was removed or cannot be used, otherwise whatever `work` throws
   */
  use<T>(
    at: ConnectionRef,
    effect: Effect,
    work: (ctx: WatchContext, connection: Connection) => Promise<T>,
    limited?: 'limited',
  ): Promise<SessionResult<T>>
}

/** Includes time spent waiting for the provider's rate limit. */
const deadlineMs = 5 * 60_000

export const createProviderSessions = ({
  registry,
  openConnections,
  gate,
  clock,
  health,
  own,
  leases,
}: Pick<TriggerParts, 'registry' | 'openConnections' | 'gate' | 'clock' | 'health' | 'own'> & {
  leases: Pick<Leases, 'require'>
}): ProviderSessions => {
  const open = async ({ tenant, connection, integration }: ConnectionRef) => {
    const loaded = registry.integration(integration)
    try {
      return { loaded, opened: await openConnections.open({ tenant }, loaded, connection) }
    } catch (thrown) {
      if (isAbsent(thrown)) throw fail('not_connected', 'The connected account was removed.', { cause: thrown })
      throw thrown
    }
  }

  return {
    async use(at, effect, work, limited) {
      const { loaded, opened } = await open(at)
      const session = openSession({
        gate,
        clock,
        loaded: loaded.steps.get('api-call')!,
        opened,
        effect,
        correlationId: own.correlationIdOf(''),
        deadlineAt: clock.monotonic() + deadlineMs,
        priority: 'bulk',
        guards: 'upkeep',
        // A request that has waited for the rate limit may have lost its lease.
        recheck: leases.require,
        policy: limited ? undefined : loaded.stepPolicy,
      })
      try {
        const value = await work(createContext(session), opened.connection)
        health.worked(session)
        return { value, calls: session.used.calls }
      } catch (thrown) {
        if (isFailure(thrown)) health.refused(session, thrown)
        throw thrown
      }
    },
  }
}
