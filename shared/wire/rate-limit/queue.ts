import PQueue from 'p-queue'
import { isOpen, opensAt, takeAll } from './buckets.ts'
import type { Head, Lane, Provider } from './buckets.ts'
import type { WireOptions } from '../types.ts'

export type Place = {
  priority?: 'interactive' | 'bulk' | undefined
  /** It was first in line before and is sent again. */
  again?: boolean | undefined
}

/** Instead of a time: a more urgent call of the lane goes first. */
const passed = -1

/** The tenant that was served longest ago; of one tenant interactive before bulk, then the account served longest ago. */
const before = (a: Head, b: Head) => {
  if (a.lane.tenant.servedAt !== b.lane.tenant.servedAt) return a.lane.tenant.servedAt < b.lane.tenant.servedAt
  if (a.interactive !== b.interactive) return a.interactive
  if (a.lane.account.servedAt !== b.lane.account.servedAt) return a.lane.account.servedAt < b.lane.account.servedAt
  return a.arrived < b.arrived
}

const firstOpen = (heads: Head[], now: number): Head | undefined => {
  let best: Head | undefined
  for (const head of heads) if (isOpen(head.lane, now, true) && (best === undefined || before(head, best))) best = head
  return best
}

const stepAside = (head: Head) => {
  const { heads } = head.lane.provider
  const index = heads.indexOf(head)
  if (index < 0) return
  heads.splice(index, 1)
  head.lane.head = undefined
}

const priorityOf = ({ priority, again }: Place) => (priority === 'bulk' ? 0 : 2) + (again ? 1 : 0)

/**
 * Where calls wait. A queue per lane keeps its calls in order of priority and arrival; only the first of each lane stands for the free
 * places of its provider, so that tenants, and the accounts of each, take turns and a lane whose limit is used up holds nobody else up.
 */
export const createLine = (options: Pick<WireOptions, 'monotonic' | 'sleep'>) => {
  const setWaker = (provider: Provider, now: number) => {
    let next = Infinity
    for (const { lane } of provider.heads) next = Math.min(next, opensAt(lane, now))
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

  /** Gives free places to those who stand first, and sees to it that the next one is woken in time. */
  const wake = (provider: Provider) => {
    const now = options.monotonic()
    for (let head = firstOpen(provider.heads, now); head; head = firstOpen(provider.heads, now)) {
      stepAside(head)
      takeAll(head.lane, now)
      provider.turn += 1
      head.lane.account.servedAt = provider.turn
      head.lane.tenant.servedAt = provider.turn
      head.go(now)
    }
    setWaker(provider, now)
  }

  const standFirst = (lane: Lane, interactive: boolean, signal: AbortSignal) =>
    new Promise<number>((go) => {
      const head: Head = { lane, interactive, arrived: options.monotonic(), go }
      lane.head = head
      lane.provider.heads.push(head)
      signal.addEventListener('abort', () => stepAside(head), { once: true })
      wake(lane.provider)
    })

  /**
   * Waits until all places of the lane were taken for this call; gives the time. Rejects with the signal's reason; `undo` is called when
   * the places were taken in the same moment.
   */
  const join = async (lane: Lane, place: Place, signal: AbortSignal, undo: (startedAt: number) => void): Promise<number> => {
    lane.line ??= new PQueue({ concurrency: 1 })
    const interactive = place.priority !== 'bulk'
    let priority = priorityOf(place)
    for (;;) {
      let startedAt = passed
      if (interactive && lane.head?.interactive === false) {
        const bulk = lane.head
        stepAside(bulk)
        bulk.go(passed)
      }
      try {
        await lane.line.add(async () => (startedAt = await standFirst(lane, interactive, signal)), { priority, signal })
      } catch (reason) {
        if (startedAt !== passed) undo(startedAt)
        throw reason
      }
      if (startedAt !== passed) return startedAt
      // It stood first and let an urgent call pass: before all others of its kind.
      priority = Math.max(priority, 1)
    }
  }

  return { join, wake }
}
