import { isOpen, lacksGrant, opensAt, roomFor, shortOfPoints, takeAll } from './buckets.ts'
import type { BucketSet, Provider, Waiter } from './buckets.ts'
import { createAsker } from './grants.ts'
import type { WireOptions } from '../types.ts'

export type Priority = {
  priority?: 'interactive' | 'bulk' | undefined
  /** The call was let through before, and a 429 sent it back. */
  requeued?: boolean | undefined
}

/**
 * The tenant served longest ago goes first; within a tenant, interactive before bulk, then the account served longest
 * ago.
 */
const isBefore = (a: Waiter, b: Waiter) => {
  const [firstBuckets, other] = [a.buckets, b.buckets]
  if (firstBuckets.tenant.servedAt !== other.tenant.servedAt)
    return firstBuckets.tenant.servedAt < other.tenant.servedAt
  if (a.interactive !== b.interactive) return a.interactive
  if (firstBuckets.account.servedAt !== other.account.servedAt)
    return firstBuckets.account.servedAt < other.account.servedAt
  return a.arrivedAt < b.arrivedAt
}

/**
 * Whether a call must leave the points that are free to a more expensive one whose turn is before it: calls that cost
 * little would otherwise use every point that comes back.
 */
const mustSave = ({ waiting }: Provider, buckets: BucketSet, now: number): boolean =>
  buckets.windows.some(({ inPoints }) => inPoints) &&
  waiting.some(
    (other) =>
      other.cost > buckets.cost &&
      isBefore(other.waiters[0]!, buckets.waiters[0]!) &&
      shortOfPoints(other, now).some((window) => buckets.windows.includes(window)),
  )

/** Of the first waiter of each bucket set, the one that goes next. */
const firstOpen = (provider: Provider, now: number): Waiter | undefined => {
  let best: Waiter | undefined
  for (const buckets of provider.waiting) {
    const first = buckets.waiters[0]!
    if (!isOpen(buckets, now, true) || (best !== undefined && !isBefore(first, best))) continue
    if (!mustSave(provider, buckets, now)) best = first
  }
  return best
}

const rankOf = ({ priority, requeued }: Priority) => (priority === 'bulk' ? 0 : 2) + (requeued ? 1 : 0)

const enqueue = (waiter: Waiter) => {
  const { waiters, provider } = waiter.buckets
  if (waiters.length === 0) provider.waiting.push(waiter.buckets)
  let at = waiters.length
  while (at > 0 && waiters[at - 1]!.rank < waiter.rank) at -= 1
  waiters.splice(at, 0, waiter)
}

const dequeue = (waiter: Waiter) => {
  const { waiters, provider } = waiter.buckets
  const at = waiters.indexOf(waiter)
  if (at < 0) return
  waiters.splice(at, 1)
  if (waiters.length === 0) provider.waiting.splice(provider.waiting.indexOf(waiter.buckets), 1)
}

/**
 * Where calls wait. Each bucket set keeps its waiters in order of priority and arrival. Only the first of each competes
 * for the free places of its provider, so that tenants, and the accounts of each, are served in turn, and a set whose
 * limit is used up delays no other.
 */
export const createQueue = (options: Pick<WireOptions, 'monotonic' | 'sleep' | 'slots'>) => {
  const ask = options.slots && createAsker(options.slots, options)

  /** Requests grants for waiting calls that nothing else holds back. */
  const askFor = (provider: Provider, now: number) => {
    if (!ask) return
    for (const buckets of provider.waiting)
      if (buckets.grants && lacksGrant(buckets, now))
        ask(buckets.grants, roomFor(buckets), !buckets.waiters[0]!.interactive, () => wake(provider))
  }

  const setWaker = (provider: Provider, now: number) => {
    let next = Infinity
    // A call that must save points for another can go once that one has gone, at the earliest.
    for (const buckets of provider.waiting) {
      const at = opensAt(buckets, now)
      // In this order: few open earlier than all before them, and `mustSave` compares with every other.
      if (at < next && !mustSave(provider, buckets, now)) next = at
    }
    if (provider.waker?.at === next) return
    provider.waker?.stop.abort()
    provider.waker = undefined
    if (next === Infinity) return
    const mine = { at: next, stop: new AbortController() }
    provider.waker = mine
    const awake = () => {
      if (provider.waker === mine) provider.waker = undefined
      wake(provider)
    }
    options.sleep(Math.max(1, Math.ceil(next - now)), mine.stop.signal).then(awake, () => undefined)
  }

  /** Gives free places to the first waiters, and makes sure that the next one is woken in time. */
  const wake = (provider: Provider) => {
    const now = options.monotonic()
    for (let waiter = firstOpen(provider, now); waiter; waiter = firstOpen(provider, now)) {
      const { buckets } = waiter
      dequeue(waiter)
      takeAll(buckets, now)
      provider.turn += 1
      buckets.account.servedAt = provider.turn
      buckets.tenant.servedAt = provider.turn
      waiter.go(now)
    }
    askFor(provider, now)
    setWaker(provider, now)
  }

  /**
   * Waits until all places of the bucket set are taken for this call; resolves with that time. Rejects with the
   * signal's reason; no place is held then.
   */
  const join = (buckets: BucketSet, priority: Priority, signal: AbortSignal) =>
    new Promise<number>((resolve, reject) => {
      const leave = () => {
        dequeue(waiter)
        reject(signal.reason as Error)
        setWaker(buckets.provider, options.monotonic())
      }
      const waiter: Waiter = {
        buckets,
        interactive: priority.priority !== 'bulk',
        rank: rankOf(priority),
        arrivedAt: options.monotonic(),
        go(startedAt) {
          signal.removeEventListener('abort', leave)
          resolve(startedAt)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      enqueue(waiter)
      wake(buckets.provider)
    })

  return { join, wake }
}
