import type { PaceLimit } from '#kit'
import { createGrants, grantedAt, hasGrant } from './grants.ts'
import type { Grants } from './grants.ts'
import type { SharedWindow } from '../types.ts'
import { freeAt, giveBack, isFree, needsAnswer, release, take } from './window.ts'
import type { RateWindow } from './window.ts'

export type LimitKind = PaceLimit['per']

/**
 * How many calls are and may be under way: of an account, or of a tenant across all its accounts. `servedAt`: the turn
 * in which it was last served.
 */
export type Concurrency = { busy: number; max: number; servedAt: number }

/** `waiting`: bucket sets that have waiters. */
export type Provider = { waiting: BucketSet[]; turn: number; waker: { at: number; stop: AbortController } | undefined }

/** A waiting call. The highest `rank` goes first. `go` receives the time at which its places were taken. */
export type Waiter = {
  buckets: BucketSet
  interactive: boolean
  rank: number
  arrivedAt: number
  go: (startedAt: number) => void
}

/**
 * Everything that one kind of call of one account counts against. Calls of a set are alike, so a free place suits any
 * of them.
 */
export type BucketSet = {
  provider: Provider
  account: Concurrency
  tenant: Concurrency
  /** The windows of every limit, whatever its kind. */
  windows: RateWindow[]
  kinds: Record<LimitKind, RateWindow[]>
  /** What each call costs in the windows that count points. */
  cost: number
  /** The provider reports what is left of one of the windows. */
  reportsRemaining: boolean
  /** Waiting calls, in the order in which they will go. */
  waiters: Waiter[]
  /** Grants for limits that several processes share. */
  grants?: Grants | undefined
}

/** How a call ended, as far as its places are concerned. */
export type Ending = 'answered' | 'not_sent' | 'unanswered'

export const createBucketSet = (
  provider: Provider,
  { account, tenant }: Pick<BucketSet, 'account' | 'tenant'>,
  kinds: BucketSet['kinds'],
  reportedKinds: readonly LimitKind[],
  shared?: { windows: SharedWindow[]; tenant: string },
  cost = 1,
): BucketSet => ({
  provider,
  account,
  tenant,
  kinds,
  cost,
  reportsRemaining: reportedKinds.some((kind) => kinds[kind].some(({ max }) => max !== Infinity)),
  windows: [...kinds.connection, ...kinds.app, ...kinds.route, ...kinds.field],
  waiters: [],
  grants: shared && shared.windows.length > 0 ? createGrants(shared.windows, shared.tenant) : undefined,
})

const hasRoom = (buckets: BucketSet) =>
  buckets.account.busy < buckets.account.max && buckets.tenant.busy < buckets.tenant.max

/**
 * Whether the limits that this process counts let a call go now. A call out of turn must not overtake calls that wait
 * for one of these limits.
 */
const isOpenHere = (buckets: BucketSet, now: number, inTurn: boolean): boolean => {
  if (!hasRoom(buckets)) return false
  for (const window of buckets.windows)
    if ((!inTurn && window.waiting > 0) || !isFree(window, now, window.inPoints ? buckets.cost : 1)) return false
  return true
}

/** The limits with too few points for a call, if nothing else holds it back; otherwise none. */
export const shortOfPoints = (buckets: BucketSet, now: number): RateWindow[] => {
  if (!hasRoom(buckets)) return []
  const shortWindows = buckets.windows.filter((window) => !isFree(window, now, window.inPoints ? buckets.cost : 1))
  return shortWindows.every((window) => window.inPoints && window.pausedUntil <= now && window.probe !== 'out')
    ? shortWindows
    : []
}

/** Whether a call may go now. */
export const isOpen = (buckets: BucketSet, now: number, inTurn: boolean): boolean =>
  (buckets.grants === undefined || hasGrant(buckets.grants, now)) && isOpenHere(buckets, now, inTurn)

/** Whether, as far as this process knows, only a missing grant holds the first waiter back. */
export const lacksGrant = (buckets: BucketSet, now: number): boolean =>
  buckets.grants !== undefined && !hasGrant(buckets.grants, now) && isOpenHere(buckets, now, true)

/** How many waiting calls could go at once if they were granted. */
export const roomFor = ({ account, tenant, waiters }: BucketSet): number =>
  Math.min(waiters.length, account.max - account.busy, tenant.max - tenant.busy)

export const takeAll = (buckets: BucketSet, now: number) => {
  buckets.account.busy += 1
  buckets.tenant.busy += 1
  if (buckets.grants) buckets.grants.left -= 1
  for (const window of buckets.windows) take(window, now, window.inPoints ? buckets.cost : 1)
}

/**
 * Gives back the places of a call. `stillMs`: how long an unanswered call may still be under way. `actualCost`: the points
 * that it really cost.
 */
export const giveAllBack = (
  buckets: BucketSet,
  startedAt: number,
  ending: Ending,
  now: number,
  stillMs: number,
  actualCost = buckets.cost,
) => {
  buckets.account.busy -= 1
  buckets.tenant.busy -= 1
  // A call of an earlier grant must not be added to this one: it would be made now but counted at the time of the
  // earlier grant.
  if (buckets.grants && ending === 'not_sent' && startedAt >= (buckets.grants.recentGrants.at(-1)?.from ?? Infinity))
    buckets.grants.left += 1
  for (const window of buckets.windows) {
    const cost = window.inPoints ? buckets.cost : 1
    if (ending === 'not_sent') giveBack(window, startedAt, cost)
    else {
      const at = now + window.windowMs + (ending === 'unanswered' ? stillMs : 0)
      release(window, startedAt, at, cost, window.inPoints ? actualCost : 1)
    }
  }
}

/** Earliest time at which a bucket set can open; Infinity when an answer has to come first. */
export const opensAt = (buckets: BucketSet, now: number): number => {
  if (!hasRoom(buckets)) return Infinity
  let at = grantedAt(buckets.grants, now)
  for (const window of buckets.windows) {
    const cost = window.inPoints ? buckets.cost : 1
    if (needsAnswer(window, now, cost)) return Infinity
    at = Math.max(at, freeAt(window, now, 0, cost))
  }
  return at
}

/** How long a call that joins now will wait at least, in ms. */
export const expectedWait = (buckets: BucketSet, now: number): number => {
  let at = buckets.grants ? Math.max(now, buckets.grants.askAt) : now
  for (const window of buckets.windows)
    at = Math.max(at, freeAt(window, now, window.waiting, window.inPoints ? buckets.cost : 1))
  return at - now
}
