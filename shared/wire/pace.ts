import PQueue from 'p-queue'
import { fail } from '#kit'
import type { PaceLimit, WireProfile } from '#kit'
import { createKeeper } from './keeper.ts'
import { createSlots, freeAt, giveBack, isFree, isIdle, needsAnswer, pause, release, take, tighten } from './slots.ts'
import type { Slots } from './slots.ts'
import type { Account, WireOptions } from './types.ts'

export type LimitKind = PaceLimit['per']

/** How many calls may be under way: per account, and per provider so that one cannot take all sockets. */
type Seats = { busy: number; max: number; servedAt: number }

type Provider = { seats: Seats; heads: Head[]; turn: number; waker: { at: number; stop: AbortController } | undefined }

/** The first of the waiting calls of a lane. */
type Head = { lane: Lane; interactive: boolean; arrived: number; go: (startedAt: number) => void }

/** All that one kind of call of one account counts against. Calls of a lane are alike, so a free place suits any of them. */
export type Lane = {
  provider: Provider
  account: Seats
  /** Every limit, whatever its kind. */
  slots: Slots[]
  kinds: Record<LimitKind, Slots[]>
  line: PQueue | undefined
  head: Head | undefined
}

export type Turn = {
  signal?: AbortSignal | undefined
  /** Monotonic ms. */
  deadlineAt: number
  priority?: 'interactive' | 'bulk' | undefined
  noWait?: boolean | undefined
  /** It was first in line before and is sent again. */
  again?: boolean | undefined
}

/** How a call ended, for its slots. */
export type Ending = 'answered' | 'not_sent' | 'unanswered'

const providerSeats = 4
const mostConnections = 256
/** Said where only a call under way has to end first. */
const leastWaitMs = 100
/** Timers may fire a little early. */
const marginMs = 2

/** Sockets a provider gets: several accounts may be busy at once, but none of them takes all. */
export const connectionsFor = (profile: WireProfile) => Math.min(mostConnections, profile.pace.concurrency * providerSeats)

const rateLimited = (waitMs: number) =>
  fail('rate_limited', 'The provider\'s rate limit is used up, and the wait is longer than this call may take. Nothing was sent; repeat it after retryAfterMs.', {
    retryAfterMs: Math.max(leastWaitMs, Math.ceil(waitMs)),
  })

const cancelled = () => fail('cancelled', 'The call was cancelled while it waited for its turn. Nothing was sent.')

const passed = -1

const hasSeat = (seats: Seats) => seats.busy < seats.max

const isOpen = (lane: Lane, now: number, inTurn: boolean): boolean => {
  if (!hasSeat(lane.account) || !hasSeat(lane.provider.seats)) return false
  for (const slots of lane.slots) if ((!inTurn && slots.waiting > 0) || !isFree(slots, now)) return false
  return true
}

const hold = (lane: Lane, now: number) => {
  lane.account.busy += 1
  lane.provider.seats.busy += 1
  for (const slots of lane.slots) take(slots, now)
}

/** Earliest time at which a lane can open; Infinity when an answer has to come first. */
const opensAt = (lane: Lane, now: number): number => {
  if (!hasSeat(lane.account) || !hasSeat(lane.provider.seats)) return Infinity
  let at = now
  for (const slots of lane.slots) {
    if (needsAnswer(slots, now)) return Infinity
    at = Math.max(at, freeAt(slots, now))
  }
  return at
}

/** How long a call that joins now will wait at least. */
const expectedWait = (lane: Lane, now: number): number => {
  let at = now
  for (const slots of lane.slots) at = Math.max(at, freeAt(slots, now, slots.waiting))
  return at - now
}

/** Interactive before bulk, then whoever was served longest ago. */
const before = (a: Head, b: Head) => {
  if (a.interactive !== b.interactive) return a.interactive
  if (a.lane.account.servedAt !== b.lane.account.servedAt) return a.lane.account.servedAt < b.lane.account.servedAt
  return a.arrived < b.arrived
}

const priorityOf = ({ priority, again }: Turn) => (priority === 'bulk' ? 0 : 2) + (again ? 1 : 0)

const laneOf = (provider: Provider, account: Seats, kinds: Lane['kinds']): Lane => ({
  provider,
  account,
  kinds,
  slots: [...kinds.connection, ...kinds.app, ...kinds.route],
  line: undefined,
  head: undefined,
})

