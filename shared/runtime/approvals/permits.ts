import { fail } from '#kit'
import type { Preview } from '../../wire/types.ts'

/** What a request is compared by: headers may differ between attempts. */
export type ShownRequest = Pick<Preview, 'method' | 'url' | 'body'>

/** Lets one run send what was approved, and nothing else. */
export type Permit = {
  /** Whether only requests pass that were shown. */
  isExact: boolean
  /**
   * Called before each request that changes or costs something.
   * @throws Failure `approval_pending` for one that was not shown
   */
  check(request: ShownRequest): void
  /** How many such requests it let pass; of a whole, unknown: Infinity. */
  passed(): number
  /** Called before the first byte of such a request: makes durable that it is being sent. */
  sending(): Promise<void>
}

const keyOf = ({ method, url, body = null }: ShownRequest) => JSON.stringify([method, url, body])

/** Whether two plans send the same requests, in whatever order. */
export const isSameWork = (requests: readonly ShownRequest[], others: readonly ShownRequest[]): boolean =>
  requests.map(keyOf).toSorted().join('\n') === others.map(keyOf).toSorted().join('\n')

/**
 * The permits of this process. A permit that somebody made up is in no set, so it opens nothing.
 */
export const createPermits = () => {
  const issued = new WeakSet<Permit>()
  const issue = (permit: Permit): Permit => {
    issued.add(permit)
    return permit
  }
  return {
    has: (permit: Permit | undefined): permit is Permit => permit !== undefined && issued.has(permit),
    /**
     * `requests`: those that were shown. Others may follow once one of these was sent, since they depend on answers; a
     * first one that differs is refused before anything is sent.
     */
    forRequests(
      requests: readonly ShownRequest[],
      { sending, differs }: { sending(): Promise<void>; differs(): void },
    ): Permit {
      const left = requests.map(keyOf)
      let passed = 0
      return issue({
        isExact: true,
        sending,
        passed: () => passed,
        check(request) {
          const place = left.indexOf(keyOf(request))
          if (place < 0 && left.length === requests.length) {
            differs()
            throw fail(
              'approval_pending',
              'What would be sent now differs from what was approved. Nothing was sent; it waits for a new decision.',
            )
          }
          if (place >= 0) left.splice(place, 1)
          passed += 1
        },
      })
    },
    /** For the runs of a whole that was approved: a lookup at several providers, or a job. */
    forWhole: (sending: () => Promise<void> = async () => {}): Permit =>
      issue({ isExact: false, sending, passed: () => Infinity, check() {} }),
  }
}
export type Permits = ReturnType<typeof createPermits>
