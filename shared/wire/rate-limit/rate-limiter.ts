import { fail } from '#kit'
import type { PaceLimit, WireProfile } from '#kit'
import { createDeadlines } from './deadlines.ts'
import { createKeeper } from './weak-registry.ts'
import { createLane, expectedWait, giveAllBack, isOpen, takeAll } from './buckets.ts'
import type { Ending, Lane, LimitKind, Provider, Seats } from './buckets.ts'
import { createLine } from './queue.ts'
import type { Place } from './queue.ts'
import { createSlots, isIdle, pause, returnedBy, tighten } from './window.ts'
import type { Slots } from './window.ts'
import type { Account, WireOptions } from '../types.ts'

export type { Ending, Lane, LimitKind } from './buckets.ts'

export type Turn = Place & {
  signal?: AbortSignal | undefined
  /** Monotonic ms. */
  deadlineAt: number
  noWait?: boolean | undefined
}

/** Of all accounts of a tenant, in calls of one account; each holds a socket. */
const tenantAccounts = 4
const tenantMost = 256
/** Share of an app's limit that one tenant leaves to the others. */
const reserved = 0.1
/** Said where only a call under way has to end first. */
const leastWaitMs = 100
/** Timers may fire a little early. */
const marginMs = 2

const rateLimited = (waitMs: number) =>
  fail(
    'rate_limited',
    "The provider's rate limit is used up, and the wait is longer than this call may take. Nothing was sent; repeat it after retryAfterMs.",
    {
      retryAfterMs: Math.max(leastWaitMs, Math.ceil(waitMs)),
    },
  )

const cancelled = () => fail('cancelled', 'The call was cancelled while it waited for its turn. Nothing was sent.')
const closing = () => fail('unavailable', 'This process is shutting down. Nothing was sent; try again in a moment.')

/** Which limit a header reports on. */
type ReportedWindow = { per: LimitKind; windowMs?: number | undefined }

/** With several limits of a kind and no length it is not said which is meant; the shortest window is the one that runs out. */
const pickWindow = (found: Slots | undefined, one: Slots, windowMs: number | undefined) => {
  if (windowMs !== undefined) return found ?? (one.windowMs === windowMs ? one : undefined)
  return found === undefined || one.windowMs < found.windowMs ? one : found
}

type Clock = Pick<WireOptions, 'monotonic' | 'sleep'>

/** Finds the limits and seats of accounts and keeps them as long as they matter. */
const createRegister = (options: Clock) => {
  const limits = createKeeper<Slots>(
    () => createSlots(),
    (slots) => isIdle(slots, options.monotonic()),
  )
  const seats = createKeeper<Seats>(
    () => ({ busy: 0, max: Infinity, servedAt: 0 }),
    ({ busy }) => busy === 0,
  )
  /** By the limit of an app: the tenant that uses it, or null once there are several. It is divided only where it is shared. */
  const onlyTenants = new Map<string, string | null>()
  const providers = new Map<string, Provider>()

  const slotsFor = (key: string, limit?: PaceLimit) => {
    const slots = limits.get(key)
    if (limit && slots.max === Infinity) Object.assign(slots, createSlots(limit.max, limit.windowMs))
    return slots
  }
  /** What one tenant may take of an app's limit: all of it, or all but the reserve once another tenant uses the same app. */
  const shareFor = (key: string, limit: PaceLimit, tenant: string) => {
    const shareOf = (one: string) => slotsFor(`${key} of ${one}`, limit)
    const part = Math.max(1, Math.floor(limit.max * (1 - reserved)))
    const only = onlyTenants.get(key)
    if (only === undefined) onlyTenants.set(key, tenant)
    else if (only !== null && only !== tenant) {
      shareOf(only).max = part
      onlyTenants.set(key, null)
    }
    const share = shareOf(tenant)
    if (onlyTenants.get(key) === null) share.max = part
    return share
  }
  const providerFor = (name: string) => {
    let provider = providers.get(name)
    if (!provider) {
      provider = { heads: [], turn: 0, waker: undefined }
      providers.set(name, provider)
    }
    return provider
  }
  const kindsFor = (name: string, profile: WireProfile, account: Account, routes: readonly number[], families: readonly string[]) => {
    const kinds: Lane['kinds'] = { connection: [], app: [], route: [] }
    profile.pace.limits.forEach((limit, index) => {
      if (limit.per === 'route' && !routes.includes(index)) return
      const owner = limit.per === 'app' ? account.appKey : account.key
      const key = `${name} ${limit.per} ${owner} ${index} ${limit.max}/${limit.windowMs}`
      kinds[limit.per].push(slotsFor(key, limit))
      if (limit.per === 'app') kinds.app.push(shareFor(key, limit, account.tenant))
    })
    // A 429 may name what the profile knows no limit of.
    if (kinds.connection.length === 0) kinds.connection.push(slotsFor(`${name} connection ${account.key}`))
    if (kinds.app.length === 0) kinds.app.push(slotsFor(`${name} app ${account.appKey}`))
    for (const family of families) kinds.route.push(slotsFor(`${name} route ${account.key} ${family}`))
    return kinds
  }

  return {
    /**
     * `routes`: indexes of the path-family limits that the call belongs to. `families`: path families that a 429 named though the profile
     * has no limit for them.
     */
    laneFor(integration: string, origin: string, profile: WireProfile, account: Account, routes: readonly number[], families: readonly string[]): Lane {
      const name = `${integration} ${origin}`
      const { concurrency } = profile.pace
      const ofAccount = seats.get(`${name} account ${account.key}`)
      const ofTenant = seats.get(`${name} tenant ${account.tenant}`)
      ofAccount.max = concurrency
      ofTenant.max = Math.min(tenantMost, concurrency * tenantAccounts)
      return createLane(providerFor(name), { account: ofAccount, tenant: ofTenant }, kindsFor(name, profile, account, routes, families))
    },
    providers: () => providers.values(),
  }
}

