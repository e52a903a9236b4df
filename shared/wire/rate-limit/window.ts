import { usedElsewhere, createOtherUsage, noteOtherUsage, othersChangeAt } from './other-usage.ts'
import type { OtherUsage } from './other-usage.ts'

/**
 * One rate limit, as permits anchored on the response: a call holds a permit from sending until one window after its
 * RESPONSE. Sending comes before the provider's count and the count before the response, so two calls in one permit are
 * at least one window apart at the provider, whatever the network does, for fixed and sliding windows alike. All times
 * are monotonic ms.
 */
export type RateWindow = {
  /** Permits are points, of which a call holds as many as it costs; otherwise it holds one. */
  inPoints: boolean
  /** Infinity: no limit is known here, but a 429 may pause it. */
  max: number
  windowMs: number
  /** Permits of calls that were sent and are not yet answered. */
  busy: number
  /** Times, ascending, at which used permits come back, and how many come back each time; ring buffers. */
  back: Float64Array
  many: Float64Array
  first: number
  entries: number
  /** Used permits that have not come back. */
  count: number
  /** Permits that have come back since the beginning. */
  returned: number
  otherUsage: OtherUsage
  /**
   * Times of a large limit are rounded up to a multiple of this, so that it takes no more memory than a small one. 0:
   * exact.
   */
  grainMs: number
  /** Permits that calls wait for. */
  waiting: number
  /** Nothing is sent before this time, because of a 429. */
  pausedUntil: number
  /** After a pause one call goes ahead (`out`, since `probeAt`); the others wait for its answer. */
  probe: 'none' | 'due' | 'out'
  probeAt: number
}

const unknownWindowMs = 10_000
/**
 * In a longer window, permits are left to others only until the window ends: after that they would be missed for hours
 * or days.
 */
const shortWindowMs = 60_000
/** Most distinct return times within a window. A larger limit loses a thousandth of its window to rounding. */
const maxTimes = 1024

export const createWindow = (max = Infinity, windowMs = unknownWindowMs, inPoints = false): RateWindow => ({
  inPoints,
  max,
  windowMs,
  busy: 0,
  back: new Float64Array(16),
  many: new Float64Array(16),
  first: 0,
  entries: 0,
  count: 0,
  returned: 0,
  otherUsage: createOtherUsage(),
  grainMs: max <= maxTimes ? 0 : windowMs / maxTimes,
  waiting: 0,
  pausedUntil: 0,
  probe: 'none',
  probeAt: 0,
})

const placeOf = (window: RateWindow, index: number) => (window.first + index) % window.back.length

const grow = (window: RateWindow) => {
  const back = new Float64Array(window.back.length * 2)
  const many = new Float64Array(back.length)
  for (let index = 0; index < window.entries; index += 1) {
    const place = placeOf(window, index)
    back[index] = window.back[place]!
    many[index] = window.many[place]!
  }
  Object.assign(window, { back, many, first: 0 })
}

const expire = (window: RateWindow, now: number) => {
  while (window.entries > 0 && window.back[window.first]! <= now) {
    const many = window.many[window.first]!
    window.first = window.first + 1 === window.back.length ? 0 : window.first + 1
    window.entries -= 1
    window.count -= many
    window.returned += many
  }
}

/**
 * How many used permits had come back at a recent time, to be passed to `tighten` with the answer of the call that was
 * sent then.
 */
export const returnedBy = (window: RateWindow, at: number): number => {
  expire(window, at)
  let { returned } = window
  // Permits that have come back since are still in the ring, behind those that are out.
  for (let behind = window.back.length - 1; behind >= window.entries; behind -= 1) {
    const place = placeOf(window, behind)
    if (window.back[place]! <= at) break
    returned -= window.many[place]!
  }
  return returned
}

/** When the `ordinal`-th of the used permits comes back, counted from 1. */
const backAt = (window: RateWindow, ordinal: number): number => {
  let left = ordinal
  let index = 0
  for (left -= window.many[placeOf(window, 0)]!; left > 0; left -= window.many[placeOf(window, index)]!) index += 1
  return window.back[placeOf(window, index)]!
}

/** Whether a call may go now. One that costs more than a tenant's share goes when nothing of the share is used. */
export const isFree = (window: RateWindow, now: number, cost = 1): boolean => {
  if (window.pausedUntil > now || window.probe === 'out') return false
  const permits = Math.min(cost, window.max)
  const most = window.max - usedElsewhere(window, now, permits) - permits
  if (window.busy + window.count <= most) return true
  expire(window, now)
  return window.busy + window.count <= most
}

/**
 * Earliest time at which a call can go when `ahead` permits are taken before it; exact once all calls under way are answered,
 * otherwise too early rather than too late.
 */
export const freeAt = (window: RateWindow, now: number, ahead = 0, cost = 1): number => {
  const from = Math.max(now, window.pausedUntil)
  if (window.max === Infinity) return from
  expire(window, now)
  const permits = Math.min(cost, window.max)
  const otherPermits = usedElsewhere(window, now, permits)
  const short = window.busy + window.count + otherPermits + ahead + permits - window.max
  if (short <= 0) return from
  const at =
    short <= window.count
      ? backAt(window, short)
      : now + window.windowMs * (1 + Math.floor((short - window.count - 1) / Math.max(1, window.max - otherPermits)))
  return Math.max(from, otherPermits === 0 ? at : Math.min(at, othersChangeAt(window, now)))
}

