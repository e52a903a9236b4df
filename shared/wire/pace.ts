import { fail } from '#kit'
import type { WireProfile } from '#kit'
import { createSlots, giveBack, isFree, nextFree, release, take } from './slots.ts'
import type { Slots } from './slots.ts'
import type { Account, WireOptions } from './types.ts'

/** All limits one kind of call of one account counts against, and how many calls may be under way at the provider. */
export type Lane = { slots: Slots[]; provider: { busy: number; concurrency: number } }

export type Turn = { signal?: AbortSignal | undefined; deadlineAt?: number | undefined; noWait?: boolean | undefined; priority?: 'interactive' | 'bulk' | undefined }

/** How a call ended, for its slots. */
export type Ending = 'answered' | 'not_sent' | 'unanswered'

type Waiting = { lane: Lane; go: () => void }

const rateLimited = (waitMs: number) =>
  fail('rate_limited', 'The provider\'s rate limit is used up and the wait is longer than this call may take. Repeat it after retryAfterMs.', {
    retryAfterMs: Math.max(1, Math.ceil(waitMs)),
  })

const cancelled = () => fail('cancelled', 'The call was cancelled before anything was sent.')

export const createPacer = (options: Pick<WireOptions, 'monotonic' | 'sleep'>) => {
  const all = new Map<string, Slots>()
  const providers = new Map<string, Lane['provider']>()
  const waiting: Waiting[] = []
  let waker: AbortController | undefined

  const slotsFor = (key: string, max: number, windowMs: number) => {
    let slots = all.get(key)
    if (!slots) {
      slots = createSlots(max, windowMs)
      all.set(key, slots)
    }
    return slots
  }

  const laneFree = (lane: Lane, now: number) => {
    if (lane.provider.busy >= lane.provider.concurrency) return false
    for (const slots of lane.slots) if (!isFree(slots, now)) return false
    return true
  }

  const takeAll = (lane: Lane) => {
    lane.provider.busy += 1
    for (const slots of lane.slots) take(slots)
  }

  const freeAt = (lane: Lane, now: number) => {
    let at = lane.provider.busy >= lane.provider.concurrency ? Infinity : now
    for (const slots of lane.slots) at = Math.max(at, nextFree(slots, now))
    return at
  }

  const wake = () => {
    const now = options.monotonic()
    for (let index = 0; index < waiting.length; ) {
      const { lane, go } = waiting[index] as Waiting
      if (laneFree(lane, now)) {
        takeAll(lane)
        waiting.splice(index, 1)
        go()
      } else index += 1
    }
    waker?.abort()
    waker = undefined
    let next = Infinity
    for (const { lane } of waiting) next = Math.min(next, freeAt(lane, now))
    if (next === Infinity) return
    const mine = new AbortController()
    waker = mine
    options.sleep(Math.max(1, next - now), mine.signal).then(wake, () => undefined)
  }

  const wait = (lane: Lane, turn: Turn) =>
    new Promise<void>((resolve, reject) => {
      const entry: Waiting = { lane, go: () => leave(resolve) }
      const timer = new AbortController()
      const onAbort = () => drop(cancelled())
      const leave = (then: () => void) => {
        turn.signal?.removeEventListener('abort', onAbort)
        timer.abort()
        then()
      }
      const drop = (why: Error) => {
        const index = waiting.indexOf(entry)
        if (index < 0) return
        waiting.splice(index, 1)
        leave(() => reject(why))
      }
      turn.signal?.addEventListener('abort', onAbort, { once: true })
      waiting.push(entry)
      if (turn.deadlineAt !== undefined) {
        const left = turn.deadlineAt - options.monotonic()
        options.sleep(Math.max(0, left), timer.signal).then(() => drop(rateLimited(freeAt(lane, options.monotonic()) - options.monotonic())), () => undefined)
      }
      wake()
    })

  return {
    laneFor(integration: string, origin: string, profile: WireProfile, account: Account, routes: readonly number[]): Lane {
      const slots = profile.pace.limits.flatMap((limit, index) => {
        if (limit.per === 'route' && !routes.includes(index)) return []
        const owner = limit.per === 'app' ? account.appKey : account.key
        return [slotsFor(`${integration} ${limit.per} ${owner} ${index}`, limit.max, limit.windowMs)]
      })
      const key = `${integration} ${origin}`
      let provider = providers.get(key)
      if (!provider) {
        provider = { busy: 0, concurrency: profile.pace.concurrency }
        providers.set(key, provider)
      }
      return { slots, provider }
    },

    /** Takes all slots of a lane at once; false when one is missing or others wait. No promise, no timer. */
    tryTake(lane: Lane): boolean {
      if (waiting.length > 0 || !laneFree(lane, options.monotonic())) return false
      takeAll(lane)
      return true
    },

    /** Waits for all slots of a lane. Throws `rate_limited` or `cancelled`; nothing is held then. */
    async take(lane: Lane, turn: Turn): Promise<void> {
      if (turn.signal?.aborted) throw cancelled()
      const now = options.monotonic()
      const at = freeAt(lane, now)
      if (turn.noWait) throw rateLimited(at === Infinity ? 1000 : at - now)
      if (turn.deadlineAt !== undefined && at !== Infinity && at > turn.deadlineAt) throw rateLimited(at - now)
      await wait(lane, turn)
    },

    /** Gives the slots back. `mayLastMs`: how long an unanswered call may still be under way. */
    settle(lane: Lane, ending: Ending, mayLastMs: number) {
      lane.provider.busy -= 1
      const now = options.monotonic()
      for (const slots of lane.slots) {
        if (ending === 'not_sent') giveBack(slots)
        else release(slots, now + slots.windowMs + (ending === 'unanswered' ? mayLastMs : 0))
      }
      if (waiting.length > 0) wake()
    },
  }
}
export type Pacer = ReturnType<typeof createPacer>
