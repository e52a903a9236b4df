import { LRUCache } from 'lru-cache'
import { fail } from '#kit'
import type { PaceLimit, WireProfile } from '#kit'
import { createDeadlines } from './deadlines.ts'
import { createWeakRegistry } from './weak-registry.ts'
import type { SharedWindow } from '../types.ts'
import { createBucketSet, expectedWait, giveAllBack, isOpen, takeAll } from './buckets.ts'
import type { BucketSet, Concurrency, Ending, LimitKind, Provider } from './buckets.ts'
import { createMover } from './grants.ts'
import { createQueue } from './queue.ts'
import type { Priority } from './queue.ts'
import { readPause, readQueue, readWindow } from './headroom.ts'
import { createWindow, isIdle, pause, returnedBy, tighten } from './window.ts'
import type { RateWindow } from './window.ts'
import type { Account, WireOptions } from '../types.ts'

export type { BucketSet, Ending, LimitKind } from './buckets.ts'
export type { QueueReading, WindowReading } from './headroom.ts'

export type WaitOptions = Priority & {
  signal?: AbortSignal | undefined
  /** Monotonic ms. */
  deadlineAt: number
  noWait?: boolean | undefined
}

/** Of all accounts of a tenant, in calls of one account; each holds a socket. */
const tenantAccounts = 4
const maxOfTenant = 256
/** Share of an app's limit that one tenant leaves to the others. */
const reserved = 0.1
/** Said where only a call under way has to end first. */
const minWaitMs = 100
/** Timers may fire a little early. */
const marginMs = 2

const rateLimited = (waitMs: number) =>
  fail(
    'rate_limited',
    "The provider's rate limit is used up, and the wait is longer than this call may take. Nothing was sent; repeat it after retryAfterMs.",
    {
      retryAfterMs: Math.max(minWaitMs, Math.ceil(waitMs)),
    },
  )

const cancelled = () => fail('cancelled', 'The call was cancelled while it waited for its turn. Nothing was sent.')
const closing = () => fail('unavailable', 'This process is shutting down. Nothing was sent; try again in a moment.')

/** Which limit a header reports on. */
type ReportedWindow = { per: LimitKind; windowMs?: number | undefined }

/** With several limits of a kind and no length it is not said which is meant; the shortest window is the one that runs out. */
const pickWindow = (found: RateWindow | undefined, one: RateWindow, windowMs: number | undefined) => {
  if (windowMs !== undefined) return found ?? (one.windowMs === windowMs ? one : undefined)
  return found === undefined || one.windowMs < found.windowMs ? one : found
}

type Clock = Pick<WireOptions, 'monotonic' | 'sleep' | 'slots'>

