import { fail, isOfOneRun } from '#kit'
import type { Lookup } from '#kit'
import type { Clock } from '../ports/index.ts'
import { waitForShared } from '../shared-work.ts'
import type { WaitLimits } from '../shared-work.ts'
import type { Freshness } from '../session/session.ts'
import type { Keys } from './identity.ts'

/**
 * The result of a lookup. `earlier`: it came from a stored result of this age, under the freshness that the run
 * accepted.
 */
export type SharedLookupResult = { result: Lookup; earlier?: { ageMs: number; accepted: Freshness } }
/** A lookup in progress in this process. */
export type LookupUnderWay = { keys: Keys; landed: Promise<SharedLookupResult> }

type Waiting = Required<WaitLimits> & { freshness: Freshness | undefined }

const isSame = (freshness: Freshness, other: Freshness) =>
  freshness.maxAgeMs === other.maxAgeMs && (freshness.refresh ?? false) === (other.refresh ?? false)

/**
 * The failure for those who wait for a run that ended without a result. The provider may still be working on its
 * request, and charge for it: sending the lookup again could pay twice.
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

/** The lookups in progress, so that equal ones are sent once. */
export const createLookupsUnderWay = (clock: Clock) => {
  const open = new Map<string, LookupUnderWay>()
  const nameOf = (tenant: string, key: string) => `${tenant}\n${key}`

  return {
    /** A lookup in progress that has a set of identifiers in common with this one. */
    find: (tenant: string, { any }: Keys): LookupUnderWay | undefined => {
      for (const key of any) {
        const lookupUnderWay = open.get(nameOf(tenant, key))
        if (lookupUnderWay) return lookupUnderWay
      }
      return undefined
    },
    /** Registers a lookup; the returned function removes it. */
    add(tenant: string, keys: Keys, landed: Promise<SharedLookupResult>) {
      const lookupUnderWay: LookupUnderWay = { keys, landed }
      // Whoever started the lookup reports its failure.
      landed.catch(() => {})
      for (const key of keys.any) open.set(nameOf(tenant, key), lookupUnderWay)
      return () => {
        for (const key of keys.any)
          if (open.get(nameOf(tenant, key)) === lookupUnderWay) open.delete(nameOf(tenant, key))
      }
    },
    /**
     * The result of a lookup in progress, where it answers this lookup too; undefined when this one must be sent
     * itself.
     */
    async follow(
      lookupUnderWay: LookupUnderWay,
      keys: Keys,
      waiting: Waiting,
    ): Promise<{ result: Lookup; ageMs: number } | undefined> {
      try {
        const { result, earlier } = await waitForShared(clock, lookupUnderWay.landed, waiting)
        if (!result.matched && lookupUnderWay.keys.none !== keys.none) return undefined
        // A stored result that one run accepts may be too old for another.
        if (earlier && !isSame(earlier.accepted, waiting.freshness ?? {})) return undefined
        return { result, ageMs: earlier?.ageMs ?? 0 }
      } catch (thrown) {
        // The failure concerns only the other run, so this lookup is sent itself.
        if (!isOfOneRun(thrown) || waiting.signal?.aborted || clock.monotonic() >= waiting.deadlineAt) throw thrown
        return undefined
      }
    },
  }
}
export type LookupsUnderWay = ReturnType<typeof createLookupsUnderWay>
