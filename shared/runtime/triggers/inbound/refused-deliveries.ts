import type { Hook, Log } from '../../ports/index.ts'
import { deliveryLagMs } from '../sync/gaps.ts'
import { isLive } from '../sync/hook-cache.ts'
import type { HookCache } from '../sync/hook-cache.ts'

type RefusedDeliveriesDependencies = {
  now(): number
  hooks: HookCache
  log: Log
  /** What the connection's subscriptions show about this hook has changed. */
  onShown(hook: Hook): Promise<void>
  /**
   * Searches the provider's history for what the hook may have missed in this span, and records a gap for what no
   * history lists.
   */
  lookFor(hook: Hook, span: { from: number; to: number }, reason: string): Promise<void>
  /** Replaces the hook's signing secret, where it has one of its own. */
  renewSecret(hook: Hook): Promise<void>
  /** Runs work that nobody waits for; a defect in it is logged as `event`. */
  inBackground(event: string, work: Promise<unknown>): void
}

/**
 * Minimum time between two writes of a hook's row, and between two reads of its history, while deliveries are refused:
 * anybody who knows the address can send forged ones, and must not be able to make us work.
 */
const writeMs = 5_000
const lookMs = 60_000

type Fresh = {
  count: number
  since: number
  until: number
  reason: string
  wroteAt: number
  lookedAt: number
  isBusy: boolean
  /** A delivery was accepted since; `flush` ends the refusals. */
  isAccepted: boolean
  /** A delivery was refused for its signature since the history was last read. */
  isForged: boolean
}

const firstEntry = (at: number, lookedAt: number): Fresh => ({
  count: 0,
  since: at,
  until: at,
  reason: '',
  wroteAt: -Infinity,
  lookedAt,
  isBusy: false,
  isAccepted: false,
  isForged: false,
})

const addRefusal = (entry: Fresh, at: number, reason: string, isForged: boolean): void => {
  if (entry.count === 0) entry.since = at
  entry.count += 1
  entry.until = at
  entry.reason = reason
  entry.isAccepted = false
  entry.isForged ||= isForged
}

/**
 * Deliveries to our hooks that were refused. Anybody who learnt the address could have sent them, so the hook stays
 * active: it shows how many were refused and why, and the provider's history is searched for the events they may have
 * reported.
 */
export const createRefusedDeliveries = ({
  now,
  hooks,
  log,
  onShown,
  lookFor,
  renewSecret,
  inBackground,
}: RefusedDeliveriesDependencies) => {
  const fresh = new Map<string, Fresh>()
  /** When refusals of a hook last ended; removed once its history may be read again. */
  const endedAt = new Map<string, number>()
  const hasRested = (id: string) => now() - (endedAt.get(id) ?? -Infinity) >= lookMs

  const look = async (hook: Hook, entry: Fresh, to: number) => {
    entry.lookedAt = now()
    const { isForged } = entry
    entry.isForged = false
    // First, so that events during the read of the history are delivered.
    if (isForged) await renewSecret(hook)
    await lookFor(hook, { from: (hook.refusedSince ?? to) - deliveryLagMs, to }, hook.refusedReason ?? entry.reason)
  }

  const write = async (id: string, entry: Fresh): Promise<void> => {
    const storedHook = hooks.get(id)
    if (!storedHook || entry.count === 0) return
    const { count, since, until, reason } = entry
    entry.count = 0
    entry.wroteAt = now()
    const isFirst = storedHook.refused === 0
    const hook = await hooks.change(storedHook, {
      refused: storedHook.refused + count,
      refusedSince: storedHook.refusedSince ?? since,
      refusedAt: until,
      refusedReason: reason,
    })
    if (isFirst) log('warn', 'hook.refusing', { hook: id, reason })
    if (isFirst || storedHook.refusedReason !== reason) await onShown(hook)
    if (now() - entry.lookedAt >= lookMs) await look(hook, entry, until)
  }

  const writeInTurn = async (id: string, entry: Fresh): Promise<void> => {
    if (entry.isBusy) return
    entry.isBusy = true
    try {
      await write(id, entry)
    } finally {
      entry.isBusy = false
    }
  }

  /**
   * A delivery was accepted, so the refusals before it are complete: searches the history for them and resets the
   * counts.
   */
  const end = async (id: string): Promise<void> => {
    const entry = fresh.get(id)
    fresh.delete(id)
    endedAt.set(id, now())
    if (entry) await writeInTurn(id, entry)
    const storedHook = hooks.get(id)
    if (!storedHook || storedHook.refused === 0) return
    const to = storedHook.refusedAt ?? now()
    await lookFor(
      storedHook,
      { from: (storedHook.refusedSince ?? to) - deliveryLagMs, to },
      storedHook.refusedReason ?? '',
    )
    log('info', 'hook.accepting', { hook: id, refused: storedHook.refused })
    await onShown(
      await hooks.change(storedHook, { refused: 0, refusedSince: null, refusedAt: null, refusedReason: null }),
    )
  }

  return {
    /** Counts a refused delivery; `isForged`: refused for its signature. */
    note(hook: Hook, reason: string, isForged = false): void {
      if (!isLive(hook)) return
      const at = now()
      const entry = fresh.get(hook.id) ?? firstEntry(at, endedAt.get(hook.id) ?? -Infinity)
      addRefusal(entry, at, reason, isForged)
      fresh.set(hook.id, entry)
      if (!entry.isBusy && at - entry.wroteAt >= writeMs)
        inBackground('hook.refusal_not_noted', writeInTurn(hook.id, entry))
    },
    /**
     * A delivery was accepted. Among forged deliveries every genuine one gets here, so when refusals of this hook ended
     * lately, the rest waits for `flush`.
     */
    accepted(hook: Hook): void {
      const entry = fresh.get(hook.id)
      if (hook.refused === 0 && !entry) return
      if (entry && (entry.isBusy || !hasRested(hook.id))) entry.isAccepted = true
      else inBackground('hook.refusal_not_ended', end(hook.id))
    },
    /**
     * Writes counts that are not yet stored, ends refusals after which a delivery was accepted, and reads the history
     * again for deliveries refused since it was last read.
     */
    async flush(): Promise<void> {
      for (const [id, at] of endedAt) if (now() - at >= lookMs) endedAt.delete(id)
      for (const [id, entry] of fresh) {
        await writeInTurn(id, entry)
        if (entry.isAccepted) {
          if (!entry.isBusy && hasRested(id)) await end(id)
          continue
        }
        const hook = hooks.get(id)
        const isMissed = hook !== undefined && hook.refusedAt !== null && hook.refusedAt > entry.lookedAt
        if (isMissed && now() - entry.lookedAt >= lookMs) await look(hook, entry, hook.refusedAt!)
        else if (!isMissed && now() - entry.wroteAt > lookMs) fresh.delete(id)
      }
    },
  }
}
export type RefusedDeliveries = ReturnType<typeof createRefusedDeliveries>
