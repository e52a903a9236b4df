import type { SharedSlots, SharedWindow, WireOptions } from '../types.ts'

/**
 * The calls that a bucket set may make under limits that several processes share. They are requested together, for as
 * many calls as wait, and valid only for a moment, so that a process that stood still in between sends nothing with
 * them.
 */
export type Grants = {
  windows: SharedWindow[]
  tenant: string
  left: number
  /** When the grant ends, in monotonic ms. */
  goodUntil: number
  isAsking: boolean
  /** When the next request may be made, in monotonic ms. */
  askAt: number
  /**
   * The last grants, oldest first: from when their calls could go, when they were requested, and their time in the
   * store.
   */
  recentGrants: { from: number; askedAt: number; at: number }[]
}

/** The wait after a failed request, in ms: without an answer from the store nothing is sent. */
const failedMs = 250
/** The wait after an answer that came too late to be used, in ms. */
const lateMs = 20
/** How many calls are requested at once at most. */
const maxRequestedSlots = 50
/**
 * A call answered later than this many ms after its grant was requested may have been counted so late by the provider
 * that the margin of the store does not cover it.
 */
const answeredMs = 150
const moveMs = 20
/** How many grants are remembered whose calls may still be under way. */
const maxGrantedSlots = 256

export const createGrants = (windows: SharedWindow[], tenant: string): Grants => ({
  windows,
  tenant,
  left: 0,
  goodUntil: 0,
  isAsking: false,
  askAt: 0,
  recentGrants: [],
})

export const hasGrant = ({ left, goodUntil }: Grants, now: number): boolean => left > 0 && now < goodUntil

/** Earliest time at which there may be a grant, or now where none is needed; Infinity while a request is under way. */
export const grantedAt = (grants: Grants | undefined, now: number): number => {
  if (grants === undefined || hasGrant(grants, now)) return now
  return grants.isAsking ? Infinity : Math.max(now, grants.askAt)
}

/**
 * Requests calls under shared limits, one request per bucket set at a time. `onAnswer`: waiting calls may be able to
 * go.
 */
export const createAsker = (slots: SharedSlots, { monotonic }: Pick<WireOptions, 'monotonic'>) => {
  /** Returns calls that can no longer be made; other processes would otherwise wait a whole window for them. */
  const giveBack = (grants: Grants) => {
    const last = grants.recentGrants.at(-1)
    if (last && grants.left > 0) slots.giveBack(grants.windows, last.at, grants.left, grants.tenant)
    grants.left = 0
  }
  const ask = async (grants: Grants, wantedCount: number, isBulk: boolean): Promise<void> => {
    giveBack(grants)
    const askedAt = monotonic()
    const requestedCount = Math.min(wantedCount, maxRequestedSlots)
    try {
      const { granted, waitMs, goodMs, at } = await slots.take(grants.windows, requestedCount, grants.tenant, isBulk)
      const now = monotonic()
      grants.left = granted
      if (granted > 0 && grants.recentGrants.push({ from: now, askedAt, at }) > maxGrantedSlots)
        grants.recentGrants.shift()
      grants.goodUntil = askedAt + goodMs
      grants.askAt = granted < requestedCount ? now + Math.max(1, waitMs) : now
      if (grants.goodUntil > now) return
      giveBack(grants)
      grants.askAt = now + lateMs
    } catch {
      // The store itself logs what is wrong with it.
      grants.left = 0
      grants.askAt = monotonic() + failedMs
    }
  }
  return (grants: Grants, wantedCount: number, isBulk: boolean, onAnswer: () => void): void => {
    if (grants.isAsking || monotonic() < grants.askAt) return
    grants.isAsking = true
    void ask(grants, wantedCount, isBulk).then(() => {
      grants.isAsking = false
      onAnswer()
    })
  }
}
export type Asker = ReturnType<typeof createAsker>

const grantOf = ({ recentGrants }: Grants, startedAt: number) =>
  recentGrants.findLast(({ from }) => from <= startedAt) ?? recentGrants[0]

/**
 * Gives back the points that a call was granted but, according to its reply, did not use. Returns its windows with the
 * weight that it used of each.
 */
export const returnPoints = (
  slots: SharedSlots,
  grants: Grants,
  startedAt: number,
  unusedPart: number,
): SharedWindow[] => {
  const grant = grantOf(grants, startedAt)
  const parts = grants.windows.map((window) => ({ window, unused: Math.floor((window.weight ?? 0) * unusedPart) }))
  const returned = parts.flatMap(({ window, unused }) => (unused > 0 ? [{ ...window, weight: unused }] : []))
  if (!grant || returned.length === 0) return grants.windows
  slots.giveBack(returned, grant.at, 1, grants.tenant)
  return parts.map(({ window, unused }) => (unused > 0 ? { ...window, weight: window.weight! - unused } : window))
}

/**
 * Makes calls that were answered late count from their answer on; those of the same moment are sent together. `windows`:
 * those of the grants, with the weight that the call used of each.
 */
export const createMover = (slots: SharedSlots, { sleep }: Pick<WireOptions, 'sleep'>) => {
  const waiting = new Map<SharedWindow[], number[]>()
  const flush = () => {
    const moves = [...waiting]
    waiting.clear()
    for (const [windows, at] of moves) slots.move(windows, at)
  }
  return (grants: Grants, startedAt: number, now: number, windows: SharedWindow[]): void => {
    const grant = grantOf(grants, startedAt)
    if (grant === undefined || now - grant.askedAt <= answeredMs) return
    const waitingTimes = waiting.get(windows)
    if (waitingTimes) waitingTimes.push(grant.at)
    else waiting.set(windows, [grant.at])
    if (waiting.size === 1 && !waitingTimes) void sleep(moveMs).then(flush, flush)
  }
}
