import { fail } from '#kit'
import { createDeadlines } from './deadlines.ts'
import { expectedWait, giveAllBack, isOpen, takeAll } from './buckets.ts'
import type { BucketSet, Ending, LimitKind } from './buckets.ts'
import { createMover, returnPoints } from './grants.ts'
import { createLimitRegister } from './limit-register.ts'
import { createQueue } from './queue.ts'
import type { Priority } from './queue.ts'
import { pause, returnedBy, tighten } from './window.ts'
import type { RateWindow } from './window.ts'
import type { WireOptions } from '../types.ts'

export type { BucketSet, Ending, LimitKind } from './buckets.ts'
export type { QueueReading, WindowReading } from './headroom.ts'

export type WaitOptions = Priority & {
  signal?: AbortSignal | undefined
  /** Monotonic ms. */
  deadlineAt: number
  noWait?: boolean | undefined
}

/** The wait in ms that is reported when only a call under way has to end first. */
const minWaitMs = 100
/** Timers may fire a little early; in ms. */
const marginMs = 2

const rateLimited = (waitMs: number) =>
  fail(
    'rate_limited',
    "The provider's rate limit is used up, and the wait is longer than this call may take. Nothing was sent; repeat it after retryAfterMs.",
    { retryAfterMs: Math.max(minWaitMs, Math.ceil(waitMs)) },
  )

const cancelled = () => fail('cancelled', 'The call was cancelled while it waited for its turn. Nothing was sent.')
const closing = () => fail('unavailable', 'This process is shutting down. Nothing was sent; try again in a moment.')

/** The limit that a number in a reply reports on. */
type ReportedWindow = { per: LimitKind; windowMs?: number | undefined; counts?: 'points' }

/**
 * Without `windowMs` it is not known which of several limits of a kind is meant; the shortest window is the one that
 * runs out.
 */
const pickWindow = ({ kinds }: BucketSet, { per, windowMs, counts }: ReportedWindow): RateWindow | undefined => {
  const windows = kinds[per].filter(({ inPoints }) => inPoints === (counts === 'points'))
  if (windowMs !== undefined) return windows.find((window) => window.windowMs === windowMs)
  return windows.reduce<RateWindow | undefined>(
    (shortest, window) => (shortest && shortest.windowMs <= window.windowMs ? shortest : window),
    undefined,
  )
}

/** Pauses each window for `ms`, or for its own length; returns the longest pause in ms. */
const pauseWindows = (buckets: BucketSet, kind: LimitKind, ms: number | undefined, now: number): number => {
  let longestMs = 0
  for (const window of buckets.kinds[kind]) {
    const pauseMs = (ms ?? window.windowMs) + marginMs
    longestMs = Math.max(longestMs, pauseMs)
    pause(window, now + pauseMs, now, window.inPoints ? buckets.cost : 1)
  }
  return longestMs
}

/** Lets calls wait in the queue until their turn, their deadline, their cancellation or the end of this process. */
const createWaits = (
  options: Pick<WireOptions, 'monotonic' | 'sleep'>,
  queue: ReturnType<typeof createQueue>,
  giveBack: (buckets: BucketSet, startedAt: number) => void,
) => {
  const deadlines = createDeadlines(options)
  /** One for each waiting call. */
  const stops = new Set<AbortController>()

  const wait = async (buckets: BucketSet, waitOptions: WaitOptions): Promise<number> => {
    const stop = new AbortController()
    const onAbort = () => stop.abort(cancelled())
    const deadline = {
      at: waitOptions.deadlineAt,
      end: () => stop.abort(rateLimited(expectedWait(buckets, options.monotonic()))),
    }
    stops.add(stop)
    waitOptions.signal?.addEventListener('abort', onAbort, { once: true })
    deadlines.add(deadline)
    for (const window of buckets.windows) window.waiting += window.inPoints ? buckets.cost : 1
    try {
      const startedAt = await queue.join(buckets, waitOptions, stop.signal)
      if (!stop.signal.aborted && startedAt < waitOptions.deadlineAt) return startedAt
      // The places were taken at the very moment at which the wait ended for another reason.
      giveBack(buckets, startedAt)
      throw stop.signal.aborted ? (stop.signal.reason as Error) : rateLimited(minWaitMs)
    } finally {
      for (const window of buckets.windows) window.waiting -= window.inPoints ? buckets.cost : 1
      deadlines.remove(deadline)
      waitOptions.signal?.removeEventListener('abort', onAbort)
      stops.delete(stop)
    }
  }

  return {
    wait,
    stopAll() {
      for (const stop of stops) stop.abort(closing())
    },
  }
}

