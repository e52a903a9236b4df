import type { SharedSlots, SharedWindow, WireOptions } from '../types.ts'

/**
 * Calls that a bucket set may make of limits that several processes share: asked for together, by as many as wait, and
 * good for a moment only, so that a process that stood still in between sends nothing with them.
 */
export type Grants = {
  windows: SharedWindow[]
  tenant: string
  left: number
  /** Monotonic ms. */
  goodUntil: number
  isAsking: boolean
  /** Not to be asked for again before. */
  askAt: number
  /**
   * The last grants, oldest first: from when their calls could go, when they were asked for, and their time in the
   * store.
   */
  recentGrants: { from: number; askedAt: number; at: number }[]
}

/** After a request that failed: without an answer of the store nothing is sent. */
const failedMs = 250
/** After an answer that came too late to be used. */
const lateMs = 20
/** Calls asked for at once. */
const maxAsked = 50
/**
 * Answered later than this after its grant was asked for, a call may have been counted so late that the margin of the
 * store does not cover it.
 */
const answeredMs = 150
const moveMs = 20
/** Grants whose calls may still be under way. */
const maxGiven = 256

export const createGrants = (windows: SharedWindow[], tenant: string): Grants => ({
  windows,
  tenant,
  left: 0,
  goodUntil: 0,
  isAsking: false,
  askAt: 0,
  recentGrants: [],
})

export const hasGrant = (grants: Grants | undefined, now: number): boolean =>
  grants === undefined || (grants.left > 0 && now < grants.goodUntil)

/** Earliest time at which there may be one; Infinity while an answer is awaited. */
export const grantedAt = (grants: Grants | undefined, now: number): number => {
  if (grants === undefined || hasGrant(grants, now)) return now
  return grants.isAsking ? Infinity : Math.max(now, grants.askAt)
}

/** Asks for calls of shared limits, one request of a bucket set at a time. `onAnswer`: something may go on. */
export const createAsker = (slots: SharedSlots, { monotonic }: Pick<WireOptions, 'monotonic'>) => {
  /** Calls that can no longer be made are for others, who would else wait a window for them. */
  const giveBack = (grants: Grants) => {
    const last = grants.recentGrants.at(-1)
    if (last && grants.left > 0) slots.giveBack(grants.windows, last.at, grants.left, grants.tenant)
    grants.left = 0
  }
  const ask = async (grants: Grants, wantedCount: number, isBulk: boolean): Promise<void> => {
    giveBack(grants)
    const askedAt = monotonic()
    const requestedCount = Math.min(wantedCount, maxAsked)
    try {
      const { granted, waitMs, goodMs, at } = await slots.take(grants.windows, requestedCount, grants.tenant, isBulk)
      const now = monotonic()
      grants.left = granted
      if (granted > 0 && grants.recentGrants.push({ from: now, askedAt, at }) > maxGiven) grants.recentGrants.shift()
      grants.goodUntil = askedAt + goodMs
      grants.askAt = granted < requestedCount ? now + Math.max(1, waitMs) : now
      if (grants.goodUntil > now) return
      giveBack(grants)
      grants.askAt = now + lateMs
    } catch {
      // The store says itself, in the log, what is wrong with it.
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

/** Has calls that were answered late counted from their answer on, those of a moment together. */
export const createMover = (slots: SharedSlots, { sleep }: Pick<WireOptions, 'sleep'>) => {
  const waiting = new Map<Grants, number[]>()
  const flush = () => {
    const moves = [...waiting]
    waiting.clear()
    for (const [{ windows }, at] of moves) slots.move(windows, at)
  }
  return (grants: Grants, startedAt: number, now: number): void => {
    const grant = grants.recentGrants.findLast(({ from }) => from <= startedAt) ?? grants.recentGrants[0]
    if (grant === undefined || now - grant.askedAt <= answeredMs) return
    const waitingTimes = waiting.get(grants)
    if (waitingTimes) waitingTimes.push(grant.at)
    else waiting.set(grants, [grant.at])
    if (waiting.size === 1 && !waitingTimes) void sleep(moveMs).then(flush, flush)
  }
}
