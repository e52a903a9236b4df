/**
 * One rate limit, as slots anchored on the answer: a call holds a slot from sending until one window after its RESPONSE. Sending comes
 * before the provider's count and the count before the response, so two calls in one slot are at least one window apart at the
 * provider, whatever the network does, for fixed and sliding windows alike. All times are monotonic ms.
 */
export type Slots = {
  /** Infinity: nothing is known to be limited here, but a 429 may pause it. */
  max: number
  windowMs: number
  /** Calls sent and not yet answered. */
  busy: number
  /** Times, ascending, at which used slots come back; a ring. */
  back: Float64Array
  first: number
  count: number
  /** Calls that wait for this limit. */
  waiting: number
  /** Nothing is sent before this time: a 429 said so. */
  pausedUntil: number
  /** After a pause one call goes ahead (`out`, since `probeAt`); the others wait for its answer. */
  probe: 'none' | 'due' | 'out'
  probeAt: number
}

const unknownWindowMs = 10_000

export const createSlots = (max = Infinity, windowMs = unknownWindowMs): Slots => ({
  max,
  windowMs,
  busy: 0,
  back: new Float64Array(Number.isFinite(max) ? Math.min(max, 16) : 0),
  first: 0,
  count: 0,
  waiting: 0,
  pausedUntil: 0,
  probe: 'none',
  probeAt: 0,
})

const nth = (slots: Slots, index: number) => slots.back[(slots.first + index) % slots.back.length] as number

const grow = (slots: Slots) => {
  const wider = new Float64Array(slots.back.length * 2)
  for (let index = 0; index < slots.count; index += 1) wider[index] = nth(slots, index)
  slots.back = wider
  slots.first = 0
}

const expire = (slots: Slots, now: number) => {
  while (slots.count > 0 && (slots.back[slots.first] as number) <= now) {
    slots.first = slots.first + 1 === slots.back.length ? 0 : slots.first + 1
    slots.count -= 1
  }
}

/** Whether a call may go now. */
export const isFree = (slots: Slots, now: number): boolean => {
  if (slots.pausedUntil > now || slots.probe === 'out') return false
  if (slots.busy + slots.count < slots.max) return true
  expire(slots, now)
  return slots.busy + slots.count < slots.max
}

/**
 * Earliest time at which a call can go that has `ahead` others before it; exact while the answers of all calls under way are in,
 * else too early rather than too late.
 */
export const freeAt = (slots: Slots, now: number, ahead = 0): number => {
  const from = Math.max(now, slots.pausedUntil)
  if (slots.max === Infinity) return from
  expire(slots, now)
  const short = slots.busy + slots.count + ahead + 1 - slots.max
  if (short <= 0) return from
  if (short <= slots.count) return Math.max(from, nth(slots, short - 1))
  return Math.max(from, now + slots.windowMs * (1 + Math.floor((short - slots.count - 1) / slots.max)))
}

/** Whether waiting ends with time alone, or only when a call under way is answered. */
export const needsAnswer = (slots: Slots, now: number): boolean => {
  if (slots.pausedUntil > now) return false
  if (slots.probe === 'out') return true
  expire(slots, now)
  return slots.count === 0 && slots.busy >= slots.max
}

export const take = (slots: Slots, now: number) => {
  slots.busy += 1
  if (slots.probe === 'due') {
    slots.probe = 'out'
    slots.probeAt = now
  }
}

/** The call was provably not sent: its slot is free again. */
export const giveBack = (slots: Slots, startedAt: number) => {
  slots.busy -= 1
  if (slots.probe === 'out' && startedAt >= slots.probeAt) slots.probe = 'due'
}

const add = (slots: Slots, at: number) => {
  if (slots.count === slots.back.length) grow(slots)
  const size = slots.back.length
  let index = slots.count
  // Answers come in order of time; only calls that were given up lie ahead, so the place is nearly always the last.
  while (index > 0 && nth(slots, index - 1) > at) {
    slots.back[(slots.first + index) % size] = nth(slots, index - 1)
    index -= 1
  }
  slots.back[(slots.first + index) % size] = at
  slots.count += 1
}

/** The slot comes back at `at`. A probe that was answered otherwise than by another 429 opens the way for all. */
export const release = (slots: Slots, startedAt: number, at: number) => {
  slots.busy -= 1
  if (slots.probe === 'out' && startedAt >= slots.probeAt) slots.probe = 'none'
  if (slots.max !== Infinity) add(slots, at)
}

/** Nothing goes before `until`; then one call alone. */
export const pause = (slots: Slots, until: number) => {
  if (until > slots.pausedUntil) slots.pausedUntil = until
  slots.probe = 'due'
}

/** The provider says that fewer calls are left than we think (others use the same credential): the difference is taken as used. */
export const tighten = (slots: Slots, left: number, now: number) => {
  if (slots.max === Infinity) return
  expire(slots, now)
  for (let free = slots.max - slots.busy - slots.count; free > left; free -= 1) add(slots, now + slots.windowMs)
}

/** Nothing is lost when an idle limit is forgotten. */
export const isIdle = (slots: Slots, now: number): boolean => {
  expire(slots, now)
  return slots.busy === 0 && slots.count === 0 && slots.waiting === 0 && slots.pausedUntil <= now && slots.probe === 'none'
}
