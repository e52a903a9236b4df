import type PQueue from 'p-queue'
import type { PaceLimit } from '#kit'
import { freeAt, giveBack, isFree, needsAnswer, release, take } from './window.ts'
import type { Slots } from './window.ts'

export type LimitKind = PaceLimit['per']

/** How many calls may be under way: of an account, and of a tenant however many accounts it has. */
export type Seats = { busy: number; max: number; servedAt: number }

export type Provider = { heads: Head[]; turn: number; waker: { at: number; stop: AbortController } | undefined }

/** The first of the waiting calls of a lane. `go` gets the time at which its places were taken. */
export type Head = { lane: Lane; interactive: boolean; arrived: number; go: (startedAt: number) => void }

/** All that one kind of call of one account counts against. Calls of a lane are alike, so a free place suits any of them. */
export type Lane = {
  provider: Provider
  account: Seats
  tenant: Seats
  /** Every limit, whatever its kind. */
  slots: Slots[]
  kinds: Record<LimitKind, Slots[]>
  line: PQueue | undefined
  head: Head | undefined
}

/** How a call ended, for its places. */
export type Ending = 'answered' | 'not_sent' | 'unanswered'

export const createLane = (provider: Provider, { account, tenant }: Pick<Lane, 'account' | 'tenant'>, kinds: Lane['kinds']): Lane => ({
  provider,
  account,
  tenant,
  kinds,
  slots: [...kinds.connection, ...kinds.app, ...kinds.route],
  line: undefined,
  head: undefined,
})

const hasSeats = (lane: Lane) => lane.account.busy < lane.account.max && lane.tenant.busy < lane.tenant.max

/** Whether a call may go now. Out of turn it must not overtake calls that wait for one of the limits. */
export const isOpen = (lane: Lane, now: number, inTurn: boolean): boolean => {
  if (!hasSeats(lane)) return false
  for (const slots of lane.slots) if ((!inTurn && slots.waiting > 0) || !isFree(slots, now)) return false
  return true
}

export const takeAll = (lane: Lane, now: number) => {
  lane.account.busy += 1
  lane.tenant.busy += 1
  for (const slots of lane.slots) take(slots, now)
}

/** `stillMs`: how long an unanswered call may still be under way. */
export const giveAllBack = (lane: Lane, startedAt: number, ending: Ending, now: number, stillMs: number) => {
  lane.account.busy -= 1
  lane.tenant.busy -= 1
  for (const slots of lane.slots) {
    if (ending === 'not_sent') giveBack(slots, startedAt)
    else release(slots, startedAt, now + slots.windowMs + (ending === 'unanswered' ? stillMs : 0))
  }
}

/** Earliest time at which a lane can open; Infinity when an answer has to come first. */
export const opensAt = (lane: Lane, now: number): number => {
  if (!hasSeats(lane)) return Infinity
  let at = now
  for (const slots of lane.slots) {
    if (needsAnswer(slots, now)) return Infinity
    at = Math.max(at, freeAt(slots, now))
  }
  return at
}

/** How long a call that joins now will wait at least. */
export const expectedWait = (lane: Lane, now: number): number => {
  let at = now
  for (const slots of lane.slots) at = Math.max(at, freeAt(slots, now, slots.waiting))
  return at - now
}
