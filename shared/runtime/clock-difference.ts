import { fail } from '#kit'
import type { Cluster } from './ports/index.ts'

/**
 * A warning is shown from this difference on. Processes work by the store's clock, so nothing breaks, but the machine
 * needs attention.
 */
const tellFromMs = 2_000
const refuseFromMs = 60_000

/** How serious it is that this machine's clock is `aheadMs` ahead of the store's (negative: behind). */
export const judgeClock = (aheadMs: number): 'right' | 'differs' | 'wrong' =>
  Math.abs(aheadMs) > refuseFromMs ? 'wrong' : Math.abs(aheadMs) >= tellFromMs ? 'differs' : 'right'

export const describeClock = (aheadMs: number): string =>
  `${Math.round(Math.abs(aheadMs) / 1000)} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of the database`

export const clockRemedy = 'Set the clocks of the servers and of the database with NTP.'

/** @throws Failure `unavailable` when this machine's clock is more than a minute off the store's */
export const requireClock = (cluster: Pick<Cluster, 'clockAheadMs'> | undefined): void => {
  const aheadMs = cluster?.clockAheadMs() ?? 0
  if (judgeClock(aheadMs) !== 'wrong') return
  throw fail('unavailable', `The clock of this server is ${describeClock(aheadMs)}. ${clockRemedy}`)
}
