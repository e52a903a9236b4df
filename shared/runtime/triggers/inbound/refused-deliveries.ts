import type { Hook, Log } from '../../ports/index.ts'
import { deliveryLagMs } from '../sync/gaps.ts'
import { isLive } from '../sync/hook-cache.ts'
import type { HookCache } from '../sync/hook-cache.ts'

type RefusedDeliveriesDependencies = {
  now(): number
  hooks: HookCache
  log: Log
  /** What a connection's subscriptions show of their health has changed. */
  onShown(hook: Hook): Promise<void>
  /**
   * Looks in the provider's history for what the hook may have missed in this span, and records what no history lists.
   */
  lookFor(hook: Hook, span: { from: number; to: number }, reason: string): Promise<void>
  /** Gives the hook another signing secret, where it has one of its own. */
  renewSecret(hook: Hook): Promise<void>
  /** Runs work that nobody waits for; a defect in it is logged as `event`. */
  inBackground(event: string, work: Promise<unknown>): void
}

/**
 * A hook under fire is written down and its history read no more often than this: who knows its address must not make
 * us work.
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
  /** One was accepted since; `flush` ends it. */
  isAccepted: boolean
  /** One was refused for its signature since the last look. */
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
 * Deliveries to our hooks that were refused. The hook goes on as it is, since anybody who learnt its address could have
 * sent them: it shows how many and why, and what they may have reported is looked for in the provider's history.
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
  /** When refusals of a hook last ended, for as long as its history is not to be read again. */
  const endedAt = new Map<string, number>()
  const hasRested = (id: string) => now() - (endedAt.get(id) ?? -Infinity) >= lookMs

  const look = async (hook: Hook, entry: Fresh, to: number) => {
    entry.lookedAt = now()
    const { isForged } = entry
    entry.isForged = false
    // First, so that what comes while the history is read is delivered.
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

  /** A delivery was accepted: those before it are what may be missing, and no more are. */
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
    /** `isForged`: refused for its signature. */
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
     * A delivery was accepted. Between forgeries every one of them is, so what follows from it waits for `flush` where
     * it was done lately.
     */
    accepted(hook: Hook): void {
      const entry = fresh.get(hook.id)
      if (hook.refused === 0 && !entry) return
      if (entry && (entry.isBusy || !hasRested(hook.id))) entry.isAccepted = true
      else inBackground('hook.refusal_not_ended', end(hook.id))
    },
    /**
     * Writes down what is not yet, ends what was accepted since, and looks again for what was refused since the last
     * look.
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
