import { fail } from '#kit'
import type { Clock } from '../ports/index.ts'

/** A group closes when nothing has arrived for this long, unless a request of the same key is in progress. */
const quietMs = 4
/** Maximum time that a member waits for others. */
const longestMs = 250

type Waiting<M, R> = { member: M; settle: PromiseWithResolvers<R> }
type Group<M, R> = { waiting: Set<Waiting<M, R>>; joined: number; full: AbortController }

/** The outcome of one member: its result, or what was thrown for it. */
export type MemberOutcome<R> = { value: R } | { thrown: unknown }

const cancelled = () => fail('cancelled', 'The call was cancelled before anything was sent for it.')

/**
 * Collects work that arrives together and does it together. `work` returns the outcome of each member in order, and
 * must not throw.
 */
export const createGather = <M, R>(clock: Clock, work: (members: M[]) => Promise<MemberOutcome<R>[]>) => {
  const open = new Map<string, Group<M, R>>()
  const underWay = new Map<string, number>()

  const isPause = async (key: string, group: Group<M, R>, openedAt: number): Promise<boolean> => {
    const [before, from] = [group.joined, clock.monotonic()]
    await clock.sleep(quietMs, group.full.signal).catch(() => {})
    const now = clock.monotonic()
    if (group.full.signal.aborted || now - openedAt >= longestMs) return true
    // A process that wakes up late has not yet handled all that arrived.
    return group.joined === before && now - from < 2 * quietMs && !underWay.has(key)
  }

  const perform = async (key: string, { waiting }: Group<M, R>) => {
    const all = [...waiting]
    if (all.length === 0) return
    // From here on no member can leave.
    waiting.clear()
    if (all.length > 1) underWay.set(key, (underWay.get(key) ?? 0) + 1)
    const settled = await work(all.map(({ member }) => member))
    all.forEach(({ settle }, at) => {
      const result = settled[at]!
      if ('value' in result) settle.resolve(result.value)
      else settle.reject(result.thrown)
    })
    const left = (underWay.get(key) ?? 0) - 1
    if (left > 0) underWay.set(key, left)
    else underWay.delete(key)
  }

  const collect = async (key: string, group: Group<M, R>) => {
    const openedAt = clock.monotonic()
    while (!(await isPause(key, group, openedAt)));
    if (open.get(key) === group) open.delete(key)
    await perform(key, group)
  }

  /** @throws Failure `cancelled` when the signal is aborted before the work has begun */
  return async (key: string, max: number, member: M, signal: AbortSignal | undefined): Promise<R> => {
    if (signal?.aborted) throw cancelled()
    const group = open.get(key) ?? { waiting: new Set(), joined: 0, full: new AbortController() }
    const mine: Waiting<M, R> = { member, settle: Promise.withResolvers<R>() }
    const leave = () => {
      if (group.waiting.delete(mine)) mine.settle.reject(cancelled())
    }
    signal?.addEventListener('abort', leave, { once: true })
    group.waiting.add(mine)
    group.joined += 1
    if (group.joined === 1) {
      open.set(key, group)
      void collect(key, group)
    }
    if (group.waiting.size === max) {
      open.delete(key)
      group.full.abort()
    }
    try {
      return await mine.settle.promise
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }
}
