import { fail } from '#kit'
import type { Cluster } from './ports/index.ts'

/**
 * What a process does goes by the clock of the store, but a machine whose clock differs by more than this has something
 * wrong with it.
 */
const tellFromMs = 2_000
const refuseFromMs = 60_000

/** What to think of a clock that is so far ahead of that of the store; negative: behind. */
export const judgeClock = (aheadMs: number): 'right' | 'differs' | 'wrong' =>
  Math.abs(aheadMs) > refuseFromMs ? 'wrong' : Math.abs(aheadMs) >= tellFromMs ? 'differs' : 'right'

export const describeClock = (aheadMs: number): string =>
  `${Math.round(Math.abs(aheadMs) / 1000)} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of the database`

export const clockRemedy = 'Set the clocks of the servers and of the database with NTP.'

/** @throws Failure `unavailable` where the clock of this machine is too far from that of the store */
export const requireClock = (cluster: Pick<Cluster, 'clockAheadMs'> | undefined): void => {
  const aheadMs = cluster?.clockAheadMs() ?? 0
  if (judgeClock(aheadMs) !== 'wrong') return
  throw fail('unavailable', `The clock of this server is ${describeClock(aheadMs)}. ${clockRemedy}`)
}
