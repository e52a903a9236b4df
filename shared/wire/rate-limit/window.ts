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
  /** Times, ascending, at which used slots come back, and how many each time; rings. */
  back: Float64Array
  many: Uint32Array
  first: number
  entries: number
  /** Used slots that have not come back. */
  count: number
  /** Those that came back, since the beginning. */
  returned: number
  /** Times of a large limit are rounded up to this, so that it takes no more room than a small one. 0: exact. */
  grainMs: number
  /** Calls that wait for this limit. */
  waiting: number
  /** Nothing is sent before this time: a 429 said so. */
  pausedUntil: number
  /** After a pause one call goes ahead (`out`, since `probeAt`); the others wait for its answer. */
  probe: 'none' | 'due' | 'out'
  probeAt: number
}

const unknownWindowMs = 10_000
/** Times that are told apart within a window. A larger limit loses a thousandth of its window by it. */
const mostTimes = 1024

export const createSlots = (max = Infinity, windowMs = unknownWindowMs): Slots => ({
  max,
  windowMs,
  busy: 0,
  back: new Float64Array(16),
  many: new Uint32Array(16),
  first: 0,
  entries: 0,
  count: 0,
  returned: 0,
  grainMs: max <= mostTimes ? 0 : windowMs / mostTimes,
  waiting: 0,
  pausedUntil: 0,
  probe: 'none',
  probeAt: 0,
})

const placeOf = (slots: Slots, index: number) => (slots.first + index) % slots.back.length

const grow = (slots: Slots) => {
  const back = new Float64Array(slots.back.length * 2)
  const many = new Uint32Array(back.length)
  for (let index = 0; index < slots.entries; index += 1) {
    const place = placeOf(slots, index)
    back[index] = slots.back[place]!
    many[index] = slots.many[place]!
  }
  Object.assign(slots, { back, many, first: 0 })
}

const expire = (slots: Slots, now: number) => {
  while (slots.entries > 0 && slots.back[slots.first]! <= now) {
    const many = slots.many[slots.first]!
    slots.first = slots.first + 1 === slots.back.length ? 0 : slots.first + 1
    slots.entries -= 1
    slots.count -= many
    slots.returned += many
  }
}

/** How many used slots have come back so far; to be handed to `tighten` with the answer of a call that is sent now. */
export const returnedBy = (slots: Slots, now: number): number => {
  expire(slots, now)
  return slots.returned
}

/** When the `wanted`-th of the used slots comes back, counted from 1. */
const backAt = (slots: Slots, wanted: number): number => {
  let left = wanted
  let index = 0
  for (left -= slots.many[placeOf(slots, 0)]!; left > 0; left -= slots.many[placeOf(slots, index)]!) index += 1
  return slots.back[placeOf(slots, index)]!
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
  if (short <= slots.count) return Math.max(from, backAt(slots, short))
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

const add = (slots: Slots, at: number, many = 1) => {
  const time = slots.grainMs === 0 ? at : Math.ceil(at / slots.grainMs) * slots.grainMs
  slots.count += many
  // Answers come in order of time; only calls that were given up lie ahead, so the place is nearly always the last.
  let index = slots.entries
  while (index > 0 && slots.back[placeOf(slots, index - 1)]! > time) index -= 1
  const before = placeOf(slots, index - 1 + slots.back.length)
  if (index > 0 && slots.back[before] === time) {
    slots.many[before]! += many
    return
  }
  if (slots.entries === slots.back.length) grow(slots)
  for (let later = slots.entries; later > index; later -= 1) {
    const [to, from] = [placeOf(slots, later), placeOf(slots, later - 1)]
    slots.back[to] = slots.back[from]!
    slots.many[to] = slots.many[from]!
  }
  const place = placeOf(slots, index)
  slots.back[place] = time
  slots.many[place] = many
  slots.entries += 1
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

/** The provider's window ends at `at`: what would come back later comes back then. */
const endAt = (slots: Slots, at: number) => {
  let many = 0
  while (slots.entries > 0) {
    const last = placeOf(slots, slots.entries - 1)
    if (slots.back[last]! <= at) break
    many += slots.many[last]!
    slots.entries -= 1
  }
  slots.count -= many
  if (many > 0) add(slots, at, many)
}

/**
 * The provider says that fewer calls are left than we think (others use the same credential): the difference is taken as used. It counted
 * before its answer reached us, so what has come back since that call was sent (`returned`: so many by then) was still used in its eyes.
 * `endsAt`: when all of the window is free again, where the provider says so.
 */
export const tighten = (slots: Slots, left: number, now: number, { returned, endsAt }: { returned?: number | undefined; endsAt?: number | undefined } = {}) => {
  if (slots.max === Infinity) return
  expire(slots, now)
  const ours = slots.busy + slots.count + (returned === undefined ? 0 : slots.returned - returned)
  const others = slots.max - left - ours
  if (others > 0) add(slots, endsAt ?? now + slots.windowMs, others)
  if (endsAt !== undefined) endAt(slots, endsAt)
}

/** Nothing is lost when an idle limit is forgotten. */
export const isIdle = (slots: Slots, now: number): boolean => {
  expire(slots, now)
  return slots.busy === 0 && slots.count === 0 && slots.waiting === 0 && slots.pausedUntil <= now && slots.probe === 'none'
}
