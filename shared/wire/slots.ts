/**
 * One rate limit, as slots anchored on the answer: a call holds a slot from sending until one window after its RESPONSE. Sending comes
 * before the provider's count and the count before the response, so two calls in one slot are at least one window apart at the
 * provider, whatever the network does, for fixed and sliding windows alike.
 */
export type Slots = {
  max: number
  windowMs: number
  /** Calls sent and not yet answered. */
  busy: number
  /** Times (monotonic ms, ascending) at which used slots come back; a ring. */
  back: Float64Array
  first: number
  count: number
  /** Nothing is sent before this time: a 429 said so. */
  pausedUntil: number
  /** After a pause one call goes ahead; the others wait until it is answered. */
  probing: boolean
}

export const createSlots = (max: number, windowMs: number): Slots => ({
  max,
  windowMs,
  busy: 0,
  back: new Float64Array(Math.min(max, 64)),
  first: 0,
  count: 0,
  pausedUntil: 0,
  probing: false,
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
    slots.first = (slots.first + 1) % slots.back.length
    slots.count -= 1
  }
}

/** Whether a call may go now. */
export const isFree = (slots: Slots, now: number): boolean => {
  if (slots.pausedUntil > now || (slots.probing && slots.busy > 0)) return false
  if (slots.busy + slots.count < slots.max) return true
  expire(slots, now)
  return slots.busy + slots.count < slots.max
}

/** Earliest time at which waiting can end by itself; Infinity when that needs an answer first. */
export const nextFree = (slots: Slots, now: number): number => {
  if (slots.pausedUntil > now) return slots.pausedUntil
  if (slots.probing && slots.busy > 0) return Infinity
  expire(slots, now)
  if (slots.busy + slots.count < slots.max) return now
  return slots.count > 0 ? nth(slots, 0) : Infinity
}

export const take = (slots: Slots) => {
  slots.busy += 1
}

/** The call was provably not sent: its slot is free again. */
export const giveBack = (slots: Slots) => {
  slots.busy -= 1
}

/** The slot comes back at `at`: one window after the answer, or later when the call may still be under way. */
export const release = (slots: Slots, at: number) => {
  slots.busy -= 1
  if (slots.count === slots.back.length) grow(slots)
  let index = slots.count
  const size = slots.back.length
  // Answers come in order of time; only calls that were given up lie ahead, so the place is nearly always the last.
  while (index > 0 && nth(slots, index - 1) > at) {
    slots.back[(slots.first + index) % size] = nth(slots, index - 1)
    index -= 1
  }
  slots.back[(slots.first + index) % size] = at
  slots.count += 1
}
