import { fail, freesKey } from '#kit'
import type { Preview } from '../../wire/types.ts'
import { hashRequest } from '../idempotency.ts'

/** What a request is compared by: headers may differ between attempts. */
type ShownRequest = Pick<Preview, 'method' | 'url' | 'body'>

/** Lets one run send what was approved, and nothing else. */
export type Permit = {
  /** Whether only requests pass that were shown. */
  isExact: boolean
  /**
   * Called before each request that changes or costs something.
   * @throws Failure `approval_pending` for one that was not shown
   */
  check(request: ShownRequest): void
  /** Called with the failure of such a request. */
  failed(thrown: unknown): void
  /** How many such requests may have reached the provider; of a whole nobody knows: Infinity. */
  mayHaveSent(): number
  /** Called before the first byte of such a request: makes durable that it is being sent. */
  sending(): Promise<void>
}

/** Identifies a request among those that were shown. */
export const shownHash = ({ method, url, body = null }: ShownRequest): string => hashRequest([method, url, body])

/** Whether two plans send the same requests, in whatever order. */
export const isSameWork = (hashes: readonly string[], others: readonly string[]): boolean =>
  hashes.toSorted().join() === others.toSorted().join()

/**
 * The permits of this process. A permit that somebody made up is in no set, so it opens nothing.
 */
export const createPermits = () => {
  const genuine = new WeakSet<Permit>()
  const issue = (permit: Permit): Permit => {
    genuine.add(permit)
    return permit
  }
  return {
    has: (permit: Permit | undefined): permit is Permit => permit !== undefined && genuine.has(permit),
    /**
     * `hashes`: of the requests that were shown. Others may follow once one of these was sent, since they depend on
     * answers; a first one that differs is refused before anything is sent.
     */
    forRequests(
      hashes: readonly string[],
      { sending, differs }: { sending(): Promise<void>; differs(): void },
    ): Permit {
      const left = [...hashes]
      let count = 0
      return issue({
        isExact: true,
        sending,
        mayHaveSent: () => count,
        check(request) {
          const place = left.indexOf(shownHash(request))
          if (place < 0 && left.length === hashes.length) {
            differs()
            throw fail(
              'approval_pending',
              'What would be sent now differs from what was approved. Nothing was sent; it waits for a new decision.',
            )
          }
          if (place >= 0) left.splice(place, 1)
          count += 1
        },
        // Such a failure says that the provider did not take the request.
        failed: (thrown) => void (count -= freesKey(thrown) ? 1 : 0),
      })
    },
    /** For the runs of a whole that was approved: a lookup at several providers, or a job. */
    forWhole: (sending: () => Promise<void> = async () => {}): Permit =>
      issue({ isExact: false, sending, mayHaveSent: () => Infinity, check() {}, failed() {} }),
  }
}
export type Permits = ReturnType<typeof createPermits>
