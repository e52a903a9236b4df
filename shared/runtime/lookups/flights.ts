import { fail, isOfOneRun } from '#kit'
import type { Lookup } from '#kit'
import type { Clock } from '../ports/index.ts'
import { waitForShared } from '../shared-work.ts'
import type { WaitLimits } from '../shared-work.ts'
import type { Freshness } from '../session/session.ts'
import type { Keys } from './identity.ts'

/**
 * What a lookup ended with. `earlier`: it is that of a lookup made before, so old, which the run accepted that asked.
 */
export type LookupLanding = { result: Lookup; earlier?: { ageMs: number; accepted: Freshness } }
/** A lookup under way in this process. */
export type LookupFlight = { keys: Keys; landed: Promise<LookupLanding> }

type Waiting = Required<WaitLimits> & { freshness: Freshness | undefined }

const isSame = (freshness: Freshness, other: Freshness) =>
  freshness.maxAgeMs === other.maxAgeMs && (freshness.refresh ?? false) === (other.refresh ?? false)

/**
 * What whoever waits for a run is told when it ended without a result. The run may have left the provider at work, on
 * what will then be charged: who asked again would pay again.
 */
export const endOf = (thrown: unknown, mayBePaid: boolean): unknown =>
  mayBePaid && isOfOneRun(thrown)
    ? fail(
        'outcome_unknown',
        'Another run that asked for the same ended before the provider had answered, so it may be paid. Nothing was sent again; repeat it later.',
        {
          cause: thrown,
        },
      )
    : thrown

/** Lookups under way, so that the same one is sent once. */
export const createFlights = (clock: Clock) => {
  const open = new Map<string, LookupFlight>()
  const nameOf = (tenant: string, key: string) => `${tenant}\n${key}`

  return {
    /** One that shares a set of identifiers. */
    find: (tenant: string, { any }: Keys): LookupFlight | undefined => {
      for (const key of any) {
        const flight = open.get(nameOf(tenant, key))
        if (flight) return flight
      }
      return undefined
    },
    /** Makes one known until it has ended. */
    add(tenant: string, keys: Keys, landed: Promise<LookupLanding>) {
      const flight: LookupFlight = { keys, landed }
      // Its failure is told by whoever began it.
      landed.catch(() => {})
      for (const key of keys.any) open.set(nameOf(tenant, key), flight)
      return () => {
        for (const key of keys.any) if (open.get(nameOf(tenant, key)) === flight) open.delete(nameOf(tenant, key))
      }
    },
    /** Its result, where that answers this lookup too; undefined where this one has to ask for itself. */
    async follow(
      flight: LookupFlight,
      keys: Keys,
      waiting: Waiting,
    ): Promise<{ result: Lookup; ageMs: number } | undefined> {
      try {
        const { result, earlier } = await waitForShared(clock, flight.landed, waiting)
        if (!result.matched && flight.keys.none !== keys.none) return undefined
        // What one run accepts may be too old for another.
        if (earlier && !isSame(earlier.accepted, waiting.freshness ?? {})) return undefined
        return { result, ageMs: earlier?.ageMs ?? 0 }
      } catch (thrown) {
        // Whoever waited for a failure of another run asks for itself.
        if (!isOfOneRun(thrown) || waiting.signal?.aborted || clock.monotonic() >= waiting.deadlineAt) throw thrown
        return undefined
      }
    },
  }
}
export type Flights = ReturnType<typeof createFlights>