/** Whether the wait ends only when a call under way is answered, and not by time alone. */
export const needsAnswer = (window: RateWindow, now: number, cost = 1): boolean => {
  if (window.pausedUntil > now) return false
  if (window.probe === 'out') return true
  expire(window, now)
  return window.count === 0 && window.busy > window.max - Math.min(cost, window.max)
}

export const take = (window: RateWindow, now: number, cost = 1) => {
  window.busy += cost
  if (window.probe === 'due') {
    window.probe = 'out'
    window.probeAt = now
  }
}

/** The call was provably not sent: its permits are free again. */
export const giveBack = (window: RateWindow, startedAt: number, cost = 1) => {
  window.busy -= cost
  if (window.probe === 'out' && startedAt >= window.probeAt) window.probe = 'due'
}

const add = (window: RateWindow, at: number, many = 1) => {
  const time = window.grainMs === 0 ? at : Math.ceil(at / window.grainMs) * window.grainMs
  window.count += many
  // Permits are added in order of time; only those of unanswered calls lie ahead, so the place is nearly always the
  // last.
  let index = window.entries
  while (index > 0 && window.back[placeOf(window, index - 1)]! > time) index -= 1
  const before = placeOf(window, index - 1 + window.back.length)
  if (index > 0 && window.back[before] === time) {
    window.many[before]! += many
    return
  }
  if (window.entries === window.back.length) grow(window)
  for (let later = window.entries; later > index; later -= 1) {
    const [to, from] = [placeOf(window, later), placeOf(window, later - 1)]
    window.back[to] = window.back[from]!
    window.many[to] = window.many[from]!
  }
  const place = placeOf(window, index)
  window.back[place] = time
  window.many[place] = many
  window.entries += 1
}

/**
 * The permits come back at `at`: `actualCost` of them, if the provider says what the call really cost, but not more
 * than the limit has. A probe that was answered with anything but another 429 opens the way for all calls.
 */
export const release = (window: RateWindow, startedAt: number, at: number, cost = 1, actualCost = cost) => {
  window.busy -= cost
  if (window.probe === 'out' && startedAt >= window.probeAt) window.probe = 'none'
  if (window.max !== Infinity && actualCost > 0) add(window, at, Math.min(actualCost, window.max))
}

/** No call goes before `until`; then one goes alone. `cost`: permits of the refused call. */
export const pause = (window: RateWindow, until: number, now: number, cost = 1) => {
  if (until > window.pausedUntil) window.pausedUntil = until
  window.probe = 'due'
  const { otherUsage, windowMs } = window
  if (now >= otherUsage.reportedAt + windowMs) return
  // Where the provider reports what is left, a refusal shows that others use more than was assumed.
  noteOtherUsage(window, cost, Infinity, now)
  window.otherUsage.refused += cost
}

/** The provider's window ends at `at`: permits that would come back later come back then. */
const endAt = (window: RateWindow, at: number) => {
  let many = 0
  while (window.entries > 0) {
    const last = placeOf(window, window.entries - 1)
    if (window.back[last]! <= at) break
    many += window.many[last]!
    window.entries -= 1
  }
  window.count -= many
  if (many > 0) add(window, at, many)
}

/**
 * Applies what the provider reports as left: whatever is used beyond our calls is used by others with the same
 * credential. The provider counted before its answer reached us, so permits that have come back since that call was
 * sent (`returned`: how many had come back by then) still counted as used, and calls under way may or may not have.
 * `endsAt`: when the whole window is free again, where the provider says so. `cost` and `actualCost`: the permits
 * of the answered call, and how many it really used.
 */
export const tighten = (
  window: RateWindow,
  left: number,
  now: number,
  {
    returned,
    endsAt,
    cost = 1,
    actualCost = cost,
  }: {
    returned?: number | undefined
    endsAt?: number | undefined
    cost?: number
    actualCost?: number | undefined
  } = {},
) => {
  if (window.max === Infinity) return
  expire(window, now)
  const since = returned === undefined ? 0 : window.returned - returned
  const least = window.max - left - (window.busy - cost + actualCost) - window.count - since
  if (endsAt !== undefined || window.windowMs > shortWindowMs) {
    if (least > 0) add(window, endsAt ?? now + window.windowMs, least)
    if (endsAt !== undefined) endAt(window, endsAt)
    return
  }
  window.otherUsage.reportedAt = now
  const seen = least + window.otherUsage.refused
  if (seen > 0) noteOtherUsage(window, seen, seen + Math.max(0, window.busy - cost), now)
}

/**
 * How much of a limit is used. `freeAt`: when the last used permit comes back; undefined when none is out or a call
 * under way holds one.
 */
export const usedOf = (window: RateWindow, now: number): { used: number; freeAt: number | undefined } => {
  expire(window, now)
  const isKnown = window.entries > 0 && window.busy === 0
  const otherPermits = usedElsewhere(window, now)
  return {
    used: window.busy + window.count + otherPermits,
    freeAt: isKnown ? window.back[placeOf(window, window.entries - 1)] : undefined,
  }
}

/** Whether nothing is lost when the limit is forgotten. */
export const isIdle = (window: RateWindow, now: number): boolean => {
  expire(window, now)
  const isUsed = window.busy + window.count + usedElsewhere(window, now) > 0
  return !isUsed && window.waiting === 0 && window.pausedUntil <= now && window.probe === 'none'
}