/**
 * Decides when a call may go, so that no limit of a provider is exceeded and all of it is used. All limits of a call are taken together:
 * none is held while another is waited for.
 */
export const createPacer = (options: Pick<WireOptions, 'monotonic' | 'sleep'>) => {
  const limits = createKeeper<Slots>(() => createSlots(), (slots) => isIdle(slots, options.monotonic()))
  const accounts = createKeeper<Seats>(() => ({ busy: 0, max: Infinity, servedAt: 0 }), (seats) => seats.busy === 0)
  const providers = new Map<string, Provider>()
  /** Of every call that waits. */
  const stops = new Set<AbortController>()

  const slotsFor = (key: string, limit: PaceLimit | undefined) => {
    const slots = limits.get(key)
    if (limit && slots.max === Infinity) Object.assign(slots, createSlots(limit.max, limit.windowMs))
    return slots
  }

  const leaveHead = (head: Head) => {
    const { heads } = head.lane.provider
    const index = heads.indexOf(head)
    if (index < 0) return
    heads.splice(index, 1)
    head.lane.head = undefined
  }

  const firstOpen = (heads: Head[], now: number) => {
    let best: Head | undefined
    for (const head of heads) if (isOpen(head.lane, now, true) && (best === undefined || before(head, best))) best = head
    return best
  }

  const setWaker = (provider: Provider, now: number) => {
    let next = Infinity
    for (const { lane } of provider.heads) next = Math.min(next, opensAt(lane, now))
    if (provider.waker?.at === next) return
    provider.waker?.stop.abort()
    provider.waker = undefined
    if (next === Infinity) return
    const mine = { at: next, stop: new AbortController() }
    provider.waker = mine
    options.sleep(Math.max(1, Math.ceil(next - now)), mine.stop.signal).then(
      () => {
        if (provider.waker === mine) provider.waker = undefined
        wake(provider)
      },
      () => undefined,
    )
  }

  const wake = (provider: Provider) => {
    const now = options.monotonic()
    for (let head = firstOpen(provider.heads, now); head; head = firstOpen(provider.heads, now)) {
      leaveHead(head)
      hold(head.lane, now)
      provider.turn += 1
      head.lane.account.servedAt = provider.turn
      head.go(now)
    }
    setWaker(provider, now)
  }

  /** Resolves with the time at which the lane's places were taken, or `passed` when a more urgent call of the lane goes first. */
  const standFirst = (lane: Lane, interactive: boolean, signal: AbortSignal) =>
    new Promise<number>((go) => {
      const head: Head = { lane, interactive, arrived: options.monotonic(), go }
      lane.head = head
      lane.provider.heads.push(head)
      signal.addEventListener('abort', () => leaveHead(head), { once: true })
      wake(lane.provider)
    })

  const queue = async (lane: Lane, turn: Turn, signal: AbortSignal): Promise<number> => {
    lane.line ??= new PQueue({ concurrency: 1 })
    const interactive = turn.priority !== 'bulk'
    let priority = priorityOf(turn)
    for (;;) {
      let startedAt = passed
      if (interactive && lane.head?.interactive === false) {
        const bulk = lane.head
        leaveHead(bulk)
        bulk.go(passed)
      }
      try {
        await lane.line.add(async () => (startedAt = await standFirst(lane, interactive, signal)), { priority, signal })
      } catch (reason) {
        // The places may have been granted in the same moment in which the call was given up.
        if (startedAt !== passed) settle(lane, startedAt, 'not_sent')
        throw reason
      }
      if (startedAt !== passed) return startedAt
      priority = Math.max(priority, 1)
    }
  }

  const settle = (lane: Lane, startedAt: number, ending: Ending, stillMs = 0) => {
    lane.account.busy -= 1
    lane.provider.seats.busy -= 1
    const now = options.monotonic()
    for (const slots of lane.slots) {
      if (ending === 'not_sent') giveBack(slots, startedAt)
      else release(slots, startedAt, now + slots.windowMs + (ending === 'unanswered' ? stillMs : 0))
    }
    if (lane.provider.heads.length > 0) wake(lane.provider)
  }

  return {
    /**
     * `routes`: indexes of the path-family limits that the call belongs to. `families`: path families that a 429 named though the profile
     * has no limit for them.
     */
    laneFor(integration: string, origin: string, profile: WireProfile, account: Account, routes: readonly number[], families: readonly string[]): Lane {
      const name = `${integration} ${origin}`
      let provider = providers.get(name)
      if (!provider) {
        provider = { seats: { busy: 0, max: connectionsFor(profile), servedAt: 0 }, heads: [], turn: 0, waker: undefined }
        providers.set(name, provider)
      }
      const seats = accounts.get(`${name} ${account.key}`)
      seats.max = profile.pace.concurrency
      const kinds: Lane['kinds'] = { connection: [], app: [], route: [] }
      profile.pace.limits.forEach((limit, index) => {
        if (limit.per === 'route' && !routes.includes(index)) return
        const owner = limit.per === 'app' ? account.appKey : account.key
        kinds[limit.per].push(slotsFor(`${name} ${limit.per} ${owner} ${index} ${limit.max}/${limit.windowMs}`, limit))
      })
      // A 429 may name what the profile knows no limit of.
      if (kinds.connection.length === 0) kinds.connection.push(slotsFor(`${name} connection ${account.key}`, undefined))
      if (kinds.app.length === 0) kinds.app.push(slotsFor(`${name} app ${account.appKey}`, undefined))
      for (const family of families) kinds.route.push(slotsFor(`${name} route ${account.key} ${family}`, undefined))
      return laneOf(provider, seats, kinds)
    },

    /** Takes all places of a lane at once and gives the time; negative when one is missing or others wait. No promise, no timer. */
    tryTake(lane: Lane): number {
      const now = options.monotonic()
      if (!isOpen(lane, now, false)) return passed
      hold(lane, now)
      return now
    },

    /** Waits for all places of a lane; gives the time. Throws `rate_limited` or `cancelled`; nothing is held then. */
    async take(lane: Lane, turn: Turn): Promise<number> {
      if (turn.signal?.aborted) throw cancelled()
      const now = options.monotonic()
      const waitMs = expectedWait(lane, now)
      if (turn.noWait || now + waitMs > turn.deadlineAt) throw rateLimited(waitMs)
      const stop = new AbortController()
      stops.add(stop)
      const onAbort = () => stop.abort(cancelled())
      turn.signal?.addEventListener('abort', onAbort, { once: true })
      options.sleep(Math.max(0, turn.deadlineAt - now), stop.signal).then(() => stop.abort(rateLimited(expectedWait(lane, options.monotonic()))), () => undefined)
      for (const slots of lane.slots) slots.waiting += 1
      try {
        return await queue(lane, turn, stop.signal)
      } finally {
        for (const slots of lane.slots) slots.waiting -= 1
        turn.signal?.removeEventListener('abort', onAbort)
        stops.delete(stop)
        stop.abort()
      }
    },

    /** Sends all who wait away. */
    close() {
      for (const stop of stops) stop.abort(fail('unavailable', 'This process is shutting down. Nothing was sent; try again in a moment.'))
      for (const provider of providers.values()) provider.waker?.stop.abort()
    },

    /** Gives the places back. `stillMs`: how long an unanswered call may still be under way. */
    settle,

    /** A 429: what it names pauses for `ms` (default: its window), then one call goes ahead. Gives the pause in ms. */
    pause(lane: Lane, kind: LimitKind, ms: number | undefined): number {
      const now = options.monotonic()
      let longest = 0
      for (const slots of lane.kinds[kind]) {
        const pauseMs = (ms ?? slots.windowMs) + marginMs
        longest = Math.max(longest, pauseMs)
        pause(slots, now + pauseMs)
      }
      return longest
    },

    /** What the provider says is left of its window; only ever makes us slower. */
    tighten(lane: Lane, kind: LimitKind, left: number) {
      const now = options.monotonic()
      // With several limits of a kind it is not said which is meant; the shortest window is the one that runs out.
      const shortest = lane.kinds[kind].reduce<Slots | undefined>((least, slots) => (least === undefined || slots.windowMs < least.windowMs ? slots : least), undefined)
      if (shortest) tighten(shortest, left, now)
    },
  }
}
export type Pacer = ReturnType<typeof createPacer>