/** Finds the limits and concurrency of accounts, and holds them as long as they matter. */
const createRegister = (options: Clock) => {
  const limits = createWeakRegistry<RateWindow>(
    () => createWindow(),
    (window) => isIdle(window, options.monotonic()),
  )
  const concurrencies = createWeakRegistry<Concurrency>(
    () => ({ busy: 0, max: Infinity, servedAt: 0 }),
    ({ busy }) => busy === 0,
  )
  /** By the limit of an app: the tenant that uses it, or none once there are several. It is divided only where it is shared. */
  const onlyTenants = new LRUCache<string, { tenant: string | undefined }>({ maxSize: 10_000, sizeCalculation: () => 1 })
  const providers = createWeakRegistry<Provider>(
    () => ({ waiting: [], turn: 0, waker: undefined }),
    ({ waiting }) => waiting.length === 0,
  )

  const windowFor = (key: string, limit?: PaceLimit) => {
    const window = limits.get(key)
    if (limit && window.max === Infinity) Object.assign(window, createWindow(limit.max, limit.windowMs))
    return window
  }
  /** What one tenant may take of an app's limit: all of it, or all but the reserve once another tenant uses the same app. */
  const shareFor = (key: string, limit: PaceLimit, tenant: string) => {
    const shareOf = (one: string) => windowFor(`${key} of ${one}`, limit)
    const part = Math.max(1, Math.floor(limit.max * (1 - reserved)))
    let only = onlyTenants.get(key)
    if (only === undefined) onlyTenants.set(key, (only = { tenant }))
    else if (only.tenant !== undefined && only.tenant !== tenant) {
      shareOf(only.tenant).max = part
      only.tenant = undefined
    }
    const share = shareOf(tenant)
    if (only.tenant === undefined) share.max = part
    return share
  }
  const limitKey = (name: string, account: Account, limit: PaceLimit, index: number) =>
    `${name} ${limit.per} ${limit.per === 'app' ? account.appKey : account.key} ${index} ${limit.max}/${limit.windowMs}`
  const kindsFor = (name: string, profile: WireProfile, account: Account, routes: readonly number[], families: readonly string[]) => {
    const kinds: BucketSet['kinds'] = { connection: [], app: [], route: [] }
    profile.pace.limits.forEach((limit, index) => {
      if (limit.per === 'route' && !routes.includes(index)) return
      const key = limitKey(name, account, limit, index)
      kinds[limit.per].push(windowFor(key, limit))
      // Among several processes it is divided where they count together.
      if (limit.per === 'app' && !options.slots) kinds.app.push(shareFor(key, limit, account.tenant))
    })
    // A 429 may name what the profile knows no limit of.
    if (kinds.connection.length === 0) kinds.connection.push(windowFor(`${name} connection ${account.key}`))
    if (kinds.app.length === 0) kinds.app.push(windowFor(`${name} app ${account.appKey}`))
    for (const family of families) kinds.route.push(windowFor(`${name} route ${account.key} ${family}`))
    return kinds
  }

  const sharedFor = (name: string, profile: WireProfile, account: Account, routes: readonly number[]): SharedWindow[] =>
    profile.pace.limits.flatMap((limit, index) => {
      if (limit.per === 'route' && !routes.includes(index)) return []
      return [{ key: limitKey(name, account, limit, index), max: limit.max, windowMs: limit.windowMs, per: limit.per }]
    })

  return {
    /**
     * `routes`: indexes of the path-family limits that the call belongs to. `families`: path families that a 429 named though the profile
     * has no limit for them.
     */
    bucketsFor(integration: string, origin: string, profile: WireProfile, account: Account, routes: readonly number[], families: readonly string[]): BucketSet {
      const name = `${integration} ${origin}`
      const { concurrency, remaining = [] } = profile.pace
      const ofAccount = concurrencies.get(`${name} account ${account.key}`)
      const ofTenant = concurrencies.get(`${name} tenant ${account.tenant}`)
      ofAccount.max = concurrency
      ofTenant.max = Math.min(maxOfTenant, concurrency * tenantAccounts)
      const kinds = kindsFor(name, profile, account, routes, families)
      const told = remaining.map(({ per }) => per)
      const shared = options.slots && { windows: sharedFor(name, profile, account, routes), tenant: account.tenant }
      return createBucketSet(providers.get(name), { account: ofAccount, tenant: ofTenant }, kinds, told, shared)
    },
    /** What is used and waits now. Makes nothing, so that reading costs no call anything. */
    read(integration: string, origin: string, { pace }: WireProfile, account: Account, families: readonly string[]) {
      const name = `${integration} ${origin}`
      const now = options.monotonic()
      const windows = pace.limits.map((limit, index) => {
        const key = limitKey(name, account, limit, index)
        return readWindow(limit, limits.peek(key), limit.per === 'app' ? limits.peek(`${key} of ${account.tenant}`) : undefined, now)
      })
      const pauses = [
        ...readPause('connection', null, limits.peek(`${name} connection ${account.key}`), now),
        ...readPause('app', null, limits.peek(`${name} app ${account.appKey}`), now),
        ...families.flatMap((family) => readPause('route', family, limits.peek(`${name} route ${account.key} ${family}`), now)),
      ]
      const queue = readQueue(providers.peek(name), concurrencies.peek(`${name} account ${account.key}`), pace.concurrency)
      return { windows: [...windows, ...pauses], queue }
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
  const queue = createQueue(options)
  const move = options.slots && createMover(options.slots, options)
  const deadlines = createDeadlines(options)
  /** Of every call that waits. */
  const stops = new Set<AbortController>()

  const settle = (buckets: BucketSet, startedAt: number, ending: Ending, stillMs = 0, now = options.monotonic()) => {
    giveAllBack(buckets, startedAt, ending, now, stillMs)
    if (buckets.grants && ending !== 'not_sent') move?.(buckets.grants, startedAt, now)
    if (buckets.provider.waiting.length > 0) queue.wake(buckets.provider)
  }

  const wait = async (buckets: BucketSet, asked: WaitOptions): Promise<number> => {
    const stop = new AbortController()
    const onAbort = () => stop.abort(cancelled())
    const deadline = { at: asked.deadlineAt, end: () => stop.abort(rateLimited(expectedWait(buckets, options.monotonic()))) }
    stops.add(stop)
    asked.signal?.addEventListener('abort', onAbort, { once: true })
    deadlines.add(deadline)
    for (const window of buckets.windows) window.waiting += 1
    try {
      const startedAt = await queue.join(buckets, asked, stop.signal)
      if (!stop.signal.aborted && startedAt < asked.deadlineAt) return startedAt
      // The places were taken in the moment in which the wait ended otherwise.
      settle(buckets, startedAt, 'not_sent')
      throw stop.signal.aborted ? (stop.signal.reason as Error) : rateLimited(minWaitMs)
    } finally {
      for (const window of buckets.windows) window.waiting -= 1
      deadlines.remove(deadline)
      asked.signal?.removeEventListener('abort', onAbort)
      stops.delete(stop)
    }
  }

  return {
    bucketsFor: register.bucketsFor,
    read: register.read,

    /** Takes all places of a bucket set at once and gives the time; negative when one is missing or others wait. No promise, no timer. */
    tryTake(buckets: BucketSet): number {
      const now = options.monotonic()
      if (!isOpen(buckets, now, false)) return -1
      takeAll(buckets, now)
      return now
    },

    /** Waits for all places of a bucket set; gives the time. Throws `rate_limited`, `cancelled` or `unavailable`; nothing is held then. */
    async take(buckets: BucketSet, asked: WaitOptions): Promise<number> {
      if (asked.signal?.aborted) throw cancelled()
      const now = options.monotonic()
      const waitMs = expectedWait(buckets, now)
      if (asked.noWait || now + waitMs > asked.deadlineAt) throw rateLimited(waitMs)
      return wait(buckets, asked)
    },

    /** Gives the places back. `stillMs`: how long an unanswered call may still be under way. */
    settle,

    /** A 429: what it names pauses for `ms` (default: its window), then one call goes ahead. Gives the pause in ms. */
    pause(buckets: BucketSet, kind: LimitKind, ms: number | undefined): number {
      const now = options.monotonic()
      let maxMs = 0
      for (const window of buckets.kinds[kind]) {
        const pauseMs = (ms ?? window.windowMs) + marginMs
        maxMs = Math.max(maxMs, pauseMs)
        pause(window, now + pauseMs, now)
      }
      if (buckets.grants)
        options.slots?.pause(
          buckets.grants.windows.filter(({ per }) => per === kind),
          maxMs,
        )
      return maxMs
    },

    /** For `tighten`, of a call whose places were taken at `startedAt`. */
    returnedBy: (buckets: BucketSet, startedAt: number): number[] => buckets.windows.map((window) => returnedBy(window, startedAt)),

    /**
     * What the provider says is left of a window; only ever makes us slower, unless it says when the window ends (`resetMs` from now): used calls come
     * back then. `returned`: as it was when the call was sent.
     */
    tighten(
      buckets: BucketSet,
      { per, windowMs }: ReportedWindow,
      left: number,
      { returned, resetMs }: { returned?: number[] | undefined; resetMs?: number | undefined } = {},
    ) {
      const window = buckets.kinds[per].reduce<RateWindow | undefined>((found, one) => pickWindow(found, one, windowMs), undefined)
      // Where processes share a limit, what others use is mostly used by them, and counted already.
      if (!window || (buckets.grants && resetMs === undefined)) return
      const now = options.monotonic()
      const endsAt = resetMs === undefined ? undefined : now + resetMs + marginMs
      tighten(window, left, now, { returned: returned?.[buckets.windows.indexOf(window)], endsAt })
    },

    /** Sends away all that wait. */
    close() {
      for (const stop of stops) stop.abort(closing())
      for (const provider of register.providers()) provider.waker?.stop.abort()
    },
  }
}
export type Pacer = ReturnType<typeof createPacer>