/**
 * Decides when a call may go, so that no limit of a provider is exceeded and all of it is used. All limits of a call are taken together:
 * none is held while another is waited for.
 */
export const createPacer = (options: Clock) => {
  const register = createRegister(options)
  const line = createLine(options)
  const deadlines = createDeadlines(options)
  /** Of every call that waits. */
  const stops = new Set<AbortController>()

  const settle = (lane: Lane, startedAt: number, ending: Ending, stillMs = 0, now = options.monotonic()) => {
    giveAllBack(lane, startedAt, ending, now, stillMs)
    if (lane.provider.heads.length > 0) line.wake(lane.provider)
  }

  const wait = async (lane: Lane, turn: Turn): Promise<number> => {
    const stop = new AbortController()
    const onAbort = () => stop.abort(cancelled())
    const deadline = { at: turn.deadlineAt, end: () => stop.abort(rateLimited(expectedWait(lane, options.monotonic()))) }
    stops.add(stop)
    turn.signal?.addEventListener('abort', onAbort, { once: true })
    deadlines.add(deadline)
    for (const slots of lane.slots) slots.waiting += 1
    try {
      return await line.join(lane, turn, stop.signal, (startedAt) => settle(lane, startedAt, 'not_sent'))
    } finally {
      for (const slots of lane.slots) slots.waiting -= 1
      deadlines.remove(deadline)
      turn.signal?.removeEventListener('abort', onAbort)
      stops.delete(stop)
    }
  }

  return {
    laneFor: register.laneFor,

    /** Takes all places of a lane at once and gives the time; negative when one is missing or others wait. No promise, no timer. */
    tryTake(lane: Lane): number {
      const now = options.monotonic()
      if (!isOpen(lane, now, false)) return -1
      takeAll(lane, now)
      return now
    },

    /** Waits for all places of a lane; gives the time. Throws `rate_limited`, `cancelled` or `unavailable`; nothing is held then. */
    async take(lane: Lane, turn: Turn): Promise<number> {
      if (turn.signal?.aborted) throw cancelled()
      const now = options.monotonic()
      const waitMs = expectedWait(lane, now)
      if (turn.noWait || now + waitMs > turn.deadlineAt) throw rateLimited(waitMs)
      return wait(lane, turn)
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

    /** For `tighten`, of a call that is sent at `now`. */
    returnedBy: (lane: Lane, now: number): number[] => lane.slots.map((slots) => returnedBy(slots, now)),

    /**
     * What the provider says is left of a window; only ever makes us slower, unless it says when the window ends (`resetMs` from now): used calls come
     * back then. `returned`: as it was when the call was sent.
     */
    tighten(
      lane: Lane,
      { per, windowMs }: ReportedWindow,
      left: number,
      { returned, resetMs }: { returned?: number[] | undefined; resetMs?: number | undefined } = {},
    ) {
      const slots = lane.kinds[per].reduce<Slots | undefined>((found, one) => pickWindow(found, one, windowMs), undefined)
      if (!slots) return
      const now = options.monotonic()
      const endsAt = resetMs === undefined ? undefined : now + resetMs + marginMs
      tighten(slots, left, now, { returned: returned?.[lane.slots.indexOf(slots)], endsAt })
    },

    /** Sends all who wait away. */
    close() {
      for (const stop of stops) stop.abort(closing())
      for (const provider of register.providers()) provider.waker?.stop.abort()
    },
  }
}
export type Pacer = ReturnType<typeof createPacer>