/**
 * Decides when a call may go, so that no limit of a provider is exceeded and each can be used in full. All limits of a
 * call are taken together: none is held while another is waited for.
 */
export const createRateLimiter = (options: Pick<WireOptions, 'monotonic' | 'sleep' | 'slots'>) => {
  const register = createLimitRegister(options)
  const queue = createQueue(options)
  const move = options.slots && createMover(options.slots, options)

  const settle = (
    buckets: BucketSet,
    startedAt: number,
    ending: Ending,
    stillMs = 0,
    now = options.monotonic(),
    actualCost = buckets.cost,
  ) => {
    giveAllBack(buckets, startedAt, ending, now, stillMs, actualCost)
    if (buckets.grants && options.slots && ending !== 'not_sent') {
      const unusedPart = 1 - actualCost / buckets.cost
      const windows =
        unusedPart > 0 ? returnPoints(options.slots, buckets.grants, startedAt, unusedPart) : buckets.grants.windows
      move?.(buckets.grants, startedAt, now, windows)
    }
    if (buckets.provider.waiting.length > 0) queue.wake(buckets.provider)
  }

  const { wait, stopAll } = createWaits(options, queue, (buckets, startedAt) => settle(buckets, startedAt, 'not_sent'))

  return {
    bucketsFor: register.bucketsFor,
    read: register.read,

    /**
     * Takes all places of a bucket set at once and returns the time; negative when a place is missing or other calls
     * wait. Creates no promise and no timer.
     */
    tryTake(buckets: BucketSet): number {
      const now = options.monotonic()
      if (!isOpen(buckets, now, false)) return -1
      takeAll(buckets, now)
      return now
    },

    /**
     * Waits for all places of a bucket set; resolves with the time at which they were taken. Throws `rate_limited`,
     * `cancelled` or `unavailable`; no place is held then.
     */
    async take(buckets: BucketSet, waitOptions: WaitOptions): Promise<number> {
      if (waitOptions.signal?.aborted) throw cancelled()
      const now = options.monotonic()
      const waitMs = expectedWait(buckets, now)
      if (waitOptions.noWait || now + waitMs > waitOptions.deadlineAt) throw rateLimited(waitMs)
      return wait(buckets, waitOptions)
    },

    /**
     * Gives the places of a call back. `stillMs`: how long an unanswered call may still be under way. `actualCost`: the
     * points that it really cost, if the reply says so.
     */
    settle,

    /**
     * After a 429: pauses the limits of the kind it names for `ms` (default: their window), then lets one call go
     * ahead. Returns the pause in ms.
     */
    pause(buckets: BucketSet, kind: LimitKind, ms: number | undefined): number {
      const now = options.monotonic()
      const pauseMs = pauseWindows(buckets, kind, ms, now)
      const shared = buckets.grants?.windows.filter(({ per }) => per === kind)
      if (shared) options.slots?.pause(shared, pauseMs)
      return pauseMs
    },

    /** How many permits of each window had come back when a call started at `startedAt`, for `tighten`. */
    returnedBy: (buckets: BucketSet, startedAt: number): number[] =>
      buckets.windows.map((window) => returnedBy(window, startedAt)),

    /**
     * Applies what the provider reports as left of a window. This only ever makes us slower, unless the provider says
     * when the window ends (`resetMs` from now): used permits come back then. `returned`: what `returnedBy` returned
     * when the call was sent. `actualCost`: as for `settle`.
     */
    tighten(
      buckets: BucketSet,
      report: ReportedWindow,
      left: number,
      {
        returned,
        resetMs,
        actualCost,
      }: { returned?: number[] | undefined; resetMs?: number | undefined; actualCost?: number | undefined } = {},
    ) {
      const window = pickWindow(buckets, report)
      // Where processes share a limit, most of what others use is used by these processes and is counted already.
      if (!window || (buckets.grants && resetMs === undefined)) return
      const now = options.monotonic()
      const endsAt = resetMs === undefined ? undefined : now + resetMs + marginMs
      const points = window.inPoints ? { cost: buckets.cost, actualCost } : {}
      tighten(window, left, now, { returned: returned?.[buckets.windows.indexOf(window)], endsAt, ...points })
    },

    /** Rejects all waiting calls. */
    close() {
      stopAll()
      for (const provider of register.providers()) provider.waker?.stop.abort()
    },
  }
}
export type RateLimiter = ReturnType<typeof createRateLimiter>
